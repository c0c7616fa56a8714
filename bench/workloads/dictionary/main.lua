local function key(i) return i * 2654435761 % 4294967296 end

local function insertAndLookUp(n)
  local map = {}
  for i = 0, n - 1 do map[key(i)] = i end
  local sum = 0
  for i = 0, n - 1 do sum = sum + map[key(i)] end
  return sum
end

local n = tonumber(arg[1])
local start = os.clock()
local answer = insertAndLookUp(n)
print(string.format("%.3f %d", (os.clock() - start) * 1e9 / n, answer))
