#!/usr/bin/env python3
"""Runs the language tests: programs that carry their own expectations.

    tests/lang/run.py --nlang build/release/bin/nlang [--gc-stress] [--quota N] [--schedule-seed N]
                      [--carriers N] [--carrier-stress] [--repeat N] [--filter REGEX] [FOLDER...]

A program states in comments what must happen; tests/README.md explains the words:

    // expect: LINE             one line of standard output; all of them, in order, are the whole output
    // expect error: REGEX      some line of standard error matches, after the one that matched before
    // exit: N                  exit status; 0 when not given, 2 for a program with expected compile errors
    // error[E0401]             at the end of a line: exactly this diagnostic is reported for this line
    // error                    at the end of a line: one error of whatever code is reported for this line
    // error: 12 E0401          the same for line 12
    // warning[W0101]           likewise; a program that does not mention warnings must cause none
    // args: --quota 3          options for `nlang run`
    // program args: a b        arguments for the program
    // stdin: LINE              a line of standard input
    // check                    run `nlang check` and not `nlang run`
    // without: gc-stress       leave the program out of a mode in which it says nothing: gc-stress, quota, carriers
                                (several of them), seeds (its expectation is the order of one carrier), repeat (the
                                real clock or input decides its order; see reproducible.py)
    // rule: L5.3               the rules that it guards (for rules.py)

Beside that, NAME.n may come with NAME.in (standard input), NAME.out, NAME.err (regular expressions), NAME.exit and
NAME.args, beside it or in the folder that --beside names.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shlex
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent
TIMEOUT_S = 120  # a hang, not a slow machine

DIRECTIVE = re.compile(
    r"//\s*(expect error|expect|exit|args|program args|stdin|error|warning|without|rule):(?: (.*)|\s*)$")
TRAILING_DIAGNOSTICS = re.compile(r"//((?:\s+(?:error|warning)(?:\[[A-Z]\d+\])?)+)\s*$")
DIAGNOSTIC_WORD = re.compile(r"(error|warning)(?:\[([A-Z]\d+)\])?")
ANY_CODE = ""
REPORTED = re.compile(r"^(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<kind>error|warning)\[(?P<code>\w+)\]: ")


class Program:
    """A test program with its expectations, read from its comments or from the files beside it (or in `beside`)."""

    def __init__(self, path, beside=None):
        self.path = path
        self.neighbour = beside / path.name if beside else path
        self.name = f"{path.parent.name}/{path.stem}"
        self.output = []
        self.errors = []
        self.diagnostics = []
        self.args = []
        self.program_args = []
        self.input = []
        self.exit = None
        self.check_only = False
        self.without = set()
        text = path.read_text(encoding="utf-8", errors="surrogateescape")
        for number, line in enumerate(text.split("\n"), 1):
            self._read_line(number, line)
        self._read_neighbours()
        self.mentions_warnings = any(kind == "warning" for _, kind, _ in self.diagnostics)
        if self.exit is None:
            self.exit = 2 if any(kind == "error" for _, kind, _ in self.diagnostics) else 0
        self.expected_output = "".join(line + "\n" for line in self.output)
        self.standard_input = "".join(line + "\n" for line in self.input).encode()
        if self.neighbour.with_suffix(".in").exists():
            self.standard_input = self.neighbour.with_suffix(".in").read_bytes()
        if self.neighbour.with_suffix(".out").exists():
            self.expected_output = self.neighbour.with_suffix(".out").read_text(encoding="utf-8")

    def _read_line(self, number, line):
        if re.match(r"\s*//\s*check\s*$", line):
            self.check_only = True
            return
        trailing = TRAILING_DIAGNOSTICS.search(line)
        if trailing:
            self.diagnostics += [(number, kind, code) for kind, code in DIAGNOSTIC_WORD.findall(trailing.group(1))]
            return
        found = DIRECTIVE.search(line)
        if not found:
            return
        word, value = found.group(1), found.group(2) or ""
        if word == "expect":
            self.output.append(value)
        elif word == "expect error":
            self.errors.append(value.strip())
        elif word == "exit":
            self.exit = int(value)
        elif word == "args":
            self.args += shlex.split(value)
        elif word == "program args":
            self.program_args += shlex.split(value)
        elif word == "stdin":
            self.input.append(value)
        elif word == "without":
            self.without.update(mode.strip() for mode in value.split(","))
        elif word in ("error", "warning"):
            at, code = value.split()[:2]
            self.diagnostics.append((int(at), word, code))

    def _read_neighbours(self):
        def text(suffix):
            neighbour = self.neighbour.with_suffix(suffix)
            return neighbour.read_text(encoding="utf-8") if neighbour.exists() else None

        if text(".err"):
            self.errors = text(".err").splitlines()
        if text(".exit"):
            self.exit = int(text(".exit"))
        if text(".args"):
            self.args += shlex.split(text(".args"))


def explain_output(wanted, got):
    """The first line at which two outputs differ, in words."""
    wanted_lines, got_lines = wanted.split("\n"), got.split("\n")
    for number, line in enumerate(wanted_lines):
        if number >= len(got_lines) or got_lines[number] != line:
            have = repr(got_lines[number]) if number < len(got_lines) else "nothing"
            return f"output line {number + 1} is {have}, expected {line!r}"
    return f"output has more than expected: {got_lines[len(wanted_lines) - 1]!r}"


def check_diagnostics(program, stderr):
    """Whether exactly the expected diagnostics were reported, each once, in source order."""
    reported = [(int(m["line"]), m["kind"], m["code"])
                for m in (REPORTED.match(line) for line in stderr.split("\n")) if m]
    if not program.mentions_warnings and program.diagnostics:
        reported = [entry for entry in reported if entry[1] != "warning"]
    if [line for line, _, _ in reported] != sorted(line for line, _, _ in reported):
        yield "diagnostics are not in source order"
    unexpected = list(reported)
    for line, kind, code in sorted(program.diagnostics, key=lambda entry: entry[2] == ANY_CODE):
        match = next((entry for entry in unexpected if entry[:2] == (line, kind) and code in (ANY_CODE, entry[2])), None)
        if match:
            unexpected.remove(match)
        else:
            yield f"no {kind}[{code or 'any'}] for line {line}"
    for line, kind, code in unexpected:
        yield f"unexpected {kind}[{code}] for line {line}"


def judge(program, status, stdout, stderr):
    """Everything that is wrong with a run, as sentences."""
    if status != program.exit:
        yield f"exit status {status}, expected {program.exit}"
    if stdout != program.expected_output:
        yield explain_output(program.expected_output, stdout)
    lines, at = stderr.split("\n"), 0
    for pattern in program.errors:
        found = next((i for i in range(at, len(lines)) if re.search(pattern, lines[i])), None)
        if found is None:
            yield f"no line of standard error matches /{pattern}/ from line {at + 1} on"
            break
        at = found + 1
    if program.diagnostics:
        yield from check_diagnostics(program, stderr)
    elif not program.errors and stderr:
        yield "standard error is not empty"


def run_program(program, options):
    command = [str(options.nlang), "check" if program.check_only else "run"]
    if not program.check_only:
        if options.gc_stress:
            command.append("--gc-stress")
        if options.carrier_stress:
            command.append("--carrier-stress")
        if options.quota is not None and "--quota" not in program.args:
            command += ["--quota", str(options.quota)]
        if options.schedule_seed is not None and "--schedule-seed" not in program.args:
            command += ["--virtual-time", "--schedule-seed", str(options.schedule_seed)]
        if "--carriers" not in program.args:
            command += ["--carriers", str(options.carriers or 1)]
    command += program.args + [program.path.name] + program.program_args
    try:
        done = subprocess.run(command, cwd=program.path.parent, input=program.standard_input, capture_output=True,
                              timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired as late:
        return [f"still running after {TIMEOUT_S} s"], (late.stderr or b"").decode(errors="replace")
    stdout = done.stdout.decode("utf-8", errors="surrogateescape")
    stderr = done.stderr.decode("utf-8", errors="surrogateescape")
    return list(judge(program, done.returncode, stdout, stderr)), stderr


def find_programs(options):
    folders = options.folders or sorted(p.name for p in ROOT.iterdir() if p.is_dir() and p.name != "__pycache__")
    for folder in folders:
        for path in sorted((ROOT / folder).glob("*.n")):
            program = Program(path, options.beside)
            if options.filter and not re.search(options.filter, program.name):
                continue
            if (options.gc_stress and "gc-stress" in program.without
                    or options.quota is not None and "quota" in program.without
                    or options.schedule_seed is not None and "seeds" in program.without
                    or (options.carriers or 1) > 1 and "carriers" in program.without):
                continue
            yield program


def make_parser():
    parser = argparse.ArgumentParser(description="runs the language tests")
    parser.add_argument("--nlang", type=pathlib.Path, required=True, help="the nlang executable")
    parser.add_argument("--gc-stress", action="store_true", help="collect at every allocation")
    parser.add_argument("--quota", type=int, help="preempt after so many calls and iterations")
    parser.add_argument("--schedule-seed", type=int, metavar="N", help="explore: a random order of threads, this one, with a virtual clock")
    parser.add_argument("--carriers", type=int, help="number of carriers; 1, where the order is certain, if not said")
    parser.add_argument("--carrier-stress", action="store_true", help="move threads between carriers at every chance")
    parser.add_argument("--beside", type=pathlib.Path, help="folder of the files NAME.out and so on, if not the program's")
    parser.add_argument("--filter", help="only programs whose FOLDER/NAME matches this regular expression")
    parser.add_argument("--repeat", type=int, metavar="N", default=1, help="run each program so often")
    parser.add_argument("-j", "--jobs", type=int, default=2)
    parser.add_argument("folders", nargs="*", metavar="FOLDER")
    return parser


def main():
    options = make_parser().parse_args()
    options.nlang = options.nlang.resolve()

    programs = list(find_programs(options)) * options.repeat
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for program, (faults, stderr) in zip(programs, pool.map(lambda p: run_program(p, options), programs)):
            if not faults:
                continue
            failed += 1
            print(f"FAIL {program.name}")
            for fault in faults:
                print(f"    {fault}")
            for line in stderr.split("\n")[:6]:
                if line:
                    print(f"    | {line}".encode("utf-8", "replace").decode())
    print(f"{len(programs) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    sys.exit(main())
