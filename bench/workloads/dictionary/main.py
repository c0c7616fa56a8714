import sys
import time


def key(i):
    return i * 2654435761 % 4294967296


def insert_and_look_up(n):
    table = {}
    for i in range(n):
        table[key(i)] = i
    total = 0
    for i in range(n):
        total += table[key(i)]
    return total


n = int(sys.argv[1])
start = time.perf_counter_ns()
answer = insert_and_look_up(n)
print((time.perf_counter_ns() - start) / n, answer)
