#!/usr/bin/env python3
"""Proves that the tests would notice: switches each planted fault on and expects the test beside it to fail.

    tests/faults/run.py --bin build/asan/bin

tests/faults/faults.txt has one fault a line, `NAME TEST`, where TEST is either `lang FOLDER/PROGRAM [OPTION...]`, with
options of tests/lang/run.py, or `unit ROOM FILTER`, a GoogleTest filter. The test must pass without the fault and fail
with it; a fault of the program without a line is an error. The build must have NLANG_PLANTED_FAULTS
(src/base/planted_fault.h).
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]


def command_for(test, binaries):
    kind, name, *rest = test
    if kind == "unit":
        return [str(binaries / f"unit_{name}"), f"--gtest_filter={rest[0]}"]
    folder = name.split("/")[0]
    return [sys.executable, str(ROOT / "tests/lang/run.py"), "--nlang", str(binaries / "nlang"),
            "--filter", f"^{re.escape(name)}$", *rest, folder]


def run(test, binaries, fault):
    """Exit status and whether the run executed any test at all."""
    environment = dict(os.environ, NLANG_FAULT=fault)
    done = subprocess.run(command_for(test, binaries), env=environment, capture_output=True, text=True, timeout=300)
    nothing = "0 passed, 0 failed" in done.stdout or "0 tests from 0 test suites" in done.stdout
    return done.returncode, not nothing, done.stdout + done.stderr


def planted_names():
    """What the program asks for with NLANG_FAULT("NAME")."""
    texts = (p.read_text(encoding="utf-8") for p in (ROOT / "src").rglob("*") if p.suffix in {".cpp", ".h"})
    return {name for text in texts for name in re.findall(r'^(?!\s*//).*NLANG_FAULT\("([^"]+)"\)', text, re.MULTILINE)}


def main():
    parser = argparse.ArgumentParser(description="switches planted faults on and expects tests to fail")
    parser.add_argument("--bin", type=pathlib.Path, required=True)
    options = parser.parse_args()
    lines = (ROOT / "tests/faults/faults.txt").read_text(encoding="utf-8").split("\n")
    faults = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    listed, planted = {name for name, *_ in faults}, planted_names()
    for name in sorted(listed ^ planted):
        print(f"{name}: " + ("no test is listed for it" if name in planted else "listed, but nowhere in src"))
    wrong = len(listed ^ planted)
    for name, *test in faults:
        status, ran, output = run(test, options.bin, "")
        if status != 0 or not ran:
            verdict = "its test does not pass without the fault"
        else:
            status, _, output = run(test, options.bin, name)
            verdict = "caught" if status != 0 else "NOT CAUGHT"
        print(f"{name}: {verdict} ({' '.join(test)})")
        if verdict != "caught":
            wrong += 1
            print(output[-2000:])
    return 1 if wrong or not faults else 0


if __name__ == "__main__":
    sys.exit(main())
