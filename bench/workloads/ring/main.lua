-- Each member resumes nobody itself: the driver hands the token from one coroutine to the next.
local members = 1000
local n = tonumber(arg[1])
local ring = {}
for number = 1, members do
  ring[number] = coroutine.wrap(function(hopsLeft)
    while hopsLeft > 0 do hopsLeft = coroutine.yield(hopsLeft - 1) end
    return nil, number
  end)
end

local start = os.clock()
local token, at, last = n, 1, nil
while token do
  token, last = ring[at](token)
  at = at % members + 1
end
print(string.format("%.1f %d", (os.clock() - start) * 1e9 / n, last))
