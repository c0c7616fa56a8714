#!/usr/bin/env python3
"""The page of diagnostics: made from src/syntax/diagnostics.def, and every example on it provokes what it stands for.

    tests/lang/diagnostics.py --nlang build/release/bin/nlang     checks page and examples
    tests/lang/diagnostics.py --write                             writes docs/diagnostics.md
    tests/lang/diagnostics.py --examples FOLDER                   writes each example into a file of its own

An example must be reported with its own code and nothing else. It is laid out here, so the table may write it on one
line; without a `main` it gets an empty one. What no short text can provoke is made by SITUATIONS.
rule: L12.1, L12.2
"""
import argparse
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = ROOT / "src/syntax/diagnostics.def"
PAGE = ROOT / "docs/diagnostics.md"
TIMEOUT_S = 120
WIDTH = 88  # of a line of an example

STRING = r'"((?:[^"\\]|\\.)*)"'
STRINGS = rf"((?:{STRING}\s*)+)"
ENTRY = re.compile(
    rf"^// ---- (?P<group>.+)$|NL_DIAGNOSTIC\(\s*\w+,\s*{STRING},\s*(\w+),\s*{STRINGS},\s*{STRINGS},\s*{STRINGS}\)",
    re.MULTILINE)

INTRODUCTION = """\
# Diagnostics

Everything the compiler may say, by code. This page is made from the table in
[src/syntax/diagnostics.def](../src/syntax/diagnostics.def) by `tests/lang/diagnostics.py --write`; `…` stands for what
the message names. Errors (E) keep a program from running, warnings (W) do not. The form of a message is described in
[rule L12.1](language.md#12-diagnostics).

Each example provokes its diagnostic and no other, which a test sees to. Where it has no `main`, imagine an empty one.
"""


class Entry:
    """A row of the table."""

    def __init__(self, group, code, severity, text, explanation, example):
        self.group, self.code, self.explanation = group, code, explanation
        self.severity = severity.lower()
        self.example = laid_out(example)
        placeholder = re.sub(r"\{\{|\}\}|\{[^{}]*\}", lambda m: m[0][0] if m[0] in ("{{", "}}") else "…", text)
        self.text = placeholder


def text_of(literals):
    """The value of one or more C++ string literals."""
    joined = "".join(re.findall(STRING, literals))
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), joined)


def entries():
    table = TABLE.read_text(encoding="utf-8")
    found, group = [], None
    for match in ENTRY.finditer(table):
        if match["group"]:
            group = match["group"]
            continue
        code, severity, text, _, explanation, _, example, _ = match.groups()[1:]
        found.append(Entry(group, code, severity, text_of(text), text_of(explanation), text_of(example)))
    if len(found) != len(re.findall(r"^NL_DIAGNOSTIC\(", table, re.MULTILINE)):
        sys.exit(f"some entries of {TABLE} could not be read")
    return found


# ---- layout

LEXEME = re.compile(r'"(?:[^"\\]|\\.)*"|\'(?:[^\'\\]|\\.)*\'|`[^`]*`|//[^\n]*|\s+|\w+|.', re.DOTALL)
OPENING, CLOSING = "([{", ")]}"
CONTINUES = {"else", "catch", "finally", ";", ",", ")", "."}  # behind a `}`: the statement goes on


def laid_out(program):
    """A program on one line, with a line for each declaration and, where that is too long, each statement."""
    if "\n" in program:
        return program.strip("\n")
    words = LEXEME.findall(program)
    if not balanced(words):
        return program
    return "\n".join(lines_of(words, ""))


def balanced(words):
    open_words = []
    for word in words:
        if word in OPENING:
            open_words.append(word)
        elif word in CLOSING and (not open_words or OPENING.index(open_words.pop()) != CLOSING.index(word)):
            return False
    return not open_words and not any(word in "\"'`" for word in words)


def lines_of(words, indent):
    for item in items_of(words):
        text = "".join(item).strip()
        if len(indent) + len(text) <= WIDTH or "{" not in item:
            yield indent + text
        else:
            yield from expanded(item, indent)


def items_of(words):
    """Declarations or statements."""
    depth, item = 0, []
    for at, word in enumerate(words):
        item.append(word)
        depth += (word in OPENING) - (word in CLOSING)
        if depth > 0 or word not in ";}":
            continue
        following = next((w for w in words[at + 1:] if not w.isspace()), "")
        if word == ";" or following not in CONTINUES:
            yield item
            item = []
    if "".join(item).strip():
        yield item


def expanded(item, indent):
    """An item with each block on lines of its own."""
    head = ""
    while "{" in item:
        start = item.index("{")
        depth, end = 0, start
        for end in range(start, len(item)):
            depth += (item[end] == "{") - (item[end] == "}")
            if depth == 0:
                break
        yield (indent + (head + "".join(item[:start])).strip() + " {").replace("  {", " {")
        yield from lines_of(item[start + 1:end], indent + "    ")
        head, item = "}", item[end + 1:]
    yield indent + (head + "".join(item)).rstrip()


# ---- what no short text provokes: a sentence for the page, and what makes the input

def write(folder, text, name="example.n"):
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return ["check", name]


def many(count, text, separator=" "):
    return separator.join(text.replace("#", str(i)) for i in range(count))


def tower(height, text):
    """Declarations 1 to `height`, each with its number and the one below."""
    return "\n".join(text.format(i, i - 1) for i in range(1, height + 1)) + "\nvoid main() { }\n"


def folder_as_file(folder):
    (folder / "folder.n").mkdir()
    return ["check", "folder.n"]


def large_file(folder):
    command = write(folder, "void main() { }\n")
    with (folder / "example.n").open("r+b") as file:
        file.truncate(64 * 1024 * 1024 + 1)
    return command


def two_modules(folder):
    for name in ("a/shapes.n", "b/shapes.n"):
        write(folder, "public int sides() { return 4; }\n", name)
    return write(folder, "import a.shapes;\nimport b.shapes;\nint f() { return shapes.sides(); }\nvoid main() { }\n")


def project(text):
    """A project with that `nlang.toml`."""
    def make(folder):
        write(folder, "void main() { }\n", "main.n")
        write(folder, text, "nlang.toml")
        return ["run"]
    return make


def large_module(folder):
    large_file(folder)
    return write(folder, "import example;\nvoid main() { }\n", "main.n")


SITUATIONS = {
    "E0101": ("A file that does not exist.", lambda folder: ["check", "missing.n"]),
    "E0102": ("A folder called `folder.n`.", folder_as_file),
    "E0103": ("A file of 64 MB and one byte.", large_file),
    "E0104": ("`nlang check /dev/null`.", lambda folder: ["check", "/dev/null"]),
    "E0105": ("A file with a byte `0xff`.", lambda folder: write(folder, b"// \xff\nvoid main() { }\n")),
    "E0290": ("A thousand parentheses, one in the other.",
              lambda folder: write(folder, "int x = " + "(" * 1000 + "1" + ")" * 1000 + ";\nvoid main() { }\n")),
    "E0291": ("A file with more than 33 million tokens.", None),  # tests/unit/syntax does that with a smaller limit
    "E0308": ("Two imports, `a.shapes` and `b.shapes`, and a use of `shapes`.", two_modules),
    "E0326": ("`nlang run` with a file that declares functions only.",
              lambda folder: ["run"] + write(folder, "int f() { return 1; }\n")[1:]),
    "E0329": ("An import of a module whose file is larger than 64 MB.", large_module),
    "E0474": ("A function type with 65 `out` parameters.",
              lambda folder: write(folder, f"func<void, {many(65, 'out int', ', ')}> f;\nvoid main() {{ }}\n")),
    "E0520": ("A class `C501` that inherits from `C500`, that from `C499`, and so on to `C0`.",
              lambda folder: write(folder, "class C0 { }\n" + tower(501, "class C{} : C{} {{ }}"))),
    "E0521": ("A struct `S200` with a field of type `S199`, that with one of `S198`, and so on to `S0`.",
              lambda folder: write(folder, "struct S0 { int x; }\n" + tower(200, "struct S{} {{ S{} s; }}"))),
    "E0702": ("A function with 60,000 local variables, all in use at once.",
              lambda folder: write(folder, f"void main() {{ {many(60_010, 'int v# = #;')} int s = 0; "
                                           f"{many(60_010, 's += v#;')} }}\n")),
    "E0703": ("A program that uses 66,000 classes.",
              lambda folder: write(folder, f"{many(66_000, 'class C# {{ }}')} void main() {{ List<Object> l = []; "
                                           f"{many(66_000, 'l.add(C#());')} }}\n".replace("{{", "{").replace("}}", "}"))),
    "E0704": ("A class with 9,000 fields of type `long`.",
              lambda folder: write(folder, f"class C {{ {many(9000, 'long f#;')} }}\nvoid main() {{ Object o = C(); "
                                           "assert(o != null); }\n")),
    "E0705": ("A call of a function with 256 parameters.",
              lambda folder: write(folder, f"void f({many(256, 'int p#', ', ')}) {{ }}\n"
                                           f"void main() {{ f({many(256, '#', ', ')}); }}\n")),
    "E0706": ("A struct with 300 fields.",
              lambda folder: write(folder, f"struct S {{ {many(300, 'int f#;')} }}\nvoid main() {{ S s = {{}}; "
                                           "Object o = s; assert(o != null); }\n")),
    "E0708": ("100,000 constants, each one more than the one that follows it.",
              lambda folder: write(folder, "\n".join(f"const int c{i} = c{i + 1} + 1;" for i in range(100_000))
                                           + "\nconst int c100000 = 1;\nvoid main() { }\n")),
    "E0709": ("A class with 66,000 virtual methods.",
              lambda folder: write(folder, f"class C {{ {many(66_000, 'public virtual void f#() { }')} }}\n"
                                           "void main() { C().f1(); }\n")),
    "E0801": ("An `nlang.toml` with the line `main = `.", project("main = \n")),
    "E0802": ("An `nlang.toml` with the line `name = 1`.", project('main = "main.n"\nname = 1\n')),
    "E0803": ("An `nlang.toml` with the line `name = \"\"`.", project('main = "main.n"\nname = ""\n')),
    "E0804": ("An `nlang.toml` with the line `version = \"1.2\"`.", project('main = "main.n"\nversion = "1.2"\n')),
    "E0805": ("An `nlang.toml` with the line `paths = [\"nowhere\"]`.", project('main = "main.n"\npaths = ["nowhere"]\n')),
    "E0806": ("`nlang run` where `nlang.toml` is empty.", project("")),
    "E0807": ("An `nlang.toml` with the line `main = \"nowhere.n\"`.", project('main = "nowhere.n"\n')),
    "W0801": ("An `nlang.toml` with the line `nam = \"x\"`.", project('main = "main.n"\nnam = "x"\n')),
}


# ---- the page

def page():
    lines, group = [INTRODUCTION], None
    listed = entries()
    for entry in listed:
        if entry.group != group:
            group = entry.group
            lines.append(f"## {group[0].upper()}{group[1:]}\n")
            lines.append("| code | | message |\n|---|---|---|")
            lines += [f"| [{e.code}](#{e.code.lower()}) | {e.severity} | {e.text.replace('|', chr(92) + '|')} |"
                      for e in listed if e.group == group]
            lines.append("")
        lines.append(f"### {entry.code}\n\n{entry.severity.capitalize()}: {entry.text}.\n\n{entry.explanation}\n")
        if entry.example:
            lines.append(f"```n {entry.severity} {entry.code}\n{entry.example}\n```\n")
        else:
            lines.append(f"To see it: {lowered(SITUATIONS[entry.code][0])}\n")
    return "\n".join(lines).rstrip("\n") + "\n"


def lowered(sentence):
    return sentence[0].lower() + sentence[1:]


# ---- the checks

def program_of(entry):
    return entry.example + ("" if re.search(r"\bmain\(", entry.example) else "\nvoid main() { }") + "\n"


def fault_of(nlang, entry):
    """What is wrong when the example is checked, or None."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        if entry.example:
            command = write(folder, program_of(entry))
        else:
            command = SITUATIONS[entry.code][1](folder)
        try:
            done = subprocess.run([str(nlang)] + command, cwd=folder, capture_output=True, timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            return f"still running after {TIMEOUT_S} s"
    stderr = done.stderr.decode("utf-8", "replace")
    reported = re.findall(r"^[^\s:][^:]*:(?:\d+:\d+:)? (error|warning)\[(\w+)\]: ", stderr, re.MULTILINE)
    if reported != [(entry.severity, entry.code)]:
        return f"reported are {reported} for `{entry.example}`; standard error: {stderr[:300]!r}"
    wanted = 0 if entry.severity == "warning" else 2
    if done.returncode != wanted:
        return f"exit status {done.returncode}, expected {wanted}"
    return None


def main():
    parser = argparse.ArgumentParser(description="checks the page of diagnostics and its examples, or writes it")
    parser.add_argument("--nlang", type=pathlib.Path)
    parser.add_argument("--write", action="store_true", help="write docs/diagnostics.md")
    parser.add_argument("--examples", type=pathlib.Path, metavar="FOLDER", help="write the examples as programs")
    options = parser.parse_args()
    if options.examples:
        for entry in entries():
            if entry.example:
                write(options.examples, program_of(entry), f"{entry.code}.n")
        return 0
    if options.write:
        PAGE.write_text(page(), encoding="utf-8")
        return 0
    if options.nlang is None:
        parser.error("--nlang, --write or --examples is needed")
    nlang = options.nlang.resolve()
    failed = 0
    if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page():
        failed += 1
        print(f"FAIL {PAGE.relative_to(ROOT)} is stale; `tests/lang/diagnostics.py --write` renews it")
    tested = [entry for entry in entries() if entry.example or SITUATIONS[entry.code][1]]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = list(pool.map(lambda entry: fault_of(nlang, entry), tested))
    for entry, fault in zip(tested, faults):
        if fault:
            failed += 1
            print(f"FAIL {entry.code}: {fault}")
    print(f"{len(tested) + 1 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
