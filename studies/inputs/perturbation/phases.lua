-- phases.lua: strings, a sorted table, recursion, closures and garbage, in rounds.
local seed = 42
local function draw(limit)
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed // 65536 % limit
end

local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end

local function strings(count)
  local parts, seen = {}, {}
  for i = 1, count do
    local word = string.format("w%d", draw(500))
    seen[word] = (seen[word] or 0) + 1
    parts[#parts + 1] = word:upper() .. i
  end
  return #table.concat(parts, " ")
end

local function sorted(count)
  local numbers = {}
  for i = 1, count do numbers[i] = draw(100000) end
  table.sort(numbers, function(a, b) return a > b end)
  return numbers[1]
end

local function closures(count)
  local made, sum = {}, 0
  for i = 1, count do local kept = draw(100); made[i] = function(x) kept = kept + x; return kept end end
  for round = 1, 4 do for i = 1, count do sum = sum + made[i](round) end end
  return sum
end

local function garbage(count)
  local list
  for i = 1, count do
    list = { next = list, value = { i, tostring(i) } }
    if i % 100 == 0 then list = nil end
  end
  return list and 1 or 0
end

for round = 1, 3 do
  print(round, strings(1500), sorted(2000), fib(16), closures(1500), garbage(3000))
end
