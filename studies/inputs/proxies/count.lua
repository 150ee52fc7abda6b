local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local n, order = {}, {}
for word in io.open(arg[1]):read("a"):gmatch("%a+") do
  if not n[word] then order[#order + 1] = word end
  n[word] = (n[word] or 0) + 1
end
table.sort(order)
local joined = {}
for i, word in ipairs(order) do joined[i] = word:upper():rep(2) .. n[word] end
print(#order, #table.concat(joined, " "), fib(22))
