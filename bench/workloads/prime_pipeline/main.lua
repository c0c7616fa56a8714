-- A stage is a coroutine that yields nil to ask for a number and a number to pass it on; the driver steps through the
-- stages, because Lua 5.4 does not allow a thousand nested resumes.
local n = tonumber(arg[1])

local function generate()
  local i = 2
  while true do
    coroutine.yield(i)
    i = i + 1
  end
end

local function keepIndivisible(prime)
  return function()
    while true do
      local candidate = coroutine.yield(nil)
      if candidate % prime ~= 0 then coroutine.yield(candidate) end
    end
  end
end

local stages = { coroutine.wrap(generate) }

local function pull()
  local at, value = #stages, nil
  while at <= #stages do
    value = stages[at](value)
    if value then at = at + 1 else at = at - 1 end
  end
  return value
end

local start = os.clock()
local prime
for _ = 1, n do
  prime = pull()
  stages[#stages + 1] = coroutine.wrap(keepIndivisible(prime))
end
print(string.format("%.1f %d", (os.clock() - start) * 1e9, prime))
