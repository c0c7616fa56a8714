import asyncio
import sys
import time


async def nothing():
    pass


async def main(n):
    start = time.perf_counter_ns()
    ended = 0
    for _ in range(n):
        await asyncio.create_task(nothing())
        ended += 1
    print((time.perf_counter_ns() - start) / n, ended)


asyncio.run(main(int(sys.argv[1])))
