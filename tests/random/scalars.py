"""Numbers as the language has them: types, conversions, arithmetic and text (rules L2.2 to L2.7, L4.2, L4.3).

Written from the rules and independent of the implementation. Integers and characters are Python ints, `bool` is bool,
`float` and `double` are Python floats (a `float` is always one of the 2^32), strings are bytes.
"""
import ctypes
import math

SIGNED = {"byte": 8, "short": 16, "int": 32, "long": 64}
UNSIGNED = {"ubyte": 8, "ushort": 16, "uint": 32, "ulong": 64}
BITS = {**SIGNED, **UNSIGNED}
INTEGERS = ["byte", "ubyte", "short", "ushort", "int", "uint", "long", "ulong"]
FLOATING = ["float", "double"]
NUMBERS = INTEGERS + FLOATING
FLOAT_MAX = 3.4028234663852886e38
DOUBLE_MAX = 1.7976931348623157e308


class Fault(Exception):
    """A run-time fault of a program: the class of the exception that it throws."""


def minimum(name):
    if name in FLOATING:
        return -maximum(name)
    return -(1 << BITS[name] - 1) if name in SIGNED else 0


def maximum(name):
    if name in FLOATING:
        return FLOAT_MAX if name == "float" else DOUBLE_MAX
    return (1 << BITS[name] - (1 if name in SIGNED else 0)) - 1


def wrap(value, name):
    """The low bits of an integer, read as type `name`."""
    bits = BITS[name]
    value &= (1 << bits) - 1
    return value - (1 << bits) if name in SIGNED and value >> bits - 1 else value


def fits(value, name):
    return minimum(name) <= value <= maximum(name)


def widens(source, target):
    """Whether integer type `target` has every value of integer type `source`."""
    return minimum(target) <= minimum(source) and maximum(source) <= maximum(target)


def to_float(value):
    """The nearest binary32 number to a double."""
    return ctypes.c_float(value).value


def integer_to_floating(value, name):
    if name == "double":
        return float(value)
    # Rounded once: what a double cannot hold leaves a mark in its last bit, which then decides ties.
    magnitude, shift = abs(value), max(abs(value).bit_length() - 50, 0)
    low = magnitude & ((1 << shift) - 1)
    magnitude = (magnitude >> shift) | (1 if low else 0)
    return to_float(math.ldexp(float(magnitude), shift) * (-1 if value < 0 else 1))


def is_scalar_value(code):
    return 0 <= code < 0xD800 or 0xDFFF < code <= 0x10FFFF


def convert(value, source, target, enums=None):
    """`value as target` between numbers, `char` and enums; `enums` gives the values of an enum's members."""
    if source == target:
        return value
    if target in FLOATING:
        if source in FLOATING:
            return to_float(value) if target == "float" else value
        return integer_to_floating(value, target)
    if target not in BITS:  # char or an enum, by way of int
        value = convert(value, source, "int")
        if not (is_scalar_value(value) if target == "char" else value in enums[target]):
            raise Fault("CastException")
        return value
    if source in FLOATING:
        if math.isnan(value):
            return 0
        if math.isinf(value):
            return maximum(target) if value > 0 else minimum(target)
        return min(max(math.trunc(value), minimum(target)), maximum(target))
    return wrap(value, target)


def promoted(name):
    return "int" if name in BITS and BITS[name] < 32 else name


def mixed(left, right):
    """The type of mixed arithmetic, None where there is none (L2.4)."""
    if left in FLOATING or right in FLOATING:
        wide = any(name == "double" or BITS.get(name) == 64 for name in (left, right))
        return "double" if wide else "float"
    for name in ("int", "uint", "long", "ulong"):
        if widens(left, name) and widens(right, name):
            return name
    return None


def mixed_constants(left, left_value, right, right_value):
    """The same where one or both are integer constants; a value is None if the operand is no constant (L2.3)."""
    meet = mixed(left, right)
    if left not in BITS or right not in BITS or (left in SIGNED) == (right in SIGNED):
        return meet
    if left in SIGNED:
        signed, signed_value, unsigned, unsigned_value = left, left_value, right, right_value
    else:
        signed, signed_value, unsigned, unsigned_value = right, right_value, left, left_value
    wide = promoted(unsigned)
    if signed_value is not None and fits(signed_value, wide):
        # A `long` that would fit into `int` was written as one, and holds every `uint`.
        wrote_long = signed == "long" and wide == "uint" and fits(signed_value, "int")
        return meet if wrote_long else wide
    if unsigned_value is not None and wide == "uint" and fits(unsigned_value, promoted(signed)):
        return promoted(signed)
    return meet


def implicit(source, target):
    """Whether every value of a number type converts without `as` (L2.3)."""
    if source == target:
        return True
    if target == "double":
        return source in NUMBERS
    if target == "float":
        return source in BITS and BITS[source] <= 32
    return source in BITS and target in BITS and widens(source, target)


def arithmetic(op, left, right, name):
    """`+ - * / %` and `& | ^` of two values of type `name`, which is a type of mixed arithmetic."""
    if name in FLOATING:
        value = floating_operation(op, left, right)
        return to_float(value) if name == "float" else value
    if op in "/%":
        if right == 0:
            raise Fault("DivByZeroException")
        quotient = abs(left) // abs(right)
        quotient = quotient if (left < 0) == (right < 0) else -quotient
        return wrap(quotient if op == "/" else left - quotient * right, name)
    return wrap({"+": left + right, "-": left - right, "*": left * right,
                 "&": left & right, "|": left | right, "^": left ^ right}[op], name)


def floating_operation(op, left, right):
    if op == "+":
        return left + right
    if op == "-":
        return left - right
    if op == "*":
        return left * right
    if op == "/":
        if right == 0:
            if left == 0 or math.isnan(left):
                return math.nan
            return math.copysign(math.inf, math.copysign(1, left) * math.copysign(1, right))
        return left / right
    if math.isinf(left) or right == 0 or math.isnan(left) or math.isnan(right):
        return math.nan
    return left if math.isinf(right) else math.fmod(left, right)


def shift(op, left, count, name):
    count &= BITS[name] - 1
    if op == "<<":
        return wrap(left << count, name)
    if op == ">>>":
        left &= (1 << BITS[name]) - 1
    return wrap(left >> count, name)


def compare(op, left, right):
    return {"<": left < right, "<=": left <= right, ">": left > right, ">=": left >= right,
            "==": left == right, "!=": left != right}[op]


def floating_text(value, name):
    """The shortest text that reads back as the same number (L2.7)."""
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    if name == "float":
        text = repr(float(next(short for short in (f"{value:.{digits}g}" for digits in range(1, 10))
                               if to_float(float(short)) == value)))
    return text[:-2] if text.endswith(".0") else text


def text(value, name):
    if name == "bool":
        return b"true" if value else b"false"
    if name == "char":
        return chr(value).encode()
    if name in FLOATING:
        return floating_text(value, name).encode()
    return str(value).encode()


def literal(value, name, random):
    """A text for the constant `value` of type `name`, and the level of its outermost operator (see expressions.py)."""
    if name == "bool":
        return ("true" if value else "false"), 15
    if name == "char":
        plain = chr(value) if 0x20 <= value < 0x7F and chr(value) not in "'\\" else None
        return ("'%s'" % plain if plain else "'\\u{%x}'" % value), 15
    if name in FLOATING:
        return floating_literal(value, name)
    magnitude = abs(value)
    forms = [str(magnitude), hex(magnitude), bin(magnitude), f"{magnitude:_}"]
    digits = forms[random.choice([0, 0, 0, 0, 1, 2, 3])]
    suffix = {"uint": "u", "long": "L", "ulong": "uL"}.get(name, "")
    written = ("-" if value < 0 else "") + digits + suffix
    if BITS[name] < 32:
        return f"({written}) as {name}" if value < 0 else f"{written} as {name}", 13
    return written, 14 if value < 0 else 15


def floating_literal(value, name):
    suffix = "f" if name == "float" else ""
    if math.isnan(value):
        return f"0.0{suffix} / 0.0{suffix}", 12
    if math.isinf(value):
        return f"{'-' if value < 0 else ''}1.0{suffix} / 0.0{suffix}", 12
    digits = repr(abs(value))
    negative = math.copysign(1, value) < 0
    return ("-" if negative else "") + digits + suffix, 14 if negative else 15
