"""Programs of many threads whose output does not depend on how the threads take turns.

Such a program is made of components, functions `long componentN()`, each a small system of threads that meet in some
way: channels, locks, futures, task groups, cancellation, timeouts, `select`, package concurrent. What the threads
compute are random functions of their own values (no module variables; what they do to local ones comes back in the
result), so a component's result is known. `main` runs components one after the other and beside each other, and prints
each result.

Times are those of the virtual clock, which stands still while anything can run: a thread that sleeps 5 is awake before
one that sleeps 6, on every machine.
"""
import scalars
from declarations import Function
from model import INT, LONG, Expr, Frame, Return, Thrown, Var
from operators import argument
from programs import Generator
from statements import Block, Statement
from task_components import COMPONENTS, wrapped
from templates import FIXED

HELPERS = """\
void mix(long v) { }
string kindOf(Exception e) {
    string text = "${e}";
    int end = text.indexOf(":");
    return end < 0 ? text : text.substring(0, end);
}
long guarded(func<long> body) {
    try { return body(); } catch (Exception e) { return kindOf(e).length(); }
}"""


class LocalFunction(Function):
    """A function with a checksum of its own."""

    def invoke(self, values):
        outside = self.machine.globals["trace"]
        self.machine.globals["trace"] = [7]
        try:
            return super().invoke(values)
        finally:
            self.machine.globals["trace"] = outside


class TaskGenerator(Generator):
    def tasks(self):
        self.has_generics = self.has_threads = self.has_math = True
        self.local_traces = True
        lines = ["import concurrent;", "import io;", "import math;", "import thread;", "import time;", "", HELPERS,
                 FIXED]
        lines += self.declare_exceptions()
        for step in (self.make_enum, self.make_struct_declaration, self.make_class_declaration):
            lines += step() if self.chance(60) else []
        for _ in range(self.random.randrange(2, 4)):
            lines += self.make_work()
        names = []
        for _ in range(self.random.randrange(3, 7)):
            made, name = self.component()
            lines += made
            names.append(name)
        return lines + self.main_of_tasks(names)

    # ---------------------------------------------------------------- work

    def make_work(self):
        """`long workN(int i)`: a random function of random statements, guarded, for a thread to run."""
        name, at = self.fresh("body"), Var(self.fresh("p"), INT)
        function = LocalFunction(name, [at, *self.plain_parameters(2)], LONG, {})
        function.machine = self.machine
        self.variables, self.result_type, self.call_budget = list(function.parameters), LONG, 2
        body = self.block(4, 2, declared=2)
        statements = body.statements + ([] if body.leaves else [self.return_statement(3)])
        function.body = Block(statements)
        self.variables = [Var("i", INT, assignable=False)]
        arguments = [Expr("i", INT, lambda frame: frame["i"][0]),
                     *(self.value(p.type, 1) for p in function.parameters[1:])]
        self.variables = []
        lines = [function.head + " {", "    ulong trace = 7;",
                 "    func<void, long> mix = (long v) => { trace = trace * 31 + (v as ulong); };", *function.body.lines,
                 "}"]
        work = self.fresh("work")
        lines.append(f"long {work}(int i) {{ return guarded(() => {name}({', '.join(map(argument, arguments))})); }}")

        def value(i):
            frame = Frame(i=[i])
            try:
                return function.invoke([a.run(frame) for a in arguments])[0]
            except Thrown as e:
                return len(e.chain[0])
        self.functions.append(function)
        self.works.append((work, value))
        return lines

    def return_statement(self, depth):
        """In a function with a checksum of its own, that is part of what it returns."""
        made = super().return_statement(depth)
        if not self.local_traces or self.lambda_depth > 0 or self.result_type is not LONG or self.in_method:
            return made
        expr = self.value(LONG, depth)

        def run(frame):
            value = expr.run(frame)
            raise Return(value ^ scalars.wrap(self.machine.globals["trace"][0], "long"))
        return Statement(f"return ({expr.text}) ^ (trace as long);", run, True)

    def fill(self, method, fields, prefix):
        self.in_method, kept = True, self.in_method
        lines = super().fill(method, fields, prefix)
        self.in_method = kept
        if not self.local_traces:
            return lines
        inner = method.invoke

        def invoke(receiver, values):
            outside = self.machine.globals["trace"]
            self.machine.globals["trace"] = [0]  # `mix` in a method is the one that does nothing
            try:
                return inner(receiver, values)
            finally:
                self.machine.globals["trace"] = outside
        method.invoke = invoke
        return lines

    def statement(self, depth):
        """In bodies of threads also something that lets others run."""
        if self.local_traces and not self.in_method and self.chance(12):
            pause = self.random.choice(["thread.yield();", "thread.sleep(1);",
                                        f"thread.sleep({self.random.randrange(9)});", "thread.sleep(0);"])
            return Statement(pause, lambda frame: None)
        if self.local_traces and self.chance(3):
            return Statement(f"List<string> {self.fresh('garbage')} = [\"a\".repeat({self.random.randrange(400)})];",
                             lambda frame: None)
        return super().statement(depth)

    def print_statement(self):
        return None if self.local_traces else super().print_statement()

    # ---------------------------------------------------------------- components

    def component(self):
        """The lines of a component, and its name. Later ones may run earlier ones in their threads."""
        name = self.fresh("component")
        make = self.random.choice(COMPONENTS)
        lines, value = make(Surroundings(self, name))
        self.components.append((name, value))
        return [f"long {name}() {{", *["    " + line for line in lines], "}"], name

    def main_of_tasks(self, names):
        lines, values = ["void main() {"], dict(self.components)
        together = self.random.sample(names, self.random.randrange(1, len(names) + 1))
        for name in names:
            if self.chance(60):
                lines.append(f'    io.print("{name} ${{{name}()}}");')
                self.machine.print(f"{name} {values[name]}".encode())
        started = [(self.fresh("f"), name) for name in together for _ in range(self.random.randrange(1, 3))]
        lines += [f"    Future<long> {future} = thread.spawn<long>({name});" for future, name in started]
        for future, name in self.random.sample(started, len(started)):
            lines.append(f'    io.print("{name} ${{{future}.get()}}");')
            self.machine.print(f"{name} {values[name]}".encode())
        return lines + ["}"]


class Surroundings:
    """What a component is made with."""

    def __init__(self, generator, name):
        self.generator, self.random, self.name = generator, generator.random, name

    def work(self):
        """The name of a function from `int` to `long`, and that function."""
        choices = [*self.generator.works, *[(None, part) for part in self.generator.components]]
        name, value = self.random.choice(choices)
        if name is not None:
            return name, value
        inner, result = value
        return f"(int i) => {inner}() + i", lambda i: wrapped(result + i)

    def fresh(self, prefix):
        return self.generator.fresh(prefix)

    def chance(self, percent):
        return self.generator.chance(percent)
