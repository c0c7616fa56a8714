"""What the scripts of this folder have in common: peers, workloads, runs that take turns, and the files of results.

A program is called with a number of operations and prints `NANOSECONDS_PER_OPERATION ANSWER`. A wrong answer ends the
whole run.
"""
import argparse
import datetime
import json
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

BENCH = pathlib.Path(__file__).resolve().parent
ROOT = BENCH.parent
BUILD = ROOT / "build" / "bench"
TIME = "/usr/bin/time"  # measures the child alone; a child of Python would inherit the peak memory of Python


def parser_of(about, runs):
    """A command line with the options that all scripts have."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--only", help="workloads, separated by commas")
    parser.add_argument("--runs", type=int, default=runs, help=f"rounds; {runs} at least for figures that are quoted")
    parser.add_argument("--nlang", type=pathlib.Path, default=ROOT / "build/release/bin/nlang")
    parser.add_argument("--under", type=shlex.split, default=[], metavar="WORDS",
                        help="put before every measured command, as \"nice -n -10\"")
    parser.add_argument("--no-results", action="store_true", help="print only")
    return parser


def check_tools(options, needs_nlang=True):
    if needs_nlang and not options.nlang.exists():
        sys.exit(f"{options.nlang} does not exist: ./dev build")
    if not pathlib.Path(TIME).exists():
        sys.exit(f"{TIME} is missing: bench/setup installs it")
    options.nlang = options.nlang.resolve()
    BUILD.mkdir(parents=True, exist_ok=True)


class Peer:
    """A language implementation: which file of a workload it runs, and how."""

    def __init__(self, name, file, command, compile_with=None, environment=None, needs=None):
        self.name = name
        self.file = file
        self.command = command  # words; PROGRAM stands for the file or its executable
        self.compile_with = compile_with  # words; SOURCE and PROGRAM are filled in
        self.environment = environment or {}
        self.needs = needs  # a file without which nothing can be compiled

    def missing(self):
        tool = (self.compile_with or self.command)[0]
        if not shutil.which(tool):
            return tool
        return self.needs if self.needs and not pathlib.Path(self.needs).exists() else None

    def prepare(self, workload):
        """The command line for a workload, compiled if need be; None if the workload has no program for this peer."""
        source = workload.source(self)
        if not source.exists():
            return None
        program = source
        if self.compile_with:
            program = BUILD / workload.name / self.name
            if not program.exists() or program.stat().st_mtime < self._newest(source):
                program.parent.mkdir(parents=True, exist_ok=True)
                words = [w.replace("SOURCE", str(source)).replace("PROGRAM", str(program)) for w in self.compile_with]
                subprocess.run(words, check=True, cwd=source.parent)
        return [w.replace("PROGRAM", str(program)) for w in self.command]

    @staticmethod
    def _newest(source):
        return max(path.stat().st_mtime for path in [source, *(BENCH / "lib").iterdir()])


def without_missing(peers):
    """The peers that are installed; the others are named."""
    for peer in peers:
        if peer.missing():
            print(f"skipping {peer.name}: {peer.missing()} is not installed")
    return [peer for peer in peers if not peer.missing()]


class Workload:
    """A folder with one program a peer and a workload.json, whose entries are `facts`."""

    def __init__(self, folder):
        self.folder = folder
        self.name = folder.name
        self.facts = json.loads((folder / "workload.json").read_text(encoding="utf-8"))
        self.about = self.facts["about"]
        self.operation = self.facts["operation"]
        self.measures_wall = self.facts.get("measure") == "wall"
        self.limits = self.facts.get("limits", {})

    def source(self, peer):
        return self.folder / self.facts.get("programs", {}).get(peer.name, peer.file)

    def count(self, peer):
        """How many operations this peer runs: slow ones may do fewer."""
        return self.facts.get("counts", {}).get(peer, self.facts.get("count"))

    def answer(self, peer, count):
        wanted = self.facts.get("answers", {}).get(peer, self.facts.get("answer"))
        return str(count) if wanted == "COUNT" else wanted


def workloads_in(folder, only=None):
    """Those of a folder, by name; `only` as given on the command line."""
    found = {path.parent.name: Workload(path.parent) for path in sorted(folder.glob("*/workload.json"))}
    wanted = only.split(",") if only else list(found)
    unknown = set(wanted) - set(found)
    if unknown:
        sys.exit(f"there is no workload {', '.join(sorted(unknown))}")
    return [found[name] for name in found if name in wanted]


def run_once(peer, command, workload, count, under=()):
    """(nanoseconds per operation, peak resident bytes) of one run."""
    words = command + ([str(count)] if count is not None else [])
    with tempfile.NamedTemporaryFile(dir=BUILD) as peak:
        start = time.perf_counter_ns()
        done = subprocess.run([*under, TIME, "-f", "%M", "-o", peak.name, *words], capture_output=True, text=True,
                              env=dict(os.environ, **peer.environment))
        wall = time.perf_counter_ns() - start
        if done.returncode != 0:
            sys.exit(f"{workload.name}, {peer.name}: exit status {done.returncode}\n{done.stderr[-2000:]}")
        resident = int(pathlib.Path(peak.name).read_text().split()[-1]) * 1024
    if workload.measures_wall:
        return wall, resident
    nanoseconds, answer = done.stdout.split()
    if answer != workload.answer(peer.name, count):
        sys.exit(f"{workload.name}, {peer.name}: answer {answer}, expected {workload.answer(peer.name, count)}")
    return float(nanoseconds), resident


def show(progress):
    """One line that is written over by the next; for terminals."""
    if sys.stderr.isatty():
        print(f"\r{progress:<70}\r{progress}", end="", file=sys.stderr, flush=True)


def take_turns(title, runs, contestants):
    """name -> what its function gave in each round; the contestants take turns within a round."""
    results = {name: [] for name in contestants}
    for number in range(runs):
        for name, once in contestants.items():
            show(f"{title}: round {number + 1} of {runs}, {name}")
            results[name].append(once())
    show("")
    return results


def in_words(nanoseconds):
    for unit, size in (("s", 1e9), ("ms", 1e6), ("µs", 1e3)):
        if nanoseconds >= size:
            return f"{nanoseconds / size:.3g} {unit}"
    return f"{nanoseconds:.3g} ns"


def table(head, rows):
    """Lines of a Markdown table."""
    lines = ["| " + " | ".join(cells) + " |" for cells in [head, *rows]]
    return [lines[0], "|" + "---|" * len(head), *lines[1:]]


def machine():
    model = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo", encoding="utf-8") if "model name" in line), "?")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    return {"processor": model, "processors": os.cpu_count(), "system": platform.platform(), "commit": commit}


def read_results(suffix):
    """What write_results has written today for the same commit; else {}."""
    path = BENCH / "results" / f"{datetime.date.today().isoformat()}{suffix}.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return found if found.get("machine") == machine() else {}


def write_results(suffix, how, text, data):
    """results/DATE`suffix`.md and .json: `text` is Markdown below the heading, `how` a sentence on the way of measuring."""
    name = datetime.date.today().isoformat() + suffix
    facts = machine()
    folder = BENCH / "results"
    folder.mkdir(exist_ok=True)
    head = (f"# Measured on {datetime.date.today().isoformat()}\n\n"
            f"{facts['processors']} × {facts['processor']}, commit {facts['commit']}; {how}\n\n")
    (folder / f"{name}.md").write_text(head + text, encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps({"machine": facts, **data}, indent=1), encoding="utf-8")
    print(f"written to {(folder / name).relative_to(ROOT)}.md and .json")
