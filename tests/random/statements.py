"""Random statements. Each carries its lines and a Python function that carries it out in a frame; `break`, `continue`,
`return` and exceptions leave it as Python exceptions.

Every loop ends: its counter is a variable that nothing else assigns.
"""
import scalars
from expressions import Expressions
from model import (BOOL, OBJECT, STRING, VOID, Expr, Obj, Sequence, Var, array_of, checked, default_of, dict_of, fault,
                   func_of, list_of, set_of, text_of)
from operators import COALESCE, POSTFIX, argument, arithmetic, checked_index, entries_of, items_of, object_of, operand

COMPOUND = ["+=", "-=", "*=", "/=", "%="]
INTEGER_COMPOUND = COMPOUND + ["&=", "|=", "^=", "<<=", ">>=", ">>>="]


class Statement:
    def __init__(self, lines, run, leaves=False):
        self.lines = lines if isinstance(lines, list) else [lines]
        self.run = run
        self.leaves = leaves  # control never reaches what follows


class Block:
    """Statements in braces."""

    def __init__(self, statements):
        self.statements = statements
        self.leaves = bool(statements) and statements[-1].leaves

    def run(self, frame):
        for statement in self.statements:
            statement.run(frame)

    @property
    def lines(self):
        return ["    " + line for statement in self.statements for line in statement.lines]

    @property
    def text(self):
        return " ".join(["{", *(line.strip() for line in self.lines), "}"])


class Statements(Expressions):
    """Also needs: result_type of the function whose body is made, loops (labels of the loops around, None where there
    is none), finally_depth."""

    def fresh(self, prefix):
        self.names += 1
        return f"{prefix}{self.names}"

    def block(self, size, depth, extra=(), declared=0):
        """A block of up to `size` statements with variables of its own, after `declared` declarations."""
        before = self.variables
        self.variables = self.variables + list(extra)
        statements = [self.declaration() for _ in range(declared)]
        for _ in range(self.random.randrange(1, size + 1)):
            made = self.statement(depth)
            if made is not None:
                statements.append(made)
                if made.leaves:
                    break
        self.variables = before
        return Block(statements)

    def lambda_block(self, result, depth):
        """The block of a block lambda with that result."""
        kept = (self.result_type, self.loops, self.finally_depth, self.in_catch)
        self.result_type, self.loops, self.finally_depth, self.in_catch = result, [], 0, False
        before = self.variables
        made = []
        for _ in range(self.random.randrange(1, 4)):
            one = self.statement(min(depth, 1))
            if one is not None and not one.leaves:
                made.append(one)
        if result is not VOID:
            made.append(self.return_statement(depth))
        self.variables = before
        self.result_type, self.loops, self.finally_depth, self.in_catch = kept
        return Block(made)

    def statement(self, depth):
        producers = [(16, self.declaration), (16, self.assignment), (8, self.compound), (4, self.step_statement),
                     (7, self.mixing), (3, self.call_statement), (5, self.container_statement),
                     (4, self.field_assignment),
                     (2, self.print_statement)]
        if depth > 0:
            producers += [(9, lambda: self.if_statement(depth)), (4, lambda: self.for_statement(depth)),
                          (2, lambda: self.while_statement(depth)), (4, lambda: self.foreach_statement(depth)),
                          (5, lambda: self.switch_statement(depth)), (7, lambda: self.try_statement(depth)),
                          (3, lambda: self.closures_of_loop(depth)), (1, lambda: self.plain_block(depth)),
                          (2, lambda: self.own_keys(depth)), (2, lambda: self.using_statement(depth)),
                          (2, lambda: self.own_walk(depth)), (1, self.sorted_structs)]
            if self.has_threads and self.lambda_depth == 0:
                producers += [(1, lambda: self.channel_statement(depth)), (1, lambda: self.thread_statement(depth)),
                              (1, lambda: self.lock_statement(depth))]
        producers += [(2, self.leave_loop), (1, self.throw_statement), (1, self.early_return)]
        return self.choose(producers)

    # ---------------------------------------------------------------- variables

    def local_type(self):
        element = self.random.choice
        return self.choose([
            (60, self.any_type), (6, lambda: list_of(self.any_type())), (2, lambda: list_of(list_of(self.any_type()))),
            (2, lambda: dict_of(self.key_type(), list_of(self.any_type()))), (5, lambda: array_of(self.any_type())),
            (4, lambda: dict_of(self.key_type(), self.any_type())), (3, lambda: set_of(self.key_type())),
            (6, self.func_type), (4, lambda: OBJECT),
            (8, lambda: element(self.classes).type if self.classes else None),
            (3, lambda: element(self.interfaces).type if self.interfaces else None)])

    def key_type(self):
        while True:
            type = self.any_type()
            if type.is_key:
                return type

    def func_type(self):
        result = func_of(self.any_type()) if self.chance(10) else self.any_type()
        return func_of(result, *[self.any_type() for _ in range(self.random.randrange(3))])

    def declaration(self):
        type = self.local_type()
        name = self.fresh("v")
        if self.chance(12) and type.is_scalar:
            expr = self.typed(type, 3)
            var = Var(name, type, assignable=False, constant=expr if expr.constant else None)
            text = f"const {type} {name} = {expr.text};"
        elif self.chance(15) and type.kind in ("number", "bool", "char", "string", "struct", "list", "dict"):
            expr = self.typed(type, 3)
            var, text = Var(name, type), f"var {name} = {expr.text};"
        elif type.kind in ("array", "list") and self.chance(60):
            items = [self.value(type.args[0], 2) for _ in range(self.random.randrange(4, 7))]
            expr = Expr("", type, lambda frame: Sequence(type, [item.run(frame) for item in items]))
            var, text = Var(name, type), f"{type} {name} = [{', '.join(map(argument, items))}];"
        elif type.kind == "array":
            return self.new_array(name, type)
        elif type.kind == "class" and self.chance(12):
            expr = Expr("null", type, lambda frame: None)
            var, text = Var(name, type), f"{type} {name} = null;"
        else:
            expr = self.value(type, 4)
            var, text = Var(name, type), f"{type} {name} = {expr.text};"

        def run(frame):
            frame[name] = [expr.run(frame)]
        self.variables = self.variables + [var]
        return Statement(text, run)

    def new_array(self, name, type):
        count = self.random.randrange(4, 9)
        element = type.args[0]

        def run(frame):
            frame[name] = [Sequence(type, [default_of(element) for _ in range(count)])]
        self.variables = self.variables + [Var(name, type)]
        return Statement(f"{type} {name} = new {element}[{count}];", run)

    def assignable(self, suits=lambda var: True):
        return self.find(lambda v: v.assignable and v.constant is None and self.visible(v) and suits(v))

    def cells(self, var, frame):
        return {"global": self.machine.globals, "field": frame["this"][0].fields if "this" in frame and
                isinstance(frame["this"][0], Obj) else None}.get(var.place, frame)

    def assignment(self):
        var = self.assignable()
        if var is None:
            return None
        expr = self.value(var.type, 4)

        def run(frame):
            value = expr.run(frame)
            self.cells(var, frame)[var.name][0] = value
        return Statement(f"{var.name} = {expr.text};", run)

    def compound(self):
        """`place op= value`: the place is evaluated once and read before the value is computed."""
        place = self.choose([(6, self.variable_place), (4, self.element_place), (3, self.field_place),
                             (2, self.entry_place)])
        if place is None:
            return None
        text, type, locate = place
        if type is STRING:
            op, right = "+=", self.printable(2)
        else:
            right = self.typed(self.pick_number() if type.name in scalars.FLOATING else self.pick_integer(), 3)
            op = self.random.choice(COMPOUND if type.name in scalars.FLOATING else INTEGER_COMPOUND)
        operation = self.compound_operation(op[:-1], type, right)
        if operation is None:
            return None

        def run(frame):
            get, put = locate(frame)
            put(operation(get(), right.run(frame)))
        return Statement(f"{text} {op} {right.text};", run)

    # A place: its text, its type, and a function that evaluates it in a frame and gives what reads and what writes it.

    def is_computable(self, type):
        return type.is_number or type is STRING

    def variable_place(self):
        var = self.assignable(lambda v: self.is_computable(v.type))
        return var and (var.name, var.type, lambda frame: cell_place(self.cells(var, frame)[var.name]))

    def element_place(self):
        var = self.find(lambda v: v.type.kind in ("array", "list") and self.visible(v) and
                        (self.is_computable(v.type.args[0]) or v.type.args[0].kind == "struct"))
        if var is None:
            return None
        holder, index, type = self.read(var), self.index(2), var.type.args[0]

        def locate(frame):
            sequence, at = holder.run(frame), index.run(frame)

            def get():
                return sequence.items[checked_index(sequence, at)]

            def put(value):
                sequence.items[checked_index(sequence, at)] = value
            return get, put
        if type.kind != "struct":
            return f"{holder.text}[{index.text}]", type, locate
        return self.struct_field(f"{holder.text}[{index.text}]", type, locate)

    def struct_field(self, text, type, locate):
        """A field of the struct in a place."""
        fields = type.declaration.fields
        found = [i for i, field in enumerate(fields) if self.is_computable(field.type)]
        if not found:
            return None
        at = self.random.choice(found)

        def locate_field(frame):
            get, put = locate(frame)

            def put_field(value):
                old = get()
                put(old[:at] + (value,) + old[at + 1:])
            return lambda: get()[at], put_field
        return f"{text}.{fields[at].name}", fields[at].type, locate_field

    def field_place(self):
        var = self.find(lambda v: self.visible(v) and v.constant is None and
                        (v.type.kind == "class" or (v.type.kind == "struct" and v.assignable)))
        if var is None:
            return None
        if var.type.kind == "struct":
            return self.struct_field(var.name, var.type, lambda frame: cell_place(self.cells(var, frame)[var.name]))
        fields = [field for field in var.type.declaration.all_fields() if self.is_computable(field.type)]
        if not fields:
            return None
        holder, field = self.read(var), self.random.choice(fields)
        return f"{holder.text}.{field.name}", field.type, \
            lambda frame: cell_place(object_of(holder.run(frame)).fields[field.name])

    def entry_place(self):
        var = self.find(lambda v: v.type.kind == "dict" and self.is_computable(v.type.args[1]) and self.visible(v))
        if var is None:
            return None
        holder, key = self.read(var), self.value(var.type.args[0], 2)

        def locate(frame):
            table, at = holder.run(frame), key.run(frame)

            def get():
                if at not in entries_of(table):
                    raise fault("KeyNotFoundException")
                return entries_of(table)[at]
            return get, lambda value: entries_of(table).__setitem__(at, value)
        return f"{holder.text}[{key.text}]", var.type.args[1], locate

    def compound_operation(self, op, type, right):
        """What `place op= right` computes, converted back; None if the operator is not defined for the two."""
        if type is STRING:
            return lambda before, value: checked(before + text_of(value, right.type))
        if op in ("<<", ">>", ">>>"):
            name = scalars.promoted(type.name)
            return lambda before, value: scalars.wrap(scalars.shift(op, before, value, name), type.name)
        meet = self.meeting(Expr("", type, None), right)
        if meet is None or (meet in scalars.FLOATING and op in "&|^"):
            return None

        def operation(before, value):
            left = scalars.convert(before, type.name, meet)
            return scalars.convert(arithmetic(op, left, scalars.convert(value, right.type.name, meet), meet), meet,
                                   type.name)
        return operation

    def step_statement(self):
        var = self.assignable(lambda v: v.type.is_number)
        if var is None:
            return None
        op = self.random.choice(["++", "--"])

        def run(frame):
            cell = self.cells(var, frame)[var.name]
            value = cell[0] + (1 if op == "++" else -1)
            if var.type.name == "float":
                value = scalars.to_float(value)
            cell[0] = scalars.wrap(value, var.type.name) if var.type.is_integer else value
        return Statement(f"{var.name}{op};", run)

    def mixing(self):
        """Something that happened becomes part of the program's checksum."""
        expr = self.typed(self.choose([(3, self.pick_integer), (1, lambda: BOOL), (2, lambda: STRING)]), 4)
        if expr.type is STRING:
            text, measure = f"mix({operand(expr, POSTFIX)}.length());", len
        elif expr.type is BOOL:
            text, measure = f"mix({operand(expr, COALESCE)} ? 1 : 0);", int
        else:
            text, measure = f"mix({operand(expr, 13)} as long);", lambda value: scalars.wrap(value, "long")

        return Statement(text, lambda frame: self.mix(measure(expr.run(frame))))

    def print_statement(self):
        expr = self.typed(STRING, 3)

        def run(frame):
            self.machine.print(expr.run(frame))
        return Statement(f"io.print({expr.text});", run)

    def call_statement(self):
        expr = self.choose([
            (1, lambda: self.call(self.random.choice(self.functions).result, 2) if self.functions else None)])
        return expr and Statement(f"{expr.text};", expr.run)

    def field_assignment(self):
        """A field of a struct variable, of an object, or of a struct in an array or list."""
        var = self.find(lambda v: v.constant is None and self.visible(v) and (
            v.type.kind == "class" or (v.type.kind == "struct" and v.assignable) or
            (v.type.kind in ("array", "list") and v.type.args[0].kind == "struct")))
        if var is None:
            return None
        holder = self.read(var)
        target = var.type.args[0] if var.type.kind in ("array", "list") else var.type
        fields = target.declaration.all_fields()
        if not fields:
            return None
        at = self.random.randrange(len(fields))
        field = fields[at]
        index = self.index(2) if target is not var.type else None
        expr = self.value(field.type, 3)
        if target.kind == "class":
            def run(frame):
                obj = holder.run(frame)
                value = expr.run(frame)
                object_of(obj).fields[field.name][0] = value
        elif index is None:
            def run(frame):
                value = expr.run(frame)
                cell = self.cells(var, frame)[var.name]
                cell[0] = cell[0][:at] + (value,) + cell[0][at + 1:]
        else:
            def run(frame):
                sequence, position = holder.run(frame), index.run(frame)
                value = expr.run(frame)
                checked_index(sequence, position)
                old = sequence.items[position]
                sequence.items[position] = old[:at] + (value,) + old[at + 1:]
        place = holder.text if index is None else f"{holder.text}[{index.text}]"
        return Statement(f"{place}.{field.name} = {expr.text};", run)

    def container_statement(self):
        var = self.find(lambda v: v.type.kind in ("array", "list", "dict", "set") and self.visible(v))
        if var is None:
            return None
        return getattr(self, "change_" + var.type.kind)(var, self.read(var))

    def change_array(self, var, holder):
        index, expr = self.index(2), self.value(var.type.args[0], 3)

        def run(frame):
            sequence, at = holder.run(frame), index.run(frame)
            value = expr.run(frame)
            sequence.items[checked_index(sequence, at)] = value
        element_set = lambda: Statement(f"{holder.text}[{index.text}] = {expr.text};", run)

        def fill():
            def run(frame):
                sequence, value = holder.run(frame), expr.run(frame)
                items_of(sequence)[:] = [value] * len(items_of(sequence))
            return Statement(f"{holder.text}.fill({expr.text});", run)
        return self.choose([(5, element_set), (1, fill), (2, lambda: self.sorting(var, holder))])

    def sorting(self, var, holder):
        """Sorting is stable, also with an order that finds many alike."""
        type = var.type.args[0]
        orderly = type.is_integer or type.kind in ("string", "char")
        if not orderly:
            return None
        if self.chance(50):
            def run(frame):
                items_of(holder.run(frame)).sort()
            return Statement(f"{holder.text}.sort();", run)
        a, b = self.fresh("p"), self.fresh("p")
        key = {"string": "{}.length()", "char": "({} as int) % 3"}.get(type.kind, "({} as int) & 7")
        measure = {"string": len, "char": lambda v: v % 3}.get(type.kind, lambda v: v & 7)

        def run_by(frame):
            items_of(holder.run(frame)).sort(key=measure)
        return Statement(f"{holder.text}.sort(({type} {a}, {type} {b}) => {key.format(a)} - {key.format(b)});", run_by)

    def change_list(self, var, holder):
        element = var.type.args[0]
        expr = self.value(element, 3)

        def add():
            def run(frame):
                sequence, value = holder.run(frame), expr.run(frame)
                self.machine.step()
                items_of(sequence).append(value)
            return Statement(f"{holder.text}.add({expr.text});", run)

        def insert():
            index = self.index(2)

            def run(frame):
                sequence, at, value = holder.run(frame), index.run(frame), expr.run(frame)
                items = items_of(sequence)
                if not 0 <= at <= len(items):
                    raise fault("IndexOutOfBoundsException")
                items.insert(at, value)
            return Statement(f"{holder.text}.insert({index.text}, {argument(expr)});", run)

        def remove_at():
            def run(frame):
                items = items_of(holder.run(frame))
                if len(items) > 5:
                    items.pop(2)
            return Statement(f"if ({holder.text}.length() > 5) {{ {holder.text}.removeAt(2); }}", run)

        def reverse():
            return Statement(f"{holder.text}.reverse();", lambda frame: items_of(holder.run(frame)).reverse())

        def mapped():
            body, call = self.lambda_body([element], element, 2)

            def run(frame):
                sequence, closure = holder.run(frame), call(frame)
                made = [closure.call([item]) for item in list(items_of(sequence))]
                self.cells(var, frame)[var.name][0] = Sequence(var.type, made)
            if not var.assignable:
                return None
            return Statement(f"{holder.text} = {holder.text}.map<{element}>({body});", run)

        def filtered():
            body, call = self.lambda_body([element], BOOL, 2)

            def run(frame):
                sequence, closure = holder.run(frame), call(frame)
                self.mix(len([item for item in list(items_of(sequence)) if closure.call([item])]))
            return Statement(f"mix({holder.text}.filter({body}).length());", run)
        return self.choose([(6, add), (2, insert), (2, remove_at), (2, reverse), (2, mapped), (2, filtered),
                            (4, lambda: self.change_array_element(var, holder)),
                            (2, lambda: self.sorting(var, holder))])

    def change_array_element(self, var, holder):
        index, expr = self.index(2), self.value(var.type.args[0], 3)

        def run(frame):
            sequence, at = holder.run(frame), index.run(frame)
            value = expr.run(frame)
            sequence.items[checked_index(sequence, at)] = value
        return Statement(f"{holder.text}[{index.text}] = {expr.text};", run)

    def mix(self, value):
        cell = self.machine.globals["trace"]
        self.machine.step()
        cell[0] = scalars.wrap(cell[0] * 31 + value, "ulong")

    def change_dict(self, var, holder):
        key_type, value_type = var.type.args
        key = self.value(key_type, 2)

        def put():
            expr = self.value(value_type, 3)

            def run(frame):
                table, at = holder.run(frame), key.run(frame)
                value = expr.run(frame)
                entries_of(table)[at] = value
            return Statement(f"{holder.text}[{key.text}] = {expr.text};", run)

        def remove():
            def run(frame):
                table, at = holder.run(frame), key.run(frame)
                self.mix(1 if at in entries_of(table) else 0)
                entries_of(table).pop(at, None)
            return Statement(f"mix({holder.text}.remove({key.text}) ? 1 : 0);", run)

        def try_get():
            target = self.assignable(lambda v: v.type is value_type and v.place == "local")
            if target is None:
                return None

            def run(frame):
                table, at = holder.run(frame), key.run(frame)
                found = at in entries_of(table)
                frame[target.name][0] = entries_of(table).get(at, default_of(value_type))
                self.mix(1 if found else 0)
            return Statement(f"mix({holder.text}.tryGet({argument(key)}, out {target.name}) ? 1 : 0);", run)
        return self.choose([(5, put), (2, remove), (2, try_get)])

    def change_set(self, var, holder):
        expr = self.value(var.type.args[0], 2)
        name = self.random.choice(["add", "add", "remove"])

        def run(frame):
            table, at = holder.run(frame), expr.run(frame)
            known = at in entries_of(table)
            self.mix(1 if known == (name == "remove") else 0)
            if name == "add":
                entries_of(table).setdefault(at)
            else:
                entries_of(table).pop(at, None)
        return Statement(f"mix({holder.text}.{name}({expr.text}) ? 1 : 0);", run)


def cell_place(cell):
    return lambda: cell[0], lambda value: cell.__setitem__(0, value)


def is_utf8(text):
    try:
        text.decode()
        return True
    except UnicodeDecodeError:
        return False
