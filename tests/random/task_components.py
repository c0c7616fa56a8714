"""The components of programs of threads (see tasks.py): each makes the lines of a function's body and the value that
the function returns.

Where a component uses a random function it stands in `func<long, int> work`; `total(…)` sums what it returns. A thread
that tries again and again sleeps in between: if it only yielded, virtual time would stand still for ever.
"""
import scalars

COMPONENTS = []


def component(make):
    COMPONENTS.append(make)
    return make


def wrapped(value):
    return scalars.wrap(value, "long")


def start(around):
    """The line that names the work, and its value."""
    name, value = around.work()
    cache = {}

    def known(i):
        if i not in cache:
            cache[i] = value(i)
        return cache[i]
    return f"func<long, int> work = {name};", known


def total(values):
    return wrapped(sum(values))


def pause(around):
    """Something that may let others run, or nothing."""
    return around.random.choice(["", "", "thread.yield();", "thread.sleep(1);",
                                 f"thread.sleep({around.random.randrange(6)});"])


@component
def futures(around):
    """Results of threads, taken in some order."""
    line, value = start(around)
    count = around.random.randrange(1, 9)
    collect = around.random.choice([
        "for (int k = 0; k < futures.length(); k++) { sum += futures[k].get() * (k + 1); }",
        "for (int k = futures.length() - 1; k >= 0; k--) { sum += futures[k].get() * (k + 1); }",
        "List<long> all = Future.all(futures); for (int k = 0; k < all.length(); k++) { sum += all[k] * (k + 1); }",
        "foreach (Future<long> f in futures) { f.join(); } "
        "int k = 0; foreach (Future<long> f in futures) { k++; sum += f.get() * k; }",
        "int k = 0; foreach (Future<long> f in futures) { k++; sum += f.get(1000000) * k; }"])
    return [line, "List<Future<long>> futures = [];",
            f"for (int i = 0; i < {count}; i++) {{ futures.add(thread.spawn<long>(() => work(i))); {pause(around)} }}",
            "long sum = 0;", collect, "return sum;"], total((i + 1) * value(i) for i in range(count))


@component
def chained(around):
    """`then` after `then`."""
    line, value = start(around)
    links = around.random.randrange(1, 6)
    lines = [line, "Future<long> f0 = thread.spawn<long>(() => work(0));"]
    result = value(0)
    for n in range(1, links + 1):
        lines.append(f"Future<long> f{n} = "
                     f"f{n - 1}.then<long>((long x) => {{ {pause(around)} return x * 3 + work({n}); }});")
        result = wrapped(result * 3 + value(n))
    return lines + [f"return f{links}.get();"], result


@component
def fan_in(around):
    """Several senders and receivers on one channel; the last sender closes it."""
    line, value = start(around)
    senders, each = around.random.randrange(1, 5), around.random.randrange(1, 6)
    receivers = around.random.randrange(1, 4)
    send = around.random.choice(["ch.send(work(n));", "ch.send(work(n), 1000000000);",
                                 "long v = work(n); while (!ch.trySend(v)) { thread.sleep(1); }"])
    receive = around.random.choice([
        "foreach (long v in ch) { mine += v; }",
        "try { while (true) { mine += ch.recv(); } } catch (ChannelClosedException e) { }",
        "try { while (true) { long v; if (ch.tryRecv(out v)) { mine += v; } else { thread.sleep(1); } } } "
        "catch (ChannelClosedException e) { }",
        "try { while (true) { mine += ch.recv(1000000000); } } catch (ChannelClosedException e) { }"])
    # A sender that only tries needs a place to put things or a receiver that waits.
    capacity = around.random.randrange(1 if "try" in send or "tryRecv" in receive else 0, 5)
    return [line, f"Channel<long> ch = Channel<long>({capacity});", f"AtomicInt left = AtomicInt({senders});",
            f"for (int s = 0; s < {senders}; s++) {{",
            "    thread.spawn(() => {",
            f"        try {{ for (int k = 0; k < {each}; k++) {{ int n = s * {each} + k; {send} {pause(around)} }} }}",
            "        finally { if (left.add(-1) == 0) { ch.close(); } }",
            "    });", "}",
            "List<Future<long>> sums = [];",
            f"for (int r = 0; r < {receivers}; r++) {{",
            f"    sums.add(thread.spawn<long>(() => {{ long mine = 0; {receive} return mine; }}));",
            "}",
            "long sum = 0;", "foreach (Future<long> f in sums) { sum += f.get(); }", "return sum;"], \
        total(value(n) for n in range(senders * each))


LOCKS = [  # declaration, and what adds x to `sum` as one
    ("Mutex m = {};", "lock (m) { long t = sum; PAUSE sum = t + x; }"),
    ("Mutex m = {};", "m.lock(); try { long t = sum; PAUSE sum = t + x; } finally { m.unlock(); }"),
    ("Mutex m = {};", "while (!m.tryLock()) { thread.sleep(1); } long t = sum; PAUSE sum = t + x; m.unlock();"),
    ("Mutex m = {};", "m.lock(1000000000); long t = sum; PAUSE sum = t + x; m.unlock();"),
    ("ReentrantMutex m = {};", "lock (m) { long t = sum; lock (m) { PAUSE sum = t + x; } }"),
    ("Semaphore m = Semaphore(1);", "m.acquire(); try { long t = sum; PAUSE sum = t + x; } finally { m.release(); }"),
    ("Semaphore m = Semaphore(1);",
     "while (!m.tryAcquire()) { thread.sleep(1); } long t = sum; PAUSE sum = t + x; m.release();"),
    ("concurrent.RwLock m = concurrent.RwLock();",
     "m.lockWrite(); try { long t = sum; PAUSE sum = t + x; } finally { m.unlockWrite(); }"),
    ("concurrent.RwLock m = concurrent.RwLock();",
     "m.write(() => { long t = sum; PAUSE sum = t + x; return t; }); m.read(() => sum);"),
    ("AtomicLong a = AtomicLong(0);", "a.add(x);"),
    ("AtomicLong a = AtomicLong(0);",
     "while (true) { long t = a.get(); PAUSE if (a.compareAndSet(t, t + x)) { break; } }"),
    ("Channel<long> a = Channel<long>(1); a.send(0);", "long t = a.recv(); PAUSE a.send(t + x);"),
]


@component
def counters(around):
    """A sum that every thread adds to, behind some kind of lock."""
    line, value = start(around)
    threads, each = around.random.randrange(2, 7), around.random.randrange(1, 6)
    declaration, add = around.random.choice(LOCKS)
    add = add.replace("PAUSE", pause(around))
    wait = around.random.choice([
        ("List<Thread> ts = [];", "ts.add(thread.spawn(BODY));", "foreach (Thread t in ts) { t.join(); }"),
        ("concurrent.WaitGroup group = concurrent.WaitGroup();",
         "group.add(1); thread.spawn(() => { try { func<void> f = BODY; f(); } finally { group.done(); } });",
         "group.wait();"),
        (f"concurrent.CountDownLatch latch = concurrent.CountDownLatch({threads});",
         "thread.spawn(() => { func<void> f = BODY; f(); latch.countDown(); });", "latch.wait();"),
        ("concurrent.TaskGroup group = concurrent.TaskGroup();", "group.spawn(BODY);", "group.join();"),
        ("", "", "using (var group = concurrent.TaskGroup()) { "
                 f"for (int s = 0; s < {threads}; s++) {{ group.spawn(BODY); }} }}")])
    body = f"() => {{ for (int k = 0; k < {each}; k++) {{ long x = work(s * {each} + k); {add} }} }}"
    result = "sum"
    if " a = " in declaration:
        result = "a.recv()" if "Channel" in declaration else "a.get()"
    lines = [line, "long sum = 0;", declaration]
    if wait[0]:
        lines += [wait[0], f"for (int s = 0; s < {threads}; s++) {{ {wait[1].replace('BODY', body)} }}"]
    lines.append(wait[2].replace("BODY", body))
    return lines + [f"return {result};"], total(value(n) for n in range(threads * each))


@component
def limited(around):
    """A semaphore lets at most so many in; the largest number seen is no larger."""
    line, value = start(around)
    permits, threads = around.random.randrange(1, 4), around.random.randrange(2, 9)
    return [line, f"Semaphore door = Semaphore({permits});", "AtomicInt inside = AtomicInt(0);",
            "AtomicInt crowded = AtomicInt(0);",
            "AtomicLong sum = AtomicLong(0);", "List<Thread> ts = [];",
            f"for (int i = 0; i < {threads}; i++) {{",
            "    ts.add(thread.spawn(() => {",
            "        door.acquire();",
            f"        try {{ if (inside.add(1) > {permits}) {{ crowded.add(1); }} {pause(around)} sum.add(work(i)); }}",
            "        finally { inside.add(-1); door.release(); }",
            "    }));", "}", "foreach (Thread t in ts) { t.join(); }",
            "return sum.get() * 10 + crowded.get() + inside.get();"], \
        wrapped(total(value(i) for i in range(threads)) * 10)


@component
def pipeline(around):
    """Stages joined by channels; with one thread a stage the order stays."""
    line, value = start(around)
    count, stages = around.random.randrange(1, 8), around.random.randrange(1, 5)
    lines = [line, f"Channel<long> c0 = Channel<long>({around.random.randrange(3)});",
             f"thread.spawn(() => {{ for (int i = 0; i < {count}; i++) {{ c0.send(work(i)); {pause(around)} }} "
             f"c0.close(); }});"]
    values = [value(i) for i in range(count)]
    for n in range(1, stages + 1):
        lines += [f"Channel<long> c{n} = Channel<long>({around.random.randrange(3)});",
                  f"thread.spawn(() => {{ try {{ foreach (long v in c{n - 1}) {{ "
                  f"{pause(around)} c{n}.send(v * {n + 1} + {n}); }} }} "
                  f"finally {{ c{n}.close(); }} }});"]
        values = [wrapped(v * (n + 1) + n) for v in values]
    result = 0
    for v in values:
        result = wrapped(result * 31 + v)
    return lines + ["long sum = 0;", f"foreach (long v in c{stages}) {{ sum = sum * 31 + v; }}", "return sum;"], result


@component
def library_pipeline(around):
    line, value = start(around)
    count, workers = around.random.randrange(1, 8), around.random.randrange(1, 4)
    return [line, "List<int> numbers = [];", f"for (int i = 0; i < {count}; i++) {{ numbers.add(i); }}",
            "List<long> source = numbers.map<long>((int i) => work(i));",
            "concurrent.Pipeline<long> p = concurrent.Pipeline<long>(source);",
            f"p.stage((long v) => {{ {pause(around)} return v * 3; }}, {workers}).stage((long v) => v + 1);",
            "long sum = 0;", "foreach (long v in p.collect()) { sum += v; }", "return sum;"], \
        total(wrapped(value(i) * 3) + 1 for i in range(count))


@component
def ring(around):
    """A token goes round and grows."""
    line, value = start(around)
    size, rounds = around.random.randrange(1, 6), around.random.randrange(1, 4)
    result = 0
    for _ in range(rounds):
        for n in range(size):
            result = wrapped(result * 3 + value(n))
    return [line, "List<Channel<long>> links = [];",
            f"for (int n = 0; n <= {size}; n++) {{ links.add(Channel<long>({around.random.randrange(2)})); }}",
            f"for (int n = 0; n < {size}; n++) {{",
            f"    thread.spawn(() => {{ for (int r = 0; r < {rounds}; r++) {{",
            f"        long v = links[n].recv(); {pause(around)} links[n + 1].send(v * 3 + work(n)); }} }});",
            "}", "long token = 0;",
            f"for (int r = 0; r < {rounds}; r++) {{ links[0].send(token); token = links[{size}].recv(); }}",
            "return token;"], result


@component
def phases(around):
    """Threads that wait for each other at a barrier; nobody is a phase ahead."""
    line, value = start(around)
    threads, rounds = around.random.randrange(1, 5), around.random.randrange(1, 4)
    return [line, f"concurrent.Barrier barrier = concurrent.Barrier({threads});",
            f"int[] reached = new int[{threads}];",
            "AtomicInt wrong = AtomicInt(0);", "AtomicLong sum = AtomicLong(0);",
            "concurrent.TaskGroup group = concurrent.TaskGroup();",
            f"for (int n = 0; n < {threads}; n++) {{",
            "    group.spawn(() => {",
            f"        for (int r = 1; r <= {rounds}; r++) {{",
            f"            reached[n] = r; {pause(around)} sum.add(work(n * 10 + r)); barrier.wait();",
            "            foreach (int other in reached) { if (other < r) { wrong.add(1); } }",
            "            barrier.wait();", "        }", "    });", "}", "group.join();",
            "return sum.get() * 10 + wrong.get();"], \
        wrapped(total(value(n * 10 + r) for n in range(threads) for r in range(1, rounds + 1)) * 10)


WAITS = [  # what never ends by itself
    "thread.sleep(1000000000);", "never.recv();", "gate.acquire();", "hopeless.future().get();", "held.lock();",
    "lock (held) { }", "idle.join();", "never.send(1);",
    "select { case long v = never.recv(): case timeout(1000000000): }",
    "select { case long v = never.recv(): case never.send(1): case hopeless.future().get(): }",
    "while (true) { thread.sleep(1); thread.yield(); }", "while (true) { thread.checkCancelled(); thread.sleep(3); }",
    "foreach (long v in never) { }", "never.recv(1000000000);", "condition.wait(other);"]


@component
def cancellation(around):
    """Threads that wait for ever are cancelled; each cleans up exactly once."""
    threads = around.random.randrange(1, 7)
    lines = ["Channel<long> never = {};", "Semaphore gate = Semaphore(0);", "Promise<long> hopeless = {};",
             "Mutex held = {};",
             "held.lock();", "Mutex other = {};", "concurrent.Condition condition = concurrent.Condition();",
             "Thread idle = thread.spawn(() => {",
             "    try { thread.sleep(1000000000); } catch (CancelledException e) { } });",
             "AtomicInt cleaned = AtomicInt(0);", "AtomicInt late = AtomicInt(0);", "List<Thread> ts = [];"]
    for n in range(threads):
        wait = around.random.choice(WAITS)
        if "condition" in wait:
            wait = "lock (other) { condition.wait(other); }"
        if "never.send" in wait and "select" not in wait or "never.recv" in wait or "in never" in wait:
            # A sender and a receiver would meet.
            wait = wait.replace("never", f"never{n}")
            lines.append(f"Channel<long> never{n} = {{}};")
            wait = wait.replace(f"case never{n}.send(1): ", "")
        clean = around.random.choice([
            "cleaned.add(1);", "thread.shield(() => { thread.sleep(2); cleaned.add(1); });",
            "thread.shield(() => { thread.yield(); }); cleaned.add(1);",
            "try { thread.yield(); late.add(1); } finally { cleaned.add(1); }"])
        lines.append(f"ts.add(thread.spawn(() => {{ try {{ {wait} late.add(1); }} finally {{ {clean} }} }}));")
    lines += [around.random.choice(["", "thread.yield();", "thread.sleep(1);", "thread.sleep(10);"]),
              around.random.choice(["foreach (Thread t in ts) { t.cancel(); }",
                                    "for (int k = ts.length() - 1; k >= 0; k--) { ts[k].cancel(); ts[k].cancel(); }"]),
              "int ended = 0;",
              "foreach (Thread t in ts) { try { t.join(); } catch (CancelledException e) { ended++; } }",
              "held.unlock();", "idle.cancel();", "idle.join();",
              "foreach (Thread t in ts) { if (t.isDone() && t.isCancelled()) { ended += 100; } }",
              "return ended * 10000 + cleaned.get() * 100 + late.get();"]
    return lines, threads * 101 * 10000 + threads * 100


@component
def group_failure(around):
    """The first of a group to fail cancels the others."""
    line, value = start(around)
    children, failing = around.random.randrange(1, 6), around.random.randrange(1, 3)
    wait = around.random.choice(["thread.sleep(1000000000);", "never.recv();", "while (true) { thread.sleep(7); }",
                                 "lock (m) { condition.wait(m); }"])
    return [line, "Channel<long> never = {};", "Mutex m = {};",
            "concurrent.Condition condition = concurrent.Condition();",
            "AtomicLong cleaned = AtomicLong(0);", "concurrent.TaskGroup group = concurrent.TaskGroup();",
            f"for (int n = 0; n < {children}; n++) {{",
            f"    group.spawn(() => {{ try {{ {wait} }} finally {{ cleaned.add(1); }} }});",
            "}",
            f"for (int n = 0; n < {failing}; n++) {{",
            "    group.spawn(() => { thread.sleep(5 + n * 10); throw ThirdError(\"${work(n)}\"); });",
            "}",
            "long told = 0;",
            "try { group.join(); } catch (ThirdError e) { told = e.message.toLong() + e.suppressed.length(); }",
            "return told * 100 + cleaned.get();"], wrapped(value(0) * 100 + children)


@component
def timeouts(around):
    """What is in time and what is too late."""
    lines, result = ["long score = 0;"], 0
    for n in range(around.random.randrange(1, 6)):
        early, late = around.random.sample(range(1, 60), 2)
        kind = around.random.randrange(6)
        in_time = early < late  # the event comes after `early`, the patience lasts `late`
        if kind == 0:
            lines += [f"Channel<int> c{n} = Channel<int>(1);",
                      f"thread.spawn(() => {{ thread.sleep({early}); c{n}.send({n + 5}); }});",
                      f"try {{ score += c{n}.recv({late}); }} "
                      f"catch (TimeoutException e) {{ score += 1000; score += c{n}.recv(); }}"]
            result += n + 5 + (0 if in_time else 1000)
        elif kind == 1:
            lines += [f"Future<int> f{n} = thread.spawn<int>(() => {{ thread.sleep({early}); return {n + 3}; }});",
                      f"try {{ score += f{n}.get({late}); }} catch (TimeoutException e) {{ score += 2000; }}"]
            result += n + 3 if in_time else 2000
        elif kind == 2:
            lines += [f"Mutex m{n} = {{}};",
                      f"Thread h{n} = thread.spawn(() => {{ lock (m{n}) {{ thread.sleep({early}); }} }});",
                      # It holds the lock before anybody else asks: it runs until it sleeps, and only then does time
                      # pass.
                      f"thread.sleep(0); while (m{n}.tryLock()) {{ m{n}.unlock(); thread.yield(); }}",
                      f"try {{ m{n}.lock({late}); score += 7; m{n}.unlock(); }} "
                      f"catch (TimeoutException e) {{ score += 3000; }}", f"h{n}.join();"]
            result += 7 if in_time else 3000
        elif kind == 3:
            lines += [f"Semaphore s{n} = Semaphore(0);",
                      f"thread.spawn(() => {{ thread.sleep({early}); s{n}.release(); }});",
                      f"try {{ s{n}.acquire({late}); score += 9; }} "
                      f"catch (TimeoutException e) {{ score += 4000; s{n}.acquire(); }}"]
            result += 9 if in_time else 4000
        elif kind == 4:
            lines += [f"Channel<int> d{n} = {{}};",
                      f"Thread r{n} = thread.spawn(() => {{",
                      f"    thread.sleep({early}); int v; if (d{n}.tryRecv(out v)) {{ }} }});",
                      f"try {{ d{n}.send(1, {late}); score += 11; }} catch (TimeoutException e) {{ score += 5000; }}",
                      f"r{n}.join();"]
            result += 11 if in_time else 5000
        else:
            lines += [f"Channel<int> e{n} = Channel<int>(1);",
                      f"thread.spawn(() => {{ thread.sleep({early}); e{n}.send({n + 1}); }});",
                      f"select {{ case int v = e{n}.recv(): score += v; case timeout({late}): score += 6000; }}"]
            result += n + 1 if in_time else 6000
    return lines + ["return score;"], result


@component
def clock(around):
    """Virtual time passes by exactly what is slept."""
    naps = [around.random.randrange(1, 30) for _ in range(around.random.randrange(1, 5))]
    lines = ["long before = time.millis();",
             *[f"Thread t{n} = thread.spawn(() => {{ thread.sleep({nap}); }});" for n, nap in enumerate(naps)],
             *[f"t{n}.join();" for n in range(len(naps))], "long together = time.millis() - before;",
             *[f"thread.sleep({nap});" for nap in naps], "return together * 1000 + time.millis() - before;"]
    return lines, max(naps) * 1000 + max(naps) + sum(naps)


@component
def tickers(around):
    period, ticks = around.random.randrange(1, 9), around.random.randrange(1, 6)
    return [f"concurrent.Ticker ticker = concurrent.Ticker({period});", "long sum = 0;",
            f"for (int n = 0; n < {ticks}; n++) {{ sum = sum * 10 + ticker.next(); }}", "ticker.close();",
            "return sum;"], \
        int("".join(str(n) for n in range(1, ticks + 1)))


@component
def first_of_many(around):
    """`selectAny` gives the one that is done first."""
    naps = around.random.sample(range(1, 50), around.random.randrange(1, 6))
    return ["List<Future<int>> futures = [];",
            *[f"futures.add(thread.spawn<int>(() => {{ thread.sleep({nap}); return {n * 7}; }}));"
              for n, nap in enumerate(naps)],
            "int first = Future.selectAny(futures);", "long result = first * 1000 + futures[first].get();",
            "foreach (Future<int> f in futures) { f.cancel(); }",
            "foreach (Future<int> f in futures) {",
            "    try { f.join(); } catch (CancelledException e) { result += 100000; }",
            "}",
            "return result;"], naps.index(min(naps)) * 1007 + 100000 * (len(naps) - 1)


@component
def selecting(around):
    """One thread takes from many channels until it has everything."""
    line, value = start(around)
    channels = around.random.randrange(1, 5)
    counts = [around.random.randrange(1, 5) for _ in range(channels)]
    lines = [line]
    for n, count in enumerate(counts):
        sent = "v" if around.chance(70) else "v, 1000000000"
        lines += [f"Channel<long> c{n} = Channel<long>({around.random.randrange(3)});",
                  f"thread.spawn(() => {{ for (int k = 0; k < {count}; k++) {{",
                  f"    long v = work({n} * 10 + k); {pause(around)} c{n}.send({sent}); }} }});"]
    out = around.chance(50)
    if out:
        lines += ["Channel<int> taken = {};",
                  "Future<int> taker = thread.spawn<int>(() => {",
                  "    int n = 0; foreach (int v in taken) { n += v; } return n; });"]
    extra = around.random.choice(["", "case timeout(100000000): sum = -1;", "default: thread.sleep(1);"])
    cases = [f"        case long v = c{n}.recv(): sum += v; got++;" for n in range(channels)]
    lines += ["long sum = 0;", "int got = 0;"]
    if out:  # no longer than there is something to send: the taker is always ready, and time would stand still
        lines += ["int sent = 0;", f"while (got < {sum(counts)} && sent < 5) {{", "    select {", *cases,
                  "        case taken.send(1): sent++;", f"        {extra}", "    }", "}"]
    lines += [f"while (got < {sum(counts)}) {{", "    select {", *cases, f"        {extra}", "    }", "}"]
    if out:
        lines += ["while (sent < 5) { taken.send(1); sent++; }", "taken.close();", "sum += taker.get();"]
    sent = [value(n * 10 + k) for n in range(channels) for k in range(counts[n])]
    return lines + ["return sum;"], total([*sent, 5 if out else 0])


@component
def actors(around):
    line, value = start(around)
    senders, each = around.random.randrange(1, 4), around.random.randrange(1, 6)
    return [line, "long sum = 0;",
            "concurrent.Actor<long> actor = concurrent.Actor<long>("
            f"(long v) => {{ long t = sum; {pause(around)} sum = t + v; }}, {around.random.randrange(1, 4)});",
            "using (var group = concurrent.TaskGroup()) {",
            f"    for (int s = 0; s < {senders}; s++) {{",
            f"        group.spawn(() => {{ for (int k = 0; k < {each}; k++) {{ actor.send(work(s * 10 + k)); }} }});",
            "    }",
            "}", "actor.close();", "return sum;"], total(value(s * 10 + k) for s in range(senders) for k in range(each))


@component
def pools(around):
    """Work given to a pool; some of it fails."""
    line, value = start(around)
    size, jobs = around.random.randrange(1, 5), around.random.randrange(1, 9)
    return [line, f"concurrent.Pool pool = concurrent.Pool({size});", "List<Future<long>> results = [];",
            f"for (int n = 0; n < {jobs}; n++) {{",
            f"    results.add(pool.submit<long>(() => {{ {pause(around)}",
            "        if (n % 4 == 3) { throw FirstError(\"${n}\"); } return work(n); }));",
            "}",
            around.random.choice(["", "pool.close();"]), "long sum = 0;",
            "foreach (Future<long> f in results) {",
            "    try { sum += f.get(); } catch (FirstError e) { sum += e.message.toInt() * 1000; }",
            "}",
            "pool.close();", "return sum;"], total(n * 1000 if n % 4 == 3 else value(n) for n in range(jobs))


@component
def once_and_promise(around):
    """Many try; one does."""
    threads = around.random.randrange(2, 8)
    return ["concurrent.Once once = concurrent.Once();", "AtomicInt ran = AtomicInt(0);",
            "AtomicInt won = AtomicInt(0);",
            "Promise<int> prize = {};", "List<Thread> ts = [];",
            f"for (int n = 0; n < {threads}; n++) {{",
            f"    ts.add(thread.spawn(() => {{ once.run(() => {{ {pause(around)} ran.add(1); }});",
            f"        {pause(around)} if (prize.tryComplete(n)) {{ won.add(1); }}",
            "        try { prize.complete(n); won.add(100); } catch (IllegalStateException e) { } }));",
            "}", "foreach (Thread t in ts) { t.join(); }", "int who = prize.future().get();",
            f"return ran.get() * 1000 + won.get() * 10 + (who >= 0 && who < {threads} ? 1 : 0);"], 1011


@component
def failures(around):
    """An exception reaches everybody who asks, with its message."""
    line, value = start(around)
    threads, askers = around.random.randrange(1, 5), around.random.randrange(1, 4)
    return [line, "AtomicLong sum = AtomicLong(0);", "List<Thread> all = [];",
            f"for (int n = 0; n < {threads}; n++) {{",
            "    Future<long> failing = thread.spawn<long>(() => {",
            f"        try {{ {pause(around)} if (n >= 0) {{ throw SecondError(\"${{work(n)}}\"); }} return 0; }}",
            f"        finally {{ {pause(around)} sum.add(1); }} }});",
            f"    for (int a = 0; a < {askers}; a++) {{",
            "        all.add(thread.spawn(() => {",
            "            try { sum.add(failing.get()); } catch (ThirdError e) { sum.add(-1); }",
            "            catch (FirstError e) { sum.add(e.message.toLong()); } }));",
            "    }", "}", "foreach (Thread t in all) { t.join(); }", "return sum.get();"], \
        total([threads, *(value(n) for n in range(threads) for _ in range(askers))])


@component
def containers(around):
    """Single operations of shared containers lose nothing."""
    line, value = start(around)
    threads, each = around.random.randrange(1, 6), around.random.randrange(1, 8)
    n_all = threads * each
    return [line, "List<long> list = [];", "Dict<string, long> dict = {};", "Set<int> set = {};",
            "List<Thread> ts = [];",
            f"for (int s = 0; s < {threads}; s++) {{",
            f"    ts.add(thread.spawn(() => {{ for (int k = 0; k < {each}; k++) {{",
            f"        int n = s * {each} + k; long v = work(n);",
            f"        list.add(v); {pause(around)} dict[\"key${{n}}\"] = v; set.add(n % 5);",
            "        if (n % 3 == 0) { dict.remove(\"key${n}\"); } } }));",
            "}", "foreach (Thread t in ts) { t.join(); }", "long sum = 0;", "foreach (long v in list) { sum += v; }",
            "foreach (string k, long v in dict) { sum += v; }",
            "return sum * 1000 + list.length() * 10 + dict.count() + set.count();"], \
        wrapped(total([*(value(n) for n in range(n_all)), *(value(n) for n in range(n_all) if n % 3)]) * 1000
                + n_all * 10 + sum(1 for n in range(n_all) if n % 3) + min(n_all, 5))


@component
def waiting_callbacks(around):
    """Comparators and functions that wait in the middle."""
    line, value = start(around)
    count = around.random.randrange(1, 9)
    values = [value(i) for i in range(count)]
    ordered = sorted(values, key=lambda v: v & 15)
    result = 0
    for v in ordered:
        result = wrapped(result * 31 + v)
    return [line, "List<long> items = [];", f"for (int i = 0; i < {count}; i++) {{ items.add(work(i)); }}",
            f"items.sort((long a, long b) => {{ {pause(around)} return ((a & 15) - (b & 15)) as int; }});",
            f"List<string> texts = items.map<string>((long v) => {{ {pause(around)} return \"${{v}}\"; }});",
            "long sum = 0;", f"texts.forEach((string t) => {{ {pause(around)} sum = sum * 31 + t.toLong(); }});",
            "return sum;"], result


@component
def bounded_buffer(around):
    """A buffer of one's own, on a mutex and two conditions."""
    line, value = start(around)
    senders, each, room = around.random.randrange(1, 4), around.random.randrange(1, 5), around.random.randrange(1, 3)
    wake = around.random.choice(["signal", "signalAll"])
    n_all = senders * each
    return [line, "List<long> buffer = [];", "Mutex m = {};", "concurrent.Condition changed = concurrent.Condition();",
            "concurrent.TaskGroup group = concurrent.TaskGroup();", "AtomicLong sum = AtomicLong(0);",
            f"for (int s = 0; s < {senders}; s++) {{",
            f"    group.spawn(() => {{ for (int k = 0; k < {each}; k++) {{ long v = work(s * {each} + k);",
            f"        lock (m) {{ while (buffer.length() >= {room}) {{ changed.wait(m); }}",
            "            buffer.add(v); changed.signalAll(); } } });",
            f"    group.spawn(() => {{ for (int k = 0; k < {each}; k++) {{",
            "        lock (m) { while (buffer.length() == 0) { changed.wait(m); }",
            "            sum.add(buffer.removeAt(0)); changed.signalAll(); } } });",
            "}", "group.join();", "return sum.get() + buffer.length();"], total(value(n) for n in range(n_all))


@component
def tree(around):
    """Threads that start threads, and their sum."""
    line, value = start(around)
    depth = around.random.randrange(1, 5)

    def grow(level, n):
        if level == 0:
            return value(n % 7)
        return wrapped(grow(level - 1, n * 2) + grow(level - 1, n * 2 + 1) * 3)
    return [line, "func<long, int, int> grow = null;",
            "grow = (int level, int n) => {", "    if (level == 0) { return work(n % 7); }",
            "    Future<long> left = thread.spawn<long>(() => grow(level - 1, n * 2));",
            f"    {pause(around)}", "    return left.get() + grow(level - 1, n * 2 + 1) * 3;", "};",
            f"return grow({depth}, 1);"], grow(depth, 1)
