import asyncio
import sys
import time


async def yield_times(n):
    done = 0
    for _ in range(n):
        await asyncio.sleep(0)
        done += 1
    return done


async def main(n):
    start = time.perf_counter_ns()
    other = asyncio.create_task(yield_times(n // 2))
    switches = await yield_times(n // 2) + await other
    print((time.perf_counter_ns() - start) / n, switches)


asyncio.run(main(int(sys.argv[1])))
