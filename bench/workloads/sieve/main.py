import sys
import time


def primes_up_to(n):
    composite = bytearray(n + 1)
    i = 2
    while i * i <= n:
        if not composite[i]:
            for j in range(i * i, n + 1, i):
                composite[j] = 1
        i += 1
    primes = 0
    for i in range(2, n + 1):
        if not composite[i]:
            primes += 1
    return primes


n = int(sys.argv[1])
start = time.perf_counter_ns()
answer = primes_up_to(n)
print((time.perf_counter_ns() - start) / n, answer)
