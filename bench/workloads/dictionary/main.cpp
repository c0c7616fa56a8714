#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_map>

static int64_t key(int64_t i) { return i * 2654435761 % 4294967296; }

static int64_t insertAndLookUp(int n) {
  std::unordered_map<int64_t, int> map;
  for (int i = 0; i < n; i++) map[key(i)] = i;
  int64_t sum = 0;
  for (int i = 0; i < n; i++) sum += map[key(i)];
  return sum;
}

int main(int, char** arguments) {
  int n = std::atoi(arguments[1]);
  auto start = std::chrono::steady_clock::now();
  long long answer = insertAndLookUp(n);
  std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
  std::printf("%.3f %lld\n", time.count() / n, answer);
}
