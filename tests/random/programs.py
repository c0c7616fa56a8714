"""Whole programs: a mixture of everything, and one that is all arithmetic."""
import random

from declarations import Declarations
from model import SCALARS, STRING, ULONG, VOID, Frame, Machine, Return, Thrown, Var, text_of
from statements import Block, Statement
from templates import FIXED

HELPERS = """\
void mix(long v) { trace = trace * 31 + (v as ulong); }
string kindOf(Exception e) {
    string text = "${e}";
    int end = text.indexOf(":");
    return end < 0 ? text : text.substring(0, end);
}"""


class Generator(Declarations):
    """One program."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.machine = Machine()
        self.names = 0
        self.variables, self.functions, self.loops = [], [], []
        self.enums, self.structs, self.classes, self.interfaces = [], [], [], []
        self.bases, self.declared_interfaces = [], []  # also those of which there are no values yet
        self.values_of_enums = {}
        self.exceptions, self.exception_chains = [], {}
        self.lambda_depth = self.finally_depth = 0
        self.in_catch = False
        self.result_type, self.call_budget = VOID, 0
        self.has_generics = self.has_threads = self.has_math = self.has_statics = False
        self.overloads = []
        self.local_traces = self.in_method = False  # see tasks.py
        self.works, self.components = [], []
        self.machine.globals["trace"] = [7]

    def mixed(self):
        """A program of everything."""
        self.has_generics = self.has_threads = self.has_math = self.has_statics = True
        lines = ["import io;", "import math;", "import thread;", "", "ulong trace = 7uL;", HELPERS, FIXED]
        lines += self.declare_exceptions()
        steps = [self.make_enum] * 2 + [self.make_interface_declaration] + [self.make_struct_declaration] * 2
        for step in steps[:self.random.randrange(1, len(steps) + 1)]:
            lines += step()
        lines += self.module_variables() + self.make_overloads()
        for _ in range(self.random.randrange(1, 3)):
            lines += self.make_function()
        for _ in range(self.random.randrange(0, 4)):
            lines += self.make_class_declaration()
        for _ in range(self.random.randrange(2, 5)):
            lines += self.make_recursive() if self.chance(25) else self.make_function()
        return lines + self.main(self.random.randrange(4, 8), 4, 3)

    def declare_exceptions(self):
        lines = []
        for name, base in (("FirstError", "Exception"), ("SecondError", "FirstError"), ("ThirdError", "Exception")):
            lines.append(f"class {name} : {base} {{ {name}(string message) {{ super(message); }} }}")
            self.exceptions.append(name)
            self.exception_chains[name] = [name, *self.exception_chains.get(base, [base])]
        return lines

    def module_variables(self):
        lines = []
        for _ in range(self.random.randrange(1, 5)):
            type, name = self.any_type(), self.fresh("g")
            expr = self.typed(type, 2)
            self.set_global(name, type, expr)
            lines.append(f"{type} {name} = {expr.text};")
        return lines

    def main(self, units, size, depth):
        """Units, each guarded: whatever it throws is printed, and the next one runs."""
        lines, bodies = [], []
        for number in range(units):
            name, self.call_budget = f"unit{number}", 6
            self.result_type = VOID
            before = self.variables
            body = self.block(size, depth, declared=5)
            self.variables = before
            lines += [f"void {name}() {{", *body.lines, "}"]
            bodies.append(body)
        lines += ["void attempt(func<void> unit) {", "    try { unit(); } catch (Exception e) { io.print(kindOf(e)); }",
                  "    io.print(trace);", "}", "void main() {", *[f"    attempt(unit{n});" for n in range(units)]]
        for var in self.variables:
            lines.append(f'    io.print("{var.name} ${{{var.name}}}");')
        for body in bodies:
            self.attempt(body)
        for var in self.variables:
            value = self.machine.globals[var.name][0]
            self.machine.print(var.name.encode() + b" " + text_of(value, var.type))
        return lines + ["}"]

    def attempt(self, body):
        try:
            body.run(Frame())
        except Return:
            pass
        except Thrown as e:
            self.machine.print(e.chain[0].encode())
        self.machine.print(text_of(self.machine.globals["trace"][0], ULONG))

    def scalar(self):
        """Arithmetic and conversions of variables of every type, line by line."""
        self.has_math = True
        lines = ["import io;", "import math;", ""]
        lines += self.make_overloads() + self.make_enum()
        lines += self.module_variables()
        globals_, variables = len(self.variables), []
        for type in [*SCALARS, STRING, self.enums[0].type] * 2:
            expr = self.leaf(type)
            var = Var(self.fresh("v"), type)
            variables.append((var, expr))
        statements = [self.set_first(var, expr) for var, expr in variables]
        self.variables += [var for var, _ in variables]
        for _ in range(60):
            statements.append(self.show())
        for var in self.variables[:globals_]:
            self.machine.globals[var.name] = self.machine.globals[var.name]
        frame = Frame()
        for statement in statements:
            statement.run(frame)
        body = Block(statements)
        return [*lines, "string kindOf(Exception e) {", '    string text = "${e}";', '    int end = text.indexOf(":");',
                "    return end < 0 ? text : text.substring(0, end);", "}", "void main() {", *body.lines, "}"]

    @staticmethod
    def set_first(var, expr):
        def run(frame):
            frame[var.name] = [expr.run(frame)]
        return Statement(f"{var.type} {var.name} = {expr.text};", run)

    def show(self):
        """One expression, printed, or what it throws; or an assignment of some kind."""
        if self.chance(35):
            made = self.choose([(3, self.assignment), (4, self.compound), (1, self.step_statement)])
        else:
            expr = self.typed(self.random.choice([*SCALARS, *SCALARS, STRING, self.enums[0].type]), 4)
            number = self.fresh("")
            text = f'"{number} ${{{self.in_braces(expr)}}}"'
            made = Statement(f"io.print({text});", lambda frame: self.machine.print(
                f"{number} ".encode() + text_of(expr.run(frame), expr.type)))

        def run(frame):
            try:
                made.run(frame)
            except Thrown as e:
                self.machine.print(e.chain[0].encode())
        return Statement(["try {", *["    " + line for line in made.lines],
                          "} catch (Exception e) { io.print(kindOf(e)); }"], run)
