// The empty assembly statement keeps the compiler from replacing the inner loop by its closed form.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

static int64_t sumOfSums(int n) {
  int64_t total = 0;
  for (int i = 0; i < n; i++) {
    int64_t inner = 0;
    for (int j = 0; j < n; j++) {
      inner += j;
      asm volatile("" : "+r"(inner));
    }
    total += inner;
  }
  return total;
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  auto start = std::chrono::steady_clock::now();
  long long answer = sumOfSums(n);
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  std::printf("%.3f %lld\n", time.count() / n / n, answer);
}
