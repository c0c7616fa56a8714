#!/usr/bin/env python3
"""SIGQUIT prints all threads on standard error, and the program goes on: whether it sleeps, computes without ever
waiting, or starts and ends threads all the time, on one carrier and on several. rule: C5.1

    tests/lang/quit_signal.py --nlang build/release/bin/nlang
"""
import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

TIMEOUT_S = 120  # a hang, not a slow machine

# Each says "ready" on standard error, then does what its name says until it is killed.
PROGRAMS = {
    "sleeping": """
import io; import thread;
void main() {
    for (int i = 0; i < 100; i++) { thread.spawn(() => { thread.sleep(1000000); }, name = "sleeper"); }
    thread.sleep(1);
    io.eprint("ready");
    thread.sleep(1000000);
}
""",
    "computing": """
import io;
void main() {
    io.eprint("ready");
    long n = 0;
    while (true) { n++; }
}
""",
    "calling": """
import io;
int one(int x) { return x - x + 1; }
void main() {
    io.eprint("ready");
    int n = 0;
    while (n >= 0) { n = one(n); }
}
""",
    "virtual": """
import io; import thread;
void main() {
    Thread t = thread.spawn(() => { while (true) { thread.sleep(1000); } }, name = "ticker");
    io.eprint("ready");
    t.join();
}
""",
    "ending": """
import io; import thread;
void pass(Channel<int> from, Channel<int> to) { to.send(from.recv()); }
void main() {
    io.eprint("ready");
    while (true) {
        Channel<int> first = {};
        Channel<int> last = first;
        for (int i = 0; i < 20; i++) {
            Channel<int> from = last;
            Channel<int> to = {};
            thread.spawn(() => pass(from, to));
            last = to;
        }
        first.send(1);
        last.recv();
    }
}
""",
    "many": """
import io; import thread;
void receive(Channel<int> c) { c.recv(); }
void main() {
    Channel<int> c = {};
    for (int i = 0; i < 50000; i++) { thread.spawn(() => receive(c)); }
    thread.sleep(1);
    io.eprint("ready");
    while (true) { thread.sleep(5); }
}
""",
}

# program -> options beside --carriers, carriers, what some lines of its dump must match, in order
CASES = [
    ("sleeping", [], carriers, [r"^Threads: 101$", r'^Thread 1 "main" is sleeping', r"^  at sleeping\.main \(sleeping\.n:6\)",
                                r"sleeping .*\"sleeper\"", r"^  at sleeping\.main\.lambda"])
    for carriers in (1, 4)
] + [
    ("computing", [], carriers, [r"^Threads: 1$", r'^Thread 1 "main" is running$', r"^  at computing\.main \(computing\.n:5\)$"])
    for carriers in (1, 4)
] + [
    ("calling", ["--quota", "1"], 1, [r"^Threads: 1$", r'^Thread 1 "main" is running$', r"^  at calling\.main"]),
    ("virtual", ["--virtual-time"], 1, [r"^Threads: 2$", r'^Thread 1 "main" is waiting for a thread to end \("ticker"\)',
                                        r'^Thread 2 "ticker" is ']),
    ("many", [], 1, [r"^Threads: 50001$", r"^50000 threads are receiving from a channel", r"^  at many\.receive"]),
    ("many", [], 4, [r"^Threads: 50001$", r"^\d+ threads are receiving from a channel", r"^  at many\.receive"]),
] + [
    ("ending", options, carriers, [r"^Threads: \d+$", r'^Thread 1 "main"'])
    for carriers, options in ((1, []), (4, []), (4, ["--carrier-stress"]))
]
SIGNALS = 5  # of each program, one after the other


def read_until(stream, pattern):
    """The lines up to one that matches; None at the end of the stream."""
    lines = []
    for line in stream:
        lines.append(line.rstrip("\n"))
        if re.search(pattern, lines[-1]):
            return lines
    return None


def check(process, patterns):
    if read_until(process.stderr, "^ready$") is None:
        return "ended before it was ready"
    for _ in range(SIGNALS):
        os.kill(process.pid, signal.SIGQUIT)
        for pattern in patterns:
            if read_until(process.stderr, pattern) is None:
                return f"no line of its dump matches /{pattern}/"
    return None if process.poll() is None else "ended by itself"


def run(nlang, folder, name, options, carriers, patterns):
    command = [nlang, "run", "--carriers", str(carriers), *options, f"{name}.n"]
    process = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    killer = threading.Timer(TIMEOUT_S, process.kill)
    killer.start()
    try:
        return check(process, patterns)
    finally:
        killer.cancel()
        process.kill()
        process.wait()
        process.stderr.close()


def main():
    parser = argparse.ArgumentParser(description="tests thread dumps by signal")
    parser.add_argument("--nlang", type=pathlib.Path, required=True, help="the nlang executable")
    nlang = str(parser.parse_args().nlang.resolve())
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text in PROGRAMS.items():
            (pathlib.Path(folder) / f"{name}.n").write_text(text.lstrip("\n"), encoding="utf-8")
        for name, options, carriers, patterns in CASES:
            fault = run(nlang, folder, name, options, carriers, patterns)
            if fault:
                failed += 1
                print(f"FAIL {name}, {carriers} carriers {' '.join(options)}: {fault}")
    print(f"{len(CASES) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
