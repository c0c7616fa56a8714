import sys
import time


def sum_of_sums(n):
    total = 0
    for i in range(n):
        inner = 0
        for j in range(n):
            inner += j
        total += inner
    return total


n = int(sys.argv[1])
start = time.perf_counter_ns()
answer = sum_of_sums(n)
print((time.perf_counter_ns() - start) / n / n, answer)
