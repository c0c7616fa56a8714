#!/usr/bin/env python3
"""Lists the numbered rules of docs/language.md (L…) and docs/concurrency.md (C…) that no test names.

A test names a rule with a comment `rule: L5.3` (several: `rule: L5.3, L5.4`). Rules of features that do not exist yet
stand in tests/rules_later.txt, one `RULE reason` a line. Fails when a rule is neither tested nor listed there, when a
listed one is tested, and when a test names a rule that does not exist.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = {"L": "docs/language.md", "C": "docs/concurrency.md"}
TESTS = ("*.n", "*.cpp", "*.py")


def rules_of(letter, text):
    """Section 3's paragraph that starts with `2.` is rule 3.2."""
    section = 0
    for line in text.split("\n"):
        heading = re.match(r"## (\d+)\. ", line)
        if heading:
            section = int(heading.group(1))
        item = re.match(r"(\d+)\. ", line)
        if item and section:
            yield f"{letter}{section}.{item.group(1)}"


def named_rules():
    """Rule -> files that name it."""
    named = {}
    for pattern in TESTS:
        for path in (ROOT / "tests").rglob(pattern):
            if path == pathlib.Path(__file__).resolve():
                continue
            for line in re.findall(r"\brule: *([LC]\d.*)", path.read_text(encoding="utf-8", errors="replace")):
                for rule in re.findall(r"[LC]\d+\.\d+", line):
                    named.setdefault(rule, set()).add(path.relative_to(ROOT))
    return named


def later_rules():
    path = ROOT / "tests/rules_later.txt"
    lines = path.read_text(encoding="utf-8").split("\n") if path.exists() else []
    return {line.split()[0] for line in lines if line.strip() and not line.startswith("#")}


def main():
    rules = [rule for letter, page in PAGES.items()
             for rule in rules_of(letter, (ROOT / page).read_text(encoding="utf-8"))]
    named, later = named_rules(), later_rules()
    for rule in rules:
        count = len(named.get(rule, ()))
        state = f"{count} test files" if count else ("later" if rule in later else "NO TEST")
        print(f"{rule:<6} {state}")
    untested = [rule for rule in rules if rule not in named and rule not in later]
    unknown = sorted((set(named) | later) - set(rules))
    done = sorted(later & set(named))
    if done:
        print(f"tested, so tests/rules_later.txt must not list them: {' '.join(done)}")
    if untested:
        print(f"rules without a test: {' '.join(untested)}")
    for rule in unknown:
        print(f"there is no rule {rule}: {' '.join(map(str, named.get(rule, ['tests/rules_later.txt'])))}")
    return 1 if untested or unknown or done else 0


if __name__ == "__main__":
    sys.exit(main())
