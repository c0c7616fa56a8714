"""Random declarations: enums, structs, interfaces, classes that inherit, functions.

What a body may use stands above it in the program's order, so calls never go round in circles, except in functions that
count their own depth down.
"""
import scalars
from model import (INT, LONG, STRING, Field, Frame, Obj, Rejected, Return, Thrown, Type, Var, checked, default_of,
                   text_of)
from operators import argument
from statements import Block, Statement
from templates import Templates


class Enum:
    def __init__(self, name, members):
        self.name, self.members, self.methods = name, members, []
        self.type = Type("enum", name, declaration=self)
        self.type.declaration = self

    def text(self, value):
        return next((name for name, number in self.members if number == value), str(value)).encode()

    @property
    def lines(self):
        inside = ", ".join(name if index == number else f"{name} = {number}"
                           for index, (name, number) in enumerate(self.members))
        if not self.methods:
            return [f"enum {self.name} {{ {inside} }}"]
        return [f"enum {self.name} {{", f"    {inside};", *self.method_lines, "}"]

    def all_methods(self):
        return self.methods

    def method(self, name):
        return next(method for method in self.methods if method.name == name)


class Method:
    def __init__(self, name, parameters, result):
        self.name, self.parameters, self.result = name, parameters, result
        self.body, self.machine = None, None

    def invoke(self, receiver, values):
        self.machine.step()
        frame = Frame(this=[receiver])
        for parameter, value in zip(self.parameters, values):
            frame[parameter.name] = [value]
        return returned(self.body, frame)

    @property
    def head(self):
        return f"{self.result} {self.name}({', '.join(f'{p.type} {p.name}' for p in self.parameters)})"


class Function(Method):
    """Out parameters come back beside the result."""

    def __init__(self, name, parameters, result, defaults):
        super().__init__(name, parameters, result)
        self.defaults = defaults

    def invoke(self, values):
        self.machine.step()
        frame = Frame()
        for parameter, value in zip(self.parameters, values):
            frame[parameter.name] = [default_of(parameter.type) if parameter.is_out else value]
        result = returned(self.body, frame)
        return result, [frame[p.name][0] for p in self.parameters if p.is_out]

    @property
    def head(self):
        def one(p):
            default = f" = {self.defaults[p.name].text}" if p.name in self.defaults else ""
            return f"{'out ' if p.is_out else ''}{p.type} {p.name}{default}"
        return f"{self.result} {self.name}({', '.join(map(one, self.parameters))})"


def returned(body, frame):
    try:
        body.run(frame)
    except Return as done:
        return done.value
    return None


class Aggregate:
    """What structs, classes and interfaces share."""

    def __init__(self, kind, name):
        self.name, self.fields, self.methods, self.own_text = name, [], [], None
        self.type = Type(kind, name, declaration=self)
        self.type.declaration = self

    def all_fields(self):
        return self.fields

    def all_methods(self):
        return self.methods

    def method(self, name):
        return next(method for method in self.methods if method.name == name)


class Struct(Aggregate):
    def __init__(self, name):
        super().__init__("struct", name)
        self.interfaces = []

    def text(self, value):
        if self.own_text:
            return self.own_text.invoke(value, [])
        inside = b", ".join(f.name.encode() + b": " + text_of(v, f.type) for f, v in zip(self.fields, value))
        return checked(self.name.encode() + b"{" + inside + b"}")


class Class(Aggregate):
    def __init__(self, name, base):
        super().__init__("class", name)
        self.base, self.derived, self.interfaces, self.is_abstract = base, [], [], False
        self.parameters, self.initial, self.super_arguments = [], [], []

    def lineage(self):
        return [self] + (self.base.lineage() if self.base else [])

    def all_fields(self):
        return (self.base.all_fields() if self.base else []) + self.fields

    def all_methods(self):
        own = {method.name for method in self.methods}
        inherited = [m for m in self.base.all_methods() if m.name not in own] if self.base else []
        return inherited + self.methods

    def method(self, name):
        return next(method for declaration in self.lineage() for method in declaration.methods if method.name == name)

    def text(self, obj):
        for declaration in self.lineage():
            if declaration.own_text:
                return declaration.own_text.invoke(obj, [])
        return self.name.encode()

    def construct(self, values):
        obj = Obj(self)
        for field in self.all_fields():
            obj.fields[field.name] = [default_of(field.type)]
        self.initialize(obj, values)
        return obj

    def initialize(self, obj, values):
        """A constructor: the base's, then initial values of fields, then its parameters into the first fields."""
        frame = Frame(this=[obj])
        for parameter, value in zip(self.parameters, values):
            frame[parameter.name] = [value]
        if self.base:
            self.base.initialize(obj, [argument.run(frame) for argument in self.super_arguments])
        for field, expr in self.initial:
            obj.fields[field.name][0] = expr.run(frame)
        for field, value in zip(self.fields, values):
            obj.fields[field.name][0] = value


class Declarations(Templates):
    def make_enum(self):
        number, members = 0, []
        for _ in range(self.random.randrange(2, 6)):
            members.append((self.fresh("M"), number))
            number += self.random.choice([1, 1, 1, 4, 100])
        self.enums.append(Enum(self.fresh("Enum"), members))
        enum = self.enums[-1]
        self.values_of_enums[enum.name] = {number for _, number in members}
        if self.exceptions and self.chance(40):
            method = Method(self.fresh("m"), self.plain_parameters(2), self.any_type())
            enum.method_lines = self.fill(method, [Var("this", enum.type, assignable=False)], "    public ")
            enum.methods.append(method)
        return enum.lines

    def make_overloads(self):
        name = self.fresh("over")
        parameters = self.random.sample(scalars.NUMBERS, self.random.randrange(2, 7))
        self.overloads.append((name, parameters))
        return [f'string {name}({p} x) {{ return "{p}"; }}' for p in parameters]

    def static_lines(self, declared):
        """Static fields: variables of the module with a longer name."""
        lines = []
        for _ in range(self.random.choice([0, 0, 1, 2])):
            type, name = self.any_type(), self.fresh("s")
            expr = self.typed(type, 2)
            self.set_global(f"{declared.name}.{name}", type, expr)
            lines.append(f"    public static {type} {name} = {expr.text};")
        return lines

    def set_global(self, name, type, expr):
        try:
            self.machine.globals[name] = [expr.run(Frame())]
        except Thrown:
            raise Rejected("the program ends before it begins") from None
        self.variables.append(Var(name, type, place="global"))

    def make_struct_declaration(self):
        struct = Struct(self.fresh("Struct"))
        struct.fields = [Field(self.fresh("f"), self.any_type()) for _ in range(self.random.randrange(1, 5))]
        fields = [Var(f.name, f.type, assignable=False, place="field", index=i) for i, f in enumerate(struct.fields)]
        lines = [f"    {field.type} {field.name};" for field in struct.fields]
        for _ in range(self.random.randrange(0, 3)):
            method = Method(self.fresh("m"), self.plain_parameters(2), self.any_type())
            lines += self.fill(method, fields, "    ")
            struct.methods.append(method)
        implemented = ""
        if self.declared_interfaces and self.chance(50):
            interface = self.random.choice(self.declared_interfaces)
            implemented = f" implements {interface.name}"
            for declared in interface.methods:
                method = Method(declared.name, [Var(self.fresh("p"), p.type) for p in declared.parameters],
                                declared.result)
                lines += self.fill(method, fields, "    public ")
                struct.methods.append(method)
            interface.implementers.append(struct)
            self.note_interfaces()
        if self.chance(25):
            struct.own_text = Method("toString", [], STRING)
            lines += self.fill(struct.own_text, fields, "    public ")
        self.structs.append(struct)
        return [f"struct {struct.name}{implemented} {{", *lines, "}"]

    def make_interface_declaration(self):
        interface = Aggregate("interface", self.fresh("Face"))
        interface.implementers = []
        interface.methods = [Method(self.fresh("m"), self.plain_parameters(2), self.any_type())
                             for _ in range(self.random.randrange(1, 3))]
        self.declared_interfaces.append(interface)
        return [f"interface {interface.name} {{ {' '.join(m.head + ';' for m in interface.methods)} }}"]

    def plain_parameters(self, most):
        return [Var(self.fresh("p"), self.any_type()) for _ in range(self.random.randrange(most + 1))]

    def fill(self, method, fields, prefix):
        """The lines of a method, with a new body."""
        method.machine = self.machine
        kept = (self.variables, self.result_type, self.call_budget)
        self.variables = self.variables + fields + method.parameters
        self.result_type, self.call_budget = method.result, 2
        if self.chance(60):
            method.body = Block([self.return_statement(3)])
        else:
            body = self.block(3, 1)
            if not body.leaves:
                # `block` has put its variables out of sight again.
                body.statements.append(self.return_statement(3))
            method.body = body
        self.variables, self.result_type, self.call_budget = kept
        lines = [f"{prefix}{method.head} {{", *["    " + line for line in method.body.lines], "    }"]
        return lines

    def make_class_declaration(self):
        base = self.random.choice(self.bases) if self.bases and self.chance(60) else None
        declared = Class(self.fresh("Class"), base)
        declared.is_abstract = base is None and self.chance(20)
        declared.fields = [Field(self.fresh("f"), self.any_type()) for _ in range(self.random.randrange(1, 4))]
        count = self.random.randrange(len(declared.fields) + 1)
        declared.parameters = [Var(self.fresh("p"), field.type, assignable=False) for field in declared.fields[:count]]
        lines = self.static_lines(declared) if self.has_statics else []
        lines += self.field_lines(declared, count)
        lines += self.constructor(declared)
        fields = [Var(f.name, f.type, place="field") for f in declared.all_fields()]
        lines += self.methods_of(declared, fields)
        heading = f" : {base.name}" if base else ""
        if self.declared_interfaces and self.chance(50) and not declared.is_abstract:
            lines += self.implement(declared, fields)
            if declared.interfaces:
                heading += f" implements {declared.interfaces[0].name}"
        if self.chance(50):
            declared.own_text = Method("toString", [], STRING)
            lines += self.fill(declared.own_text, fields, "    public ")
        abstract = "abstract " if declared.is_abstract else ""
        if base:
            for ancestor in base.lineage():
                ancestor.derived.append(declared)
        self.bases.append(declared)
        self.classes = [c for c in self.bases if c.derived or not c.is_abstract]
        return [f"{abstract}class {declared.name}{heading} {{", *lines, "}"]

    def field_lines(self, declared, count):
        lines = []
        for index, field in enumerate(declared.fields):
            if index >= count and self.chance(50):
                expr = self.value(field.type, 2)
                declared.initial.append((field, expr))
                lines.append(f"    public {field.type} {field.name} = {expr.text};")
            else:
                lines.append(f"    public {field.type} {field.name};")
        return lines

    def constructor(self, declared):
        heads = ", ".join(f"{p.type} {p.name}" for p in declared.parameters)
        before, self.variables = self.variables, self.variables + declared.parameters
        lines = []
        if declared.base:
            declared.super_arguments = [self.value(p.type, 2) for p in declared.base.parameters]
            lines.append(f"super({', '.join('(' + a.text + ')' for a in declared.super_arguments)});")
        self.variables = before
        lines += [f"{f.name} = {p.name};" for f, p in zip(declared.fields, declared.parameters)]
        return [f"    {declared.name}({heads}) {{ {' '.join(lines)} }}"]

    def methods_of(self, declared, fields):
        lines = []
        inherited = [m for m in declared.base.all_methods()] if declared.base else []
        for old in inherited:
            if old.body is None or self.chance(45):  # an abstract one, or an override
                method = Method(old.name, [Var(self.fresh("p"), p.type) for p in old.parameters], old.result)
                lines += self.fill(method, fields, "    public override ")
                if old.body is not None and self.chance(50):
                    lines = self.call_base(declared, method, lines)
                declared.methods.append(method)
        for _ in range(self.random.randrange(1, 3)):
            method = Method(self.fresh("m"), self.plain_parameters(2), self.any_type())
            if declared.is_abstract and self.chance(50):
                lines.append(f"    public abstract {method.head};")
            else:
                lines += self.fill(method, fields, "    public virtual ")
            declared.methods.append(method)
        return lines

    def call_base(self, declared, method, lines):
        """The overriding method calls the one it overrides before anything else."""
        base, body = declared.base, method.body
        call = f"super.{method.name}({', '.join(p.name for p in method.parameters)})"

        def run(frame):
            arguments = [frame[p.name][0] for p in method.parameters]
            self.mix(len(text_of(base.method(method.name).invoke(frame["this"][0], arguments), method.result)))
        first = Statement(f'mix("${{{call}}}".length());', run)
        method.body = Block([first, *body.statements])
        at = max(i for i, line in enumerate(lines)
                 if f" {method.name}(" in line and line.startswith("    public override"))
        return lines[:at + 1] + ["        " + first.lines[0]] + lines[at + 1:]

    def implement(self, declared, fields):
        interface = self.random.choice(self.declared_interfaces)
        if any(interface in ancestor.interfaces for ancestor in declared.lineage()):
            return []
        lines = []
        for wanted in interface.methods:
            method = Method(wanted.name, [Var(self.fresh("p"), p.type) for p in wanted.parameters], wanted.result)
            lines += self.fill(method, fields, "    public ")
            declared.methods.append(method)
        declared.interfaces.append(interface)
        interface.implementers.append(declared)
        self.note_interfaces()
        return lines

    def note_interfaces(self):
        """Those that have a class or a struct, and so values."""
        self.interfaces = [i for i in self.declared_interfaces if i.implementers]

    # ---------------------------------------------------------------- functions

    def make_function(self):
        parameters = self.plain_parameters(3)
        for _ in range(self.random.choice([0, 0, 0, 1, 2])):
            parameters.insert(self.random.randrange(len(parameters) + 1),
                              Var(self.fresh("o"), self.any_type(), is_out=True))
        defaults = {}
        if self.chance(25):
            parameter = Var(self.fresh("p"), self.any_type())
            parameters.append(parameter)
            defaults[parameter.name] = self.leaf(parameter.type) if self.variables else self.typed(parameter.type, 0)
        function = Function(self.fresh("fun"), parameters, self.random.choice([self.any_type(), INT, STRING]), defaults)
        function.machine = self.machine
        before = self.variables
        self.variables = before + parameters
        self.result_type, self.call_budget = function.result, 3
        outs = [self.first_out(p) for p in parameters if p.is_out]
        body = self.block(5, 3, declared=3)
        statements = outs + body.statements
        if not body.leaves:
            statements.append(self.return_statement(3))
        function.body = Block(statements)
        self.variables = before
        self.functions.append(function)
        return [function.head + " {", *function.body.lines, "}"]

    def first_out(self, parameter):
        """The first assignment of an out parameter, which uses no other one."""
        def run(frame):
            frame[parameter.name][0] = default_of(parameter.type)
        return Statement(f"{parameter.name} = {{}};", run)

    def make_recursive(self):
        """A function that calls itself, at most so deep as its first parameter says."""
        result = self.random.choice([INT, LONG, STRING, self.any_type()])
        depth, rest = Var(self.fresh("n"), INT, assignable=False), self.plain_parameters(2)
        function = Function(self.fresh("rec"), [depth, *rest], result, {})
        function.machine = self.machine
        before, self.variables = self.variables, self.variables + [depth, *rest]
        self.result_type, self.call_budget = result, 1
        end = self.value(result, 2)
        deeper = [self.value(p.type, 2) for p in rest]
        inner = Var(self.fresh("v"), result)
        self.variables = self.variables + [inner]
        last = self.return_statement(3)
        self.variables = before

        def run(frame):
            n = frame[depth.name][0]
            if n <= 0 or n > 6:
                raise Return(end.run(frame))
            values = [n - 1] + [d.run(frame) for d in deeper]
            frame[inner.name] = [function.invoke(values)[0]]
            last.run(frame)
        arguments = "".join(f", ({d.text})" for d in deeper)
        lines = [f"if ({depth.name} <= 0 || {depth.name} > 6) {{ return {end.text}; }}",
                 f"{result} {inner.name} = {function.name}({depth.name} - 1{arguments});", *last.lines]
        function.body = Block([Statement(lines, run, True)])
        self.functions.append(function)
        return [function.head + " {", *function.body.lines, "}"]
