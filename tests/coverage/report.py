#!/usr/bin/env python3
"""Says which entries of our tables no test has exercised; fails when there are any.

    tests/coverage/report.py FILE [--verbose]

FILE holds what a test run of a build with NLANG_COVERAGE appended (src/base/coverage.h): `opcode add_i32` and so on.
An entry that belongs to a feature still to come stands in tests/coverage/later.txt, one `FAMILY NAME reason` a line.
"""
import argparse
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORD = r"[A-Za-z_][A-Za-z0-9_]*"

# family -> (table, what its name looks like among the arguments of an entry). The first match in an entry is its name.
TABLES = {
    "opcode": ("src/bytecode/opcodes.def", WORD),
    "park": ("src/sched/park_reasons.def", WORD),
    "exception-shape": ("src/codegen/exception_shapes.def", WORD),
    "diagnostic": ("src/syntax/diagnostics.def", r"[EW]\d{3,4}"),
}


def entries(family):
    """Names in table order. An entry is a macro call that starts a line: `OPCODE(add_i32, ...)`."""
    path, name = TABLES[family]
    for line in (ROOT / path).read_text(encoding="utf-8").split("\n"):
        call = re.match(r"\s*[A-Z][A-Z0-9_]*\((.*)", line)
        found = call and re.search(rf"\b{name}\b", call.group(1))
        if found:
            yield found.group(0)


def later_entries():
    path = ROOT / "tests/coverage/later.txt"
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return {tuple(line.split()[:2]) for line in lines if line.strip() and not line.startswith("#")}


def main():
    parser = argparse.ArgumentParser(description="lists table entries that no test exercised")
    parser.add_argument("recorded", type=pathlib.Path)
    parser.add_argument("--verbose", action="store_true", help="list what was exercised, too")
    options = parser.parse_args()
    if not options.recorded.exists():
        print(f"{options.recorded} does not exist: did the tests run with a build that has NLANG_COVERAGE?")
        return 1
    seen = {tuple(line.split(" ", 1)) for line in options.recorded.read_text(encoding="utf-8").splitlines()}
    later, missing = later_entries(), 0
    for family in TABLES:
        names = list(entries(family))
        absent = [name for name in names if (family, name) not in seen and (family, name) not in later]
        waiting = [name for name in names if (family, name) in later and (family, name) not in seen]
        print(f"{family}: {len(names) - len(absent) - len(waiting)} of {len(names)} exercised, {len(waiting)} for later")
        if options.verbose:
            print("  exercised: " + " ".join(name for name in names if (family, name) in seen))
        if absent:
            print("  not exercised: " + " ".join(absent))
        missing += len(absent) + (not names)
        if not names:
            print(f"  {TABLES[family][0]} has no entries")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
