#!/usr/bin/env python3
"""Arithmetic at the extremes of every numeric type, against the integers and doubles of Python.

    tests/lang/numbers.py --nlang build/release/bin/nlang [--keep FOLDER]

Every operator is applied to all pairs of the extreme values of all pairs of integer types, and every conversion to the
extremes of its source: once with values that only the running program knows, once with constants, which the compiler
folds. rule: L2.4, L2.5, L2.7, L3.1, L4.2
"""
import argparse
import math
import os
import pathlib
import struct
import subprocess
import sys
import tempfile

TIMEOUT_S = 300
BITS = {"byte": 8, "ubyte": 8, "short": 16, "ushort": 16, "int": 32, "uint": 32, "long": 64, "ulong": 64}
DOUBLES = [0.0, -0.0, 0.5, -0.5, 0.999999, 1.0, -1.0, 1.5, -1.5, 127.9, 128.0, -128.9, 255.5, 256.0, 32767.9, -32769.0, 65536.0,
           2147483647.0, 2147483648.0, -2147483648.0, -2147483649.0, 4294967295.0, 4294967296.0, 9007199254740993.0,
           9.2233720368547748e18, 9.2233720368547758e18, -9.2233720368547758e18, -9.3e18, 1.8446744073709550e19,
           1.8446744073709552e19, 1e300, -1e300, 5e-324, 1e-05, 0.0001, 1e15, 123456789012345680.0, 1e16, 1.7976931348623157e308,
           math.inf, -math.inf, math.nan]


def signed(name):
    return not name.startswith("u")


def limits(name):
    bits = BITS[name]
    return (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed(name) else (0, (1 << bits) - 1)


def wrap(value, name):
    bits = BITS[name]
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed(name) and value >> (bits - 1) else value


def extremes(name):
    low, high = limits(name)
    return sorted({low, low + 1, -1 if signed(name) else 2, 0, 1, 7, high // 2 + 1, high - 1, high})


def promoted(*names):
    """The smallest type, at least int, that holds all of `names`; None if there is none."""
    for name in ("int", "uint", "long", "ulong"):
        low, high = limits(name)
        if all(low <= limits(n)[0] and limits(n)[1] <= high for n in names):
            return name
    return None


def divide(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


def shift(op, a, b, left):
    count = b % BITS[left]
    if op == "<<":
        return wrap(a << count, left)
    if op == ">>":
        return a >> count
    return wrap((a & ((1 << BITS[left]) - 1)) >> count, left)


def result_of(op, a, b, types):
    """The text of `a op b`."""
    both, left = promoted(*types), promoted(types[0])
    if op in ("<<", ">>", ">>>"):
        return str(shift(op, a, b, left))
    if op in ("/", "%") and b == 0:
        return "zero"
    if op in COMPARISONS:
        return str(COMPARISONS[op](a, b)).lower()
    value = {"+": lambda: a + b, "-": lambda: a - b, "*": lambda: a * b, "/": lambda: divide(a, b),
             "%": lambda: a - divide(a, b) * b, "&": lambda: a & b, "|": lambda: a | b, "^": lambda: a ^ b}[op]()
    return str(wrap(value, both))


COMPARISONS = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b,
               ">": lambda a, b: a > b, ">=": lambda a, b: a >= b}
ARITHMETIC = ["+", "-", "*", "/", "%", "&", "|", "^"]
SHIFTS = ["<<", ">>", ">>>"]


def literal(value, name):
    suffix = {"uint": "u", "long": "L", "ulong": "uL"}.get(name, "")
    return f"{value}{suffix}"


def pairs():
    for a in BITS:
        for b in BITS:
            yield a, b, ARITHMETIC + list(COMPARISONS) + SHIFTS if promoted(a, b) else SHIFTS


# ---- operators on values that only the running program knows

def running_operators():
    program, expected, calls = ["import io;"], [], []
    for left, right, ops in pairs():
        name = f"on_{left}_{right}"
        program.append(f"void {name}({left} a, {right} b) {{")
        for op in ops:
            if op in ("/", "%"):
                program.append(f'    try {{ io.print("${{a {op} b}}"); }} catch (DivByZeroException e) {{ io.print("zero"); }}')
            else:
                program.append(f'    io.print("${{a {op} b}}");')
        program.append("}")
        program += [f"{left}[] {name}_left = [{', '.join(literal(v, left) for v in extremes(left))}];",
                    f"{right}[] {name}_right = [{', '.join(literal(v, right) for v in extremes(right))}];"]
        calls.append(f"    foreach ({left} a in {name}_left) {{ foreach ({right} b in {name}_right) {{ {name}(a, b); }} }}")
        for a in extremes(left):
            for b in extremes(right):
                expected += [(f"{left} {a} {op} {right} {b}", result_of(op, a, b, (left, right))) for op in ops]
    for name in BITS:
        program.append(f'void of_{name}({name} a) {{ io.print("${{-a}}"); io.print("${{~a}}"); {name} b = a; b++; io.print(b); '
                       f'b = a; b--; io.print(b); b = a; b += a; io.print(b); b = a; b *= b; io.print(b); b = a; b <<= 1; io.print(b); '
                       f'b = a; b >>= 1; io.print(b); b = a; b >>>= 1; io.print(b); }}')
        program.append(f"{name}[] of_{name}_all = [{', '.join(literal(v, name) for v in extremes(name))}];")
        calls.append(f"    foreach ({name} a in of_{name}_all) {{ of_{name}(a); }}")
        wide = promoted(name)
        for a in extremes(name):
            results = [wrap(-a, wide), wrap(~a, wide), wrap(a + 1, name), wrap(a - 1, name), wrap(a + a, name), wrap(a * a, name),
                       wrap(shift("<<", a, 1, wide), name), wrap(shift(">>", a, 1, wide), name), wrap(shift(">>>", a, 1, wide), name)]
            words = ["-", "~", "++", "--", "+=", "*=", "<<=", ">>=", ">>>="]
            expected += [(f"{name} {word} {a}", str(result)) for word, result in zip(words, results)]
    return "\n".join(program + ["void main() {"] + calls + ["}", ""]), expected


# ---- the same with constants

def constant_operators():
    program, lines, expected = ["import io;"], [], []
    for name in BITS:
        values = extremes(name)
        program += [f"const {name} {name}_{i} = {literal(v, name)};" for i, v in enumerate(values)]
        for i, a in enumerate(values):
            for j, b in enumerate(values):
                for op in ARITHMETIC + list(COMPARISONS) + SHIFTS:
                    if op in ("/", "%") and b == 0:
                        continue
                    lines.append(f'    io.print("${{{name}_{i} {op} {name}_{j}}}");')
                    expected.append((f"constant {name} {a} {op} {b}", result_of(op, a, b, (name, name))))
            lines.append(f'    io.print("${{-{name}_{i}}}"); io.print("${{~{name}_{i}}}");')
            wide = promoted(name)
            expected += [(f"constant -{name} {a}", str(wrap(-a, wide))), (f"constant ~{name} {a}", str(wrap(~a, wide)))]
        lines.append(f'    io.print("${{{name}.min}} ${{{name}.max}}");')
        expected.append((f"{name}.min max", "{} {}".format(*limits(name))))
    # A function may not be too long.
    parts = [lines[at:at + 500] for at in range(0, len(lines), 500)]
    for number, part in enumerate(parts):
        program += [f"void part{number}() {{"] + part + ["}"]
    return "\n".join(program + ["void main() {"] + [f"    part{n}();" for n in range(len(parts))] + ["}", ""]), expected


# ---- conversions

def number_text(value):
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    text = repr(value)
    return text[:-2] if text.endswith(".0") else text


def to_float(value):
    """The nearest value of binary32, as a double."""
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def integer_to_float(value):
    """An integer rounded to binary32 once, not by way of binary64."""
    if value == 0:
        return 0.0
    magnitude = abs(value)
    excess = max(0, magnitude.bit_length() - 24)
    kept, rest = magnitude >> excess, magnitude & ((1 << excess) - 1)
    half = 1 << (excess - 1) if excess else 0
    kept += excess > 0 and (rest > half or (rest == half and kept & 1))
    return math.copysign(float(kept << excess), value)


def saturated(value, name):
    low, high = limits(name)
    if math.isnan(value):
        return 0
    if math.isinf(value):
        return high if value > 0 else low
    return max(low, min(high, int(value)))


def is_scalar_value(value):
    return 0 <= value <= 0x10FFFF and not 0xD800 <= value <= 0xDFFF


def double_literal(value):
    if math.isnan(value):
        return "0.0 / 0.0"
    if math.isinf(value):
        return "1.0 / 0.0" if value > 0 else "-1.0 / 0.0"
    text = repr(value)
    return text if any(c in text for c in ".e") else text + ".0"


def conversions():
    program, calls, expected = ["import io;"], [], []
    for source in list(BITS) + ["double", "float"]:
        program.append(f"void from_{source}({source} a) {{")
        for target in BITS:
            program.append(f'    io.print("${{a as {target}}}");')
        program.append('    io.print("${a as double}"); io.print("${(a as float) as double}");')
        program.append('    try { io.print("${(a as char) as int}"); } catch (CastException e) { io.print("none"); }')
        program.append("}")
        if source in BITS:
            values, texts = extremes(source), [literal(v, source) for v in extremes(source)]
        else:
            values = DOUBLES if source == "double" else [to_float(v) for v in DOUBLES]
            texts = [f"{double_literal(v)}" if source == "double" else f"({double_literal(v)}) as float" for v in DOUBLES]
        program.append(f"{source}[] all_{source} = [{', '.join(texts)}];")
        calls.append(f"    foreach ({source} a in all_{source}) {{ from_{source}(a); }}")
        for value in values:
            if source in BITS:
                results = [str(wrap(value, target)) for target in BITS]
                results += [number_text(float(value)), number_text(integer_to_float(value))]
                scalar = wrap(value, "int")
            else:
                results = [str(saturated(value, target)) for target in BITS]
                results += [number_text(value), number_text(to_float(value))]
                scalar = saturated(value, "int")
            results.append(str(scalar) if is_scalar_value(scalar) else "none")
            targets = list(BITS) + ["double", "float", "char"]
            expected += [(f"{source} {value} as {target}", result) for target, result in zip(targets, results)]
    return "\n".join(program + ["void main() {"] + calls + ["}", ""]), expected


def faults_of(nlang, folder, name, program, expected):
    path = folder / f"{name}.n"
    path.write_text(program, encoding="utf-8")
    done = subprocess.run([str(nlang), "run", path.name], cwd=folder, capture_output=True, timeout=TIMEOUT_S)
    if done.returncode != 0 or done.stderr:
        yield f"exit status {done.returncode}: {done.stderr.decode('utf-8', 'replace')[:1000]}"
        return
    lines = done.stdout.decode().split("\n")[:-1]
    if len(lines) != len(expected):
        yield f"{len(lines)} lines, expected {len(expected)}"
    for line, (what, result) in zip(lines, expected):
        if line != result:
            yield f"{what} is {line}, expected {result}"


def main():
    parser = argparse.ArgumentParser(description="compares arithmetic with Python's")
    parser.add_argument("--nlang", type=pathlib.Path, required=True)
    parser.add_argument("--keep", type=pathlib.Path, help="write the programs there")
    options = parser.parse_args()
    nlang, failed, count = options.nlang.resolve(), 0, 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.keep or pathlib.Path(temporary)
        for name, make in (("running", running_operators), ("constants", constant_operators), ("conversions", conversions)):
            program, expected = make()
            count += len(expected)
            for number, fault in enumerate(faults_of(nlang, folder, name, program, expected)):
                failed += 1
                if number < 20:
                    print(f"FAIL {name}: {fault}")
    print(f"{count - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    os.environ.setdefault("UBSAN_OPTIONS", "print_stacktrace=1")
    sys.exit(main())
