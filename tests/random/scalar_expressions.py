"""Numbers, `bool`, `char`, enums and strings."""
import math

import scalars
from model import (BOOL, CHAR, DOUBLE, INT, LONG, NUMBER_TYPES, OBJECT, STRING, ULONG, Boxed, Expr, checked, equal,
                   fault, same, text_of, unspecified)
from operators import (ADD, AND, CAST, CONDITION, EQUAL, LEVELS, MIXED_PAIRS, MUL, POSTFIX, SHIFT, UNARY, argument,
                       arithmetic, convert, decode_at, entries_of, items_of, operand)


class ScalarExpressions:
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
                    lambda frame: self.ordered(left, right, frame, lambda a, b: scalars.shift(op, a, b, type.name)),
                    SHIFT, left.constant and right.constant)

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
                return Expr(f"{holder.text}.length()", INT, lambda frame: len(items_of(holder.run(frame))))
            return Expr(f"{holder.text}.count()", INT, lambda frame: len(entries_of(holder.run(frame))))

        def position():
            var = self.find(lambda v: v.type.kind == "list" and v.type.args[0].is_value and self.visible(v))
            if var is None:
                return None
            holder, item = self.read(var), self.value(var.type.args[0], depth)

            def run(frame):
                sequence, wanted = holder.run(frame), item.run(frame)
                return next((i for i, x in enumerate(items_of(sequence)) if equal(x, wanted, var.type.args[0])), -1)
            return Expr(f"{holder.text}.indexOf({item.text})", INT, run)

        def comparison():
            type = self.random.choice([INT, LONG, STRING, CHAR, ULONG])
            left, right = self.typed(type, depth), self.typed(type, depth)
            return Expr(f"{operand(left, POSTFIX)}.compareTo({right.text}) < 0 ? -1 : 1", INT,
                        lambda frame: self.ordered(left, right, frame, lambda a, b: -1 if a < b else 1), CONDITION)

        def parsed():
            number = self.typed(INT, depth)
            return Expr(f'"${{{number.text}}}".toInt()', INT, number.run)
        return self.choose([(3, text_length), (2, search), (4, container_size), (2, position), (2, comparison),
                            (1, parsed)])

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
        return Expr(f"{a.text} {op} {b.text}", BOOL,
                    lambda frame: same(a.run(frame), b.run(frame), type) == (op == "=="),
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
            operation = {"contains": lambda a, b: b in a, "startsWith": bytes.startswith,
                         "endsWith": bytes.endswith}[name]
            return Expr(f"{operand(whole, POSTFIX)}.{name}({part.text})", BOOL,
                        lambda frame: self.ordered(whole, part, frame, operation))

        def table():
            var = self.find(lambda v: v.type.kind in ("dict", "set") and self.visible(v))
            if var is None:
                return None
            holder, key = self.read(var), self.value(var.type.args[0], depth)
            name = "containsKey" if var.type.kind == "dict" else "contains"
            return Expr(f"{holder.text}.{name}({key.text})", BOOL,
                        lambda frame: self.ordered(holder, key, frame, lambda t, k: k in entries_of(t)))

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
                sequence, closure = holder.run(frame), call(frame)
                return (any if name == "any" else all)(closure.call([item]) for item in list(items_of(sequence)))
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
                number = Expr(f"{operand(inner, AND + 1)} & 127", inner.type, lambda frame: inner.run(frame) & 127, AND,
                              inner.constant)
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
        var = self.find(lambda v: v.type.kind in ("array", "list", "dict", "set", "Object", "class")
                        and self.visible(v))
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
        return Expr(f"{operand(inner, POSTFIX)}.toString()", STRING,
                    lambda frame: text_of(inner.run(frame), inner.type))

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
