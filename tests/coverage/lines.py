#!/usr/bin/env python3
"""Says how many lines of each room the test programs reach, and which they do not.

    tests/coverage/lines.py --nlang build/coverage/bin/nlang [--rooms sema codegen] [--missing]

Runs every program of tests/lang, tests/fuzz/corpus and examples with a build of the `coverage` preset; needs llvm-19.
With --missing it lists the lines that no program reached, by file.
"""
import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROOMS = ["syntax", "sema", "codegen", "bytecode"]


def run_corpus(nlang, profile):
    """Every program that carries its expectations is run by their runner; the others are compiled."""
    environment = {**os.environ, "LLVM_PROFILE_FILE": profile}
    subprocess.run([sys.executable, ROOT / "tests/lang/run.py", "--nlang", nlang], env=environment, check=True,
                   stdout=subprocess.DEVNULL)
    others = [*(ROOT / "tests/fuzz/corpus").glob("*.n"), *(ROOT / "examples").rglob("*.n")]
    for path in sorted(others):
        subprocess.run([nlang, "check", path], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def lines_of(segments):
    """Line -> whether it ran, from the segments of a file's coverage: (line, column, count, has count, starts, gap)."""
    lines, current = {}, None
    for segment, following in zip(segments, [*segments[1:], None]):
        line, _, count, has_count = segment[:4]
        last = following[0] if following else line
        if has_count:
            for number in range(line, last + 1):
                # A line belongs to the region that starts on it or, failing that, to the one around it.
                starts_here = number == line and segment[4]
                if starts_here:
                    lines[number] = max(lines.get(number, 0), count)
                else:
                    lines.setdefault(number, count)
        current = segment
    return lines


def measure(nlang, folder):
    merged = folder / "merged.profdata"
    profiles = [str(path) for path in folder.glob("*.profraw")]
    subprocess.run(["llvm-profdata-19", "merge", "-o", merged, *profiles], check=True)
    exported = subprocess.run(["llvm-cov-19", "export", nlang, "-instr-profile", merged, "-skip-expansions",
                               "-skip-branches", "-skip-functions"], check=True, capture_output=True)
    return json.loads(exported.stdout)["data"][0]["files"]


def main():
    parser = argparse.ArgumentParser(description="measures which lines the test programs reach")
    parser.add_argument("--nlang", type=pathlib.Path, required=True, help="the nlang of a build with the preset coverage")
    parser.add_argument("--rooms", nargs="+", default=ROOMS)
    parser.add_argument("--missing", action="store_true", help="list the lines that were not reached")
    options = parser.parse_args()
    nlang = options.nlang.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # %c: counters are written as they count, since the command ends by _exit.
        run_corpus(nlang, str(folder / "%c%2m.profraw"))
        files = measure(nlang, folder)
    rooms = collections.defaultdict(lambda: [0, 0])
    for file in sorted(files, key=lambda f: f["filename"]):
        path = pathlib.Path(file["filename"])
        if not path.is_relative_to(ROOT / "src"):
            continue
        room = path.relative_to(ROOT / "src").parts[0]
        if room not in options.rooms:
            continue
        summary = file["summary"]["lines"]
        rooms[room][0] += summary["covered"]
        rooms[room][1] += summary["count"]
        if options.missing:
            absent = sorted(line for line, count in lines_of(file["segments"]).items() if count == 0)
            print(f"{path.relative_to(ROOT)}: {summary['covered']} of {summary['count']}; not {ranges(absent)}")
    for room in options.rooms:
        covered, count = rooms[room]
        print(f"{room}: {covered} of {count} lines, {100 * covered / max(count, 1):.1f} %")


def ranges(numbers):
    """1, 2, 3, 7 as `1-3 7`."""
    parts, start = [], None
    for number, following in zip(numbers, [*numbers[1:], None]):
        start = number if start is None else start
        if following != number + 1:
            parts.append(str(start) if start == number else f"{start}-{number}")
            start = None
    return " ".join(parts) or "nothing"


if __name__ == "__main__":
    main()
