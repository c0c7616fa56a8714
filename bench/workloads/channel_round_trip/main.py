"""asyncio has no unbuffered channel; a queue of one place comes nearest."""
import asyncio
import sys
import time


async def echo(there, back):
    while True:
        await back.put(await there.get() + 1)


async def main(n):
    there, back = asyncio.Queue(1), asyncio.Queue(1)
    other = asyncio.create_task(echo(there, back))
    start = time.perf_counter_ns()
    total = 0
    for i in range(n):
        await there.put(i)
        total += await back.get()
    print((time.perf_counter_ns() - start) / n, total)
    other.cancel()


asyncio.run(main(int(sys.argv[1])))
