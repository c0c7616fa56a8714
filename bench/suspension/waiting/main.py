import asyncio
import sys
import time


async def wait_at(gate):
    return await gate


async def main(n):
    start = time.perf_counter_ns()
    gate = asyncio.get_running_loop().create_future()
    waiting = [asyncio.create_task(wait_at(gate)) for _ in range(n)]
    await asyncio.sleep(0)  # behind all of them: now they wait
    gate.set_result(1)
    passed = 0
    for one in waiting:
        passed += await one
    print((time.perf_counter_ns() - start) / (n + 1), passed)


asyncio.run(main(int(sys.argv[1])))
