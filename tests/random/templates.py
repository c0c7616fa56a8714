"""Statements of a fixed form with random parts, and the declarations that they and generic expressions use."""
from control import Control
from model import INT, STRING, Sequence, Var, list_of, text_of
from operators import argument, items_of, operand
from statements import Statement

FIXED = """\
T pick<T>(bool first, T a, T b) { return first ? a : b; }
T biggest<T : Comparable<T>>(T a, T b) { return a.compareTo(b) >= 0 ? a : b; }
T lastOf<T>(List<T> items) { return items.last(); }
T[] same<T>(T[] items) { return items; }
class Holder<T> {
    private T value;
    Holder(T value) { this.value = value; }
    public virtual T get() { return value; }
}
struct Pair<A, B> {
    A a;
    B b;
    Pair<B, A> swapped() { return {a: b, b: a}; }
}
class Chain<T> implements Iterable<T> {
    public T value;
    public Chain<T> rest;
    Chain(T value, Chain<T> rest) { this.value = value; this.rest = rest; }
    public Iterator<T> iterator() { return Walk<T>(this); }
    public Chain<R> map<R>(func<R, T> f) { return Chain<R>(f(value), rest == null ? null : rest.map<R>(f)); }
}
class Walk<T> implements Iterator<T> {
    private Chain<T> at;
    Walk(Chain<T> at) { this.at = at; }
    public bool hasNext() { return at != null; }
    public T next() {
        T value = at.value;
        at = at.rest;
        return value;
    }
}
class Tag {
    public int n;
    Tag(int n) { this.n = n; }
    public bool equals(Object other) { return other is Tag && (other as Tag).n % 5 == n % 5; }
    public int hashCode() { return n % 5 % 2; }
    public string toString() { return "#${n}"; }
}
class Resource implements Closeable {
    private List<int> log;
    private int id;
    Resource(List<int> log, int id) { this.log = log; this.id = id; log.add(id); }
    public void close() { log.add(-id); }
}"""


class Templates(Control):
    def own_keys(self, depth):
        """A dictionary whose keys have an equality of their own: alike are those with the same remainder by 5."""
        name, at = self.fresh("tags"), self.fresh("i")
        count, type = self.random.randrange(1, 9), self.any_type()
        before, self.variables = self.variables, self.variables + [Var(at, INT, assignable=False)]
        key, value, asked = self.typed(INT, 2), self.value(type, 2), self.typed(INT, 2)
        self.variables = before
        remove = self.chance(40)

        def run(frame):
            entries = []

            def find(n):
                return next((e for e in entries if e[0] % 5 == n % 5), None)
            for i in range(count):
                self.machine.step()
                frame[at] = [i]
                n = key.run(frame) & 31
                made = value.run(frame)
                found = find(n)
                if found:
                    found[1] = made
                else:
                    entries.append([n, made])
                n = asked.run(frame) & 31
                found = find(n)
                if remove:
                    if found:
                        entries.remove(found)
                self.mix(1 if found else 0)
            self.mix(sum(len(b"#%d" % n) + 2 + len(text_of(v, type)) for n, v in entries) + 2
                     + 2 * max(0, len(entries) - 1))
        ask = "remove" if remove else "containsKey"
        return Statement([f"Dict<Tag, {type}> {name} = {{}};", f"for (int {at} = 0; {at} < {count}; {at}++) {{",
                          f"    {name}[Tag({operand(key, 8)} & 31)] = {value.text};",
                          f"    mix({name}.{ask}(Tag({operand(asked, 8)} & 31)) ? 1 : 0);", "}",
                          f"mix(\"${{{name}}}\".length());"], run)

    def using_statement(self, depth):
        """A resource is closed on every way out, and before what follows."""
        log, name, number = self.fresh("log"), self.fresh("r"), self.random.randrange(1, 100)
        body = self.block(3, depth - 1)
        outer = self.fresh("r") if self.chance(30) else None

        def run(frame):
            frame[log] = [Sequence(list_of(INT), [])]
            items = frame[log][0].items

            def inside():
                items.append(number)
                try:
                    body.run(frame)
                finally:
                    items.append(-number)
            try:
                if outer:
                    items.append(1000)
                    try:
                        inside()
                    finally:
                        items.append(-1000)
                else:
                    inside()
            finally:
                self.mix(sum((i + 1) * v for i, v in enumerate(items)))
        lines = [f"using (var {name} = Resource({log}, {number})) {{", *body.lines, "}"]
        if outer:
            lines = [f"using (Resource {outer} = Resource({log}, 1000)) {{", *["    " + line for line in lines], "}"]
        total, at = self.fresh("v"), self.fresh("i")
        return Statement([f"List<int> {log} = [];", "try {", *["    " + line for line in lines], "} finally {",
                          f"    int {total} = 0;",
                          f"    for (int {at} = 0; {at} < {log}.length(); {at}++) {{",
                          f"        {total} += ({at} + 1) * {log}[{at}]; }}",
                          f"    mix({total});", "}"], run, body.leaves)

    def own_walk(self, depth):
        """`foreach` over an iterator of the program, of a generic class."""
        type, name, each = self.any_type(), self.fresh("chain"), self.fresh("e")
        items = [self.value(type, 2) for _ in range(self.random.randrange(1, 5))]
        text = "null"
        for item in reversed(items):
            text = f"Chain<{type}>({argument(item)}, {text})"
        label, body = self.loop_body(3, depth, [Var(each, type, assignable=False)])
        mapped = self.lambda_body([type], STRING, 2) if self.chance(50) else None

        def run(frame):
            values = [item.run(frame) for item in items]
            for value in values:
                frame[each] = [value]
                if not self.round(body, label, frame):
                    break
            if mapped:
                closure = mapped[1](frame)
                length = [len(closure.call([value])) for value in values]
                self.mix(sum(length))
        lines = [f"Chain<{type}> {name} = {text};",
                 (f"{label}: " if label else "") + f"foreach ({type} {each} in {name}) {{",
                 *body.lines, "}"]
        if mapped:
            total, part = self.fresh("v"), self.fresh("e")
            lines += [f"int {total} = 0;",
                      f"foreach (var {part} in {name}.map<string>({mapped[0]})) {{ {total} += {part}.length(); }}",
                      f"mix({total});"]
        return Statement(lines, run)

    def sorted_structs(self):
        """A stable sort of values by one of their fields."""
        var = self.find(lambda v: v.type.kind in ("list", "array") and v.type.args[0].kind == "struct"
                        and self.visible(v))
        if var is None:
            return None
        struct = var.type.args[0]
        fields = [(i, f) for i, f in enumerate(struct.declaration.fields) if f.type.is_integer]
        if not fields:
            return None
        at, field = self.random.choice(fields)
        holder, a, b = self.read(var), self.fresh("p"), self.fresh("p")

        def run(frame):
            items_of(holder.run(frame)).sort(key=lambda value: value[at])
        return Statement(f"{holder.text}.sort("
                         f"({struct} {a}, {struct} {b}) => {a}.{field.name}.compareTo({b}.{field.name}));", run)
