-- Bare switches: the value travels as argument of resume and yield, without a channel or a scheduler.
local n = tonumber(arg[1])
local echo = coroutine.wrap(function(value)
  while true do value = coroutine.yield(value + 1) end
end)

local start = os.clock()
local sum = 0
for i = 0, n - 1 do sum = sum + echo(i) end
print(string.format("%.1f %d", (os.clock() - start) * 1e9 / n, sum))
