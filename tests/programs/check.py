#!/usr/bin/env python3
"""Compares programs of tests/lang/programs with independent implementations of the same.

    tests/programs/check.py --nlang build/release/bin/nlang --references build/release/bin

json_printer.n      against nlohmann-json (json_reference.cpp), in all three forms: the texts of json_printer.in, and
                    generated ones, of which about half are valid
json_package.n      the same for package json (it stands beside this script, because alone it says nothing)
ray_tracer.n        against ray_tracer_reference.cpp: the same picture, byte for byte
"""
import argparse
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
PROGRAMS = HERE.parent / "lang" / "programs"
GENERATED = [(1, 2000), (2, 2000), (3, 2000)]  # seed and number of texts
SHOWN = 5


def output_of(command, given=b""):
    done = subprocess.run([str(word) for word in command], input=given, capture_output=True, timeout=600)
    if done.returncode != 0 or done.stderr:
        sys.exit(f"{command[0]} ended with {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def without_reasons(answers):
    """The library's positions and reasons are its own business."""
    return b"\n".join(b"reject" if line.startswith(b"reject") else line for line in answers.split(b"\n"))


def differences(name, wanted, got):
    """Prints the first lines that differ; their number."""
    wanted, got = wanted.split(b"\n"), got.split(b"\n")
    differing = [(number, *pair) for number, pair in enumerate(zip(wanted, got), 1) if pair[0] != pair[1]]
    for number, expected, answered in differing[:SHOWN]:
        print(f"{name}, line {number}: {answered[:200]!r}, expected {expected[:200]!r}")
    if len(wanted) != len(got):
        print(f"{name}: {len(got)} lines, expected {len(wanted)}")
    return len(differing) + abs(len(wanted) - len(got))


def check_json(nlang, reference):
    corpora = {"json_printer.in": (PROGRAMS / "json_printer.in").read_bytes()}
    for seed, count in GENERATED:
        corpora[f"generated texts, seed {seed}"] = output_of([reference, "generate", seed, count])
    faults = 0
    for name, corpus in corpora.items():
        for form in ("compact", "ascii", "pretty"):
            wanted = output_of([reference, form], corpus)
            got = output_of([nlang, "run", PROGRAMS / "json_printer.n", form], corpus)
            faults += differences(f"{name}, {form}", wanted, without_reasons(got))
            if form != "ascii":
                got = output_of([nlang, "run", HERE / "json_package.n", form], corpus)
                faults += differences(f"{name}, package json, {form}", as_the_package_writes(wanted),
                                      without_reasons(got))
    return faults


def as_the_package_writes(answers):
    """The package has no unsigned integers, and prints doubles in scientific form one power of ten later."""
    answers = re.sub(rb"(?<![\w.+-])\d{19,20}(?![\w.])", lambda m: m[0] if int(m[0]) < 2 ** 63 else
                     repr(float(m[0])).encode(), answers)

    def plain(number):
        digits = (number[1] + (number[2] or b"")).ljust(17, b"0")
        return digits[:16] + b"." + digits[16:]

    return re.sub(rb"(\d)(?:\.(\d+))?e\+15\b", plain, answers)


def check_ray_tracer(nlang, reference):
    scene = (PROGRAMS / "ray_tracer.in").read_bytes()
    wanted = output_of([reference], scene)
    return (differences("ray_tracer.out", wanted, (PROGRAMS / "ray_tracer.out").read_bytes())
            + differences("ray_tracer", wanted, output_of([nlang, "run", PROGRAMS / "ray_tracer.n"], scene)))


def main():
    parser = argparse.ArgumentParser(description="compares programs with other implementations of the same")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    parser.add_argument("--references", type=pathlib.Path, required=True, help="the folder of the C++ programs")
    options = parser.parse_args()
    nlang = options.nlang.resolve()
    faults = (check_json(nlang, options.references / "json_reference")
              + check_ray_tracer(nlang, options.references / "ray_tracer_reference"))
    print(f"{faults} differences")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
