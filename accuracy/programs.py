"""programs.py: Debian's programs on small inputs that are always the same."""
import subprocess

# Fixed, because programs read their environment and the instructions for that are counted.
ENVIRONMENT = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LC_ALL": "C.UTF-8"}

SQL = """create table t(id integer primary key, a integer, b text);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 3000)
  insert into t select i, i * 7919 % 1009, 'text ' || (i * 31 % 50) from n;
create index ta on t(a);
select b, count(*), sum(a) from t group by b order by 3 desc limit 5;
select count(*) from t x join t y on x.a = y.id where x.b > y.b;
"""
C = "".join(f"int f{i}(int *p, int n) {{ int s = {i}; for (int i = 0; i < n; ++i) s += p[i] * {i + 3}; return s; }}\n" for i in range(20))
FREQUENCY = '{ for (i = 1; i <= NF; ++i) ++n[$i] } END { for (w in n) s += n[w] * length(w); print s }'
PERL = 'my %n; while (<>) { $n{$_}++ for split } print join(",", map { "$_$n{$_}" } sort keys %n)'
PYTHON = "import sys; n = {}\nfor w in open(sys.argv[1]).read().split(): n[w] = n.get(w, 0) + 1\nprint(sorted(n.items())[:9])"


def text_of(words):
    """Made-up words, eight to a line."""
    state, out = 1, []
    for number in range(words):
        state = (state * 1103515245 + 12345) % 2**31
        word = "".join("etaoinshrdlu"[(state >> shift) % 12] for shift in range(6, 10 + (state >> 20) % 16, 3))
        out.append(word + ("\n" if number % 8 == 7 else " "))
    return "".join(out)


def programs():
    """Name: its command, given the name of a text file."""
    compiler = subprocess.run(["gcc", "-print-prog-name=cc1"], capture_output=True, text=True, check=True).stdout.strip()
    return {
        "bzip2": lambda text: ["bzip2", "-c", text],
        "gzip": lambda text: ["gzip", "-nc", text],
        "xz": lambda text: ["xz", "-c", text],
        # Its threads would race, which changes the count by 117 instructions.
        "zstd": lambda text: ["zstd", "-qc", "--single-thread", "--no-asyncio", text],
        "sqlite3": lambda text: ["sqlite3", ":memory:", SQL if text == "small" else "select 1;"],
        "perl": lambda text: ["perl", "-e", PERL, text],
        "python3": lambda text: ["/usr/bin/python3", "-Bc", PYTHON, text],
        "mawk": lambda text: ["mawk", FREQUENCY, text],
        "gawk": lambda text: ["gawk", FREQUENCY, text],
        "openssl": lambda text: ["openssl", "enc", "-aes-256-cbc", "-K", "00" * 32, "-iv", "00" * 16, "-in", text],
        "cc1": lambda text: [compiler, "-quiet", "-O2", text + ".c", "-o", "/dev/null"],
        "bc": lambda text: ["bc", "-lq", text + ".bc"],
        "sort": lambda text: ["sort", text],
        "sed": lambda text: ["sed", "-E", "s/([a-z]+) ([a-z]+)/\\2 \\1/g", text],
        "sha256sum": lambda text: ["sha256sum", text],
    }


def write_inputs():
    for name, words, digits in (("small", 4000, 120), ("tiny", 16, 2)):
        for suffix, content in (("", text_of(words)), (".c", C if name == "small" else "int x;\n"), (".bc", f"scale = {digits}\na(1)\nquit\n")):
            with open(name + suffix, "w") as file:
                file.write(content)
