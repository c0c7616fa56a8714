"""Structs, objects, containers, boxes and lambdas."""
from model import INT, OBJECT, VOID, Closure, Expr, Frame, Return, Sequence, Table, Var, box, default_of
from operators import CAST, CONDITION, LAMBDA, POSTFIX, UNARY, argument, operand


class AggregateExpressions:
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
            return Expr(f"{operand(inner, CAST)} as Object", OBJECT, lambda frame: box(inner.run(frame), inner.type),
                        CAST)
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
