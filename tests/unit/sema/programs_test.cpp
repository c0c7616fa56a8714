// Whole programs that are right, and one whose every mistake is reported, each once and at its line.
#include "program_check.h"

namespace nlang::sema {
namespace {

TEST(Programs, ThreadsAndChannels) {
  expectDiagnostics(R"(
import io;
import thread;

class Worker {
    public Channel<int> jobs;
    private long total = 0;
    Worker(Channel<int> jobs) { this.jobs = jobs; }
    public void run() {
        while (true) {
            try { total += jobs.recv(); } catch (ChannelClosedException e) { break; }
        }
    }
    public long sum() { return total; }
}

int twice(int x) { thread.yield(); return 2 * x; }
int fails() { throw IllegalStateException("no luck"); }

int main(string[] args) {
    Channel<int> jobs = {};
    Worker worker = Worker(jobs);
    Thread running = thread.spawn(worker.run, name = "worker");
    for (int i = 0; i < 10; i++) { jobs.send(i); }
    jobs.close();
    running.join();

    List<Future<int>> futures = [];
    for (int i = 0; i < 3; i++) { futures.add(thread.spawn(() => twice(i) + 1)); }
    List<int> all = Future.all(futures);
    int first = Future.selectAny(futures);
    Future<int> bad = thread.spawn(fails);
    try { bad.get(); } catch (IllegalStateException e) { io.print("${e.message} ${e.backtrace.length() > 0}"); }

    Promise<string> kept = {};
    Thread keeper = thread.spawn(() => { thread.sleep(5); kept.complete("yes"); });
    io.print(kept.future().get());
    thread.join(keeper);
    List<string> log = [];
    Mutex m = {};
    lock (m) { log.add("in"); }
    io.print("${worker.sum()} ${all} ${first} ${string.join(",", log)}");
    return args.length();
}
)");
}

TEST(Programs, ClassesAndOverloads) {
  expectDiagnostics(R"(
import io;

class Animal {
    protected string name;
    private int legs = 4;
    Animal(string name) { this.name = name; }
    public virtual string sound() { return "..."; }
    public string toString() { return "${name} with ${legs} legs says ${sound()}"; }
}
class Dog : Animal {
    Dog() { super("dog"); }
    public string sound() { return "woof"; }
}
class Puppy : Dog {
    public override string sound() { return super.sound().toUpper(); }
}

string kind(int x) { return "int ${x}"; }
string kind(long x) { return "long ${x}"; }
string kind(double x) { return "double ${x}"; }
string kind(Object x) { return "object ${x}"; }
int scaled(int x, int by = 10, int plus = 0) { return x * by + plus; }
void halves(int v, out int half, out int rest) { half = v / 2; rest = v - half; }

void main() {
    List<Animal> zoo = [Dog(), Puppy(), Animal("fish")];
    foreach (Animal a in zoo) { io.print(a); }
    Animal none = null;
    if (none == null) { io.print(kind(1) + kind(5000000000) + kind(1.5f) + kind("s")); }
    int half;
    int rest;
    halves(7, out half, out rest);
    io.print("${half} ${rest} ${scaled(2)} ${scaled(2, plus = 1)} ${scaled(plus = 3, x = 1, by = 2)}");
    func<string> speak = zoo[0].sound;
    List<func<int>> fs = [];
    for (int i = 0; i < 3; i++) { fs.add(() => i * i); }
    int sum = 0;
    foreach (func<int> f in fs) { sum += f(); }
    int[] squares = new int[3];
    squares[1] = sum;
    squares[2] *= 6;
    squares[0]++;
    int[][] grid = [[1, 2], [3]];
    io.print("${speak()} ${sum} ${squares} ${grid[1].length()}");
    List<string> texts = [1, 2, 3].filter(x => x % 2 == 1).map(x => "<${x}>");
    io.print(texts.reduce("", (all, one) => all + one));
}
)");
}

TEST(Programs, NumbersAndTexts) {
  expectDiagnostics(R"(
import io;
import math;

const int kLimit = 100;
const uint kMask = 0xff;
int counter = kLimit * 2;

void main() {
    byte small = 127;
    small += 1;
    ubyte wide = 255;
    wide++;
    uint hash = 2166136261;
    hash = (hash ^ wide) * 16777619;
    long big = 1000L * kLimit;
    ulong huge = 18446744073709551615uL;
    huge -= 1;
    huge = huge >> hash << (huge & 3);
    small <<= huge;
    io.print(small);
    float f = 1.5f;
    f = f * 2 + small;
    double d = big + f;
    d += big;
    d = big;  //! W0006
    char c = 'a';
    c = ((c as int) + 1) as char;
    bool up = c > 'a' && !(d < 0) || huge > 5;
    io.print("${small} ${hash & kMask} ${big:08d} ${d:.2f} ${c} ${up} ${int.max} ${double.min} ${math.sqrt(2)}");
    io.print(up ? "yes" + 1 : 'n' + "o");
    io.print(math.max(1, 2.5) + math.abs(-3) + counter);
    Object boxed = 42;
    if (boxed is int) { io.print((boxed as int) + 1); }
    string s = "text";
    foreach (char each in s) { io.write("<${each}>"); }
    foreach (int i in 0..s.length()) { io.write("${s[i]} "); }
}
)");
}

// rule: L12.2
TEST(Programs, EveryMistakeIsReportedOnce) {
  std::string text = R"(
import io;

int missing(int x) { if (x > 0) { return 1; } }

void main() {
    int n = "text";
    strin s = "";
    io.prnt(n);
    if (n) { }
    List<int> xs = [1, "two"];
    int unset;
    io.print(unset);
    const int k = 1;
    k = 2;
    byte b = 1000;
}
)";
  CheckedProgram checked(text);
  std::vector<uint32_t> lines;
  for (const syntax::Diagnostic* diagnostic : checked.sink.sorted()) {
    if (syntax::infoOf(diagnostic->id).severity != syntax::Severity::Error) continue;
    lines.push_back(checked.sources.file(diagnostic->range.file)->positionOf(diagnostic->range.begin).line);
  }
  EXPECT_EQ(lines, (std::vector<uint32_t>{4, 7, 8, 9, 10, 11, 13, 15, 16})) << checked.messages();
}

} // namespace
} // namespace nlang::sema
