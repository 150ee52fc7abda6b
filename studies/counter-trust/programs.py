"""programs.py: the programs that the study counts, and what they work on: made here, always the same.

PYTHONPATH=studies studies/counter-trust/programs.py DIRECTORY writes the inputs, for studies/counter-trust.toml.
"""
import os
import subprocess
import sys

from synthetic_inputs import queries, words, write_family, write_files

PLAIN, OTHER = "C", "C++ and interpreters"  # figure 1, figure 2

PERL = 'my %n; while (<>) { $n{$_}++ for split } my $s = 0; for (keys %n) { $s += $n{$_} * length } print "$s\\n"'
PYTHON = """import sys
n = {}
for word in open(sys.argv[1]).read().split():
    n[word] = n.get(word, 0) + 1
pairs = {(a, b) for a in sorted(n)[:60] for b in sorted(n)[:60]}
print(len(pairs), sum(n.values()))
"""
LUA = """local n, order = {}, {}
for word in io.open(arg[1]):read("a"):gmatch("%a+") do
  if not n[word] then order[#order + 1] = word end
  n[word] = (n[word] or 0) + 1
end
local s = 0
for word, times in pairs(n) do s = s + times * #word end
table.sort(order)
print(#order, s, order[1])
"""
AWK = "{ for (i = 1; i <= NF; ++i) ++n[$i] } END { for (w in n) s += n[w] * length(w); print s }"
SCENE = """#version 3.7;
global_settings { assumed_gamma 1 }
camera { location <0, 3, -7> look_at 0 }
light_source { <5, 9, -9> rgb 1 }
plane { y, -1 pigment { checker rgb 0.2, rgb 0.9 } finish { reflection 0.2 } }
#declare R = seed(7);
#for (I, 1, 12) sphere { <4 * rand(R) - 2, 2 * rand(R) - 1, 4 * rand(R) - 2>, 0.4 pigment { rgb <rand(R), rand(R), rand(R)> } finish { phong 0.8 } } #end
"""
STYLE = """<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform">
<xsl:output method="text"/>
<xsl:template match="/list"><xsl:for-each select="word"><xsl:sort select="."/><xsl:value-of select="concat(., ' ', @id, ' ', string-length(.))"/><xsl:text>
</xsl:text></xsl:for-each><xsl:value-of select="count(word[string-length(.) &gt; 5])"/></xsl:template>
</xsl:stylesheet>
"""
SENTENCES = """The dog that the old man saw ran quickly through the park.
She said that he would have come if he had known about it.
"""


def c_source(functions):
    return "".join(f"int f{i}(int *p, int n) {{ int s = {i}; for (int i = 0; i < n; ++i) {{ if (p[i] > {i}) s += p[i] * {i + 3}; else p[i] = s; }} return s; }}\n"
                   for i in range(functions))


def write_inputs(directory):
    # File names keep their length, because arguments are on the stack.
    files = {"text": words(40000), "tiny": words(30), "long": words(200000), "big.sql": queries(2500), "big.c": c_source(25),
             "big.bc": "scale = 320\na(1)\ne(1)\nquit\n", "low.bc": "2 ^ 20\nquit\n", "count.py": PYTHON, "count.lua": LUA, "count.pl": PERL, "count.awk": AWK,
             "scene.pov": SCENE, "style.xsl": STYLE, "sentences": SENTENCES,
             "go": "boardsize 9\n" + "genmove black\ngenmove white\n" * 3 + "quit\n",
             "chess": "setboard r1bq1rk1/pp2bppp/2n1pn2/3p4/3P4/2NBPN2/PP3PPP/R1BQ1RK1 w - - 0 9\nperft 3\nquit\n"}
    files["list.xml"] = "<list>\n" + "".join(f'<word id="{i}">{word}</word>\n' for i, word in enumerate(words(1500).split())) + "</list>\n"
    write_files(directory, files)
    write_family(directory, 160)


class Program:
    def __init__(self, name, group, command, engines, kin="", stdin=None, seeds=False, built=False):
        self.name, self.group, self.command, self.engines = name, group, command, engines
        self.kin, self.stdin, self.seeds, self.built = kin, stdin, seeds, built

    def shown(self):
        """Its command, whatever directories this machine has."""
        return " ".join([os.path.basename(self.command[0]), *self.command[1:]]) + (f" < {self.stdin}" if self.stdin else "")


def programs(built):
    """`built` is the directory of programs that tare-cc has built."""
    compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=True).stdout.strip()
    both, three, own = ("valgrind", "qemu"), ("valgrind", "qemu", "step"), ("valgrind", "qemu", "compiled")
    return [
        Program("bzip2", PLAIN, ["bzip2", "-c", "text"], both, "256.bzip2, 401.bzip2"),
        Program("gzip", PLAIN, ["gzip", "-nc", "text"], both, "164.gzip"),
        Program("xz", PLAIN, ["xz", "-T1", "-c", "text"], both),
        Program("zstd", PLAIN, ["zstd", "-qc", "-9", "text"], both),
        Program("sqlite3", PLAIN, ["sqlite3", ":memory:"], both, stdin="big.sql"),
        Program("openssl", PLAIN, ["openssl", "dgst", "-sha512", "long"], both),
        Program("sort", PLAIN, ["sort", "--parallel=1", "long"], both),
        Program("gnugo", PLAIN, ["/usr/games/gnugo", "--mode", "gtp", "--seed", "7", "--level", "2"], both, "445.gobmk", stdin="go"),
        Program("sjeng", PLAIN, ["/usr/games/sjeng"], both, "458.sjeng", stdin="chess"),
        Program("hmmer2", PLAIN, ["hmm2search", "--cpu", "0", "family.hmm", "family.fa"], both, "456.hmmer"),
        Program("link-parser", PLAIN, ["link-parser", "en", "-verbosity=0"], both, "197.parser", stdin="sentences"),
        Program("cc1", OTHER, [compiler, "-quiet", "-O2", "big.c", "-o", "/dev/null"], both, "176.gcc, 403.gcc"),
        Program("povray", OTHER, ["povray", "+Iscene.pov", "-D", "-O/dev/null", "+W32", "+H24", "-GA", "+WT2"], both, "453.povray"),
        Program("xalan", OTHER, ["Xalan", "list.xml", "style.xsl"], both, "483.xalancbmk"),
        Program("perl", OTHER, ["perl", "count.pl", "text"], both, "253.perlbmk, 400.perlbench", seeds=True),
        Program("python3", OTHER, ["/usr/bin/python3", "-SB", "count.py", "text"], both, seeds=True),
        Program("lua", OTHER, ["lua5.4", "count.lua", "text"], both),
        Program("gawk", OTHER, ["gawk", "-f", "count.awk", "text"], both),
        Program("bc", OTHER, ["bc", "-lq", "big.bc"], both),
        # Small inputs, so that single-stepping is feasible.
        Program("bzip2 tiny", PLAIN, ["bzip2", "-c", "tiny"], three),
        Program("gzip tiny", PLAIN, ["gzip", "-nc", "tiny"], three),
        Program("sort tiny", PLAIN, ["sort", "--parallel=1", "tiny"], three),
        Program("perl tiny", OTHER, ["perl", "count.pl", "tiny"], three, seeds=True),
        Program("lua tiny", OTHER, ["lua5.4", "count.lua", "tiny"], three),
        Program("gawk tiny", OTHER, ["gawk", "-f", "count.awk", "tiny"], three),
        Program("bc tiny", OTHER, ["bc", "-lq", "low.bc"], three),
        # Built by tare-cc, with their own counters.
        Program("bzip2 built", PLAIN, [f"{built}/bzip2", "-c", "text"], own, built=True),
        Program("sqlite3 built", PLAIN, [f"{built}/sqlite", ":memory:"], own, stdin="big.sql", built=True),
        Program("lua built", OTHER, [f"{built}/lua", "count.lua", "text"], own, built=True),
    ]


if __name__ == "__main__":
    write_inputs(sys.argv[1])
