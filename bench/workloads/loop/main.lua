local n = tonumber(arg[1])
local start = os.clock()
local total = 0
for i = 0, n - 1 do
  local inner = 0
  for j = 0, n - 1 do inner = inner + j end
  total = total + inner
end
print(string.format("%.3f %d", (os.clock() - start) * 1e9 / n / n, total))
