local n, order = {}, {}
for word in io.open(arg[1]):read("a"):gmatch("%a+") do
  if not n[word] then order[#order + 1] = word end
  n[word] = (n[word] or 0) + 1
end
local s = 0
for word, times in pairs(n) do s = s + times * #word end
table.sort(order)
print(#order, s, order[1])
