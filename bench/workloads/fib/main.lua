local function fib(n)
  if n < 2 then return n end
  return fib(n - 1) + fib(n - 2)
end

local n = tonumber(arg[1])
local start = os.clock()
local answer = fib(n)
print(string.format("%.1f %d", (os.clock() - start) * 1e9, answer))
