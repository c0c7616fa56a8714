#!/usr/bin/env python3
"""When output leaves the program, seen from the other end of a pipe.

    tests/lang/streams.py --nlang build/release/bin/nlang

Standard output is flushed at exit, before a read from standard input and whenever the program becomes idle; a line is
never interleaved with another; a reader that has gone away does no harm. rule: L11.2, L11.1
"""
import argparse
import os
import pathlib
import select
import subprocess
import sys
import tempfile

TIMEOUT_S = 60  # a hang, not a slow machine


class Running:
    """A program whose standard streams are pipes."""

    def __init__(self, nlang, folder, text, *options):
        path = folder / "program.n"
        path.write_text(text, encoding="utf-8")
        self.child = subprocess.Popen([str(nlang), "run", *options, path.name], cwd=folder, stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.child.kill()
        self.child.wait()
        for stream in (self.child.stdin, self.child.stdout, self.child.stderr):
            if stream:
                stream.close()

    def read_until(self, wanted):
        """What arrives up to `wanted`, while the program goes on; less if nothing more comes."""
        got = b""
        while not got.endswith(wanted):
            ready, _, _ = select.select([self.child.stdout], [], [], TIMEOUT_S)
            piece = os.read(self.child.stdout.fileno(), 65536) if ready else b""
            if not piece:
                return got
            got += piece
        return got

    def write(self, text):
        self.child.stdin.write(text)

    def finish(self):
        stdout, stderr = self.child.communicate(timeout=TIMEOUT_S)
        return self.child.returncode, stdout, stderr


def before_a_read(run):
    program = 'import io;\nvoid main() { io.write("name? "); string n = io.readLine(); io.write("hello ${n}"); string more; ' \
              'io.write(io.tryReadLine(out more) ? " more" : " end"); }\n'
    with run(program) as child:
        assert child.read_until(b"? ") == b"name? "
        child.write(b"Ann\n")
        assert child.read_until(b"Ann") == b"hello Ann"
        child.child.stdin.close()
        child.child.stdin = None
        assert child.finish() == (0, b" end", b"")


def when_idle(run):
    program = 'import io;\nimport thread;\nvoid main() { io.write("a"); thread.sleep(20); io.print("b"); Channel<int> c = {}; ' \
              'thread.spawn(() => { thread.sleep(10000000); c.send(1); }); c.recv(); }\n'
    with run(program) as child:
        assert child.read_until(b"b\n") == b"ab\n"


def at_exit(run):
    for body, status in (('return 3;', 3), ('throw Exception("x");', 1), ("Channel<int> c = {}; c.recv(); return 0;", 3),
                         ('thread.spawn(() => { while (true) { thread.yield(); } }); return 0;', 0)):
        with run(f'import io;\nimport thread;\nint main() {{ io.write("no newline"); thread.yield(); {body} }}\n') as child:
            got, stdout, _ = child.finish()
            assert (got, stdout) == (status, b"no newline"), (got, stdout)


def lines_are_whole(run):
    program = '''import io;
import thread;
void main() {
    List<Thread> all = [];
    for (int i = 0; i < 8; i++) {
        all.add(thread.spawn(() => { for (int k = 0; k < 500; k++) { io.print("${i}".repeat(i * 400 + 1)); thread.yield(); } }));
    }
    foreach (Thread t in all) { t.join(); }
}
'''
    for options in ((), ("--carriers", "4"), ("--quota", "1")):
        with run(program, *options) as child:
            status, stdout, _ = child.finish()
            lines = stdout.decode().split("\n")
            assert status == 0 and lines.pop() == "" and len(lines) == 4000, (status, len(lines))
            for line in lines:
                assert len(line) == int(line[0]) * 400 + 1 and set(line) == {line[0]}, line[:80]


def reader_gone(run):
    """Nobody reads: the program ends by itself, not by a signal."""
    with run('import io;\nvoid main() { io.print(io.readLine()); for (int i = 0; i < 10000; i++) { io.print("lost"); } }\n') as child:
        child.child.stdout.close()
        child.child.stdout = None
        child.write(b"go\n")
        status, _, _ = child.finish()
        assert status in (0, 1), status


CASES = [before_a_read, when_idle, at_exit, lines_are_whole, reader_gone]


def main():
    parser = argparse.ArgumentParser(description="reads what programs write, while they run")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    nlang = parser.parse_args().nlang.resolve()
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(lambda text, *options: Running(nlang, pathlib.Path(folder), text, *options))
            except (AssertionError, subprocess.TimeoutExpired, OSError) as fault:
                failed += 1
                print(f"FAIL {case.__name__}: {fault!r:.300}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
