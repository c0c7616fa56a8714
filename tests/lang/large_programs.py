#!/usr/bin/env python3
"""Programs that are large in one respect, made at run time: a compiler must need neither the native stack nor memory
or time that grows with the square of their size.

    tests/lang/large_programs.py --nlang build/release/bin/nlang

rule: L2.3, L5.1, L12.2
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

TIMEOUT_S = 120  # a hang, not a slow machine
MEMORY_MB = 1024  # what is linear stays far below, also with a sanitizer's bookkeeping


def main_of(*statements):
    return "void main() { " + " ".join(statements) + " }\n"


def cases():
    """(name, program, exit status, standard output, text in standard error)."""
    arms = " else ".join(f"if (x == {i}) {{ return {3 * i}; }}" for i in range(5000))
    yield ("chain of else if", "import io;\nint f(int x) { " + arms + " else { return -1; } }\n"
           + main_of("io.print(f(4999));", "io.print(f(7));", "io.print(f(-7));"), 0, "14997\n21\n-1\n", "")
    loops = " else ".join(f"if (x == {i}) while (x == {i}) {{ x += 5000; }}" for i in range(5000))
    yield ("chain of else if without blocks", "import io;\n" + main_of("int x = 77;", loops, "io.print(x);"), 0,
           "5077\n", "")
    yield ("constant text of many pieces", "import io;\nconst string s = " + " + ".join(['"ab"'] * 60_000) + ";\n"
           + main_of("io.print(s.length());"), 0, "120000\n", "")
    yield ("constant sum of many terms", "import io;\nconst int s = " + " + ".join(["1"] * 60_000) + ";\n"
           + main_of("io.print(s);"), 0, "60000\n", "")
    parameters = ", ".join(f"int p{i}" for i in range(70_000))
    yield ("more parameters than fit", f"void f({parameters}) {{ }}\n" + main_of("f(" + ", ".join(["1"] * 70_000) + ");"),
           2, "", "error[E0705]")
    yield ("many parameters of one name", "void f(" + ", ".join(["int p"] * 2000) + ") { }\n" + main_of(), 2, "",
           "error[E0309]")


def run(nlang, path):
    """Exit status, standard output, standard error, peak memory in MB."""
    with path.with_suffix(".out").open("w+b") as out, path.with_suffix(".err").open("w+b") as err:
        child = subprocess.Popen([str(nlang), "run", path.name], cwd=path.parent, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err)
        alarm = threading.Timer(TIMEOUT_S, child.kill)
        alarm.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        alarm.cancel()
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read().decode(), err.read().decode("utf-8", "replace"), usage.ru_maxrss // 1024


def faults(outcome, status, stdout, message):
    if outcome[0] != status:
        yield f"exit status {outcome[0]}, expected {status}"
    if outcome[1] != stdout:
        yield f"standard output is {outcome[1][:80]!r}, expected {stdout!r}"
    if message not in outcome[2] or (not message and outcome[2]):
        yield f"standard error is {outcome[2][:160]!r}"
    if outcome[3] > MEMORY_MB:
        yield f"used {outcome[3]} MB"


def main():
    parser = argparse.ArgumentParser(description="compiles programs that are large in one respect")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    nlang = parser.parse_args().nlang.resolve()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, status, stdout, message in cases():
            count += 1
            path = pathlib.Path(folder) / "large.n"
            path.write_text(text, encoding="utf-8")
            wrong = list(faults(run(nlang, path), status, stdout, message))
            if wrong:
                failed += 1
                print(f"FAIL {name}: {'; '.join(wrong)}")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
