#!/usr/bin/env python3
"""Makes docs/standard-library.md from the documentation comments of std/*.n.

    docs/standard_library.py            writes the page
    docs/standard_library.py --check    says whether it is up to date (a test)
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "standard-library.md"
INTRODUCTION = """# The standard library

Made from the comments in `std/` by `docs/standard_library.py`; change those, not this page.

What `prelude` declares is visible everywhere. Every other package is imported, and its names are used with its own in
front: `import math;` and then `math.sqrt(2)`. Members of containers and strings are described in
[language.md](language.md), threads and what they wait on in [concurrency.md](concurrency.md).
"""
TYPE = re.compile(r"(?:abstract )?(class|struct|interface|enum) (\w+)")
HIDDEN_WORDS = re.compile(r'\b(?:public|native(?:\("\w+"\))?|blocking|override) ')


class Declaration:
    """A public declaration: what it is written like, what is said of it, and its members if it is a type."""

    def __init__(self, text, comment):
        self.text = text
        self.comment = comment
        self.members = []


def signature(lines, at):
    """The declaration that begins at lines[at], without its body or value, on one line."""
    text = lines[at].strip()
    kind = TYPE.search(text)
    while not re.search(r"[{;]", text):
        at += 1
        text += " " + lines[at].strip()
    if kind and kind.group(1) in ("enum", "interface") and text.endswith("}"):
        return HIDDEN_WORDS.sub("", text)
    is_property = 'native("property")' in text
    text = re.split(r" \{|;| = (?=[^()]*;?$)" if " const " not in text else r";", text)[0]
    text = HIDDEN_WORDS.sub("", text)
    return text.removesuffix("()") if is_property else text


def is_visible(line, inside):
    if inside is None:
        return line.startswith("public ")
    is_member = re.match(r"    (?! )", line)
    if not is_member or line.strip().startswith(("//", "}", "{")):
        return False
    return "public " in line or inside.text.startswith("interface")


def declarations(lines):
    """The comment of the module and its public declarations, those of types with their members."""
    head, found, comment, inside = [], [], [], None
    at_head = True
    for at, line in enumerate(lines):
        stripped = line.strip()
        if stripped.startswith("///"):
            comment.append(stripped[3:].removeprefix(" "))
            continue
        if at_head:
            head, comment, at_head = comment, [], False
        if line.startswith("}"):
            inside = None
        elif is_visible(line, inside):
            made = Declaration(signature(lines, at), comment)
            (found if inside is None else inside.members).append(made)
            if inside is None and TYPE.search(stripped) and not stripped.endswith("}"):
                inside = made
        elif inside is None and TYPE.search(stripped) and stripped.endswith("{"):
            inside = Declaration("", [])  # not public: its members go nowhere
        comment = []
    return head, found


def as_item(declaration):
    said = " ".join(declaration.comment)
    return f"- `{declaration.text}`" + (f"  \n  {said}" if said else "")


def page():
    parts = [INTRODUCTION]
    files = sorted((ROOT / "std").glob("**/*.n"), key=lambda path: (path.stem != "prelude", path.stem))
    for path in files:
        head, found = declarations(path.read_text(encoding="utf-8").split("\n"))
        parts.append(f"## {path.stem}\n\n" + "\n".join(head) + "\n")
        plain = [made for made in found if not made.members]
        if plain:
            parts.append("\n".join(as_item(made) for made in plain) + "\n")
        for made in found:
            if made.members:
                said = "\n".join(made.comment) + "\n\n" if made.comment else ""
                parts.append(f"### `{made.text}`\n\n{said}" + "\n".join(as_item(member) for member in made.members) + "\n")
    return "\n".join(parts)


def main():
    made = page()
    if "--check" not in sys.argv:
        PAGE.write_text(made, encoding="utf-8")
    elif not PAGE.exists() or PAGE.read_text(encoding="utf-8") != made:
        print("docs/standard-library.md is not what docs/standard_library.py makes; run it")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
