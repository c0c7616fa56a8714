#!/usr/bin/env python3
"""Runs each program twice in the same order of threads and compares what the scheduler did, the output and the end.

    tests/lang/reproducible.py --nlang build/release/bin/nlang [--filter REGEX] [FOLDER...]

One carrier and a virtual clock: then nothing but the program and the options decides the order, so two runs with the
same options have the same hash of scheduling events, which `--stats` prints. The orders are first in, first out, and
that of a seed. A program whose order is decided by its input, or that waits for the real clock to move, says
`// without: repeat`. rule: C2.2, C2.8
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import run

ORDERS = ((), ("--schedule-seed", "1"))
EVENTS = re.compile(r"^scheduling events +([\d,]+)\n  hash +0x[0-9a-f]{16}$", re.MULTILINE)


def options_of(program):
    """The program's own options, without what this test decides."""
    args = list(program.args)
    for name in ("--carriers", "--schedule-seed"):
        while name in args:
            del args[args.index(name):args.index(name) + 2]
    return args


def outcome(program, order, nlang):
    """What must be the same in two runs."""
    command = [str(nlang), "run", "--carriers", "1", "--virtual-time", "--stats", *order, *options_of(program),
               program.path.name, *program.program_args]
    done = subprocess.run(command, cwd=program.path.parent, input=program.standard_input, capture_output=True,
                          timeout=run.TIMEOUT_S)
    events = EVENTS.search(done.stderr.decode("utf-8", "replace"))
    return events.group(0) if events else "no line about events", done.returncode, done.stdout


def faults_of(program, nlang, seen):
    """What differs between two runs of an order; the events of each order are added to `seen`."""
    for order in ORDERS:
        name = " ".join(order) or "first in, first out"
        try:
            first, second = outcome(program, order, nlang), outcome(program, order, nlang)
        except subprocess.TimeoutExpired:
            yield f"{name}: still running after {run.TIMEOUT_S} s"
            continue
        if not first[0].startswith("scheduling events"):
            yield f"{name}: {first[0]}"
        seen.append(first[0])
        for what, a, b in zip(("events", "exit status", "output"), first, second):
            if a != b:
                yield f"{name}: {what} differ: {str(a)[:200]!r} and {str(b)[:200]!r}"


def main():
    parser = argparse.ArgumentParser(description="runs programs twice and compares what the scheduler did")
    parser.add_argument("--nlang", type=pathlib.Path, required=True, help="the nlang executable")
    parser.add_argument("--filter", help="only programs whose FOLDER/NAME matches this regular expression")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("folders", nargs="*", default=["concurrency"], metavar="FOLDER")
    options = parser.parse_args()
    nlang = options.nlang.resolve()
    programs = [run.Program(path) for folder in options.folders for path in sorted((run.ROOT / folder).glob("*.n"))]
    programs = [p for p in programs if "repeat" not in p.without and not p.check_only and p.exit != 2
                and (not options.filter or re.search(options.filter, p.name))]
    failed, seen = 0, [[] for _ in programs]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, faults in zip(programs, pool.map(lambda p, s: list(faults_of(p, nlang, s)), programs, seen)):
            failed += bool(faults)
            if faults:
                print(f"FAIL {program.name}", *faults, sep="\n    ")
    print(f"{len(programs) - failed} passed, {failed} failed")
    if all(len(set(events)) < 2 for events in seen):
        print("no program was run in another order by the seed")
        return 1
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    sys.exit(main())
