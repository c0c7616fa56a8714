"""Random expressions of every type, each with its value.

`typed(type, depth)` makes an expression whose static type is exactly `type`, `value(type, depth)` one that converts to
it implicitly. Levels of operators decide where parentheses are needed, so that the text relies on precedence; a few
more are thrown in.
"""
import scalars
from aggregate_expressions import AggregateExpressions
from model import (BOOL, INT, NUMBER_TYPES, OBJECT, SCALARS, STRING, ULONG, Boxed, Expr, box, default_of, fault,
                   unspecified)
from operators import (AND, CAST, COALESCE, CONDITION, EQUAL, POSTFIX, UNARY, WORDS, argument, checked_index,
                       constant_folded, entries_of, invoke_method, items_of, object_of, operand, quoted)
from scalar_expressions import ScalarExpressions


class Expressions(ScalarExpressions, AggregateExpressions):
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
                    found = Expr(f"({holder.text} & {bit}) == 0", BOOL, lambda frame: holder.run(frame) & bit == 0,
                                 EQUAL)
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
            pairs = [(a, b) for a in scalars.NUMBERS for b in scalars.NUMBERS
                     if a != b and scalars.mixed(a, b) == type.name]
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
        return Expr(f"{holder.text}.{field.name}", type,
                    lambda frame: object_of(holder.run(frame)).fields[field.name][0])

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
                table, at = holder.run(frame), key.run(frame)
                if at not in entries_of(table):
                    raise fault("KeyNotFoundException")
                return entries_of(table)[at]
            text = f"{holder.text}[{key.text}]" if self.chance(50) else f"{holder.text}.get({key.text})"
            return Expr(text, type, run)
        otherwise = self.value(type, depth)

        def run_or(frame):
            table, at, other = holder.run(frame), key.run(frame), otherwise.run(frame)
            return entries_of(table).get(at, other)
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
        return Expr(f"({operand(inner, CAST)} as Object) as {type}", type, inner.run, CAST)

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
            sequence, value, closure = holder.run(frame), start.run(frame), call(frame)
            for item in list(items_of(sequence)):
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
