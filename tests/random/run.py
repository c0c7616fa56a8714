#!/usr/bin/env python3
"""Runs random programs under every set of options and compares what they print with what they must print.

    tests/random/run.py --nlang build/release/bin/nlang --build release [--kinds mixed scalar tasks] [--first N]
                        [--count N] [--keep FOLDER]

Programs FIRST … FIRST+COUNT-1 of each kind. Whatever fails is left in FOLDER, with the output that it should have. To
see one again: tests/random/generate.py --kind KIND --seed N.
"""
import argparse
import functools
import multiprocessing
import os
import pathlib
import subprocess
import sys
import tempfile

from configurations import SETS, option_sets
from generate import generate

TIMEOUT_S = 300  # a hang, not a slow machine


def first_difference(expected, got):
    wanted, have = expected.split(b"\n"), got.split(b"\n")
    for number, (a, b) in enumerate(zip(wanted, have), 1):
        if a != b:
            return f"line {number} is {b[:200]!r}, expected {a[:200]!r}"
    return f"{len(have) - 1} lines, expected {len(wanted) - 1}"


def run_one(options, job):
    """What is wrong with one program, as lines; none if all is well."""
    kind, seed = job
    sys.setrecursionlimit(20000)
    text, expected = generate(kind, seed)
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "random.n"
        path.write_text(text, encoding="utf-8")
        for name, extra in option_sets(kind, options.build, seed).items():
            try:
                done = subprocess.run([str(options.nlang), "run", *extra, path.name], cwd=folder, capture_output=True,
                                      timeout=TIMEOUT_S, stdin=subprocess.DEVNULL)
            except subprocess.TimeoutExpired:
                faults.append(f"{name}: still running after {TIMEOUT_S} s")
                continue
            if done.returncode != 0:
                says = [line for line in done.stderr.decode(errors="replace").split("\n") if ": warning" not in line]
                clue = next((line for line in says if "rror" in line or "Uncaught" in line or "Deadlock" in line), "")
                faults.append(f"{name}: exit status {done.returncode} {clue}")
            elif done.stdout != expected:
                faults.append(f"{name}: {first_difference(expected, done.stdout)}")
            elif b"Unobserved" in done.stderr:
                faults.append(f"{name}: an exception was not observed")
    if faults:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"{kind}_{seed}.n").write_text(text, encoding="utf-8")
        (options.keep / f"{kind}_{seed}.out").write_bytes(expected)
    return kind, seed, faults


def main():
    parser = argparse.ArgumentParser(description="runs random programs")
    parser.add_argument("--nlang", type=pathlib.Path, required=True, help="the nlang executable")
    parser.add_argument("--build", choices=sorted(SETS), required=True, help="which sets of options to use")
    parser.add_argument("--kinds", nargs="+", choices=["mixed", "scalar", "tasks"],
                        default=["mixed", "scalar", "tasks"])
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("random_failures"))
    parser.add_argument("-j", "--jobs", type=int, default=2)
    options = parser.parse_args()
    options.nlang = options.nlang.resolve()
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")

    jobs = [(kind, seed) for seed in range(options.first, options.first + options.count) for kind in options.kinds]
    failed = 0
    with multiprocessing.Pool(options.jobs) as pool:
        for kind, seed, faults in pool.imap(functools.partial(run_one, options), jobs):
            failed += bool(faults)
            for fault in faults:
                print(f"FAIL {kind} {seed}: {fault}", flush=True)
    print(f"{len(jobs) - failed} passed, {failed} failed")
    if failed:
        print(f"the programs are in {options.keep.resolve()}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
