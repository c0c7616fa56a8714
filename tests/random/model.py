"""What programs are made of while they are generated: types, expressions, variables; and what they work on when the
generator runs them itself: frames, objects, containers, exceptions.

A generated expression carries its text and a Python function that computes its value in a frame, so every program comes
with the output that it must have. A frame maps the names of variables to cells (lists of one element); a lambda takes
the cells of its surroundings along, which is capture by reference.
"""
import dataclasses
import typing

import scalars

MAX_STEPS = 4000  # calls and iterations; a program that needs more is given up
MAX_TEXT = 4000   # bytes of one string
MAX_OUTPUT = 20000


class Rejected(Exception):
    """The program would run too long, grow too large, or depend on what is not specified; another seed does it.

    A `finally` block of the program may replace this by an exception of its own, so `happened` keeps it in mind.
    """
    happened = False

    def __init__(self, reason):
        super().__init__(reason)
        Rejected.happened = True


class Type:
    """A type; there is one object for each, so types compare by identity."""
    known = {}

    def __new__(cls, kind, name, args=(), declaration=None):
        key = (kind, name, tuple(args))
        if key not in cls.known:
            made = super().__new__(cls)
            made.kind, made.name, made.args, made.declaration = kind, name, tuple(args), declaration
            cls.known[key] = made
        return cls.known[key]

    def __str__(self):
        if self.kind == "array":
            return f"{self.args[0]}[]"
        if self.kind == "func":
            return f"func<{', '.join(map(str, self.args))}>"
        return self.name + (f"<{', '.join(map(str, self.args))}>" if self.args else "")

    __repr__ = __str__

    @property
    def is_number(self):
        return self.name in scalars.NUMBERS

    @property
    def is_integer(self):
        return self.name in scalars.BITS

    @property
    def is_scalar(self):
        return self.kind in ("number", "bool", "char", "enum")

    @property
    def is_value(self):
        return self.is_scalar or self.kind in ("string", "struct")

    @property
    def is_key(self):
        """Whether values may be keys here: floating numbers are left out, for NaN and the two zeros."""
        if self.kind == "struct":
            return all(field.type.is_key for field in self.declaration.fields)
        return self.kind in ("string", "bool", "char", "enum") or self.is_integer


NUMBER_TYPES = {name: Type("number", name) for name in scalars.NUMBERS}
BOOL, CHAR, STRING, OBJECT, VOID = (Type("bool", "bool"), Type("char", "char"), Type("string", "string"),
                                    Type("Object", "Object"), Type("void", "void"))
INT, LONG, ULONG, DOUBLE = (NUMBER_TYPES[name] for name in ("int", "long", "ulong", "double"))
SCALARS = [*NUMBER_TYPES.values(), BOOL, CHAR]


def array_of(element):
    return Type("array", "[]", [element])


def list_of(element):
    return Type("list", "List", [element])


def dict_of(key, value):
    return Type("dict", "Dict", [key, value])


def set_of(element):
    return Type("set", "Set", [element])


def func_of(result, *parameters):
    return Type("func", "func", [result, *parameters])


@dataclasses.dataclass
class Expr:
    text: str
    type: Type
    run: typing.Callable
    level: int = 15       # of the outermost operator: 15 postfix … 1 `?:`, 0 lambda
    constant: bool = False  # known at compile time; then `run` needs no frame


@dataclasses.dataclass
class Var:
    name: str
    type: Type
    assignable: bool = True
    is_out: bool = False     # lambdas may not capture it
    place: str = "local"     # or "global", or "field" of `this`
    constant: typing.Any = None  # of a const with a constant value: an Expr
    index: typing.Any = None     # of a field of a struct


@dataclasses.dataclass
class Field:
    name: str
    type: Type


class Frame(dict):
    """Variables of a call: name -> [value]."""


# ---------------------------------------------------------------- objects

class Obj:
    """An object of a class of the program; its fields are cells."""

    def __init__(self, declaration):
        self.declaration = declaration
        self.fields = {}


class Boxed:
    """A value that was converted to Object."""

    def __init__(self, type, value):
        self.type, self.value = type, value


class Sequence:
    """An array or a list."""

    def __init__(self, type, items):
        self.type, self.items = type, items


class Table:
    """A dictionary, or a set (whose values are None)."""

    def __init__(self, type, entries):
        self.type, self.entries = type, entries


class Closure:
    def __init__(self, call):
        self.call = call


class Thrown(Exception):
    """An exception of the program on its way. `chain` is the names of its class and the bases of that."""

    def __init__(self, chain, message=b""):
        super().__init__(chain[0])
        self.chain, self.message = chain, message
        self.suppressed = []


class Break(Exception):
    def __init__(self, label=None):
        super().__init__()
        self.label = label


class Continue(Break):
    pass


class Return(Exception):
    def __init__(self, value=None):
        super().__init__()
        self.value = value


def fault(name):
    return Thrown([name, "Exception"])


def unspecified():
    """What the rules leave open: such a program says nothing."""
    return Rejected("depends on what is not specified")


class Machine:
    """Counts steps and collects output while a program is run by the generator."""

    def __init__(self):
        self.steps = 0
        self.output = []
        self.size = 0
        self.globals = Frame()

    def step(self, count=1):
        self.steps += count
        if self.steps > MAX_STEPS:
            raise Rejected("too many steps")

    def print(self, line):
        self.output.append(line)
        self.size += len(line) + 1
        if self.size > MAX_OUTPUT:
            raise Rejected("too much output")


def checked(text):
    if len(text) > MAX_TEXT:
        raise Rejected("too long a string")
    return text


# ---------------------------------------------------------------- values

def default_of(type):
    if type.kind == "struct":
        return tuple(default_of(field.type) for field in type.declaration.fields)
    if type.kind == "bool":
        return False
    if type.kind == "string":
        return b""
    if type.is_scalar:
        return 0.0 if type.name in scalars.FLOATING else 0
    return None


def box(value, type):
    """`value` of `type` as an Object."""
    return Boxed(type, value) if type.is_value else value


def text_of(value, type):
    """The text of a value in a string context (L2.6)."""
    if type.kind == "string":
        return value
    if type.kind == "enum":
        return type.declaration.text(value)
    if type.is_scalar:
        return scalars.text(value, type.name)
    if type.kind == "struct":
        return type.declaration.text(value)
    if value is None:
        return b"null"
    if isinstance(value, Boxed):
        return text_of(value.value, value.type)
    if isinstance(value, Sequence):
        element = value.type.args[0]
        return checked(b"[" + b", ".join(text_of(item, element) for item in value.items) + b"]")
    if isinstance(value, Table):
        if value.type.kind == "set":
            return checked(b"{" + b", ".join(text_of(key, value.type.args[0]) for key in value.entries) + b"}")
        key_type, value_type = value.type.args
        return checked(b"{" + b", ".join(text_of(k, key_type) + b": " + text_of(v, value_type)
                                         for k, v in value.entries.items()) + b"}")
    return value.declaration.text(value)


def same(left, right, type):
    """`==` of two values of the same type (L4.3)."""
    if type.kind == "struct":  # field by field: Python would take a NaN for equal to itself
        return all(same(a, b, field.type) for a, b, field in zip(left, right, type.declaration.fields))
    if isinstance(left, Boxed) and isinstance(right, Boxed):
        return left.type is right.type and same(left.value, right.value, left.type)
    return left == right if type.is_value else left is right


def equal(left, right, type):
    """`equals` of values: as `==`, but NaN equals NaN."""
    if type.name in scalars.FLOATING:
        return left == right or (left != left and right != right)
    if type.kind == "struct":
        return all(equal(a, b, field.type) for a, b, field in zip(left, right, type.declaration.fields))
    return same(left, right, type)
