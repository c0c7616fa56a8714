-- Lua has no timer: the coroutines are suspended and resumed once, nobody sleeps.
local n = tonumber(arg[1])
local function nap() coroutine.yield() end

local start = os.clock()
local sleepers = {}
for i = 1, n do
  local sleeper = coroutine.create(nap)
  coroutine.resume(sleeper)
  sleepers[i] = sleeper
end
local ended = 0
for i = 1, n do
  coroutine.resume(sleepers[i])
  if coroutine.status(sleepers[i]) == "dead" then ended = ended + 1 end
end
print(string.format("%.1f %d", (os.clock() - start) * 1e9 / n, ended))
