#!/usr/bin/env python3
"""Programs that are large in one respect, made at run time: a compiler must need neither the native stack nor memory
or time that grows with the square of their size.

    tests/lang/large_programs.py --nlang build/release/bin/nlang

rule: L1.1, L2.1, L2.3, L5.1, L5.5, L12.2
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import threading

TIMEOUT_S = 120  # a hang, not a slow machine
MEMORY_MB = 1024  # what is linear stays far below, also with a sanitizer's bookkeeping


def main_of(*statements):
    return "void main() { " + " ".join(statements) + " }\n"


def many(count, text, separator="\n"):
    """`text` with # for the number and % for the next one."""
    return separator.join(text.replace("#", str(i)).replace("%", str(i + 1)) for i in range(count))


def nested(count, before, inside, after):
    return before * count + inside + after * count


PRINT = "import io;\n"
DEEP = 250  # the parser takes 256


def cases():
    """(name, program, exit status, standard output, text in standard error)."""
    yield from long_chains()
    yield from many_of_a_kind()
    yield from large_values()
    yield from deep_nesting()
    yield from chains_of_declarations()
    yield from growth()


def long_chains():
    arms = " else ".join(f"if (x == {i}) {{ return {3 * i}; }}" for i in range(5000))
    yield ("chain of else if", PRINT + "int f(int x) { " + arms + " else { return -1; } }\n"
           + main_of("io.print(f(4999));", "io.print(f(7));", "io.print(f(-7));"), 0, "14997\n21\n-1\n", "")
    loops = " else ".join(f"if (x == {i}) while (x == {i}) {{ x += 5000; }}" for i in range(5000))
    yield ("chain of else if without blocks", PRINT + main_of("int x = 77;", loops, "io.print(x);"), 0,
           "5077\n", "")
    yield ("constant text of many pieces", PRINT + "const string s = " + " + ".join(['"ab"'] * 60_000) + ";\n"
           + main_of("io.print(s.length());"), 0, "120000\n", "")
    yield ("constant sum of many terms", PRINT + "const int s = " + " + ".join(["1"] * 60_000) + ";\n"
           + main_of("io.print(s);"), 0, "60000\n", "")
    yield ("text of many pieces", PRINT + main_of('string q = "a";', "string r = " + "q + " * 50_000 + '"b";',
                                                  "io.print(r.length());"), 0, "50001\n", "")
    yield ("interpolation of many pieces", PRINT + main_of("int q = 7;", 'io.print("' + "${q}a" * 20_000 + '".length());'),
           0, "40000\n", "")
    yield ("sum of many variables", PRINT + main_of("int q = 1;", "io.print(" + "q + " * 50_000 + "q);"), 0, "50001\n", "")
    yield ("chain of conditions", PRINT + main_of("bool q = true;", "io.print(" + "q && " * 50_000 + "q);"), 0, "true\n", "")
    yield ("chain of ??", PRINT + "class A { }\n" + main_of("A q = null;", "io.print(" + "q ?? " * 20_000 + "A());"), 0, "A\n", "")


def many_of_a_kind():
    yield ("ten thousand locals", PRINT + main_of(many(10_000, "int v# = #;"), "long s = 0;", many(10_000, "s += v#;"),
                                                  "io.print(s);"), 0, "49995000\n", "")
    yield ("ten thousand references", PRINT + main_of(many(10_000, "List<int> v# = [#];"), "long s = 0;",
                                                      many(10_000, "s += v#[0];"), "io.print(s);"), 0, "49995000\n", "")
    yield ("five thousand captured variables", PRINT + main_of(
        many(5000, "int v# = #;"), "func<long> f = () => { long s = 0;", many(5000, "s += v#; v# += 1;"), "return s; };",
        "io.print(f());", "io.print(f());"), 0, "12497500\n12502500\n", "")
    yield ("many statements", PRINT + main_of("long s = 0;", many(100_000, "s += #;"), "io.print(s);"), 0, "4999950000\n", "")
    yield ("many scopes", PRINT + main_of("long s = 0;", many(50_000, "{ int v = #; s += v; }"), "io.print(s);"), 0,
           "1249975000\n", "")
    yield ("many functions", PRINT + many(10_000, "int f#(int x) { return x + #; }") + main_of(
        "int s = 0;", many(10_000, "s = f#(s);"), "io.print(s);"), 0, "49995000\n", "")
    yield ("many classes", PRINT + many(5000, "class C# { public int v = #; }") + main_of(
        "long s = 0;", many(5000, "s += C#().v;"), "io.print(s);"), 0, "12497500\n", "")
    yield ("many generic instances", PRINT + "class B<T> { public T x; public int d() { return 1; } }\n" + many(3000, "class C# { }")
           + main_of("long s = 0;", many(3000, "s += B<C#>().d();"), "io.print(s);"), 0, "3000\n", "")
    yield ("many lambdas", PRINT + main_of("long s = 0;", "func<int> f = null;", many(5000, "f = () => #; s += f();"),
                                           "io.print(s);"), 0, "12497500\n", "")
    yield ("many overloads", PRINT + many(1000, "class C# { } int f(C# x) { return #; }") + main_of("io.print(f(C999()));"), 0,
           "999\n", "")
    yield ("many virtual methods", PRINT + "class C { " + many(10_000, "public virtual int f#() { return #; }")
           + " }\nclass D : C { public int f1() { return 100; } }\n" + main_of(
               "C c = D();", "io.print(c.f9999());", "io.print(c.f1());"), 0, "9999\n100\n", "")
    yield ("more virtual methods than an instruction can name", "class C { " + many(66_000, "public virtual void f#() { }")
           + " }\n" + main_of("C().f1();"), 2, "", "error[E0709]")
    yield ("many interfaces", PRINT + many(1000, "interface J# { int f#(); }") + "\nclass C implements "
           + many(1000, "J#", ", ") + " { " + many(1000, "public int f#() { return #; }") + " }\n"
           + main_of("J999 c = C();", "io.print(c.f999());"), 0, "999\n", "")
    yield ("many fields", PRINT + "class C { " + many(8000, "public int f# = #;") + " }\n" + main_of("io.print(C().f7999);"), 0,
           "7999\n", "")
    yield ("many static fields", PRINT + "class C { " + many(20_000, "public static int f# = #;") + " }\n"
           + main_of("io.print(C.f19999);"), 0, "19999\n", "")
    yield ("a struct with 250 fields", PRINT + "struct S { " + many(250, "int f#;") + " }\n" + main_of(
        "S s = {f249: 7};", "S t = s;", "S[] a = [t, s];", "Set<S> d = {s, t};", "io.print(a[1].f249 + d.count());"), 0, "8\n", "")
    yield ("many members of an enum", PRINT + "enum E { " + many(10_000, "M#", ", ") + " }\n" + main_of(
        "io.print(E.M9999);", "io.print(E.values().length());"), 0, "M9999\n10000\n", "")
    yield ("switch over integers", PRINT + "int f(int x) { switch (x) { " + many(10_000, "case #00: return #;")
           + " default: return -1; } }\n" + main_of("io.print(f(999900));", "io.print(f(1));"), 0, "9999\n-1\n", "")
    yield ("switch over texts", PRINT + "int f(string x) { switch (x) { " + many(10_000, 'case "k#": return #;')
           + " default: return -1; } }\n" + main_of('io.print(f("k9999"));', 'io.print(f(""));'), 0, "9999\n-1\n", "")
    yield ("one case with many labels", PRINT + "int f(int x) { switch (x) { case " + many(20_000, "#", ", ")
           + ": return 1; default: return -1; } }\n" + main_of("io.print(f(19999));", "io.print(f(-1));"), 0, "1\n-1\n", "")
    yield ("many labelled loops", PRINT + main_of("int c = 0;", many(5000, "l#: while (true) { c += 1; break l#; }"),
                                                  "io.print(c);"), 0, "5000\n", "")
    yield ("many protected regions", PRINT + main_of(
        "int c = 0;", many(2000, "try { c += 1; if (c == %) { throw Exception(); } } catch (Exception e) { c += 0; }"),
        "io.print(c);"), 0, "2000\n", "")
    yield ("255 parameters", PRINT + "int f(" + many(255, "int p#", ", ") + ") { return p254; }\n" + main_of(
        "io.print(f(" + many(255, "#", ", ") + "));"), 0, "254\n", "")
    yield ("more parameters than fit", f"void f({many(70_000, 'int p#', ', ')}) {{ }}\n" + main_of(
        "f(" + ", ".join(["1"] * 70_000) + ");"), 2, "", "error[E0705]")
    yield ("more default values than fit", "int f(" + many(20_000, "int p# = #", ", ") + ") { return p0; }\n"
           + main_of("f(p19999 = 5);"), 2, "", "error[E0705]")
    yield ("many parameters of one name", "void f(" + ", ".join(["int p"] * 2000) + ") { }\n" + main_of(), 2, "",
           "error[E0309]")
    yield ("64 out parameters", PRINT + "void f(" + many(64, "out int a#", ", ") + ") { " + many(64, "a# = #;") + " }\n" + main_of(
        many(64, "int x#;"), "f(" + many(64, "out x#", ", ") + ");", "io.print(x0 + x63);"), 0, "63\n", "")
    yield ("many type parameters", PRINT + "class C<" + many(1000, "T#", ", ") + "> { public T999 x; }\n" + main_of(
        "var c = C<" + ", ".join(["int"] * 1000) + ">();", "io.print(c.x);"), 0, "0\n", "")
    yield ("many errors", main_of(many(3000, "nope#();")), 2, "", "too many errors: the first 100 are shown")
    yield ("many imports", many(2000, "import io as i#;") + "\n" + main_of(many(2000, 'i#.write("");')), 0, "", "")


def large_values():
    million = ", ".join(map(str, range(1_000_000)))
    yield ("array of a million elements", PRINT + main_of(f"int[] a = [{million}];", "io.print(a.length() + a[999999]);"), 0,
           "1999999\n", "")
    yield ("list of a million elements", PRINT + f"List<int> a = [{million}];\n" + main_of("io.print(a.length() + a[999999]);"),
           0, "1999999\n", "")
    yield ("dictionary of many entries", PRINT + main_of("Dict<int, int> d = {" + many(100_000, "#: %", ", ") + "};",
                                                         "io.print(d.count() + d[99999]);"), 0, "200000\n", "")
    yield ("set of many elements", PRINT + main_of("Set<int> s = {" + many(100_000, "#", ", ") + "};", "io.print(s.count());"), 0,
           "100000\n", "")
    yield ("list of many texts", PRINT + main_of("List<string> l = [" + many(100_000, '"s#"', ", ") + "];", "io.print(l[99999]);"),
           0, "s99999\n", "")
    yield ("list of many structs", PRINT + "struct P { int x; int y; }\n" + main_of(
        "List<P> l = [" + many(30_000, "{x: #, y: %}", ", ") + "];", "io.print(l[29999]);"), 0, "P{x: 29999, y: 30000}\n", "")
    yield ("elements that are no constants", PRINT + main_of("int q = 3;", "List<int> l = [" + many(50_000, "q + #", ", ") + "];",
                                                             "io.print(l[49999]);"), 0, "50002\n", "")
    yield ("lists within a list", PRINT + main_of("List<List<int>> l = [" + ", ".join(["[" + many(300, "#", ", ") + "]"] * 300) + "];",
                                                  "io.print(l[299][299]);"), 0, "299\n", "")
    yield ("a text of a million characters", PRINT + main_of(f'io.print("{"x" * 1_000_000}".length());'), 0, "1000000\n", "")
    yield ("a name of a hundred thousand letters", PRINT + f"int {'a' * 100_000}(int {'b' * 100_000}) {{ return {'b' * 100_000}; }}\n"
           + main_of(f"io.print({'a' * 100_000}(3));"), 0, "3\n", "")
    yield ("a comment of many lines", "/*" + "*\n" * 1_000_000 + "*/\n" + PRINT + main_of("io.print(1);"), 0, "1\n", "")
    yield ("many empty statements", PRINT + main_of(";" * 200_000, "io.print(1);"), 0, "1\n", "")
    yield ("a line of a million characters with an error", "void main() { " + "int x; " * 2 + " " * 1_000_000 + "}\n", 2, "",
           "error[E0309]")


def deep_nesting():
    yield ("parentheses", PRINT + main_of(f"io.print({nested(DEEP, '(', '1', ')')});"), 0, "1\n", "")
    yield ("calls", PRINT + "int f(int x) { return x + 1; }\n" + main_of(f"io.print({nested(DEEP, 'f(', '0', ')')});"), 0,
           f"{DEEP}\n", "")
    yield ("calls of overloaded functions", PRINT + "int f(int x) { return x; } long f(long x) { return x; } double f(double x) "
           "{ return x; } string f(string x) { return x; }\n" + main_of(f"io.print({nested(DEEP, 'f(', '0', ')')});"), 0, "0\n", "")
    yield ("inferred calls", PRINT + "T id<T>(T x) { return x; }\n" + main_of(f"io.print({nested(DEEP // 2, 'id(', '0', ')')});"),
           0, "0\n", "")
    yield ("lambdas", PRINT + main_of(f"var f = {nested(DEEP - 10, '() => ', '7', '')};", f"io.print(f{'()' * (DEEP - 10)});"), 0,
           "7\n", "")
    yield ("block lambdas", PRINT + main_of(f"var f = {nested(100, '() => { return ', '7', '; }')};", f"io.print(f{'()' * 100});"),
           0, "7\n", "")
    yield ("interpolations", PRINT + main_of(f"""io.print({nested(DEEP - 10, '"${', '1', '}"')});"""), 0, "1\n", "")
    yield ("list values", PRINT + main_of(f"var l = {nested(200, '[', '0', ']')};", "io.print(l.length());"), 0, "1\n", "")
    yield ("blocks", PRINT + main_of(nested(DEEP - 5, "{ ", "io.print(1);", " }")), 0, "1\n", "")
    yield ("ifs", PRINT + main_of("bool b = true;", nested(120, "if (b) { ", "io.print(1);", " }")), 0, "1\n", "")
    yield ("loops", PRINT + main_of("int n = 0;", nested(100, "for (int i = 0; i < 1; i++) { ", "n += 1;", " }"),
                                    "io.print(n);"), 0, "1\n", "hides a variable")
    yield ("64 finallys around a jump", PRINT + main_of(
        "int t = 0;", "for (int i = 0; i < 2; i++) {", nested(64, "try { ", "if (i == 0) { continue; } break;", " } finally { t += 1; }"),
        "}", "io.print(t);"), 0, "128\n", "")
    yield ("64 finallys around a throw", PRINT + main_of(
        "int t = 0;", "try {", nested(64, "try { ", "t += 0; throw Exception();", " } finally { t += 1; }"),
        "} catch (Exception e) { t += 1000; }", "io.print(t);"), 0, "1064\n", "")
    yield ("64 finallys around a return", PRINT + "int t = 0;\nint f() { " + nested(
        64, "try { ", "return t;", " } finally { t += 1; }") + " }\n" + main_of("io.print(f());", "io.print(t);"), 0, "0\n64\n", "")
    yield ("64 finallys within each other", PRINT + main_of("int t = 0;", nested(64, "try { t += 1; } finally { ", "t += 1;", " }"),
                                                            "io.print(t);"), 0, "65\n", "")
    yield ("64 catches within each other", PRINT + main_of(
        "int t = 0;", "".join(f"try {{ throw Exception(); }} catch (Exception e{i}) {{ t += 1; " for i in range(64)), "}" * 64,
        "io.print(t);"), 0, "64\n", "")
    yield ("200 deep generics", PRINT + "class B<T> { public T x; public string s() { return \"b\"; } }\n" + main_of(
        f"{nested(200, 'List<', 'int', '>')} l = [];", f"var b = {nested(200, 'B<', 'int', '>')}();", "io.print(l);", "io.print(b.s());"),
        0, "[]\nb\n", "")
    yield ("200 deep generic structs", PRINT + "struct B<T> { T x; }\n" + main_of(
        f"{nested(200, 'B<', 'int', '>')} b = {{}};", f"{nested(200, 'B<', 'int', '>')} c = b;", "io.print(b == c);"), 0, "true\n", "")
    yield ("300 deep generics", main_of(f"{nested(300, 'List<', 'int', '>')} l = [];"), 2, "", "error[E0290]")
    yield ("300 deep generics through aliases", "using A0 = int;\n" + many(300, "using A% = List<A#>;") + "\n"
           + main_of("A300 l = [];"), 2, "", "error[E0707]")
    yield ("generics that grow without end", "int f<T>(T x, int n) { List<T> l = [x]; return n == 0 ? 1 : f<List<T>>(l, n - 1); }\n"
           + main_of("f<int>(1, 3);"), 2, "", "error[E0707]")


def chains_of_declarations():
    yield ("variables that need the next", PRINT + many(20_000, "int v# = v% + 1;") + "\nint v20000 = 5;\n" + main_of("io.print(v0);"),
           0, "20005\n", "")
    yield ("an initialiser through many functions", PRINT + "int x = f0();\n" + many(20_000, "int f#() { return f%(); }")
           + "\nint f20000() { return late; }\nint late = 5;\n" + main_of("io.print(x);"), 0, "5\n", "")
    yield ("many initialisers through the same functions", PRINT + many(2000, "int x# = f0();") + many(
        2000, "int f#() { return f%(); }") + "\nint f2000() { return late; }\nint late = 5;\n" + main_of("io.print(x1999);"), 0, "5\n", "")
    yield ("static fields that need the next", PRINT + many(5000, "class C# { public static int v = C%.v + 1; }")
           + "class C5000 { public static int v = 1; }\n" + main_of("io.print(C0.v);"), 0, "5001\n", "")
    yield ("constants in terms of the one before", PRINT + "const int c0 = 1;\n" + many(20_000, "const int c% = c# + 1;") + "\n"
           + main_of("io.print(c20000);"), 0, "20001\n", "")
    for name, text, last in (("constants", "const int c# = c% + 1;", "const int c50000 = 1;"),
                             ("aliases", "using A# = A%;", "using A50000 = int;"),
                             ("values of enums", "enum E# { A = E%.A as int }", "enum E50000 { A = 3 }"),
                             ("default values", "int f#(int a = f%()) { return a; }", "int f50000(int a = 3) { return a; }")):
        yield (f"{name} in terms of the next", many(500, text) + "\n" + last.replace("50000", "500") + "\n" + main_of(), 0, "", "")
        yield (f"too many {name} in terms of the next", many(50_000, text) + "\n" + last + "\n" + main_of(), 2, "", "error[E0708]")
    yield ("500 bases, Object among them", PRINT + "class C0 { public int f() { return 7; } }\n" + many(499, "class C% : C# { }") + "\n" + main_of(
        "C499 c = C499();", "C0 d = c;", "Object o = c;", 'io.print("${c.f()} ${d is C498} ${(o as C250).f()}");'), 0, "7 true 7\n", "")
    yield ("too many bases", many(20_000, "class C# : C% { }") + "class C20000 { }\n" + main_of("C0();"), 2, "", "error[E0520]")
    yield ("too many interfaces above each other", "interface J0 { }\n" + many(20_000, "interface J% implements J# { }") + "\n" + main_of(),
           2, "", "error[E0520]")
    yield ("structs within each other", PRINT + "struct S0 { int x; }\n" + many(199, "struct S% { S# s; }") + "\n" + main_of(
        "S199 a = {};", "S199 b = a;", "io.print(a == b);"), 0, "true\n", "")
    yield ("too many structs within each other", "struct S0 { int x; }\n" + many(20_000, "struct S% { S# s; }") + "\n" + main_of(), 2, "",
           "error[E0521]")


def growth():
    """What doubles at each step."""
    yield ("a lattice of interfaces", PRINT + "interface A0 { int f(); } interface B0 { int g(); }\n" + many(
        40, "interface A% implements A#, B# { } interface B% implements A#, B# { }")
        + "\nclass C implements A40, B40 { public int f() { return 1; } public int g() { return 2; } }\n"
        + main_of("A40 a = C();", "B0 b = a;", "io.print(a.f() + b.g());"), 0, "3\n", "")
    yield ("structs of two structs", PRINT + "struct S0 { int x; }\n" + many(100, "struct S% { S# a; S# b; }") + "\n"
           + main_of("S3 s = {};", "io.print(s.b.a);"), 0, "S1{a: S0{x: 0}, b: S0{x: 0}}\n", "")
    yield ("a value of such a struct", "struct S0 { int x; }\n" + many(100, "struct S% { S# a; S# b; }") + "\n"
           + main_of("S100 s = {};", "assert(s == s);"), 2, "", "error[E0706]")
    yield ("types of two types", PRINT + "class P<A, B> { }\nusing A0 = int;\n" + many(200, "using A% = P<A#, A#>;") + "\n"
           + main_of("A200 x = A200();", "io.print(x == null);"), 0, "false\n", "")
    yield ("a message about such a type", "class P<A, B> { }\nusing A0 = int;\n" + many(200, "using A% = P<A#, A#>;") + "\n"
           + main_of("A200 x = 1;"), 2, "", "error[E0401]")
    yield ("generics that double without end", "class P<A, B> { }\nvoid f<T>(int n) { if (n > 0) { P<T, T> p = P<T, T>(); f<P<T, T>>(n - 1); "
           "assert(p != null); } }\n" + main_of("f<int>(3);"), 2, "", "error[E0707]")


def run(nlang, path):
    """Exit status, standard output, standard error, peak memory in MB."""
    with path.with_suffix(".out").open("w+b") as out, path.with_suffix(".err").open("w+b") as err:
        child = subprocess.Popen([str(nlang), "run", path.name], cwd=path.parent, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=err)
        alarm = threading.Timer(TIMEOUT_S, child.kill)
        alarm.start()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        alarm.cancel()
        out.seek(0)
        err.seek(0)
        return child.returncode, out.read().decode(), err.read().decode("utf-8", "replace"), usage.ru_maxrss // 1024


def faults(outcome, status, stdout, message):
    if outcome[0] != status:
        yield f"exit status {outcome[0]}, expected {status}"
    if outcome[1] != stdout:
        yield f"standard output is {outcome[1][:80]!r}, expected {stdout!r}"
    if message not in outcome[2] or (not message and outcome[2]):
        yield f"standard error is {outcome[2][:160]!r}"
    if outcome[3] > MEMORY_MB:
        yield f"used {outcome[3]} MB"


def main():
    parser = argparse.ArgumentParser(description="compiles programs that are large in one respect")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    nlang = parser.parse_args().nlang.resolve()
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        for name, text, status, stdout, message in cases():
            count += 1
            path = pathlib.Path(folder) / "large.n"
            path.write_text(text, encoding="utf-8")
            wrong = list(faults(run(nlang, path), status, stdout, message))
            if wrong:
                failed += 1
                print(f"FAIL {name}: {'; '.join(wrong)}")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
