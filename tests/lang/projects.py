#!/usr/bin/env python3
"""Projects and modules in folders of every shape: each case is a handful of small files, made here at run time.

    tests/lang/projects.py --nlang build/release/bin/nlang [--filter REGEX]

A case says which files there are, what is run where, and what must come of it. Programs whose modules need no special
place are under tests/lang/modules/. rule: L1.3, L1.5, L1.7
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 60
HELLO = 'import io;\nvoid main() { io.print("hello"); }\n'
TOML = 'name = "demo"\nversion = "1.2.3"\nmain = "src/main.n"\n'


def says(text):
    """A module whose `word()` is `text`."""
    return f'public string word() {{ return "{text}"; }}\n'


def asks(*modules):
    """A main module that prints the words of others."""
    lines = ["import io;"] + [f"import {m};" for m in modules] + ["void main() {"]
    return "\n".join(lines + [f"    io.print({m}.word());" for m in modules] + ["}", ""])


class Case:
    """`files`: path -> text, or None for a folder, or ("link", target). `run`: arguments of nlang, seen from `at`."""

    def __init__(self, name, files, run="run main.n", at=".", out="", err=(), exit=0):
        self.name, self.files, self.run, self.at = name, files, run.split(), at
        self.out, self.exit = out, exit
        self.err = [err] if isinstance(err, str) else list(err)


RESOLUTION = [
    Case("a module beside the importing file", {"main.n": asks("a"), "a.n": says("beside")}, out="beside\n"),
    Case("a module in a subfolder", {"main.n": asks("sub.deep.a"), "sub/deep/a.n": says("deep")}, out="deep\n"),
    Case("the importing file's folder comes before the root", {
        "main.n": asks("sub.x"), "sub/x.n": 'import a;\npublic string word() { return a.word(); }\n',
        "sub/a.n": says("beside"), "a.n": says("root")}, out="beside\n"),
    Case("the root comes behind the importing file's folder", {
        "main.n": asks("sub.x"), "sub/x.n": 'import a;\npublic string word() { return a.word(); }\n',
        "a.n": says("root")}, out="root\n"),
    Case("the root comes before -I", {
        "main.n": asks("sub.x"), "sub/x.n": 'import a;\npublic string word() { return a.word(); }\n',
        "a.n": says("root"), "lib/a.n": says("lib")}, run="run -I lib main.n", out="root\n"),
    Case("-I folders in their order", {"main.n": asks("a"), "one/a.n": says("one"), "two/a.n": says("two")},
         run="run -I two -Ione main.n", out="two\n"),
    Case("a later -I folder is used for what the first lacks",
         {"main.n": asks("a", "b"), "one/a.n": says("one"), "two/a.n": says("two"), "two/b.n": says("two b")},
         run="run -I one -I two main.n", out="one\ntwo b\n"),
    Case("-I comes before the standard library", {"main.n": asks("math"), "lib/math.n": says("mine")},
         run="run -I lib main.n", out="mine\n"),
    Case("an own module hides one of the library, but not from the library itself",
         {"main.n": 'import concurrent;\nimport io;\nvoid main() { io.print("x"); concurrent.WaitGroup w = {}; w.wait(); }\n',
          "io.n": 'import sub.out as o;\npublic void print(string s) { o.show(s); }\n',
          "sub/out.n": 'import thread;\npublic void show(string s) { assert(s == "x"); thread.yield(); }\n'}),
    Case("a folder of one's own may be called std", {"std/main.n": asks("a"), "std/a.n": says("mine")},
         run="run std/main.n", out="mine\n"),
    Case("a folder with the name of a module is passed over", {"main.n": asks("a"), "a.n": None, "lib/a.n": says("lib")},
         run="run -I lib main.n", out="lib\n"),
    Case("the file is run from another folder", {"p/main.n": asks("a"), "p/a.n": says("beside"), "a.n": says("wrong")},
         run="run p/main.n", out="beside\n"),
    Case("and from below", {"p/main.n": asks("a"), "p/a.n": says("beside"), "q/a.n": says("wrong")},
         run="run ../p/main.n", at="q", out="beside\n"),
    Case("letters of the other case are another name", {"main.n": asks("Tools"), "tools.n": says("x")},
         err=(r"^main\.n:2:8: error\[E0304\]: there is no module `Tools`", "did you mean `tools`"), exit=2),
    Case("a slip in the name of a module", {"main.n": asks("sub.helpr"), "sub/helper.n": says("x")},
         err=(r"^main\.n:2:8: error\[E0304\]: there is no module `sub\.helpr`", "did you mean `sub.helper`"), exit=2),
    Case("a slip in the name of a library module", {"main.n": "import tread;\nvoid main() { }\n"},
         err=(r"E0304", "did you mean `thread`"), exit=2),
    Case("what is imported is a module, not something in it", {"main.n": "import a.word;\nvoid main() { }\n", "a.n": says("x")},
         err=(r"E0304", "`a` is a module; import that"), exit=2),
    Case("a missing module is reported once, and what it would have had not at all",
         {"main.n": 'import nowhere;\nvoid main() { nowhere.f(1); nowhere.T x = nowhere.g(); x.h(); }\n'},
         err=(r"^main\.n:1:8: error\[E0304\]",), exit=2),
    Case("a module over the size limit is said to be that", {"main.n": asks("big"), "big.n": " " * (64 * 1024 * 1024 + 1)},
         err=r"^main\.n:2:8: error\[E0329\]: the module `big` cannot be loaded: big\.n .*64 MB", exit=2),
    Case("an error in an imported module is shown there, with its path",
         {"main.n": asks("sub.a"), "sub/a.n": "public string word() { return 1; }\n"},
         err=r"^sub/a\.n:1:31: error\[E0401\]", exit=2),
    Case("a broken module does not make its importers look broken",
         {"main.n": asks("a"), "a.n": says("x") + "void broken( { }\n"}, err=r"^a\.n:2:14: error", exit=2),
]

SAME_FILE = [
    Case("the same file by two paths is one module", {
        "main.n": 'import io;\nimport sub.a;\nimport sub.b;\nvoid main() { a.count += 1; b.bump(); io.print(a.count); }\n',
        "sub/a.n": "public int count = 0;\n", "sub/b.n": "import a;\npublic void bump() { a.count += 1; }\n"}, out="2\n"),
    Case("and through a link to the file", {
        "main.n": 'import io;\nimport a;\nimport link;\nvoid main() { a.count += 1; link.count += 1; io.print(a.count); }\n',
        "a.n": "public int count = 0;\n", "link.n": ("link", "a.n")}, out="2\n"),
    Case("and through a link to its folder", {
        "main.n": 'import io;\nimport one.a;\nimport two.a as b;\nvoid main() { one.a.count += 1; b.count += 1; io.print(b.count); }\n',
        "one/a.n": "public int count = 0;\n", "two": ("link", "one")}, out="2\n"),
    Case("links in a circle end", {"main.n": asks("a"), "a.n": ("link", "b.n"), "b.n": ("link", "a.n")},
         err="E0304", exit=2),
    Case("a link to the main file is the main module", {
        "main.n": 'import io;\nimport link;\npublic int n = 1;\nvoid main() { link.n += 1; io.print(n); }\n',
        "link.n": ("link", "main.n")}, out="2\n"),
    Case("a main file that is a link looks for modules where the link is",
         {"bin/start.n": ("link", "../src/main.n"), "src/main.n": asks("a"), "bin/a.n": says("bin"), "src/a.n": says("src")},
         run="run bin/start.n", out="bin\n"),
]

PROJECTS = [
    Case("run without a file runs the project's main", {"nlang.toml": TOML, "src/main.n": HELLO}, run="run", out="hello\n"),
    Case("also from a folder below", {"nlang.toml": TOML, "src/main.n": HELLO, "src/x/y.n": ""}, run="run", at="src/x",
         out="hello\n"),
    Case("a folder stands for its project, and what follows belongs to the program",
         {"p/nlang.toml": TOML, "p/src/main.n": 'import io;\nvoid main(string[] args) { io.print("${args}"); }\n'},
         run="run p -v x --stats", out="[-v, x, --stats]\n"),
    Case("options of run stand before the folder",
         {"nlang.toml": TOML, "src/main.n": HELLO}, run="run --virtual-time --quota 3 .", out="hello\n"),
    Case("check without a file", {"nlang.toml": TOML, "src/main.n": "void main() { int x = 1 }\n"}, run="check",
         err=r"^src/main\.n:1:24: error", exit=2),
    Case("disasm without a file", {"nlang.toml": TOML, "src/main.n": "void main() { }\n"}, run="disasm", out=None),
    Case("neither file nor project", {"main.n": HELLO}, run="run", err=r"^nlang run: which file\?", exit=2),
    Case("a folder without a project", {"p/main.n": HELLO}, run="run p", err=r"^p: error\[E0102\]", exit=2),
    Case("the root is the nearest folder with nlang.toml",
         {"nlang.toml": TOML, "a.n": says("outer"), "in/nlang.toml": TOML, "in/a.n": says("inner"), "in/src/main.n": asks("a")},
         run="run in/src/main.n", out="inner\n"),
    Case("the root, not the main file's folder, is searched",
         {"nlang.toml": TOML, "lib/a.n": says("lib"), "src/main.n": asks("lib.a")}, run="run", out="lib\n"),
    Case("it does not matter from where a file of a project is run",
         {"p/nlang.toml": TOML, "p/lib/a.n": says("lib"), "p/src/main.n": asks("lib.a"), "q/x.n": ""},
         run="run ../p/src/main.n", at="q", out="lib\n"),
    Case("paths are searched behind the root and before -I",
         {"nlang.toml": TOML + 'paths = ["one", "two"]\n', "src/main.n": asks("a", "b", "c", "d"), "a.n": says("root"),
          "one/a.n": says("one"), "two/a.n": says("two"), "two/b.n": says("two"), "lib/b.n": says("lib"),
          "one/c.n": says("one"), "two/c.n": says("two"), "lib/d.n": says("lib")}, run="run -I lib", out="root\ntwo\none\nlib\n"),
    Case("modules see the project's paths too",
         {"nlang.toml": TOML + 'paths = ["lib"]\n', "src/main.n": asks("x"), "lib/x.n": 'import y;\npublic string word() { return y.word(); }\n',
          "lib/y.n": says("y")}, run="run", out="y\n"),
    Case("a single file needs no project", {"main.n": HELLO}, out="hello\n"),
    Case("an empty nlang.toml is a project", {"nlang.toml": "", "sub/main.n": asks("a"), "a.n": says("root")},
         run="run sub/main.n", out="root\n"),
    Case("a table for tests", {"nlang.toml": TOML + '[test]\npaths = ["tests"]\n', "src/main.n": HELLO, "tests": None},
         run="run", out="hello\n"),
    Case("no main to run", {"nlang.toml": 'name = "x"\n'}, run="run", err=r"^nlang\.toml:1:1: error\[E0806\]", exit=2),
    Case("a main that is not there", {"nlang.toml": TOML}, run="run",
         err=r"^nlang\.toml:3:8: error\[E0807\]: there is no file `src/main\.n`", exit=2),
    Case("no TOML", {"nlang.toml": 'name = "x"\nmain = \n', "main.n": HELLO},
         err=(r"^nlang\.toml:2:\d+: error\[E0801\]: this is no TOML: ", r"^    2 \| main = "), exit=2),
    Case("a key given twice", {"nlang.toml": 'name = "x"\nname = "y"\n', "main.n": HELLO},
         err=r"^nlang\.toml:2:\d+: error\[E0801\]", exit=2),
    Case("invalid UTF-8 in nlang.toml", {"nlang.toml": b'name = "\xff"\n', "main.n": HELLO},
         err=r"^nlang\.toml:1:\d+: error\[E0801\]", exit=2),
    Case("a value of the wrong type", {"nlang.toml": 'name = 3\nmain = ["a"]\npaths = "lib"\n[test]\npaths = [1]\n', "main.n": HELLO},
         err=(r"^nlang\.toml:1:8: error\[E0802\]: `name` must be a string", r"^nlang\.toml:2:8: error\[E0802\]",
              r"^nlang\.toml:3:9: error\[E0802\]: `paths` must be an array of strings", r"^nlang\.toml:5:10: error\[E0802\]"),
         exit=2),
    Case("[test] is a table", {"nlang.toml": "test = 1\n", "main.n": HELLO}, err=r"error\[E0802\]: `test` must be a table", exit=2),
    Case("an empty name", {"nlang.toml": 'name = ""\n', "main.n": HELLO}, err=r"^nlang\.toml:1:8: error\[E0803\]", exit=2),
    Case("versions that are none", {"nlang.toml": 'version = "1.2"\n', "main.n": HELLO},
         err=r"^nlang\.toml:1:11: error\[E0804\]: `1\.2` is no version", exit=2),
    Case("versions with a suffix", {"nlang.toml": 'version = "1.2.3-rc.1"\n', "main.n": HELLO}, out="hello\n"),
    Case("a path that is no folder", {"nlang.toml": 'paths = ["ok", "nowhere", "main.n"]\n', "main.n": HELLO, "ok": None},
         err=(r"^nlang\.toml:1:16: error\[E0805\]: there is no folder `nowhere`", r"E0805\]: there is no folder `main\.n`"), exit=2),
    Case("unknown keys are warned of", {"nlang.toml": 'nam = "x"\n[test]\npath = []\n[other]\nx = 1\n', "main.n": HELLO},
         err=(r"^nlang\.toml:1:1: warning\[W0801\]: `nam` means nothing here", "did you mean `name`",
              r"^nlang\.toml:3:1: warning\[W0801\]", "did you mean `paths`", r"^nlang\.toml:4:\d: warning\[W0801\]: `other`"),
         out="hello\n"),
    Case("wide characters before the fault", {"nlang.toml": 'name = "\u4e2d\u6587", 3\n', "main.n": HELLO},
         err=r"^nlang\.toml:1:12: error\[E0801\]", exit=2),
    Case("a folder called nlang.toml is passed over", {"p/nlang.toml": None, "nlang.toml": "", "p/main.n": asks("a"), "a.n": says("root")},
         run="run p/main.n", out="root\n"),
]


def make(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        elif isinstance(content, tuple):
            path.symlink_to(content[1])
        elif isinstance(content, bytes):
            path.write_bytes(content)
        else:
            path.write_text(content, encoding="utf-8")


def faults_of(nlang, case, folder):
    make(folder, case.files)
    try:
        done = subprocess.run([str(nlang)] + case.run, cwd=folder / case.at, capture_output=True, timeout=TIMEOUT_S,
                              stdin=subprocess.DEVNULL)
    except subprocess.TimeoutExpired:
        yield f"still running after {TIMEOUT_S} s"
        return
    stdout, stderr = done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")
    if done.returncode != case.exit:
        yield f"exit status {done.returncode}, expected {case.exit}; standard error: {stderr[:400]}"
    if case.out is not None and stdout != case.out:
        yield f"output {stdout!r}, expected {case.out!r}"
    lines, at = stderr.split("\n"), 0
    for pattern in case.err:
        found = next((i for i in range(at, len(lines)) if re.search(pattern, lines[i])), None)
        if found is None:
            yield f"nothing matches /{pattern}/ in: {stderr[:400]}"
            return
        at = found + 1
    diagnostics = [line for line in lines if re.match(r"\S+: (error|warning)\[", line)]
    wanted = sum(bool(re.search(r"[EW]0\d\d\d|error|warning", pattern)) for pattern in case.err)
    if len(diagnostics) > wanted:
        yield f"more diagnostics than expected: {stderr[:400]}"
    if not case.err and stderr:
        yield f"standard error is not empty: {stderr[:400]}"


def main():
    parser = argparse.ArgumentParser(description="runs projects and modules in folders of every shape")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    parser.add_argument("--filter", help="only cases whose name matches this regular expression")
    options = parser.parse_args()
    nlang, failed = options.nlang.resolve(), 0
    cases = [case for case in RESOLUTION + SAME_FILE + PROJECTS if not options.filter or re.search(options.filter, case.name)]
    for case in cases:
        with tempfile.TemporaryDirectory() as folder:
            faults = list(faults_of(nlang, case, pathlib.Path(folder).resolve()))
        if faults:
            failed += 1
            print(f"FAIL {case.name}")
            for fault in faults:
                print(f"    {fault}")
    print(f"{len(cases) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    sys.exit(main())
