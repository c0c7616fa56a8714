import asyncio
import sys
import time


async def nap():
    await asyncio.sleep(10)


async def main(n):
    start = time.perf_counter_ns()
    sleepers = [asyncio.create_task(nap()) for _ in range(n)]
    ended = 0
    for sleeper in sleepers:
        await sleeper
        ended += 1
    print((time.perf_counter_ns() - start - 10_000_000_000) / n, ended)


asyncio.run(main(int(sys.argv[1])))
