#include <chrono>
#include <cstdio>
#include <cstdlib>

static int fib(int n) {
  if (n < 2) return n;
  return fib(n - 1) + fib(n - 2);
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  auto start = std::chrono::steady_clock::now();
  int answer = fib(n);
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  std::printf("%.1f %d\n", time.count(), answer);
}
