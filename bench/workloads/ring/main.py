import asyncio
import sys
import time

MEMBERS = 1000


async def member(source, target, done, number):
    while True:
        hops_left = await source.get()
        if hops_left == 0:
            await done.put(number)
            return
        await target.put(hops_left - 1)


async def main(n):
    first, done = asyncio.Queue(1), asyncio.Queue(1)
    source, tasks = first, []
    for i in range(1, MEMBERS + 1):
        target = first if i == MEMBERS else asyncio.Queue(1)
        tasks.append(asyncio.create_task(member(source, target, done, i)))
        source = target
    start = time.perf_counter_ns()
    await first.put(n)
    last = await done.get()
    print((time.perf_counter_ns() - start) / n, last)
    for task in tasks:
        task.cancel()


asyncio.run(main(int(sys.argv[1])))
