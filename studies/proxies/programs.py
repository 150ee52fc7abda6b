"""programs.py: what the study's programs are run on: made here, always the same."""

from synthetic_inputs import Draw, queries, words, write_family, write_files

LUA = """local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local n, order = {}, {}
for word in io.open(arg[1]):read("a"):gmatch("%a+") do
  if not n[word] then order[#order + 1] = word end
  n[word] = (n[word] or 0) + 1
end
table.sort(order)
local joined = {}
for i, word in ipairs(order) do joined[i] = word:upper():rep(2) .. n[word] end
print(#order, #table.concat(joined, " "), fib(22))
"""


def document(items):
    body = "".join(f'<entry id="{i}" kind="{i % 7}"><word id="{i * 3}">{word}</word><note>{word[::-1]} &amp; more</note></entry>\n' for i, word in enumerate(words(items).split()))
    return f"<list>\n{body}</list>\n"


def clauses(variables, count, seed=5):
    """A random formula of three literals a clause."""
    draw, lines = Draw(seed), [f"p cnf {variables} {count}"]
    for _ in range(count):
        lines.append(" ".join(str((1 + draw.below(variables)) * (1 if draw.below(2) else -1)) for _ in range(3)) + " 0")
    return "\n".join(lines) + "\n"


def write_inputs(directory):
    files = {"text": words(80000), "big.sql": queries(2500), "count.lua": LUA, "list.xml": document(1500), "formula.cnf": clauses(150, 640)}
    write_files(directory, files)
    write_family(directory, 500)


class Program:
    def __init__(self, name, language, arguments, kin="", stdin=None):
        self.name, self.language, self.arguments, self.kin, self.stdin = name, language, arguments, kin, stdin

    def shown(self):
        return " ".join([self.name, *self.arguments]) + (f" < {self.stdin}" if self.stdin else "")


PROGRAMS = [
    Program("bzip2", "C", ["-c", "text"]),
    Program("gzip", "C", ["-nc", "text"]),
    Program("lua", "C", ["count.lua", "text"]),
    Program("sqlite3", "C", [":memory:"], stdin="big.sql"),
    Program("zstd", "C", ["-qc", "-9", "--single-thread", "text"]),
    Program("hmmer2", "C", ["family.hmm", "family.fa"], kin="456.hmmer"),
    Program("tinyxml2", "C++", ["list.xml", "6"]),
    Program("pugixml", "C++", ["list.xml", "12"]),
    Program("minisat", "C++", ["-verb=0", "formula.cnf"]),
    Program("box2d", "C++", ["12", "60"]),
    Program("leveldb", "C++", ["15000"]),
    Program("snappy", "C++", ["text", "15"]),
]
