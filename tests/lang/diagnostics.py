#!/usr/bin/env python3
"""Every diagnostic is provoked by the example that stands beside it in src/syntax/diagnostics.def.

    tests/lang/diagnostics.py --nlang build/release/bin/nlang

An entry whose example is "" is one that no text of a program can provoke; bad_input.py or a program under errors/ does.
rule: L12.1
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).resolve().parents[2] / "src/syntax/diagnostics.def"
STRING = r'"((?:[^"\\]|\\.)*)"'
ENTRY = re.compile(rf"NL_DIAGNOSTIC\(\s*\w+,\s*{STRING},\s*\w+,\s*((?:{STRING}\s*)+),\s*((?:{STRING}\s*)+)\)", re.DOTALL)


def text_of(literals):
    """The value of one or more C++ string literals."""
    joined = "".join(re.findall(STRING, literals))
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), joined)


def entries():
    table = re.sub(r"^//.*$", "", TABLE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    found = [(m.group(1), text_of(m.group(4))) for m in ENTRY.finditer(table)]
    if len(found) != len(re.findall(r"NL_DIAGNOSTIC\(", table)):
        sys.exit(f"some entries of {TABLE} could not be read")
    return found


def fault_of(nlang, folder, code, example):
    """What is wrong when `example` is checked, or None."""
    text = example if re.search(r"\bmain\(", example) else f"{example}\nvoid main() {{ }}\n"
    path = folder / f"{code.lower()}.n"
    path.write_text(text, encoding="utf-8")
    try:
        done = subprocess.run([str(nlang), "check", path.name], cwd=folder, capture_output=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "still running after 60 s"
    stderr = done.stderr.decode("utf-8", "replace")
    kind = "warning" if code.startswith("W") else "error"
    first = re.search(rf"^{path.name}:\d+:\d+: {kind}\[{code}\]: .+$", stderr, re.MULTILINE)
    wanted = 0 if kind == "warning" else 2
    if not first:
        return f"not reported for `{example}`; standard error: {stderr[:300]!r}"
    if done.returncode != wanted and not (kind == "warning" and "error[" in stderr):
        return f"exit status {done.returncode}, expected {wanted}"
    return None


def main():
    parser = argparse.ArgumentParser(description="provokes every diagnostic by its example")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    nlang = parser.parse_args().nlang.resolve()
    tested = [(code, example) for code, example in entries() if example]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(lambda entry: fault_of(nlang, pathlib.Path(folder), *entry), tested))
    for (code, _), fault in zip(tested, faults):
        if fault:
            print(f"FAIL {code}: {fault}")
    failed = sum(fault is not None for fault in faults)
    print(f"{len(tested) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
