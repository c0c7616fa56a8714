#!/usr/bin/env python3
"""Input that is no program: each must give one line of error, exit status 2, and neither crash nor hang.

    tests/lang/bad_input.py --nlang build/release/bin/nlang

The files are made here at run time, because most of them could not live in a repository. rule: L1.1, L12.1
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

TIMEOUT_S = 120
MAIN = b"void main() { }\n"
DEEP = 100_000
SIZE_LIMIT = 64 * 1024 * 1024


def cases(folder):
    """(name, argument, pattern that the first line of standard error must match)."""

    def made(name, content):
        path = folder / f"{name}.n"
        path.write_bytes(content)
        return path.name

    yield "missing file", "missing.n", r"^missing\.n\S*: error"
    (folder / "folder.n").mkdir()
    yield "directory", "folder.n", r"^folder\.n\S*: error"
    yield "empty file", made("empty", b""), r"^empty\.n\S*: error"
    yield "only a comment", made("comment", b"// nothing\n"), r"^comment\.n\S*: error"
    yield "invalid UTF-8", made("invalid", b"void main() {\n  string s = \"\xff\xfe\";\n}\n"), r"invalid\.n:2:\d+: error"
    yield "cut-off UTF-8", made("cut", MAIN + b"// \xe4\xb8"), r"cut\.n:2:\d+: error"
    yield "surrogate in UTF-8", made("surrogate", b"// \xed\xa0\x80\n" + MAIN), r"surrogate\.n:1:\d+: error"
    yield "NUL byte", made("nul", b"void main() { \0 }\n"), r"nul\.n:1:\d+: error"
    yield "random bytes", made("random", bytes((i * 7919 + (i * i >> 3)) & 255 for i in range(4096))), \
        r"random\.n:\d+:\d+: error"
    yield "unterminated string", made("string", b"void main() {\n  string s = \"abc;\n}\n"), r"string\.n:2:\d+: error"
    yield "unterminated raw string", made("raw", b"void main() {\n  string s = `abc;\n}\n"), r"raw\.n:2:\d+: error"
    yield "unterminated comment", made("open", MAIN + b"/* never closed\n"), r"open\.n:2:\d+: error"
    yield "unterminated interpolation", made("interpolation", b"void main() {\n  string s = \"${1 + \";\n}\n"), \
        r"interpolation\.n:2:\d+: error"
    yield "unterminated character", made("character", b"void main() {\n  char c = 'a;\n}\n"), \
        r"character\.n:2:\d+: error"
    yield "nested parentheses", made("parens", b"void main() { int x = " + b"(" * DEEP + b"1" + b")" * DEEP + b"; }\n"), \
        r"parens\.n:1:\d+: error"
    yield "nested blocks", made("blocks", b"void main() " + b"{" * DEEP + b"}" * DEEP + b"\n"), \
        r"blocks\.n:1:\d+: error"
    yield "nested brackets", made("brackets", b"void main() { var x = " + b"[" * DEEP + b"]" * DEEP + b"; }\n"), \
        r"brackets\.n:1:\d+: error"
    yield "nested unary operators", made("unary", b"void main() { int x = " + b"- " * DEEP + b"1; }\n"), \
        r"unary\.n:1:\d+: error"
    yield "nested lambdas", made("lambdas", b"void main() { var f = " + b"() => " * DEEP + b"1; }\n"), \
        r"lambdas\.n:1:\d+: error"
    yield "nested type arguments", made("types", b"void main() { " + b"List<" * DEEP + b"int" + b">" * DEEP + b" x = null; }\n"), \
        r"types\.n:1:\d+: error"
    yield "chain of calls", made("chain", b"class C { C m() { return this; } }\nvoid main() { C c = {}; c" + b".m()" * DEEP
                                 + b"; }\n"), r"chain\.n:2:\d+: error"
    yield "nested if", made("ifs", b"void main() { " + b"if (true) " * DEEP + b"; }\n"), r"ifs\.n:1:\d+: error"
    yield "only opening braces", made("opening", b"{" * DEEP), r"opening\.n:\d+:\d+: error"
    huge = folder / "huge.n"
    with huge.open("wb") as file:
        file.write(MAIN)
        file.truncate(SIZE_LIMIT + 1)
    yield "over-size file", huge.name, r"^huge\.n\S*: error"
    yield "endless device", "/dev/zero", r"^/dev/zero\S*: error"


def judge(status, stdout, stderr, pattern):
    lines = stderr.split("\n")
    if status != 2:
        yield f"exit status {status}, expected 2"
    if stdout:
        yield f"standard output is {stdout[:80]!r}"
    if not re.search(pattern, lines[0]):
        yield f"the first line of standard error does not match /{pattern}/"
    if r":\d" not in pattern and len(lines) > 2:
        yield "an error without a position takes more than one line"
    if len(stderr) > 20_000:
        yield f"standard error has {len(stderr)} bytes"


def main():
    parser = argparse.ArgumentParser(description="feeds the compiler what is no program")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    nlang = parser.parse_args().nlang.resolve()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, argument, pattern in cases(pathlib.Path(folder)):
            count += 1
            try:
                done = subprocess.run([str(nlang), "run", argument], cwd=folder, stdin=subprocess.DEVNULL,
                                      capture_output=True, timeout=TIMEOUT_S)
                stderr = done.stderr.decode("utf-8", "replace")
                faults = list(judge(done.returncode, done.stdout.decode("utf-8", "replace"), stderr, pattern))
            except subprocess.TimeoutExpired:
                faults, stderr = [f"still running after {TIMEOUT_S} s"], ""
            if faults:
                failed += 1
                print(f"FAIL {name}: {'; '.join(faults)}")
                print("".join(f"    | {line[:160]}\n" for line in stderr.split("\n")[:4]), end="")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
