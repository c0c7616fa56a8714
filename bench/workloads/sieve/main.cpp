#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

static int primesUpTo(int n) {
  std::vector<char> composite(n + 1);
  for (int i = 2; i * i <= n; i++) {
    if (!composite[i])
      for (int j = i * i; j <= n; j += i) composite[j] = 1;
  }
  int primes = 0;
  for (int i = 2; i <= n; i++) primes += !composite[i];
  return primes;
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  auto start = std::chrono::steady_clock::now();
  int answer = primesUpTo(n);
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  std::printf("%.3f %d\n", time.count() / n, answer);
}
