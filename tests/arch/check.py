#!/usr/bin/env python3
"""Checks from the include lines that every room uses only the rooms it may use.

    tests/arch/check.py [--root FOLDER]    checks the tree
    tests/arch/check.py --self-test        plants forbidden includes in a copy and expects each to be found

The table is the one of docs/reading-order.md. A room may also include what the rooms it uses may use.
"""
import argparse
import pathlib
import re
import shutil
import sys
import tempfile

USES = {
    "base": [],
    "bytecode": ["base"],
    "syntax": ["base"],
    "sema": ["syntax", "base"],
    "codegen": ["sema", "bytecode"],
    "heap": ["bytecode", "base"],
    "object": ["heap"],
    "sched": ["heap", "bytecode", "base"],
    "sync": ["sched", "object", "heap"],
    "vm": ["sync", "sched", "object", "heap", "bytecode"],
    "lib": ["vm"],
    "embed": ["lib", "vm", "codegen"],
    "debug": ["embed"],
    "lsp": ["sema"],
    "cli": ["debug", "lsp", "embed"],
}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
SOURCES = {".h", ".cpp", ".def", ".inc"}
PUBLIC_HEADERS_FOR = {"embed", "debug", "lsp", "cli"}  # include/nlang is the face of embed
TOO_HEAVY_FOR_A_HEADER = {"iostream", "regex"}


def closure(room):
    seen, todo = set(), [room]
    while todo:
        next_room = todo.pop()
        if next_room not in seen:
            seen.add(next_room)
            todo += USES[next_room]
    return seen


def faults_of_file(path, room, root):
    may_use = closure(room)
    for number, line in enumerate(path.read_text(encoding="utf-8", errors="replace").split("\n"), 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, target = found.groups()
        where = f"{path.relative_to(root)}:{number}"
        first = target.split("/")[0]
        if quote == "<":
            if path.suffix == ".h" and target in TOO_HEAVY_FOR_A_HEADER:
                yield f"{where}: <{target}> is too heavy for a header"
            continue
        if "/" not in target or first == "..":
            yield f'{where}: "{target}" is not written from src/ on'
        elif first == "nlang":
            if room not in PUBLIC_HEADERS_FOR:
                yield f"{where}: room {room} may not use the public headers"
        elif first in USES:
            if first not in may_use:
                yield f"{where}: room {room} may not use {first} ({target})"
        elif (root / "src" / first).is_dir():
            yield f"{where}: there is no room {first} in the table"


def faults_of_tree(root):
    source = root / "src"
    for folder in sorted(p for p in source.iterdir() if p.is_dir()):
        if folder.name not in USES:
            yield f"src/{folder.name}: there is no such room in the table"
            continue
        for path in sorted(p for p in folder.rglob("*") if p.suffix in SOURCES):
            yield from faults_of_file(path, folder.name, root)
    unit = root / "tests" / "unit"
    for folder in sorted(p for p in unit.iterdir() if p.is_dir()) if unit.is_dir() else []:
        for path in sorted(p for p in folder.rglob("*") if p.suffix in SOURCES and folder.name in USES):
            yield from (f for f in faults_of_file(path, folder.name, root) if "may not use" in f)


def self_test(root):
    """Each planted line must cause exactly the fault that its words describe, and nothing else may change."""
    planted = [
        ("src/heap/planted.h", '#include "sched/context.h"', "room heap may not use sched"),
        ("src/base/planted.cpp", '#include "syntax/lexer.h"', "room base may not use syntax"),
        ("src/codegen/planted.cpp", '  #  include "vm/vm.h"', "room codegen may not use vm"),
        ("src/sync/planted.cpp", '#include "sema/types.h"', "room sync may not use sema"),
        ("src/vm/planted.h", '#include "nlang/nlang.h"', "room vm may not use the public headers"),
        ("src/object/planted.h", '#include "../vm/vm.h"', "is not written from src/ on"),
        ("src/object/planted.h", "#include <regex>", "<regex> is too heavy for a header"),
    ]
    missed = 0
    with tempfile.TemporaryDirectory() as temp:
        copy = pathlib.Path(temp)
        shutil.copytree(root / "src", copy / "src")
        before = list(faults_of_tree(copy))
        for name, line, words in planted:
            path = copy / name
            path.write_text(f"// A planted fault.\n{line}\n", encoding="utf-8")
            new = [fault for fault in faults_of_tree(copy) if fault not in before]
            path.unlink()
            if len(new) != 1 or words not in new[0] or not new[0].startswith(f"{name}:2:"):
                missed += 1
                print(f"planted `{line.strip()}` in {name}, found {new}")
    print(f"{len(planted) - missed} of {len(planted)} planted includes found")
    return 1 if missed else 0


def main():
    parser = argparse.ArgumentParser(description="checks include lines against the table of rooms")
    parser.add_argument("--root", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--self-test", action="store_true")
    options = parser.parse_args()
    if options.self_test:
        return self_test(options.root)
    faults = list(faults_of_tree(options.root))
    print("\n".join(faults) if faults else "every room uses only what it may use")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
