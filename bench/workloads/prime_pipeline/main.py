import asyncio
import itertools
import sys
import time


async def generate(target):
    for i in itertools.count(2):
        await target.put(i)


async def keep_indivisible(source, target, prime):
    while True:
        candidate = await source.get()
        if candidate % prime != 0:
            await target.put(candidate)


async def main(n):
    start = time.perf_counter_ns()
    candidates = asyncio.Queue(1)
    tasks = [asyncio.create_task(generate(candidates))]
    prime = 0
    for _ in range(n):
        prime = await candidates.get()
        target = asyncio.Queue(1)
        tasks.append(asyncio.create_task(keep_indivisible(candidates, target, prime)))
        candidates = target
    print(time.perf_counter_ns() - start, prime)
    for task in tasks:
        task.cancel()


asyncio.run(main(int(sys.argv[1])))
