local n = tonumber(arg[1])
local function nothing() end

local start = os.clock()
local ended = 0
for _ = 1, n do
  local thread = coroutine.create(nothing)
  coroutine.resume(thread)
  if coroutine.status(thread) == "dead" then ended = ended + 1 end
end
print(string.format("%.1f %d", (os.clock() - start) * 1e9 / n, ended))
