"""Random expressions of every type, each with its value.

`typed(type, depth)` makes an expression whose static type is exactly `type`, `value(type, depth)` one that converts to
it implicitly. Levels of operators decide where parentheses are needed, so that the text relies on precedence; a few more
are thrown in.
"""
import math

import scalars
from model import (BOOL, CHAR, DOUBLE, INT, LONG, NUMBER_TYPES, OBJECT, SCALARS, STRING, ULONG, VOID, Boxed, Closure, Expr,
                   Frame, Obj, Return, Sequence, Table, Thrown, Type, Var, array_of, box, checked, default_of, dict_of,
                   equal, fault, unspecified, func_of, list_of, same, set_of, text_of)

POSTFIX, UNARY, CAST, MUL, ADD, SHIFT, COMPARE, EQUAL, AND, XOR, OR, ALSO, ELSE, COALESCE, CONDITION, LAMBDA = range(15, -1, -1)
LEVELS = {"*": MUL, "/": MUL, "%": MUL, "+": ADD, "-": ADD, "<<": SHIFT, ">>": SHIFT, ">>>": SHIFT, "<": COMPARE,
          "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "==": EQUAL, "!=": EQUAL, "&": AND, "^": XOR, "|": OR,
          "&&": ALSO, "||": ELSE}
WORDS = ["", "a", "b", "ab", "Abc", "hello", "x y", " pad ", "1,2,3", "é", "中", "😀z", "$", "tab\t", "\"q\"", "back\\slash"]


def quoted(text):
    return '"' + "".join({'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "$": "$$"}.get(c, c) for c in text) + '"'


def guarded(operation):
    """Faults of numbers become exceptions of the program."""
    def run(*args):
        try:
            return operation(*args)
        except scalars.Fault as e:
            raise fault(str(e)) from None
    return run


convert = guarded(scalars.convert)
arithmetic = guarded(scalars.arithmetic)


def operand(expr, level):
    """The text of an expression as the operand of an operator that binds as `level` says."""
    return expr.text if expr.level >= level else f"({expr.text})"


def argument(expr):
    """As one of several arguments; a comparison in a list could be read as type arguments (L4.5)."""
    return f"({expr.text})" if expr.level <= COMPARE and "<" in expr.text else expr.text


def constant_folded(expr):
    """A constant stays one only if nothing goes wrong while it is computed."""
    if expr.constant:
        try:
            value = expr.run(None)
            expr.run = lambda frame: value
        except Thrown:
            expr.constant = False
    return expr


class Expressions:
    """Needs of the whole generator: random, machine, variables (those in scope), functions, classes, structs, enums,
    values_of_enums."""

    # ---------------------------------------------------------------- choosing

    def chance(self, percent):
        return self.random.random() * 100 < percent

    def choose(self, producers):
        """The first result of producers taken in random order by weight; a producer gives None if it cannot help."""
        producers = list(producers)
        while producers:
            total = sum(weight for weight, _ in producers)
            at = self.random.random() * total
            for index, (weight, produce) in enumerate(producers):
                at -= weight
                if at < 0 or index == len(producers) - 1:
                    break
            made = producers.pop(index)[1]()
            if made is not None:
                return made
        return None

    def find(self, suits):
        found = [var for var in self.variables if suits(var)]
        return self.random.choice(found) if found else None

    def pick_number(self):
        return NUMBER_TYPES[self.random.choice(scalars.NUMBERS)]

    def pick_integer(self):
        return NUMBER_TYPES[self.random.choice(scalars.INTEGERS)]

    def any_type(self):
        """A type for a variable, parameter or field."""
        return self.choose([(50, lambda: self.random.choice(SCALARS)), (15, lambda: STRING), (12, lambda: INT),
                            (8, lambda: self.random.choice(self.enums).type if self.enums else None),
                            (8, lambda: self.random.choice(self.structs).type if self.structs else None)])

    # ---------------------------------------------------------------- entry points

    def typed(self, type, depth):
        """An expression of exactly this type."""
        if depth <= 0:
            return self.variable_or_near(type) or self.leaf(type)
        maker = getattr(self, "typed_" + ("number" if type.is_number else type.kind))
        made = self.choose([*maker(type, depth - 1), *self.common_producers(type, depth - 1)])
        made = constant_folded(made or self.leaf(type))
        if self.chance(4) and made.level < POSTFIX:
            made = Expr(f"({made.text})", made.type, made.run, POSTFIX, made.constant)
        return made

    def value(self, type, depth):
        """An expression that converts to `type` implicitly; it computes the converted value."""
        if type.is_number and self.chance(35):
            source = self.random.choice([name for name in scalars.NUMBERS if scalars.implicit(name, type.name)])
            return self.widened(self.typed(NUMBER_TYPES[source], depth), type)
        if type.is_integer and self.chance(15):  # a constant that fits
            number = self.interesting(type.name)
            if scalars.fits(number, "int"):
                return Expr(str(number), type, lambda frame: number, UNARY if number < 0 else POSTFIX)
        if type.kind == "Object":
            source = self.any_type()
            inner = self.typed(source, depth)
            return Expr(inner.text, OBJECT, lambda frame: box(inner.run(frame), source), inner.level)
        if type.kind == "class" and type.declaration.derived and self.chance(50):
            derived = self.random.choice(type.declaration.derived)
            return self.typed(derived.type, depth)
        if type.kind == "interface":
            source = self.random.choice(type.declaration.implementers).type
            inner = self.typed(source, depth)
            return Expr(inner.text, type, lambda frame: box(inner.run(frame), source), inner.level)
        return self.typed(type, depth)

    def widened(self, expr, type):
        source = expr.type.name
        if source == type.name:
            return expr
        return Expr(expr.text, type, lambda frame: scalars.convert(expr.run(frame), source, type.name), expr.level)

    def leaf(self, type):
        """A constant or the simplest construction."""
        if type.is_number or type.kind in ("bool", "char"):
            return self.literal(type)
        if type.kind == "string":
            word = self.random.choice(WORDS)
            return Expr(quoted(word), STRING, lambda frame: word.encode(), POSTFIX, True)
        if type.kind == "enum":
            name, number = self.random.choice(type.declaration.members)
            return Expr(f"{type}.{name}", type, lambda frame: number, POSTFIX, True)
        return getattr(self, "make_" + type.kind)(type, 0)

    def interesting(self, name):
        if name in scalars.FLOATING:
            number = self.random.choice([0.0, -0.0, 1.0, -1.5, 0.1, 1e10, 3e9, 1e-7, 16777217.0, 1e19, 1e300, 2.5e-310,
                                         self.random.uniform(-1000, 1000), self.random.uniform(-5e9, 5e9),
                                         float("inf"), float("nan"), scalars.maximum(name)])
            return scalars.to_float(number) if name == "float" else number
        bits = self.random.randrange(scalars.BITS[name] + 1)
        number = self.random.choice([0, 1, -1, 2, 3, 7, 10, scalars.minimum(name), scalars.maximum(name), 1 << bits,
                                     (1 << bits) - 1, -(1 << bits), self.random.randrange(-200, 200),
                                     self.random.getrandbits(bits)])
        return scalars.wrap(number, name)

    def literal(self, type):
        name = type.name
        if type.is_number and self.chance(8):
            end = self.random.choice(["min", "max"])
            number = scalars.minimum(name) if end == "min" else scalars.maximum(name)
            return Expr(f"{name}.{end}", type, lambda frame: number, POSTFIX, True)
        if name == "bool":
            number = self.chance(50)
        elif name == "char":
            number = self.random.choice([65, 97, 48, 32, 0x7A, 0xE9, 0x4E2D, 0x1F600, 0x10FFFF, 39, 92])
        else:
            number = self.interesting(name)
        text, level = scalars.literal(number, name, self.random)
        return Expr(text, type, lambda frame: number, level, True)

    def variable(self, type, assignable=False):
        var = self.find(lambda v: v.type is type and (v.assignable or not assignable) and self.visible(v))
        return self.read(var) if var else None

    def variable_or_near(self, type):
        """Something that is not known at compile time, if there is anything: a variable, or what one converts to."""
        if self.chance(20):
            return None
        found = self.variable(type)
        if found is None and type.is_number:
            var = self.find(lambda v: v.type.is_number and v.constant is None and self.visible(v))
            found = self.cast(self.read(var), type) if var else None
        if found is None and type is BOOL:
            var = self.find(lambda v: v.type.is_integer and v.constant is None and self.visible(v))
            if var is not None:
                holder, bit = self.read(var), 1 << self.random.randrange(4)
                if var.type is not ULONG:
                    found = Expr(f"({holder.text} & {bit}) == 0", BOOL, lambda frame: holder.run(frame) & bit == 0, EQUAL)
        return found

    def visible(self, var):
        return not (var.is_out and self.lambda_depth > 0)

    def read(self, var):
        if var.constant is not None:
            return Expr(var.name, var.type, var.constant.run, POSTFIX, True)
        name = var.name
        if var.place == "global":
            cells = self.machine.globals
            return Expr(name, var.type, lambda frame: cells[name][0])
        if var.place == "field":
            text = f"this.{name}" if self.chance(30) else name
            if var.index is not None:
                return Expr(text, var.type, lambda frame: frame["this"][0][var.index])
            return Expr(text, var.type, lambda frame: frame["this"][0].fields[name][0])
        return Expr(name, var.type, lambda frame: frame[name][0])

    # ---------------------------------------------------------------- what every type has

    def common_producers(self, type, depth):
        return [(20, lambda: self.variable(type)), (3, lambda: self.conditional(type, depth)),
                (6, lambda: self.call(type, depth)), (4, lambda: self.field_of(type, depth)),
                (4, lambda: self.element_of(type, depth)), (3, lambda: self.call_value(type, depth)),
                (2, lambda: self.generic_call(type, depth)), (2, lambda: self.unboxed(type, depth)),
                (4, lambda: self.method_call(type, depth)), (3, lambda: self.null_chain(type, depth)),
                (2, lambda: self.looked_up(type, depth)),
                (2, lambda: self.reduced(type, depth)), (1, lambda: self.from_future(type, depth)),
                (2, lambda: self.leaf(type))]

    def conditional(self, type, depth):
        condition = self.typed(BOOL, depth)
        left, right = self.typed(type, depth), self.typed(type, depth)
        if type.is_number and self.chance(40):
            pairs = [(a, b) for a in scalars.NUMBERS for b in scalars.NUMBERS if a != b and scalars.mixed(a, b) == type.name]
            if pairs:
                a, b = self.random.choice(pairs)
                left, right = self.typed(NUMBER_TYPES[a], depth), self.typed(NUMBER_TYPES[b], depth)
                if left.constant or right.constant:
                    return None
                left, right = self.widened(left, type), self.widened(right, type)
        constant = condition.constant and left.constant and right.constant
        return Expr(f"{operand(condition, COALESCE)} ? {operand(left, CONDITION)} : {operand(right, CONDITION)}", type,
                    lambda frame: left.run(frame) if condition.run(frame) else right.run(frame), CONDITION, constant)

    def call(self, type, depth):
        candidates = [f for f in self.functions if f.result is type]
        if not candidates or self.call_budget <= 0:
            return None
        self.call_budget -= 1
        function = self.random.choice(candidates)
        arguments = self.arguments(function, depth)
        if arguments is None:
            return None
        texts, runs, places = arguments

        def run(frame):
            result, outs = function.invoke([r(frame) for r in runs])
            for name, value in zip(places, outs):
                frame[name][0] = value
            return result
        return Expr(f"{function.name}({', '.join(texts)})", type, run)

    def arguments(self, function, depth):
        """The texts of a call's arguments, what computes them, and the variables for its out results."""
        texts, runs, places = [], [], []
        named = self.chance(15)
        for parameter in function.parameters:
            prefix = f"{parameter.name} = " if named else ""
            if parameter.is_out:
                var = self.find(lambda v: v.type is parameter.type and v.assignable and self.visible(v) and
                                v.place == "local" and v.name not in places)
                if var is None:
                    return None
                places.append(var.name)
                texts.append(f"{prefix}out {var.name}")
                runs.append(lambda frame: None)
            elif parameter.name in function.defaults and self.chance(50):
                default = function.defaults[parameter.name]
                runs.append(default.run)
                named = True
            else:
                expr = self.value(parameter.type, depth)
                texts.append(prefix + argument(expr))
                runs.append(expr.run)
        return texts, runs, places

    def field_of(self, type, depth):
        """A field of a struct or of an object, or of `this`."""
        holders = []
        for var in self.variables:
            if var.type.kind in ("struct", "class") and self.visible(var):
                holders += [(var, i, field) for i, field in enumerate(var.type.declaration.all_fields())
                            if field.type is type]
        if not holders:
            return None
        var, index, field = self.random.choice(holders)
        holder = self.read(var)
        if var.type.kind == "struct":
            return Expr(f"{holder.text}.{field.name}", type, lambda frame: holder.run(frame)[index])
        return Expr(f"{holder.text}.{field.name}", type, lambda frame: object_of(holder.run(frame)).fields[field.name][0])

    def index(self, depth):
        """An `int` that is nearly always an index of a sequence of four elements or more."""
        expr = self.typed(INT, depth)
        if self.chance(3):
            return expr
        return Expr(f"{operand(expr, AND + 1)} & 3", INT, lambda frame: expr.run(frame) & 3, AND)

    def element_of(self, type, depth):
        var = self.find(lambda v: v.type.kind in ("array", "list") and v.type.args[0] is type and self.visible(v))
        if var is None:
            return None
        holder, index = self.read(var), self.index(depth)

        def run(frame):
            sequence, at = holder.run(frame), index.run(frame)
            return sequence.items[checked_index(sequence, at)]
        get = var.type.kind == "list" and self.chance(30)
        return Expr(f"{holder.text}.get({index.text})" if get else f"{holder.text}[{index.text}]", type, run)

    def looked_up(self, type, depth):
        var = self.find(lambda v: v.type.kind == "dict" and v.type.args[1] is type and self.visible(v))
        if var is None:
            return None
        holder, key = self.read(var), self.value(var.type.args[0], depth)
        if self.chance(25):
            def run(frame):
                entries, at = holder.run(frame).entries, key.run(frame)
                if at not in entries:
                    raise fault("KeyNotFoundException")
                return entries[at]
            return Expr(f"{holder.text}[{key.text}]" if self.chance(50) else f"{holder.text}.get({key.text})", type, run)
        otherwise = self.value(type, depth)

        def run_or(frame):
            entries, at, other = holder.run(frame).entries, key.run(frame), otherwise.run(frame)
            return entries.get(at, other)
        return Expr(f"{holder.text}.getOr({argument(key)}, {argument(otherwise)})", type, run_or)

    def call_value(self, type, depth):
        var = self.find(lambda v: v.type.kind == "func" and v.type.args[0] is type and self.visible(v))
        if var is None or self.call_budget <= 0:
            return None
        self.call_budget -= 1
        callee = self.read(var)
        arguments = [self.value(parameter, depth) for parameter in var.type.args[1:]]

        def run(frame):
            closure = callee.run(frame)
            values = [a.run(frame) for a in arguments]
            if closure is None:
                raise fault("NullPointerException")
            return closure.call(values)
        return Expr(f"{callee.text}({', '.join(map(argument, arguments))})", type, run)

    def generic_call(self, type, depth):
        """Functions with type parameters, and members of generic classes."""
        if not self.has_generics:
            return None
        first, second = self.typed(type, depth), self.typed(type, depth)
        # A lambda says nothing to inference that its target has not said before.
        explicit = f"<{type}>" if type.kind == "func" or self.chance(40) else ""

        def make_pick():
            condition = self.typed(BOOL, depth)

            def run(frame):
                which, a, b = condition.run(frame), first.run(frame), second.run(frame)
                return a if which else b
            return Expr(f"pick{explicit}({argument(condition)}, {argument(first)}, {argument(second)})", type, run)

        def make_box():
            return Expr(f"Holder<{type}>({first.text}).get()", type, first.run)

        def make_pair():
            def run(frame):
                a, b = first.run(frame), second.run(frame)
                return b, a
            at = self.random.randrange(2)
            return Expr(f"Pair<{type}, {type}>{{a: {first.text}, b: {second.text}}}.swapped().{'ab'[at]}", type,
                        lambda frame: run(frame)[at])

        def make_biggest():
            if not (type.is_scalar or type.kind == "string") or type.name in scalars.FLOATING:
                return None

            def run(frame):
                a, b = first.run(frame), second.run(frame)
                return a if a >= b else b
            return Expr(f"biggest{explicit}({argument(first)}, {argument(second)})", type, run)

        def make_last():
            def run(frame):
                a, b = first.run(frame), second.run(frame)
                return [a, b]
            return Expr(f"lastOf{explicit}([{argument(first)}, {argument(second)}])", type, lambda frame: run(frame)[1])
        return self.choose([(1, make_pick), (1, make_box), (1, make_pair), (1, make_biggest), (1, make_last)])

    def unboxed(self, type, depth):
        if not type.is_value:
            return None
        if self.chance(15):  # a box that may hold something else
            var = self.find(lambda v: v.type is OBJECT and self.visible(v))
            if var is not None:
                holder = self.read(var)

                def run(frame):
                    boxed = holder.run(frame)
                    if isinstance(boxed, Boxed) and boxed.type is type:
                        return boxed.value
                    raise fault("CastException") if boxed is not None else unspecified()
                return Expr(f"{holder.text} as {type}", type, run, CAST)
        inner = self.typed(type, depth)
        return Expr(f"({inner.text} as Object) as {type}" if inner.level >= CAST else f"(({inner.text}) as Object) as {type}",
                    type, inner.run, CAST)

    def method_call(self, type, depth):
        """A method of an object or a struct, also through its interface or its base."""
        found = []
        for var in self.variables:
            if var.type.kind in ("class", "struct", "interface", "enum") and self.visible(var):
                found += [(var, method) for method in var.type.declaration.all_methods() if method.result is type]
        if not found or self.call_budget <= 0:
            return None
        self.call_budget -= 1
        var, method = self.random.choice(found)
        holder = self.read(var)
        arguments = [self.value(parameter.type, depth) for parameter in method.parameters]

        def run(frame):
            receiver = holder.run(frame)
            values = [a.run(frame) for a in arguments]
            return invoke_method(receiver, var.type, method.name, values)
        return Expr(f"{holder.text}.{method.name}({', '.join(map(argument, arguments))})", type, run)

    def null_chain(self, type, depth):
        """`?.` to a field or method of an object that may be null, mostly with a `??` behind it."""
        found = []
        for var in self.variables:
            if var.type.kind == "class" and self.visible(var):
                found += [(var, field, None) for field in var.type.declaration.all_fields() if field.type is type]
                found += [(var, None, method) for method in var.type.declaration.all_methods() if method.result is type]
        if not found or self.call_budget <= 0:
            return None
        self.call_budget -= 1
        var, field, method = self.random.choice(found)
        holder = self.read(var)
        arguments = [self.value(parameter.type, depth) for parameter in method.parameters] if method else []
        otherwise = self.typed(type, depth) if self.chance(70) else None
        member = f"{method.name}({', '.join(map(argument, arguments))})" if method else field.name

        def run(frame):
            receiver = holder.run(frame)
            if receiver is None:
                return otherwise.run(frame) if otherwise else default_of(type)
            if field:
                value = receiver.fields[field.name][0]
            else:
                value = invoke_method(receiver, var.type, method.name, [a.run(frame) for a in arguments])
            if value is None and otherwise:
                return otherwise.run(frame)
            return value
        if otherwise is None:
            return Expr(f"{holder.text}?.{member}", type, run)
        return Expr(f"{holder.text}?.{member} ?? {operand(otherwise, COALESCE + 1)}", type, run, COALESCE)

    def reduced(self, type, depth):
        """A sequence folded into one value by a lambda."""
        if not type.is_value or self.lambda_depth > 1:
            return None
        var = self.find(lambda v: v.type.kind == "list" and self.visible(v))
        if var is None:
            return None
        holder, start = self.read(var), self.typed(type, depth)
        body, call = self.lambda_body([type, var.type.args[0]], type, depth - 1)
        if body is None:
            return None

        def run(frame):
            items, value = holder.run(frame).items, start.run(frame)
            closure = call(frame)
            for item in list(items):
                value = closure.call([value, item])
            return value
        return Expr(f"{holder.text}.reduce<{type}>({argument(start)}, {body})", type, run)

    def from_future(self, type, depth):
        """Something computed in another thread. Nothing else runs meanwhile, so it may have effects."""
        if not self.has_threads or self.lambda_depth > 0:
            return None
        body, call = self.lambda_body([], type, depth)
        if body is None:
            return None
        return Expr(f"thread.spawn<{type}>({body}).get()", type, lambda frame: call(frame).call([]))

    # ---------------------------------------------------------------- numbers

    def typed_number(self, type, depth):
        producers = [(24, lambda: self.binary_number(type, depth)), (6, lambda: self.unary_number(type, depth)),
                     (10, lambda: self.cast_number(type, depth))]
        if type.is_integer:
            producers.append((8, lambda: self.shift_number(type, depth)))
        if type is INT:
            producers.append((8, lambda: self.measured(depth)))
        if type.name == "ubyte":
            producers.append((4, lambda: self.byte_of_string(depth)))
        if type.name in ("int", "uint", "long", "ulong", "float", "double"):
            producers.append((3, lambda: self.math_call(type, depth)))
        return producers

    def binary_number(self, type, depth):
        name = type.name
        if name not in ("int", "uint", "long", "ulong", "float", "double"):
            return None
        op = self.random.choice(["+", "-", "*", "/", "%"] if name in scalars.FLOATING
                                else ["+", "-", "*", "/", "%", "&", "|", "^", "+", "-", "*"])
        for _ in range(6):
            a, b = self.random.choice(MIXED_PAIRS[name])
            left, right = self.typed(NUMBER_TYPES[a], depth), self.typed(NUMBER_TYPES[b], depth)
            if self.meeting(left, right) == name:
                return self.binary(op, left, right, type)
        return None

    def meeting(self, left, right):
        values = [e.run(None) if e.constant and e.type.is_integer else None for e in (left, right)]
        return scalars.mixed_constants(left.type.name, values[0], right.type.name, values[1])

    def binary(self, op, left, right, type):
        """`left op right` in `type`, the type in which they meet."""
        left_name, right_name, name = left.type.name, right.type.name, type.name

        def run(frame):
            a = scalars.convert(left.run(frame), left_name, name)
            b = scalars.convert(right.run(frame), right_name, name)
            return arithmetic(op, a, b, name)
        return Expr(self.binary_text(op, left, right), type, run, LEVELS[op], left.constant and right.constant)

    def binary_text(self, op, left, right):
        level = LEVELS[op]
        # `as T < x` would begin type arguments.
        left_text = f"({left.text})" if left.level == CAST and level <= SHIFT else operand(left, level)
        right_text = operand(right, level + 1)
        if self.chance(5):
            right_text = f"({right.text})"
        return f"{left_text} {op} {right_text}"

    def unary_number(self, type, depth):
        name = type.name
        sources = [n for n in scalars.NUMBERS if scalars.promoted(n) == name]
        if not sources:
            return None
        source = self.random.choice(sources)
        inner = self.typed(NUMBER_TYPES[source], depth)
        op = "-" if name in scalars.FLOATING or self.chance(50) else "~"
        text = operand(inner, UNARY)
        if text.startswith("-") or (op == "-" and text[0].isdigit()):
            text = f"({text})"

        def run(frame):
            number = inner.run(frame)
            return -number if name in scalars.FLOATING else scalars.wrap(-number if op == "-" else ~number, name)
        return Expr(op + text, type, run, UNARY, inner.constant)

    def shift_number(self, type, depth):
        sources = [n for n in scalars.INTEGERS if scalars.promoted(n) == type.name]
        if not sources:
            return None
        left = self.typed(NUMBER_TYPES[self.random.choice(sources)], depth)
        right = self.typed(self.pick_integer(), depth)
        op = self.random.choice(["<<", ">>", ">>>"])
        return Expr(self.binary_text(op, left, right), type,
                    lambda frame: self.ordered(left, right, frame, lambda a, b: scalars.shift(op, a, b, type.name)), SHIFT,
                    left.constant and right.constant)

    @staticmethod
    def ordered(left, right, frame, operation):
        a = left.run(frame)
        return operation(a, right.run(frame))

    def cast_number(self, type, depth):
        source = self.choose([(10, self.pick_number), (1, lambda: CHAR),
                              (1, lambda: self.random.choice(self.enums).type if self.enums else None)])
        return self.cast(self.typed(source, depth), type)

    def cast(self, inner, type):
        source, values = inner.type.name, self.values_of_enums
        return Expr(f"{operand(inner, CAST)} as {type}", type,
                    lambda frame: convert(inner.run(frame), source, type.name, values), CAST, inner.constant)

    def measured(self, depth):
        """Lengths, counts and positions."""
        def text_length():
            text = self.typed(STRING, depth)
            return self.choose([
                (2, lambda: Expr(f"{operand(text, POSTFIX)}.length()", INT, lambda frame: len(text.run(frame)))),
                (1, lambda: Expr(f"{operand(text, POSTFIX)}.charCount()", INT,
                                 lambda frame: len(text.run(frame).decode(errors="replace"))))])

        def search():
            text, part = self.typed(STRING, depth), self.typed(STRING, depth)
            name = self.random.choice(["indexOf", "lastIndexOf"])
            find = bytes.find if name == "indexOf" else bytes.rfind
            return Expr(f"{operand(text, POSTFIX)}.{name}({part.text})", INT,
                        lambda frame: self.ordered(text, part, frame, find))

        def container_size():
            var = self.find(lambda v: v.type.kind in ("array", "list", "dict", "set") and self.visible(v))
            if var is None:
                return None
            holder = self.read(var)
            if var.type.kind in ("array", "list"):
                return Expr(f"{holder.text}.length()", INT, lambda frame: len(holder.run(frame).items))
            return Expr(f"{holder.text}.count()", INT, lambda frame: len(holder.run(frame).entries))

        def position():
            var = self.find(lambda v: v.type.kind == "list" and v.type.args[0].is_value and self.visible(v))
            if var is None:
                return None
            holder, item = self.read(var), self.value(var.type.args[0], depth)

            def run(frame):
                items, wanted = holder.run(frame).items, item.run(frame)
                return next((i for i, x in enumerate(items) if equal(x, wanted, var.type.args[0])), -1)
            return Expr(f"{holder.text}.indexOf({item.text})", INT, run)

        def comparison():
            type = self.random.choice([INT, LONG, STRING, CHAR, ULONG])
            left, right = self.typed(type, depth), self.typed(type, depth)
            return Expr(f"{operand(left, POSTFIX)}.compareTo({right.text}) < 0 ? -1 : 1", INT,
                        lambda frame: self.ordered(left, right, frame, lambda a, b: -1 if a < b else 1), CONDITION)

        def parsed():
            number = self.typed(INT, depth)
            return Expr(f'"${{{number.text}}}".toInt()', INT, number.run)
        return self.choose([(3, text_length), (2, search), (4, container_size), (2, position), (2, comparison), (1, parsed)])

    def byte_of_string(self, depth):
        text, index = self.typed(STRING, depth), self.index(depth)

        def run(frame):
            value, at = text.run(frame), index.run(frame)
            if not 0 <= at < len(value):
                raise fault("IndexOutOfBoundsException")
            return value[at]
        return Expr(f"{operand(text, POSTFIX)}[{index.text}]", NUMBER_TYPES["ubyte"], run)

    def math_call(self, type, depth):
        if not self.has_math:
            return None
        left, right = self.typed(type, depth), self.typed(type, depth)
        if left.constant or right.constant:
            return None
        name = self.random.choice(["min", "max"])
        if type.name in scalars.FLOATING:
            return None

        def run(frame):
            a, b = left.run(frame), right.run(frame)
            return min(a, b) if name == "min" else max(a, b)
        return Expr(f"math.{name}({argument(left)}, {argument(right)})", type, run)

    # ---------------------------------------------------------------- bool, char, enum

    def typed_bool(self, type, depth):
        return [(12, lambda: self.compare_numbers(depth)), (4, lambda: self.compare_values(depth)),
                (6, lambda: self.logic(depth)), (4, lambda: self.negated(depth)), (3, lambda: self.asked(depth)),
                (3, lambda: self.type_test(depth)), (2, self.compare_references)]

    def compare_numbers(self, depth):
        left, right = self.typed(self.pick_number(), depth), self.typed(self.pick_number(), depth)
        meet = self.meeting(left, right)
        if meet is None:
            return None
        op = self.random.choice(["<", "<=", ">", ">=", "==", "!="])
        a, b = left.type.name, right.type.name

        def run(frame):
            x = scalars.convert(left.run(frame), a, meet)
            return scalars.compare(op, x, scalars.convert(right.run(frame), b, meet))
        return Expr(self.binary_text(op, left, right), BOOL, run, LEVELS[op], left.constant and right.constant)

    def compare_values(self, depth):
        kinds = [STRING, CHAR, BOOL] + [enum.type for enum in self.enums] + [struct.type for struct in self.structs]
        type = self.random.choice(kinds)
        left, right = self.typed(type, depth), self.typed(type, depth)
        if type.kind in ("bool", "struct"):
            op = self.random.choice(["==", "!="])
        else:
            op = self.random.choice(["<", "<=", ">", ">=", "==", "!="])

        def operation(a, b):
            if type.kind == "struct":
                return same(a, b, type) == (op == "==")
            return scalars.compare(op, a, b)
        constant = left.constant and right.constant and type.kind != "struct"
        return Expr(self.binary_text(op, left, right), BOOL, lambda frame: self.ordered(left, right, frame, operation),
                    LEVELS[op], constant)

    def compare_references(self):
        left = self.find(lambda v: v.type.kind in ("class", "list", "dict", "Object") and self.visible(v))
        right = left and self.find(lambda v: v.type is left.type and self.visible(v))
        if left is None:
            return None
        a, b, type = self.read(left), self.read(right), left.type
        if self.chance(25):
            return Expr(f"{a.text} == null", BOOL, lambda frame: a.run(frame) is None, EQUAL)
        op = self.random.choice(["==", "!="])
        return Expr(f"{a.text} {op} {b.text}", BOOL, lambda frame: same(a.run(frame), b.run(frame), type) == (op == "=="),
                    EQUAL)

    def logic(self, depth):
        left, right = self.typed(BOOL, depth), self.typed(BOOL, depth)
        op = self.random.choice(["&&", "||", "&&", "||", "&", "|", "^"])
        constant = left.constant and right.constant
        if op == "&&":
            run = lambda frame: left.run(frame) and right.run(frame)
        elif op == "||":
            run = lambda frame: left.run(frame) or right.run(frame)
        else:
            operation = {"&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b}[op]
            run = lambda frame: self.ordered(left, right, frame, operation)
        return Expr(self.binary_text(op, left, right), BOOL, run, LEVELS[op], constant)

    def negated(self, depth):
        inner = self.typed(BOOL, depth)
        return Expr("!" + operand(inner, UNARY), BOOL, lambda frame: not inner.run(frame), UNARY, inner.constant)

    def asked(self, depth):
        def text():
            whole, part = self.typed(STRING, depth), self.typed(STRING, depth)
            name = self.random.choice(["contains", "startsWith", "endsWith"])
            operation = {"contains": lambda a, b: b in a, "startsWith": bytes.startswith, "endsWith": bytes.endswith}[name]
            return Expr(f"{operand(whole, POSTFIX)}.{name}({part.text})", BOOL,
                        lambda frame: self.ordered(whole, part, frame, operation))

        def table():
            var = self.find(lambda v: v.type.kind in ("dict", "set") and self.visible(v))
            if var is None:
                return None
            holder, key = self.read(var), self.value(var.type.args[0], depth)
            name = "containsKey" if var.type.kind == "dict" else "contains"
            return Expr(f"{holder.text}.{name}({key.text})", BOOL,
                        lambda frame: self.ordered(holder, key, frame, lambda t, k: k in t.entries))

        def equals():
            type = self.any_type()
            left, right = self.typed(type, depth), self.typed(type, depth)
            return Expr(f"{operand(left, POSTFIX)}.equals({right.text})", BOOL,
                        lambda frame: self.ordered(left, right, frame, lambda a, b: equal(a, b, type)))

        def every():
            var = self.find(lambda v: v.type.kind == "list" and self.visible(v))
            if var is None or self.lambda_depth > 1:
                return None
            body, call = self.lambda_body([var.type.args[0]], BOOL, depth - 1)
            if body is None:
                return None
            holder, name = self.read(var), self.random.choice(["any", "all"])

            def run(frame):
                items = list(holder.run(frame).items)
                closure = call(frame)
                return (any if name == "any" else all)(closure.call([item]) for item in items)
            return Expr(f"{holder.text}.{name}({body})", BOOL, run)
        return self.choose([(3, text), (4, table), (2, equals), (2, every)])

    def type_test(self, depth):
        var = self.find(lambda v: v.type is OBJECT and self.visible(v))
        if var is not None:
            holder, type = self.read(var), self.any_type()
            return Expr(f"{holder.text} is {type}", BOOL, lambda frame: isinstance(holder.run(frame), Boxed) and
                        holder.run(frame).type is type, CAST)
        var = self.find(lambda v: v.type.kind == "class" and v.type.declaration.derived and self.visible(v))
        if var is None:
            return None
        holder, wanted = self.read(var), self.random.choice(var.type.declaration.derived)
        return Expr(f"{holder.text} is {wanted.name}", BOOL, lambda frame: holder.run(frame) is not None and
                    wanted in holder.run(frame).declaration.lineage(), CAST)

    def typed_char(self, type, depth):
        def from_number():
            number = self.typed(self.random.choice([INT, NUMBER_TYPES["ubyte"], NUMBER_TYPES["ushort"], LONG]), depth)
            if number.type is not NUMBER_TYPES["ubyte"] and self.chance(85):
                inner = number
                number = Expr(f"{operand(inner, AND + 1)} & 127", inner.type, lambda frame: inner.run(frame) & 127, AND)
                number.type = NUMBER_TYPES[scalars.mixed(inner.type.name, "int")]
            return self.cast(number, CHAR)

        def of_text():
            text = self.typed(STRING, depth)

            def run(frame):
                value = text.run(frame)
                if not value:
                    raise fault("IndexOutOfBoundsException")
                return decode_at(value, 0)
            return Expr(f"{operand(text, POSTFIX)}.charAt(0)", CHAR, run)
        return [(6, from_number), (2, of_text)]

    def typed_enum(self, type, depth):
        def from_number():
            name, number = self.random.choice(type.declaration.members)
            inner = self.typed(INT, depth)
            if self.chance(80):
                return Expr(f"({number} + {operand(inner, MUL)} * 0) as {type}", type,
                            lambda frame: (inner.run(frame), number)[1], CAST, inner.constant)
            return self.cast(inner, type)
        return [(4, from_number)]

    # ---------------------------------------------------------------- strings

    def typed_string(self, type, depth):
        return [(10, lambda: self.concatenation(depth)), (12, lambda: self.interpolation(depth)),
                (8, lambda: self.string_method(depth)), (4, lambda: self.to_text(depth)),
                (3, lambda: self.formatted(depth)), (3, lambda: self.overloaded(depth))]

    def printable(self, depth):
        """An expression of any type that has a text."""
        var = self.find(lambda v: v.type.kind in ("array", "list", "dict", "set", "Object", "class") and self.visible(v))
        if var is not None and self.chance(20):
            return self.read(var)
        return self.typed(self.any_type(), depth)

    def concatenation(self, depth):
        left, right = self.typed(STRING, depth), self.printable(depth)
        if self.chance(30):
            left, right = right, left

        def run(frame):
            a = text_of(left.run(frame), left.type)
            return checked(a + text_of(right.run(frame), right.type))
        constant = left.constant and right.constant and all(
            e.type.kind != "enum" and e.type.name not in scalars.FLOATING for e in (left, right))
        return Expr(self.binary_text("+", left, right), STRING, run, ADD, constant)

    def interpolation(self, depth):
        parts = []
        for _ in range(self.random.randrange(1, 4)):
            parts.append(self.random.choice(["", "a", ", ", "é=", "$$", "{", "}"]))
            parts.append(self.printable(depth - 1))
        text = '"' + "".join(p if isinstance(p, str) else "${%s}" % self.in_braces(p) for p in parts) + '"'

        def run(frame):
            return checked(b"".join(p.replace("$$", "$").encode() if isinstance(p, str) else
                                    text_of(p.run(frame), p.type) for p in parts))
        return Expr(text, STRING, run)

    @staticmethod
    def in_braces(expr):
        return f"({expr.text})" if expr.level <= CONDITION else expr.text

    def overloaded(self, depth):
        """Which of several functions takes a number: the one whose parameter is nearest to its type (L6.1)."""
        if not self.overloads:
            return None
        name, parameters = self.random.choice(self.overloads)
        inner = self.typed(self.pick_number(), depth)
        taking = [p for p in parameters if scalars.implicit(inner.type.name, p)]
        if inner.constant or not taking:
            return None
        nearest = min(taking, key=lambda p: (p != inner.type.name, p == "double", p == "float", scalars.BITS.get(p, 0),
                                             p in scalars.UNSIGNED))

        def run(frame):
            inner.run(frame)
            return nearest.encode()
        return Expr(f"{name}({argument(inner)})", STRING, run)

    def to_text(self, depth):
        inner = self.printable(depth)
        if not inner.type.is_value:
            return None
        return Expr(f"{operand(inner, POSTFIX)}.toString()", STRING, lambda frame: text_of(inner.run(frame), inner.type))

    def formatted(self, depth):
        kind = self.random.choice(["integer", "floating", "string"])
        if kind == "integer":
            inner = self.typed(self.pick_integer(), depth)
            spec = self.random.choice(["d", "x", "b", "5", "<6", "^7", "+d", "08d", "#x", "*>9", "X", "o"])
            render = lambda value: format(value, spec if spec[-1] in "dxbXo" else spec + "d")
        elif kind == "floating":
            inner = self.typed(DOUBLE, depth)
            spec = self.random.choice([".3f", "10.2f", ".2e", "+.1f", "012.4f"])
            # Zeros are no filling for what is not finite.
            render = lambda value: format(value, spec if math.isfinite(value) else spec.replace("012", "12"))
        else:
            inner = self.typed(STRING, depth)
            spec = self.random.choice(["10", ">8", "*^9", "<12"])
            render = lambda value: format(value, spec)

        def run(frame):
            value = inner.run(frame)
            if isinstance(value, bytes):
                if not value.isascii():
                    raise unspecified()  # how wide a character is is another matter
                value = value.decode()
            elif value != value:
                value = math.nan
            return checked(render(value).encode())
        return Expr('"${%s:%s}"' % (operand(inner, CONDITION + 1), spec), STRING, run)

    def string_method(self, depth):
        text = self.typed(STRING, depth)
        on = operand(text, POSTFIX)

        def plain(name, operation):
            return lambda: Expr(f"{on}.{name}()", STRING, lambda frame: operation(text.run(frame)))

        def cut():
            var = self.find(lambda v: v.type is STRING and self.visible(v))
            if var is None:
                return None
            holder, at = self.read(var), self.index(depth)

            def run(frame):
                value, start = holder.run(frame), at.run(frame)
                if not 0 <= start <= len(value):
                    raise fault("IndexOutOfBoundsException")
                return value[start:]
            return Expr(f"{holder.text}.substring({at.text})", STRING, run)

        def repeated():
            count = self.index(depth)

            def run(frame):
                value, times = text.run(frame), count.run(frame)
                if times < 0:
                    raise fault("IllegalArgumentException")
                if len(value) * times > 100000:
                    raise unspecified()
                return checked(value * times)
            return Expr(f"{on}.repeat({count.text})", STRING, run)

        def replaced():
            old, new = self.random.choice(["a", "b", "l", "ab", "1"]), self.typed(STRING, depth)
            return Expr(f'{on}.replace("{old}", {new.text})', STRING, lambda frame: self.ordered(
                text, new, frame, lambda value, to: checked(value.replace(old.encode(), to))))

        def joined():
            return Expr(f'string.join("-", {on}.split(","))', STRING, lambda frame: text.run(frame).replace(b",", b"-"))

        def padded():
            name = self.random.choice(["padLeft", "padRight"])

            def run(frame):
                value = text.run(frame)
                missing = b"." * max(0, 12 - len(value.decode(errors="replace")))
                return missing + value if name == "padLeft" else value + missing
            return Expr(f"{on}.{name}(12, '.')", STRING, run)
        return self.choose([(1, plain("trim", lambda v: v.strip(b" \t\n\r"))), (2, cut), (2, repeated), (2, replaced),
                            (2, joined), (2, padded)])

    # ---------------------------------------------------------------- structs, classes, containers, functions

    def typed_struct(self, type, depth):
        return [(6, lambda: self.make_struct(type, depth))]

    def make_struct(self, type, depth):
        fields = type.declaration.fields
        chosen = [field for field in fields if self.chance(80)] or [fields[0]]
        self.random.shuffle(chosen)
        values = [(fields.index(field), self.value(field.type, depth)) for field in chosen]

        def run(frame):
            made = list(default_of(type))
            for at, expr in values:
                made[at] = expr.run(frame)
            return tuple(made)
        inside = ", ".join(f"{fields[at].name}: {argument(expr)}" for at, expr in values)
        return Expr(f"{type}{{{inside}}}", type, run)

    def typed_class(self, type, depth):
        return [(6, lambda: self.make_class(type, depth))]

    def make_class(self, type, depth):
        declaration = type.declaration
        if declaration.is_abstract:
            derived = self.random.choice(declaration.derived)
            inner = self.make_class(derived.type, depth)
            return Expr(f"{operand(inner, CAST)} as {type}", type, inner.run, CAST)
        arguments = [self.value(parameter.type, depth) for parameter in declaration.parameters]

        def run(frame):
            return declaration.construct([a.run(frame) for a in arguments])
        new = "new " if self.chance(15) else ""
        level = POSTFIX if not new else UNARY
        return Expr(f"{new}{type}({', '.join(map(argument, arguments))})", type, run, level)

    def typed_interface(self, type, depth):
        return []

    def make_interface(self, type, depth):
        source = self.random.choice(type.declaration.implementers).type
        inner = self.make_class(source, depth) if source.kind == "class" else self.make_struct(source, depth)
        return Expr(f"{operand(inner, CAST)} as {type}", type, lambda frame: box(inner.run(frame), source), CAST)

    def typed_array(self, type, depth):
        return [(1, lambda: self.make_array(type, depth))]

    typed_list = typed_array

    def make_array(self, type, depth):
        items = [self.value(type.args[0], max(depth - 1, 0)) for _ in range(self.random.randrange(4, 7))]
        inside = ", ".join(map(argument, items))
        # In brackets alone the type comes from where they stand; `as` makes this an expression of that type anywhere.
        named = f"[{inside}]" if type.kind == "array" else f"{type}{{{inside}}}"

        def run(frame):
            return Sequence(type, [item.run(frame) for item in items])
        if type.kind == "array":
            return Expr(f"same<{type.args[0]}>({named})", type, run) if self.has_generics else None
        return Expr(named, type, run)

    make_list = make_array

    def typed_dict(self, type, depth):
        return [(1, lambda: self.make_dict(type, depth))]

    def make_dict(self, type, depth):
        key_type, value_type = type.args
        entries = [(self.typed(key_type, max(depth - 1, 0)), self.value(value_type, max(depth - 1, 0)))
                   for _ in range(self.random.randrange(1, 5))]

        def run(frame):
            made = {}
            for key, value in entries:
                at = key.run(frame)
                made[at] = value.run(frame)
            return Table(type, made)
        inside = ", ".join(f"{argument(k)}: {argument(v)}" for k, v in entries if k.level > CONDITION)
        if any(k.level <= CONDITION for k, _ in entries):
            return self.make_dict(type, 0)
        return Expr(f"{type}{{{inside}}}", type, run)

    def typed_set(self, type, depth):
        return [(1, lambda: self.make_set(type, depth))]

    def make_set(self, type, depth):
        items = [self.value(type.args[0], max(depth - 1, 0)) for _ in range(self.random.randrange(1, 5))]

        def run(frame):
            made = {}
            for item in items:
                made[item.run(frame)] = None
            return Table(type, made)
        return Expr(f"{type}{{{', '.join(map(argument, items))}}}", type, run)

    def typed_Object(self, type, depth):
        def boxed():
            inner = self.typed(self.any_type(), depth)
            return Expr(f"{operand(inner, CAST)} as Object", OBJECT, lambda frame: box(inner.run(frame), inner.type), CAST)
        return [(1, boxed)]

    def make_Object(self, type, depth):
        inner = self.leaf(INT)
        return Expr(f"{operand(inner, CAST)} as Object", OBJECT, lambda frame: box(inner.run(frame), INT), CAST)

    def typed_func(self, type, depth):
        return [(6, lambda: self.make_func(type, depth))]

    def make_func(self, type, depth):
        body, call = self.lambda_body(list(type.args[1:]), type.args[0], depth, written=True)
        return Expr(body, type, call, LAMBDA)

    def lambda_body(self, parameter_types, result, depth, written=False):
        """The text of a lambda and a function from a frame to its closure. `written`: the types of its parameters are
        not known from where it stands."""
        parameters = [Var(self.fresh("p"), type, assignable=False) for type in parameter_types]
        before, self.variables = self.variables, self.variables + parameters
        self.lambda_depth += 1
        block = None
        if result is VOID or (depth > 0 and self.chance(25)):
            block = self.lambda_block(result, depth)
        expr = self.value(result, max(depth, 0)) if block is None else None
        self.lambda_depth -= 1
        self.variables = before
        if written or not parameters or self.chance(50):
            head = "(" + ", ".join(f"{p.type} {p.name}" for p in parameters) + ")"
        else:
            head = parameters[0].name if len(parameters) == 1 else "(" + ", ".join(p.name for p in parameters) + ")"
        # The expression's own type would be the lambda's, where a narrower or wider one is wanted.
        if expr is not None and result.is_number:
            body = f"({expr.text}) as {result}"
        elif expr is not None:
            body = operand(expr, CONDITION)
        else:
            body = block.text
        machine = self.machine

        def closure(frame):
            captured = dict(frame) if frame is not None else {}

            def call(values):
                machine.step()
                inner = Frame(captured)
                for parameter, value in zip(parameters, values):
                    inner[parameter.name] = [value]
                if expr is not None:
                    return expr.run(inner)
                try:
                    block.run(inner)
                except Return as done:
                    return done.value
                return None
            return Closure(call)
        return f"{head} => {body}", closure


def object_of(value):
    if value is None:
        raise fault("NullPointerException")
    return value


def checked_index(sequence, at):
    if sequence is None:
        raise fault("NullPointerException")
    if not 0 <= at < len(sequence.items):
        raise fault("IndexOutOfBoundsException")
    return at


def invoke_method(receiver, type, name, values):
    if type.kind in ("struct", "enum"):
        return type.declaration.method(name).invoke(receiver, values)
    if isinstance(receiver, Boxed):  # a struct behind an interface
        return receiver.type.declaration.method(name).invoke(receiver.value, values)
    return object_of(receiver).declaration.method(name).invoke(receiver, values)


def decode_at(text, at):
    """The code point that starts at a byte; what is no UTF-8 reads as U+FFFD."""
    for length in range(1, 5):
        try:
            return ord(text[at:at + length].decode())
        except (UnicodeDecodeError, TypeError):
            continue
    return 0xFFFD


MIXED_PAIRS = {name: [(a, b) for a in scalars.NUMBERS for b in scalars.NUMBERS if scalars.mixed(a, b) == name]
               for name in ("int", "uint", "long", "ulong", "float", "double")}
# Constants also meet where the types alone would not, or elsewhere.
MIXED_PAIRS["ulong"] += [("ulong", "int"), ("int", "ulong"), ("ulong", "byte")]
MIXED_PAIRS["uint"] += [("uint", "int"), ("int", "uint"), ("uint", "short")]
MIXED_PAIRS["int"] += [("int", "uint"), ("uint", "byte")]
