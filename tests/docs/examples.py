#!/usr/bin/env python3
"""Compiles and runs every example of the documentation.

    tests/docs/examples.py --nlang build/release/bin/nlang [--filter REGEX] [PAGE...]

What an example is meant to show stands behind the `n` that opens its fence:

    ```n run              it compiles without a warning, runs, and does what its comments expect: `// expect: LINE` and
                          all others of tests/lang/run.py
    ```n check            it compiles; that variables and imports are unused is no fault of an example
    ```n error E0301 …    it is reported with exactly these codes, in this order; unused variables do not count
    ```n warning W0004 …  likewise, but it compiles

An example without a `main` is a fragment. Its statements become the body of a `main`; its declarations, which begin at
the left margin, stay outside; standard modules that it names are imported. So a fragment shows what matters and
nothing else. Other fences say what they hold (`text`, `sh`, `toml`), and none may be without a word.
"""
import argparse
import concurrent.futures
import pathlib
import re
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lang"))
import run  # noqa: E402

PAGES = ["README.md", "docs/language.md", "docs/concurrency.md", "docs/tour.md", "docs/testing.md"]
OTHER_FENCES = {"text", "sh", "toml"}
FENCE = re.compile(r"^( *)```(.*)$")
UNUSED = {"W0001", "W0003"}  # of variables and imports

MODULES = sorted(path.stem for path in (ROOT / "std").glob("*.n") if path.stem != "prelude")
STATEMENT_WORDS = {"if", "else", "while", "for", "foreach", "do", "switch", "select", "try", "catch", "finally", "lock",
                   "return", "throw", "assert", "break", "continue"}
DECLARATION = re.compile(
    r"(?:(?:public|private|abstract)\s+)*(?:class|struct|interface|enum|import)\b"
    r"|using\s+\w+\s*=|native\b|blocking\s+native\b|private\b|public\b"
    r"|(?P<type>\w[\w.<>,\[\] ]*?)\s+(?P<name>\w+)(?:<[^()]*>)?\s*\([^;]*\)\s*\{")


class Example:
    def __init__(self, page, line, words, text):
        self.page, self.line, self.text = page, line, text
        self.kind, self.codes = words[0] if words else "", words[1:]
        self.name = f"{page}:{line}"


def examples_of(page):
    """The examples of a page, and a sentence for each fence that says nothing of itself."""
    fence = None
    for number, line in enumerate((ROOT / page).read_text(encoding="utf-8").split("\n"), 1):
        match = FENCE.match(line)
        if match and fence is None:
            indent, words = match[1], match[2].split()
            fence, lines = (number, words, indent), []
            if not words or words[0] != "n" and words[0] not in OTHER_FENCES:
                yield f"{page}:{number}: the fence does not say what it holds"
        elif match:
            number, words, _ = fence
            fence = None
            if words[:1] == ["n"]:
                yield Example(page, number, words[1:], "\n".join(lines) + "\n")
        elif fence is not None:
            lines.append(line[len(fence[2]):] if line.startswith(fence[2]) else line.lstrip())


def is_declaration(line):
    match = DECLARATION.match(line)
    if not match:
        return False
    return match["type"] is None or match["type"].split()[0] not in STATEMENT_WORDS


def program_of(text):
    """A fragment as a program. Lines stay whole, so that comments keep their places."""
    if re.search(r"^(?:void|int) main\(", text, re.MULTILINE):
        return text
    outside, inside, isOutside = [], [], False
    depth = 0
    for line in text.rstrip("\n").split("\n"):
        if depth == 0:
            isOutside = is_declaration(line)
        (outside if isOutside else inside).append(line)
        code = re.sub(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|//.*', "", line)
        depth += code.count("{") + code.count("(") - code.count("}") - code.count(")")
    imports = [f"import {module};" for module in MODULES
               if re.search(rf"(?<![\w.]){module}\.\w", text) and not re.search(rf"^import {module};", text, re.MULTILINE)
               and not re.search(rf"[\w>\]] {module}\s*(?:[=;,)]|in\b)", text)]
    return "\n".join(imports + outside + ["void main() {"] + inside + ["}", ""])


def faults_of(example, folder, options):
    """Everything that is wrong with an example, and what standard error said."""
    if example.kind not in ("run", "check", "error", "warning") or (example.kind in ("error", "warning")) != bool(example.codes):
        return [f"nobody knows what `n {' '.join([example.kind] + example.codes)}` expects"], ""
    path = folder / f"example_{pathlib.Path(example.page).stem}_{example.line}.n"
    path.write_text(program_of(example.text), encoding="utf-8")
    program = run.Program(path)
    if example.kind == "run":
        return run.run_program(program, options)
    program.check_only = True
    program.errors.append("")  # standard error may say something
    program.exit = 2 if example.kind == "error" else 0
    expected, program.diagnostics = program.diagnostics, []
    faults, stderr = run.run_program(program, options)
    program.diagnostics = expected
    reported = [match["code"] for match in map(run.REPORTED.match, stderr.split("\n")) if match]
    reported = [code for code in reported if code not in UNUSED or code in example.codes]
    if reported != example.codes:
        faults.append(f"reported is {' '.join(reported) or 'nothing'}, expected {' '.join(example.codes) or 'nothing'}")
    return faults, stderr


def main():
    parser = argparse.ArgumentParser(description="compiles and runs the examples of the documentation")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    parser.add_argument("--carriers", type=int, help="number of carriers, 1 if not said")
    parser.add_argument("--filter", help="only examples whose PAGE:LINE matches this regular expression")
    parser.add_argument("pages", nargs="*", metavar="PAGE")
    options = parser.parse_args()
    words = ["--nlang", str(options.nlang.resolve())]
    runner = run.make_parser().parse_args(words + (["--carriers", str(options.carriers)] if options.carriers else []))
    examples, failed = [], 0
    for page in options.pages or PAGES:
        for found in examples_of(page):
            if isinstance(found, str):
                failed += 1
                print(f"FAIL {found}")
            elif not options.filter or re.search(options.filter, found.name):
                examples.append(found)
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        results = pool.map(lambda example: faults_of(example, pathlib.Path(name), runner), examples)
        for example, (faults, stderr) in zip(examples, results):
            if not faults:
                continue
            failed += 1
            print(f"FAIL {example.name}")
            for fault in faults:
                print(f"    {fault}")
            for line in stderr.split("\n")[:6]:
                if line:
                    print(f"    | {line}")
    print(f"{len(examples)} examples, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
