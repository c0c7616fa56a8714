"""Operators and the text of expressions: levels, parentheses, faults."""
import scalars
from model import Boxed, Thrown, fault

(POSTFIX, UNARY, CAST, MUL, ADD, SHIFT, COMPARE, EQUAL,
 AND, XOR, OR, ALSO, ELSE, COALESCE, CONDITION, LAMBDA) = range(15, -1, -1)
LEVELS = {"*": MUL, "/": MUL, "%": MUL, "+": ADD, "-": ADD, "<<": SHIFT, ">>": SHIFT, ">>>": SHIFT, "<": COMPARE,
          "<=": COMPARE, ">": COMPARE, ">=": COMPARE, "==": EQUAL, "!=": EQUAL, "&": AND, "^": XOR, "|": OR,
          "&&": ALSO, "||": ELSE}
WORDS = ["", "a", "b", "ab", "Abc", "hello", "x y", " pad ", "1,2,3", "é", "中", "😀z", "$", "tab\t", "\"q\"",
         "back\\slash"]


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


def object_of(value):
    if value is None:
        raise fault("NullPointerException")
    return value


def items_of(sequence):
    """The elements of a list or array that a method is called on: its arguments have been computed by then."""
    return object_of(sequence).items


def entries_of(table):
    """The same of a dictionary or set."""
    return object_of(table).entries


def checked_index(sequence, at):
    if not 0 <= at < len(items_of(sequence)):
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
