local n = tonumber(arg[1])
local start = os.clock()
local composite = {}
for i = 1, n do composite[i] = false end
local i = 2
while i * i <= n do
  if not composite[i] then
    for j = i * i, n, i do composite[j] = true end
  end
  i = i + 1
end
local primes = 0
for k = 2, n do
  if not composite[k] then primes = primes + 1 end
end
print(string.format("%.3f %d", (os.clock() - start) * 1e9 / n, primes))
