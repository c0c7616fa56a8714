#!/usr/bin/env python3
"""When output leaves the program, seen from the other end of a pipe.

    tests/lang/streams.py --nlang build/release/bin/nlang

Standard output is flushed at exit, before a read from standard input and whenever the program becomes idle; a line is
never interleaved with another; a reader that has gone away does no harm; who waits for standard input, or for a full
standard output, holds up nobody else. rule: L11.2, L11.1, C2.5
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
    """A program whose standard streams are pipes, but for those that the shell's `redirect` changes."""

    def __init__(self, nlang, folder, text, *options, redirect=""):
        path = folder / "program.n"
        path.write_text(text, encoding="utf-8")
        command = ["sh", "-c", f'exec "$@" {redirect}', "sh", str(nlang), "run", *options, path.name]
        self.child = subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                      stderr=subprocess.PIPE, bufsize=0)

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

    def read_line_of_errors(self):
        """A line of standard error; without its end if there is none in time."""
        got = b""
        while not got.endswith(b"\n"):
            ready, _, _ = select.select([self.child.stderr], [], [], TIMEOUT_S)
            piece = os.read(self.child.stderr.fileno(), 1) if ready else b""
            if not piece:
                break
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


def full_output_holds_only_its_writers(run):
    """Nobody reads standard output until others have done a lot; then all of it is there, each writer's in order."""
    program = '''import io;
import thread;
void writer(int which) { for (int i = 0; i < 3000; i++) { io.print("${which} ${i} " + "x".repeat(which * 40)); } }
void main() {
    List<Thread> writers = [];
    for (int w = 0; w < 4; w++) { int which = w; writers.add(thread.spawn(() => writer(which))); }
    for (int i = 0; i < 50; i++) { thread.sleep(1); }
    int sum = 0;
    for (int i = 0; i < 100000; i++) { sum += i % 7; if (i % 1000 == 0) { thread.yield(); } }
    io.eprint("computed ${sum}");
    foreach (Thread t in writers) { t.join(); }
    io.eprint("joined");
}
'''
    for options in CARRIERS:
        with run(program, *options) as child:
            assert child.read_line_of_errors() == b"computed 299995\n"
            status, stdout, stderr = child.finish()
            assert (status, stderr) == (0, b"joined\n"), (status, stderr)
            counts = [0, 0, 0, 0]
            for line in stdout.decode().splitlines():
                which, number, text = line.split(" ")
                assert int(number) == counts[int(which)] and text == "x" * (int(which) * 40), line
                counts[int(which)] += 1
            assert counts == [3000] * 4, counts


def full_error_holds_only_its_writers(run):
    program = '''import io;
import thread;
void main() {
    Thread t = thread.spawn(() => { for (int i = 0; i < 30000; i++) { io.eprint("line ${i}"); } });
    for (int i = 0; i < 50; i++) { thread.sleep(1); }
    io.print("slept");
    t.join();
    io.print("joined");
}
'''
    for options in CARRIERS:
        with run(program, *options) as child:
            assert child.read_until(b"slept\n") == b"slept\n"
            status, stdout, stderr = child.finish()
            assert (status, stdout) == (0, b"joined\n"), (status, stdout)
            assert stderr == b"".join(b"line %d\n" % i for i in range(30000))


def readers_hold_nobody(run):
    """Three threads wait for lines; the others go on, and each line comes to one of the three, in their order."""
    program = '''import io;
import thread;
void main() {
    Channel<string> lines = {};
    for (int r = 0; r < 3; r++) { int which = r; thread.spawn(() => { lines.send("${which} ${io.readLine()}"); }); }
    for (int i = 0; i < 20; i++) { thread.sleep(1); }
    io.print("others run");
    List<string> got = [lines.recv(), lines.recv(), lines.recv()];
    got.sort();
    io.print(got);
    string none;
    io.print(io.tryReadLine(out none));
}
'''
    for options in CARRIERS:
        with run(program, *options) as child:
            assert child.read_until(b"run\n") == b"others run\n"
            child.write(b"one\ntw")
            child.write(b"o\nthree\n")
            child.child.stdin.close()
            child.child.stdin = None
            status, stdout, stderr = child.finish()
            words = sorted(stdout.decode().split("\n")[0][1:-1].replace(",", "").split(" ")[1::2])
            assert (status, stderr, words) == (0, b"", ["one", "three", "two"]), (status, stdout, stderr)
            if options == CARRIERS[0]:
                assert stdout == b"[0 one, 1 two, 2 three]\nfalse\n", stdout


def waiting_readers_are_cancelled(run):
    """A cancelled reader takes no line, and no deadlock is seen in a program that waits for input."""
    program = '''import io;
import thread;
void main() {
    Future<string> first = thread.spawn(() => io.readLine());
    Future<string> second = thread.spawn(() => io.readLine());
    thread.yield();
    first.cancel();
    try { first.get(); } catch (CancelledException e) { io.print("cancelled"); }
    io.print(second.get());
}
'''
    for options in CARRIERS:
        with run(program, *options) as child:
            assert child.read_until(b"cancelled\n") == b"cancelled\n"
            child.write(b"for the second\n")
            assert child.finish() == (0, b"for the second\n", b"")


def waiting_writers_are_cancelled(run):
    """A cancelled writer's text is not written, neither whole nor in part."""
    program = '''import io;
import thread;
void main() {
    string line = "y".repeat(9999);
    Thread t = thread.spawn(() => { while (true) { io.print(line); } });
    thread.sleep(50);
    t.cancel();
    try { t.join(); } catch (CancelledException e) { io.eprint("cancelled"); }
}
'''
    for options in CARRIERS:
        with run(program, *options) as child:
            assert child.read_line_of_errors() == b"cancelled\n"
            status, stdout, stderr = child.finish()
            assert (status, stderr) == (0, b""), (status, stderr)
            assert stdout and set(stdout.split(b"\n")) == {b"y" * 9999, b""}


def input_ends_virtual_waiting(run):
    """Under virtual time timers do not wait for input, and what has come is read before time goes on."""
    program = '''import io;
import thread;
void main() {
    io.print(io.readLine());
    thread.sleep(3600000);
    Future<string> never = thread.spawn(() => io.readLine());
    try { never.get(100); } catch (TimeoutException e) { io.print("time is up"); }
    io.print(never.get());
}
'''
    with run(program, "--virtual-time") as child:
        child.write(b"typed\n")
        assert child.read_until(b"up\n") == b"typed\ntime is up\n"
        child.write(b"late\n")
        assert child.finish() == (0, b"late\n", b"")


def closed_streams_fail(run):
    """What came closed fails when it is used; nothing that is opened later is taken for it."""
    read = 'import io;\nimport thread;\nvoid main() { io.print("o"); thread.sleep(5); io.eprint("e"); string s; io.tryReadLine(out s); }\n'
    bad = b"Bad file descriptor"
    for options in CARRIERS:
        for redirect, stdout, in_stderr in (("<&-", b"o\n", b"cannot read from standard input: " + bad),
                                            (">&- </dev/null", b"", b"cannot write to standard output: " + bad),
                                            ("2>&- </dev/null", b"o\n", b""), ("<&- >&- 2>&-", b"", b"")):
            with run(read, *options, redirect=redirect) as child:
                status, got, stderr = child.finish()
                assert (status, got) == (1, stdout) and in_stderr in stderr, (redirect, status, got, stderr)


def lost_output_is_told(run):
    """Text that its writer had been told is written, and that no disk takes, is no success."""
    told = b"cannot write to standard output: No space left on device\n"
    for body, expected in (('io.print("x");', 1), ('io.print("x"); thread.sleep(5); io.print("y");', 1), ("return 7;", 7),
                           ('io.print("x"); return 7;', 7), ("return 0;", 0)):
        with run(f"import io;\nimport thread;\nint main() {{ {body} {'' if 'return' in body else 'return 0;'} }}\n",
                 redirect=">/dev/full") as child:
            status, _, stderr = child.finish()
            assert status == expected and (told in stderr) == ("print" in body), (body, status, stderr)


def endless_line(run):
    """A line that never ends takes no more memory than the program may have."""
    program = 'import io;\nvoid main() { try { io.readLine(); } catch (OutOfMemoryException e) { io.print("too long"); } }\n'
    with run(program, "--heap-limit", "16MB", redirect="</dev/zero") as child:
        assert child.finish()[:2] == (0, b"too long\n")


CARRIERS = (("--carriers", "1"), ("--carriers", "4"), ("--carriers", "4", "--carrier-stress"))
CASES = [before_a_read, when_idle, at_exit, lines_are_whole, reader_gone, full_output_holds_only_its_writers,
         full_error_holds_only_its_writers, readers_hold_nobody, waiting_readers_are_cancelled,
         waiting_writers_are_cancelled, input_ends_virtual_waiting, closed_streams_fail, lost_output_is_told, endless_line]


def main():
    parser = argparse.ArgumentParser(description="reads what programs write, while they run")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    nlang = parser.parse_args().nlang.resolve()
    failed = 0
    for case in CASES:
        with tempfile.TemporaryDirectory() as folder:
            try:
                case(lambda text, *options, **more: Running(nlang, pathlib.Path(folder), text, *options, **more))
            except (AssertionError, subprocess.TimeoutExpired, OSError) as fault:
                failed += 1
                print(f"FAIL {case.__name__}: {fault!r:.300}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
