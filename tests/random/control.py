"""Branches, loops, `switch`, exceptions, and statements with threads in them."""
import scalars
from model import (BOOL, CHAR, INT, NUMBER_TYPES, STRING, VOID, Break, Continue, Expr, Frame, Return, Thrown, Var,
                   fault, func_of, text_of, unspecified)
from operators import operand
from statements import Block, Statement, Statements, is_utf8


class Control(Statements):
    # ---------------------------------------------------------------- control

    def plain_block(self, depth):
        body = self.block(3, depth - 1)
        return Statement(["{", *body.lines, "}"], body.run, body.leaves)

    def if_statement(self, depth):
        condition = self.typed(BOOL, 3)
        then = self.block(4, depth - 1)
        otherwise = self.block(3, depth - 1) if self.chance(50) else None

        def run(frame):
            if condition.run(frame):
                then.run(frame)
            elif otherwise:
                otherwise.run(frame)
        lines = [f"if ({condition.text}) {{", *then.lines, "}"]
        if otherwise:
            lines[-1:] = ["} else {", *otherwise.lines, "}"]
        leaves = bool(otherwise) and then.leaves and otherwise.leaves
        return Statement(lines, run, leaves)

    def loop_body(self, size, depth, extra):
        """The label of a loop and its body. Bodies end in a mix often, so that the number of rounds shows."""
        label = self.fresh("loop") if self.chance(30) else None
        kept = self.loops
        self.loops = self.loops + [label or "*"]
        body = self.block(size, depth - 1, extra)
        self.loops = kept
        return label, body

    def round(self, body, label, frame):
        """One iteration; False ends the loop."""
        self.machine.step()
        try:
            body.run(frame)
        except Continue as e:
            if e.label is not None and e.label != label:
                raise
        except Break as e:
            if e.label is not None and e.label != label:
                raise
            return False
        return True

    def for_statement(self, depth):
        name, count = self.fresh("i"), self.random.randrange(1, 7)
        var = Var(name, INT, assignable=False)
        label, body = self.loop_body(4, depth, [var])
        step = self.random.choice(["++", " += 2"])

        def run(frame):
            frame[name] = [0]
            while frame[name][0] < count:
                if not self.round(body, label, frame):
                    return
                frame[name] = [frame[name][0] + (1 if step == "++" else 2)]
        head = f"for (int {name} = 0; {name} < {count}; {name}{step}) {{"
        return Statement([(f"{label}: " if label else "") + head, *body.lines, "}"], run)

    def while_statement(self, depth):
        name, count = self.fresh("n"), self.random.randrange(1, 6)
        condition = self.typed(BOOL, 2)
        label, body = self.loop_body(4, depth, [Var(name, INT, assignable=False)])
        is_do = self.chance(40)

        def run(frame):
            frame[name] = [count]
            while True:
                if not is_do and not (frame[name][0] > 0 and condition.run(frame)):
                    return
                frame[name][0] -= 1
                if not self.round(body, label, frame):
                    return
                if is_do and not (frame[name][0] > 0 and condition.run(frame)):
                    return
        test = f"{name} > 0 && {operand(condition, 5)}"
        prefix = f"{label}: " if label else ""
        if is_do:
            lines = [f"int {name} = {count};", f"{prefix}do {{", f"    {name}--;", *body.lines, f"}} while ({test});"]
        else:
            lines = [f"int {name} = {count};", f"{prefix}while ({test}) {{", f"    {name}--;", *body.lines, "}"]
        return Statement(lines, run)

    def foreach_statement(self, depth):
        var = self.find(lambda v: v.type.kind in ("array", "list", "set", "dict", "string") and self.visible(v))
        name = self.fresh("e")
        if var is None or self.chance(35):
            low, high = self.typed(INT, 2), self.random.randrange(1, 7)
            label, body = self.loop_body(4, depth, [Var(name, INT, assignable=False)])

            def run_range(frame):
                start = low.run(frame) & 3
                for value in range(start, high):
                    frame[name] = [value]
                    if not self.round(body, label, frame):
                        return
            head = f"foreach (int {name} in (({low.text}) & 3)..{high}) {{"
            return Statement([(f"{label}: " if label else "") + head, *body.lines, "}"], run_range)
        return self.foreach_container(var, name, depth)

    def foreach_container(self, var, name, depth):
        holder = self.read(var)
        kind = var.type.kind
        pairs = kind == "dict" and self.chance(60)
        second = self.fresh("e") if pairs else None
        element = CHAR if kind == "string" else var.type.args[0]
        extra = [Var(name, element, assignable=False)]
        if pairs:
            extra.append(Var(second, var.type.args[1], assignable=False))
        # Whatever is walked is hidden from the body: changing it in the middle of its walk is an exception of its own.
        hidden, self.variables = self.variables, [v for v in self.variables if v.type is not var.type]
        label, body = self.loop_body(4, depth, extra)
        self.variables = hidden

        def run(frame):
            value = holder.run(frame)
            if kind == "string":
                items = [ord(c) for c in value.decode()] if is_utf8(value) else None
                if items is None:
                    raise unspecified()
            elif value is None:
                raise fault("NullPointerException")
            elif kind in ("array", "list"):
                items = value.items
            else:
                items = list(value.entries.items())
            count = len(items)
            for at in range(count):
                item = items[at]
                if kind in ("dict", "set"):
                    frame[name] = [item[0]]
                    if pairs:
                        frame[second] = [item[1]]
                else:
                    frame[name] = [item]
                if not self.round(body, label, frame):
                    return
                if kind == "list" and len(items) != count or kind in ("dict", "set") and len(value.entries) != count:
                    raise unspecified()
        heading = f"{var.type.args[0]} {name}, {var.type.args[1]} {second}" if pairs else f"{element} {name}"
        if not pairs and self.chance(30):
            heading = f"var {name}"
        head = f"foreach ({heading} in {holder.text}) {{"
        return Statement([(f"{label}: " if label else "") + head, *body.lines, "}"], run)

    def switch_statement(self, depth):
        type = self.choose([(4, lambda: INT), (2, lambda: STRING), (1, lambda: CHAR), (2, self.pick_integer),
                            (3, lambda: self.random.choice(self.enums).type if self.enums else None)])
        subject = self.typed(type, 3)
        if type.kind == "number" and self.chance(70):
            inner, level = subject, 9
            meet = scalars.mixed_constants(type.name, None, "int", 3)
            if meet in (type.name, "int") and not inner.constant:
                type = NUMBER_TYPES[meet]
                subject = Expr(f"{operand(inner, level)} & 3", type, lambda frame: inner.run(frame) & 3, level - 1)
        seen, cases = set(), []
        kept = self.loops
        self.loops = self.loops + ["#"]  # a bare break leaves the switch
        for _ in range(self.random.randrange(1, 5)):
            constants = []
            for _ in range(self.random.randrange(1, 3)):
                text, value = self.case_constant(type)
                if value not in seen:
                    seen.add(value)
                    constants.append((text, value))
            if constants:
                cases.append((constants, self.block(3, depth - 1)))
        default = self.block(3, depth - 1) if self.chance(60) or type.kind == "enum" else None
        self.loops = kept
        if not cases:
            return None

        def run(frame):
            value = subject.run(frame)
            body = next((body for constants, body in cases if any(value == c for _, c in constants)), default)
            try:
                if body is not None:
                    body.run(frame)
            except Break as e:
                if e.label is not None or isinstance(e, Continue):
                    raise
        lines = [f"switch ({subject.text}) {{"]
        for constants, body in cases:
            lines += [f"    case {', '.join(text for text, _ in constants)}:", *["    " + line for line in body.lines]]
        if default is not None:
            lines += ["    default:", *["    " + line for line in default.lines]]
        return Statement(lines + ["}"], run)

    def case_constant(self, type):
        if type.kind == "number":
            value = self.random.choice([0, 1, 2, 3, self.interesting(type.name)])
            value = value if scalars.fits(value, type.name) else 0
            if scalars.fits(value, "int"):
                return str(value), value
            return scalars.literal(value, type.name, self.random)[0], value
        expr = self.leaf(type)
        return expr.text, expr.run(None)

    def leave_loop(self):
        """`break` or `continue`, bare or with a label, guarded by a condition so that the loop goes on at times."""
        if not self.loops:
            return None
        labels = [label for label in self.loops if label not in ("*", "#")]
        word = self.random.choice(["break", "continue"])
        if word == "continue" and all(label == "#" for label in self.loops):
            return None
        label = self.random.choice(labels) if labels and self.chance(50) else None
        condition = self.typed(BOOL, 2)

        def run(frame):
            if condition.run(frame):
                raise (Break if word == "break" else Continue)(label)
        return Statement(f"if ({condition.text}) {{ {word}{' ' + label if label else ''}; }}", run)

    def return_statement(self, depth):
        if self.result_type is VOID:
            def run_void(frame):
                raise Return()
            return Statement("return;", run_void, True)
        type = self.result_type
        expr = self.typed(type, depth) if self.lambda_depth > 0 else self.value(type, depth)
        # In a lambda the common type of all returns must come out as the type that is wanted.
        text = f"({expr.text}) as {type}" if self.lambda_depth > 0 and type.is_number else expr.text

        def run(frame):
            raise Return(expr.run(frame))
        return Statement(f"return {text};", run, True)

    def early_return(self):
        if self.finally_depth > 0 or self.lambda_depth > 0:
            return None
        condition, leave = self.typed(BOOL, 2), self.return_statement(2)

        def run(frame):
            if condition.run(frame):
                leave.run(frame)
        return Statement([f"if ({condition.text}) {{", *["    " + line for line in leave.lines], "}"], run)

    # ---------------------------------------------------------------- exceptions

    def throw_statement(self):
        name = self.random.choice(self.exceptions)
        message = self.typed(STRING, 2)
        condition = self.typed(BOOL, 2)
        chain = self.exception_chains[name]

        def run(frame):
            if condition.run(frame):
                raise Thrown(chain, message.run(frame))
        return Statement(f"if ({condition.text}) {{ throw {name}({message.text}); }}", run)

    def try_statement(self, depth):
        body = self.block(4, depth - 1)
        clauses = []
        for _ in range(self.random.randrange(0, 3)):
            caught = self.random.choice(["Exception", "DivByZeroException", "IndexOutOfBoundsException",
                                         *self.exceptions])
            if caught in [name for name, _, _ in clauses] or "Exception" in [name for name, _, _ in clauses]:
                continue
            if any(known in self.exception_chains.get(caught, []) for known, _, _ in clauses):
                continue
            name = self.fresh("x")
            clauses.append((caught, name, self.catch_body(caught, name, depth)))
        last = None
        if not clauses or self.chance(50):
            self.finally_depth += 1
            kept, self.loops = self.loops, []
            last = self.block(3, depth - 1)
            self.loops = kept
            self.finally_depth -= 1

        def guarded(frame):
            try:
                body.run(frame)
            except Thrown as e:
                for caught, name, handler in clauses:
                    if caught in e.chain:
                        frame[name] = [e]
                        handler.run(frame)
                        return
                raise

        def run(frame):
            if last is None:
                guarded(frame)
                return
            try:
                guarded(frame)
            except Thrown as first:
                try:
                    last.run(frame)
                except Thrown as second:
                    if second is not first:
                        second.suppressed.append(first)
                    raise
                raise
            except BaseException:
                last.run(frame)
                raise
            last.run(frame)
        lines = ["try {", *body.lines, "}"]
        for caught, name, handler in clauses:
            lines[-1:] = [f"}} catch ({caught} {name}) {{", *handler.lines, "}"]
        if last is not None:
            lines[-1:] = ["} finally {", *last.lines, "}"]
        leaves = body.leaves and all(handler.leaves for _, _, handler in clauses)
        return Statement(lines, run, leaves)

    def catch_body(self, caught, name, depth):
        """What a clause does: the kind of the exception goes into the checksum, and sometimes it goes on its way."""
        kept, self.in_catch = self.in_catch, True
        body = self.block(3, depth - 1)
        self.in_catch = kept

        def note(frame):
            e = frame[name][0]
            self.mix(len(e.chain[0]) + len(e.suppressed) * 1000)
            if caught in self.exceptions:
                self.mix(len(e.message))
        text = f"mix(kindOf({name}).length() + {name}.suppressed.length() * 1000);"
        if caught in self.exceptions:
            text += f" mix({name}.message.length());"
        statements = [Statement(text, note), *body.statements]
        if self.chance(20) and not body.leaves:
            def rethrow(frame):
                raise frame[name][0]
            statements.append(Statement("throw;" if self.chance(70) else f"throw {name};", rethrow, True))
        return Block(statements)

    # ---------------------------------------------------------------- lambdas and threads

    def closures_of_loop(self, depth):
        """Lambdas that capture the variables of a loop, called after it."""
        result, functions, at = self.random.choice([INT, STRING, self.any_type()]), self.fresh("fs"), self.fresh("i")
        type = func_of(result)
        count, inner = self.random.randrange(2, 5), self.fresh("v")
        inner_type = self.any_type()
        start = self.value(inner_type, 2)
        extra = [Var(at, INT, assignable=False), Var(inner, inner_type)]
        before, self.variables = self.variables, self.variables + extra
        body, call = self.lambda_body([], result, depth)
        after = self.assignment() if self.chance(60) else None
        self.variables = before
        each = self.fresh("f")
        measure = f"mix(\"${{{each}()}}\".length());"

        def run(frame):
            made = []
            for i in range(count):
                self.machine.step()
                frame[at] = [i]
                frame[inner] = [start.run(frame)]
                made.append(call(frame))
                if after:
                    after.run(frame)
            for closure in made:
                self.machine.step()
                self.mix(len(text_of(closure.call([]), result)))
        counted, ranged = f"for (int {at} = 0; {at} < {count}; {at}++) {{", f"foreach (int {at} in 0..{count}) {{"
        head = counted if self.chance(50) else ranged
        lines = [f"List<{type}> {functions} = [];", head, f"    {inner_type} {inner} = {start.text};",
                 f"    {functions}.add({body});", *(["    " + line for line in after.lines] if after else []), "}",
                 f"foreach ({type} {each} in {functions}) {{ {measure} }}"]
        return Statement(lines, run)

    def thread_statement(self, depth):
        """A thread that is joined at once."""
        kept = (self.result_type, self.loops, self.finally_depth, self.in_catch)
        self.result_type, self.loops, self.finally_depth, self.in_catch = VOID, [], 1, False
        self.lambda_depth += 1
        body = self.block(4, depth - 1)
        self.lambda_depth -= 1
        self.result_type, self.loops, self.finally_depth, self.in_catch = kept

        def run(frame):
            body.run(Frame(frame))
        return Statement(["thread.spawn(() => {", *body.lines, "}).join();"], run)

    def channel_statement(self, depth):
        """One sender, one receiver: what arrives is what was sent, in order. Whoever joins is told of a failure."""
        type, count = self.any_type(), self.random.randrange(1, 7)
        name, at, got, sender = self.fresh("ch"), self.fresh("i"), self.fresh("e"), self.fresh("t")
        self.lambda_depth += 1
        before, self.variables = self.variables, self.variables + [Var(at, INT, assignable=False)]
        sent = self.value(type, 2) if not self.functions else self.pure(type)
        self.variables = before
        self.lambda_depth -= 1
        capacity = self.random.randrange(4)

        def run(frame):
            values, failure = [], None
            try:
                for i in range(count):
                    self.machine.step()
                    inner = Frame(frame)
                    inner[at] = [i]
                    values.append(sent.run(inner))
            except Thrown as thrown:
                failure = thrown
            for value in values:
                self.mix(len(text_of(value, type)))
            if failure:
                raise failure
        return Statement([
            f"Channel<{type}> {name} = Channel<{type}>({capacity});",
            f"Thread {sender} = thread.spawn(() => {{",
            f"    try {{ for (int {at} = 0; {at} < {count}; {at}++) {{ {name}.send({sent.text}); }} }} "
            f"finally {{ {name}.close(); }}",
            "});",
            f"foreach ({type} {got} in {name}) {{ mix(\"${{{got}}}\".length()); }}", f"{sender}.join();"], run)

    def pure(self, type):
        """A value that neither throws nor changes anything, so that it does not matter when it is computed."""
        return self.variable(type) or self.leaf(type)

    def lock_statement(self, depth):
        """A mutex of its own: nothing else can hold it."""
        name, body = self.fresh("m"), self.block(3, depth - 1)
        return Statement([f"Mutex {name} = {{}};", f"lock ({name}) {{", *body.lines, "}"], body.run, body.leaves)
