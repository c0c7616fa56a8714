#!/usr/bin/env python3
"""Says how many lines of the compiler's rooms the fuzzers' corpus reaches, and which it does not.

    tests/coverage/lines.py --nlang build/coverage/bin/nlang [--rooms sema codegen] [--missing] [FOLDER...]

The corpus is what `./dev soak` gives to the fuzzers, or the .n files of the folders given here. A build of the preset
`coverage` compiles each as a library and as a program, without running it. Needs llvm-19. With --missing it lists the
lines that no file reached.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CORPUS = ["tests/fuzz/corpus", "tests/lang", "examples", "std"]
ROOMS = ["syntax", "sema", "codegen", "bytecode"]
TIMEOUT_S = 120  # a hang, not a slow machine


def compile_corpus(nlang, folders, jobs, profile):
    """Compiles every file, whether it is a program or broken; all processes count into the files that `profile` names."""
    environment = {**os.environ, "LLVM_PROFILE_FILE": profile}

    def compile_file(path):
        for command in ("check", "disasm"):
            subprocess.run([nlang, command, path.name], cwd=path.parent, env=environment, timeout=TIMEOUT_S,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    files = sorted(path for folder in folders for path in pathlib.Path(folder).rglob("*.n"))
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(compile_file, files):
            pass
    return len(files)


def write_examples(folder):
    """The examples of the diagnostics as files."""
    subprocess.run([sys.executable, ROOT / "tests/lang/diagnostics.py", "--examples", folder], check=True)
    return folder


def measure(nlang, folder):
    """The files of the build, each with the segments and the summary that llvm-cov gives."""
    merged = folder / "merged.profdata"
    profiles = [str(path) for path in folder.glob("*.profraw")]
    subprocess.run(["llvm-profdata-19", "merge", "-o", merged, *profiles], check=True)
    exported = subprocess.run(["llvm-cov-19", "export", nlang, "-instr-profile", merged, "-skip-expansions",
                               "-skip-branches", "-skip-functions"], check=True, capture_output=True)
    return json.loads(exported.stdout)["data"][0]["files"]


def missing_lines(segments):
    """Lines that did not run, from a file's segments (line, column, count, has count, starts a region, is a gap).

    A segment says what holds up to the next one. As llvm-cov counts, a line ran as often as the region that was open
    when it began or the most frequent of those that start on it.
    """
    started = collections.defaultdict(list)
    for segment in segments:
        started[segment[0]].append(segment)
    missing, open_segment = [], None
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else []:
        here = started[line]
        counts = [segment[2] for segment in here if segment[3] and segment[4] and not segment[5]]
        if open_segment and open_segment[3]:
            counts.append(open_segment[2])
        begins_skipped = here and not here[0][3] and here[0][4]
        is_counted = not begins_skipped and (counts or open_segment and open_segment[3])
        if is_counted and max(counts) == 0:
            missing.append(line)
        open_segment = here[-1] if here else open_segment
    return missing


def ranges(numbers):
    """1, 2, 3, 7 as `1-3 7`."""
    parts, start = [], None
    for number, following in zip(numbers, [*numbers[1:], None]):
        start = number if start is None else start
        if following != number + 1:
            parts.append(str(start) if start == number else f"{start}-{number}")
            start = None
    return " ".join(parts) or "nothing"


def main():
    parser = argparse.ArgumentParser(description="measures which lines of the compiler the fuzzers' corpus reaches")
    parser.add_argument("--nlang", type=pathlib.Path, required=True, help="the nlang of a build with the preset coverage")
    parser.add_argument("--rooms", nargs="+", default=ROOMS)
    parser.add_argument("--missing", action="store_true", help="list the lines that were not reached")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("folders", nargs="*", metavar="FOLDER", help="what to compile instead of the corpus")
    options = parser.parse_args()
    nlang = options.nlang.resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # %c: counters are written as they count, since the command ends by _exit; %m: processes share a file.
        corpus = options.folders or [*(ROOT / part for part in CORPUS), write_examples(folder / "examples")]
        count = compile_corpus(nlang, corpus, options.jobs, str(folder / "%c%m.profraw"))
        files = measure(nlang, folder)
    rooms = collections.defaultdict(lambda: [0, 0])
    for file in sorted(files, key=lambda f: f["filename"]):
        path = pathlib.Path(file["filename"])
        if not path.is_relative_to(ROOT / "src") or path.relative_to(ROOT / "src").parts[0] not in options.rooms:
            continue
        summary, room = file["summary"]["lines"], rooms[path.relative_to(ROOT / "src").parts[0]]
        room[0] += summary["covered"]
        room[1] += summary["count"]
        if options.missing and summary["covered"] < summary["count"]:
            print(f"{path.relative_to(ROOT)}: {summary['covered']} of {summary['count']}; "
                  f"not {ranges(missing_lines(file['segments']))}")
    print(f"{count} files reach")
    for room in options.rooms:
        covered, count = rooms[room]
        print(f"  {room}: {covered} of {count} lines, {100 * covered / max(count, 1):.1f} %")


if __name__ == "__main__":
    sys.exit(main())
