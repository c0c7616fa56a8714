#!/usr/bin/env python3
"""Makes random well-typed programs, each with the output that it must have, however its threads take turns.

    tests/random/generate.py [--kind mixed|scalar|tasks] [--seed N]            prints the program
    tests/random/generate.py … --expected                                      prints its output

The same seed always gives the same program. What it must print is computed here, from the rules of the language; see
model.py. Run many with run.py.
"""
import argparse
import sys

from model import Rejected, Thrown
from tasks import TaskGenerator


def generate(kind, seed):
    """The text of a program and what it prints. A seed whose program is rejected is replaced by one made from it."""
    for attempt in range(1000):
        Rejected.happened = False
        generator = TaskGenerator(f"{kind} {seed} {attempt}")
        try:
            lines = getattr(generator, kind)()
        except (Rejected, Thrown):  # what escapes even `attempt` ends the program in the middle
            continue
        if Rejected.happened:
            continue
        return "\n".join(lines) + "\n", b"".join(line + b"\n" for line in generator.machine.output)
    raise SystemExit(f"no program for seed {seed}")


def main():
    parser = argparse.ArgumentParser(description="prints a random program")
    parser.add_argument("--kind", choices=["mixed", "scalar", "tasks"], default="mixed")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--expected", action="store_true", help="print what the program must print")
    options = parser.parse_args()
    text, expected = generate(options.kind, options.seed)
    sys.stdout.buffer.write(expected if options.expected else text.encode())


if __name__ == "__main__":
    sys.setrecursionlimit(20000)
    main()
