#!/usr/bin/env python3
"""`nlang test`: files of tests, made here at run time, and what must be said of them.

    tests/lang/testing.py --nlang build/release/bin/nlang [--filter REGEX]

rule: C1.3, C2.2, C2.6, C2.7, C2.8
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import projects
from projects import Case

PASSES = "void testOne() { }\n"
FAILS = 'import test;\nvoid testTwo() {\n    test.equal(1 + 1, 3);\n}\n'


def importing(text):
    """A module of tests with an import, in its first line, of each package that it uses."""
    return " ".join(f"import {name};" for name in ("io", "test", "thread", "time") if f"{name}." in text) + "\n" + text


BASICS = [
    Case("tests that pass are only counted",
         {"a_test.n": importing('void testA() { io.print("x"); }\nvoid testB() { test.isTrue(true); }\n')}, run="test",
         out="2 passed, 0 failed\n"),
    Case("a failed assertion is shown with its line, and what was printed", {"a_test.n": '''\
import io;
import test;
void testSum() {
    io.print("adding");
    check(1 + 1);
}
void check(int sum) {
    test.equal(sum, 3);
}
void testText() { test.equal("a", "b"); }
'''}, run="test", exit=1, out='''\
FAIL a_test.n:testSum
  Uncaught AssertionException: expected 3, got 2
    at a_test.check (a_test.n:8)
    at a_test.testSum (a_test.n:5)
  output:
    adding
FAIL a_test.n:testText
  Uncaught AssertionException: expected "b", got "a"
    at a_test.testText (a_test.n:10)
0 passed, 2 failed
'''),
    Case("any other exception fails a test, with its causes", {"a_test.n": '''\
void testIt() {
    try { fail(); } catch (FormatException e) { throw IllegalStateException("outer", e); }
}
void fail() { throw FormatException("inner"); }
'''}, run="test", exit=1, out='''\
FAIL a_test.n:testIt
  Uncaught IllegalStateException: outer
    at a_test.testIt (a_test.n:2)
  Caused by FormatException: inner
    at a_test.fail (a_test.n:4)
    at a_test.testIt (a_test.n:2)
0 passed, 1 failed
'''),
    Case("tests do not see each other", {"a_test.n": importing('''\
int count = 0;
void bump() { count += 1; test.equal(count, 1); thread.spawn(() => { thread.sleep(1); count = 9; }); }
void testA() { bump(); }
void testB() { bump(); thread.sleep(10); test.equal(count, 9); }
void testC() { bump(); }
''')}, run="test", out="3 passed, 0 failed\n"),
    Case("functions with parameters or results are no tests", {"a_test.n": '''\
void testA() { testThat(false); }
void testThat(bool fail) { assert(!fail); }
int testAnswer() { throw FormatException("called"); }
T testAny<T>(T x) { throw FormatException("called"); }
void tast() { throw FormatException("called"); }
class C { public static void testStatic() { throw FormatException("called"); } }
void main() { throw FormatException("called"); }
'''}, run="test", out="1 passed, 0 failed\n"),
    Case("equal tests are two tests", {"a_test.n": "void testA() { assert(1 > 2); } void testB() { assert(1 > 2); }\n"},
         run="test", exit=1, out='''\
FAIL a_test.n:testA
  Uncaught AssertionException: assertion failed: 1 > 2
    at a_test.testA (a_test.n:1)
FAIL a_test.n:testB
  Uncaught AssertionException: assertion failed: 1 > 2
    at a_test.testB (a_test.n:1)
0 passed, 2 failed
'''),
    Case("an initialiser that throws fails each test", {"a_test.n": '''\
int zero = 0;
int bad = 1 / zero;
void testA() { }
void testB() { assert(bad == 0); }
'''}, run="test", exit=1, out='''\
FAIL a_test.n:testA
  Uncaught DivByZeroException: division by zero
    at a_test.static (a_test.n:2)
FAIL a_test.n:testB
  Uncaught DivByZeroException: division by zero
    at a_test.static (a_test.n:2)
0 passed, 2 failed
'''),
    Case("with --verbose tests that pass are named", {
        "a_test.n": importing('void testA() { io.print("one\\ntwo"); io.eprint("three"); }\nvoid testB() { }\n')},
         run="test --verbose", out='''\
ok   a_test.n:testA
  three
  output:
    one
    two
ok   a_test.n:testB
2 passed, 0 failed
'''),
    Case("what a test prints is cut", {
        "a_test.n": 'import io;\nvoid testA() { io.print("x".repeat(3000000)); assert(false); }\n'},
         run="test", exit=1, out=f'''\
FAIL a_test.n:testA
  Uncaught AssertionException: assertion failed: false
    at a_test.testA (a_test.n:2)
  output:
    {"x" * (1 << 20)}
    … {3000001 - (1 << 20)} bytes more
0 passed, 1 failed
'''),
]

THREADS = [
    Case("an unobserved exception fails a test", {"a_test.n": importing('''\
void testA() {
    thread.spawn(() => { throw FormatException("bad"); }, name = "worker");
    thread.yield();
}
''')}, run="test", exit=1, out='''\
FAIL a_test.n:testA
  Unobserved exception in thread "worker": FormatException: bad
    at a_test.testA.lambda (a_test.n:3)
0 passed, 1 failed
'''),
    Case("a deadlock fails a test, and others still run", {"a_test.n": '''\
void testA() { Channel<int> c = {}; c.recv(); }
void testB() { }
'''}, run="test", exit=1, out='''\
FAIL a_test.n:testA
  Deadlock: all 1 threads are waiting
  Thread 1 "main" is receiving from a channel
    at a_test.testA (a_test.n:1)
1 passed, 1 failed
'''),
    Case("waiting takes no time", {"a_test.n": importing('''\
void testA() {
    long start = time.millis();
    thread.sleep(365L * 24 * 60 * 60 * 1000);
    test.equal(time.millis() - start, 31536000000);
}
''')}, run="test", out="1 passed, 0 failed\n"),
    Case("with --real-time it does",
         {"a_test.n": importing("void testA() { test.isTrue(time.nanos() > 0); thread.sleep(1); test.isTrue(time.nanos() >= 1000000); }\n")},
         run="test --real-time", out="1 passed, 0 failed\n"),
    Case("a test that never ends is stopped", {"a_test.n": importing('''\
void testLoop() { while (true) { } }
void testYield() {
    Thread other = thread.spawn(() => { while (true) { thread.yield(); } });
    while (!other.isDone()) { thread.yield(); }
}
void testSleep() { while (true) { thread.sleep(1); } }
void testLast() { }
''')}, run="test --timeout 1", exit=1, out=None),
    Case("one that sleeps is stopped too", {"a_test.n": importing("void testA() { thread.sleep(1000000); }\n")},
         run="test --timeout 1 --real-time", exit=1, out=None),
]

FILES = [
    Case("no tests at all", {"main.n": "void main() { }\n", "a_test.n": "void tests(int x) { }\n"}, run="test",
         out="no tests: there is no function `void test…()` in a file *_test.n\n"),
    Case("none that fits the filter", {"a_test.n": PASSES}, run="test --filter nothing",
         out="no tests: there is no function `void test…()` in a file *_test.n, or none that fits the filter\n"),
    Case("the filter is part of file and function",
         {"a_test.n": PASSES + "void testX() { assert(false); }\n", "b_test.n": "void testOther() { assert(false); }\n"},
         run="test --filter a_test.n:testO", out="1 passed, 0 failed\n"),
    Case("files are found at any depth, in the order of their paths",
         {"b/c/x_test.n": FAILS, "a/y_test.n": FAILS, "z_test.n": FAILS, ".hidden/h_test.n": FAILS, "a/testing.n": FAILS},
         run="test", exit=1, out="".join(f"FAIL {path}:testTwo\n  Uncaught AssertionException: expected 3, got 2\n"
                                         f"    at {path.split('/')[-1][:-2]}.testTwo ({path.split('/')[-1]}:3)\n"
                                         for path in ("a/y_test.n", "b/c/x_test.n", "z_test.n"))
         + "0 passed, 3 failed\n"),
    Case("paths name files and folders, each is run once",
         {"a/x_test.n": PASSES, "b/y_test.n": PASSES, "b/other.n": PASSES, "c_test.n": FAILS},
         run="test a b/other.n a/x_test.n ./a", out="2 passed, 0 failed\n"),
    Case("a path that is not there", {"a_test.n": PASSES}, run="test a_test.n nowhere", exit=2,
         err=r"^there is no file or folder `nowhere`"),
    Case("a project names its tests", {"nlang.toml": projects.TOML + '[test]\npaths = ["checks"]\n',
                                       "checks/a_test.n": PASSES, "other/b_test.n": FAILS, "src/main.n": ""},
         run="test", out="1 passed, 0 failed\n"),
    Case("or all of it is looked at, from anywhere in it",
         {"nlang.toml": projects.TOML, "checks/a_test.n": PASSES, "other/b_test.n": PASSES, "src/main.n": ""},
         run="test", at="src", out="2 passed, 0 failed\n"),
    Case("a broken project file", {"nlang.toml": "name = 3\n", "a_test.n": PASSES}, run="test", exit=2,
         err=r"^nlang\.toml:1:8: error\[E0802\]"),
    Case("tests import what they test", {
        "nlang.toml": projects.TOML, "src/word.n": projects.says("yes"), "lib/deep.n": projects.says("deep"),
        "tests/a_test.n": 'import deep;\nimport src.word;\nimport test;\n'
                          'void testA() { test.equal("${src.word.word()} ${deep.word()}", "yes deep"); }\n'},
         run="test -I lib", out="1 passed, 0 failed\n"),
    Case("a file that does not compile does not keep others from running",
         {"a_test.n": "void testA() { int x = \"\"; }\n", "b_test.n": PASSES}, run="test", exit=2,
         err=r"^a_test\.n:1:24: error\[E0401\]", out="1 passed, 0 failed, 1 file does not compile\n"),
    Case("a failure weighs more", {"a_test.n": "void testA() {\n", "b_test.n": FAILS}, run="test", exit=1,
         err=r"^a_test\.n:1:15: error", out=None),
]

RACE = importing('''\
class Account {
    public int cents = 100;
    public void withdraw(int amount) {
        if (!covers(amount)) { return; }
        note(amount);
        cents -= amount;
    }
    private bool covers(int amount) { return cents >= amount; }
    private void note(int amount) { foreach (int i in 0..3) { last = amount + i; } }
    private int last = 0;
}
void testIsNeverOverdrawn() {
    Account account = {};
    Thread a = thread.spawn(() => account.withdraw(80));
    Thread b = thread.spawn(() => account.withdraw(70));
    a.join();
    b.join();
    test.isTrue(account.cents >= 0);
}
''')
LOCK_ORDER = importing('''\
int moved = 0;
void move(Mutex from, Mutex to) { lock (from) { prepare(); lock (to) { moved += 1; } } }
void prepare() { foreach (int i in 0..3) { moved += 0; } }
void testBothMove() {
    Mutex a = {};
    Mutex b = {};
    Thread one = thread.spawn(() => move(a, b), name = "one");
    Thread two = thread.spawn(() => move(b, a), name = "two");
    one.join();
    two.join();
    test.equal(moved, 2);
}
''')
LOST_SIGNAL = importing('''\
void testIsToldInTime() {
    Channel<int> news = Channel<int>();
    Thread reporter = thread.spawn(() => { news.trySend(1); });     // nobody may be listening yet
    test.equal(news.recv(), 1);
    reporter.join();
}
''')
ORDER = importing('''\
void testReadyFirst() {
    bool ready = false;
    Thread a = thread.spawn(() => { ready = true; });
    Thread b = thread.spawn(() => { test.isTrue(ready); });
    b.join();
    a.join();
}
''')
SOUND = importing('''\
void testLocked() {
    Mutex guard = {};
    int count = 0;
    List<Thread> threads = [];
    for (int i = 0; i < 5; i++) {
        threads.add(thread.spawn(() => { for (int k = 0; k < 5; k++) { lock (guard) { count = same(count) + 1; } } }));
    }
    foreach (Thread t in threads) { t.join(); }
    test.equal(count, 25);
}
int same(int x) { return x; }
''')
# name, text, what the failure says
RACES = [
    ("check, then act", RACE, r"Uncaught AssertionException: expected true, got false"),
    ("locks in two orders", LOCK_ORDER, r"Uncaught DeadlockException"),
    ("a value for whoever listens", LOST_SIGNAL, r"Deadlock: all 1 threads are waiting"),
    ("an order taken for granted", ORDER, r"Uncaught AssertionException: expected true, got false"),
]


def nlang_test(nlang, folder, *arguments):
    done = subprocess.run([str(nlang), "test", *arguments], cwd=folder, capture_output=True, timeout=projects.TIMEOUT_S,
                          stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode() + done.stderr.decode()


def faults_of_race(nlang, text, failure, folder):
    """First in, first out it passes; some seed makes it fail, and that seed always does."""
    (folder / "race_test.n").write_text(text, encoding="utf-8")
    status, output = nlang_test(nlang, folder)
    if status != 0:
        yield f"it fails first in, first out: {output}"
    status, output = nlang_test(nlang, folder, "--explore", "500")
    if status != 1 or not re.search(failure, output):
        yield f"exploring does not show /{failure}/: status {status}, {output}"
        return
    if nlang_test(nlang, folder, "--explore", "500") != (status, output):
        yield "exploring again gives another result"
    replay = re.search(r"^  replay: nlang test (--schedule-seed (\d+) .*)$", output, re.MULTILINE)
    if not replay:
        yield f"no seed is printed: {output}"
        return
    for _ in range(3):
        if nlang_test(nlang, folder, *replay.group(1).split()) != (status, output):
            yield f"`{replay.group(0)}` does not replay it"
    seed = int(replay.group(2))
    if seed > 1 and nlang_test(nlang, folder, "--explore", str(seed - 1))[0] != 0:
        yield "the seed is not the first that fails"
    if nlang_test(nlang, folder, "--explore", "1", "--schedule-seed", str(seed)) != (status, output):
        yield "exploring from the seed on does not begin with it"


def faults_of_sound(nlang, folder):
    (folder / "sound_test.n").write_text(SOUND, encoding="utf-8")
    status, output = nlang_test(nlang, folder, "--explore", "100")
    if (status, output) != (0, "1 passed, 0 failed\n"):
        yield f"status {status}, {output}"


def faults_of_stopped(nlang, folder):
    """What the cases above leave out: which tests were stopped."""
    case = next(case for case in THREADS if case.name == "a test that never ends is stopped")
    projects.make(folder, case.files)
    _, output = nlang_test(nlang, folder, "--timeout", "1")
    for name in ("testLoop", "testYield", "testSleep"):
        if not re.search(rf"^FAIL a_test\.n:{name}\n  still running after 1 s\n(  .*\n)*    at a_test\.{name} \(a_test\.n:\d+\)$",
                         output, re.MULTILINE):
            yield f"{name} is not said to run on: {output}"
    if not output.endswith("1 passed, 3 failed\n"):
        yield output


def main():
    parser = argparse.ArgumentParser(description="runs nlang test on files made for it")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    parser.add_argument("--filter", help="only cases whose name matches this regular expression")
    options = parser.parse_args()
    nlang, failed = options.nlang.resolve(), 0
    checks = [(case.name, lambda folder, case=case: projects.faults_of(nlang, case, folder))
              for case in BASICS + THREADS + FILES]
    checks += [(f"race: {name}", lambda folder, text=text, failure=failure: faults_of_race(nlang, text, failure, folder))
               for name, text, failure in RACES]
    checks += [("exploring what is sound", lambda folder: faults_of_sound(nlang, folder)),
               ("which tests are stopped", lambda folder: faults_of_stopped(nlang, folder))]
    checks = [check for check in checks if not options.filter or re.search(options.filter, check[0])]
    for name, check in checks:
        with tempfile.TemporaryDirectory() as folder:
            faults = list(check(pathlib.Path(folder).resolve()))
        if faults:
            failed += 1
            print(f"FAIL {name}", *faults, sep="\n    ")
    print(f"{len(checks) - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    sys.exit(main())
