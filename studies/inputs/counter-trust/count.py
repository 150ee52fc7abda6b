import sys
n = {}
for word in open(sys.argv[1]).read().split():
    n[word] = n.get(word, 0) + 1
pairs = {(a, b) for a in sorted(n)[:60] for b in sorted(n)[:60]}
print(len(pairs), sum(n.values()))
