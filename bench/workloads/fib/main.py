import sys
import time


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


start = time.perf_counter_ns()
answer = fib(int(sys.argv[1]))
print(time.perf_counter_ns() - start, answer)
