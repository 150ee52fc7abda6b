#!/usr/bin/env python3
"""agreement.py: do independent engines count the same instructions in Debian's programs?

agreement.py TARE [PROGRAM...]

Counts main of each program by valgrind and qemu on a small input that is always the same, and by single steps on a tiny one. Prints a table of what differs and
which cause accounts for it. Exit status 0 when the first two agree to the instruction on at least eight programs and no more than 0.01 % is without a cause anywhere.
"""
import json
import os
import subprocess
import sys

WANTED_EXACT = 8
TOLERATED = 0.01  # percent
MAX_STEPS = 400_000  # about 5 s
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


def count(tare, command, *options):
    done = subprocess.run([tare, "count", "-q", "--json", "--region", "main", *options, "--", *command], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"agreement: status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    tables = {block["id"]: block for block in json.loads(done.stdout)["blocks"] if block["kind"] == "table"}

    def rows(name):
        if name not in tables:
            return []
        columns = [column["name"] for column in tables[name]["columns"]]
        return [dict(zip(columns, row)) for row in tables[name]["rows"]]

    return {row["engine"]: row["instructions"]["value"] for row in rows("counts")}, rows("ledger")


class Against:
    """What the ledger says of one engine against valgrind."""

    def __init__(self, engine, ledger):
        rows = {row["cause"]: row for row in ledger if row["engine"] == engine}
        self.total = int(rows["total"]["difference"]["value"])
        self.share = rows["total"]["share"]["value"]
        self.unexplained = abs(rows["unexplained"]["share"]["value"])
        self.causes = ", ".join(f"{cause} {int(row['difference']['value']):+,}" for cause, row in rows.items()
                                if cause not in ("total", "unexplained"))

    def __str__(self):
        return "0" if self.total == 0 else f"{self.total:+,} ({self.share:+.2g} %)"


def write_inputs():
    for name, words, digits in (("small", 4000, 120), ("tiny", 16, 2)):
        for suffix, content in (("", text_of(words)), (".c", C if name == "small" else "int x;\n"), (".bc", f"scale = {digits}\na(1)\nquit\n")):
            with open(name + suffix, "w") as file:
                file.write(content)


def main():
    tare, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:]
    exact, worst = 0, 0.0
    # A separate working directory, because Python reads the one that it is started in.
    os.makedirs("build/accuracy", exist_ok=True)
    os.chdir("build/accuracy")
    write_inputs()
    print("| program | instructions | qemu less valgrind | causes | steps | steps less valgrind | causes | unexplained |")
    print("| --- | ---: | ---: | --- | ---: | ---: | --- | ---: |")
    for name, command in programs().items():
        if chosen and name not in chosen:
            continue
        counts, ledger = count(tare, command("small"), "--engine", "valgrind,qemu")
        qemu = Against("qemu", ledger)
        cells, unexplained = [name, f"{counts['valgrind']:,.0f}", str(qemu), qemu.causes], qemu.unexplained
        if count(tare, command("tiny"), "--engine", "valgrind", "--runs", "1")[0]["valgrind"] <= MAX_STEPS:
            counts, ledger = count(tare, command("tiny"), "--engine", "valgrind,step")
            step = Against("step", ledger)
            cells += [f"{counts['step']:,.0f}", str(step), step.causes]
            unexplained = max(unexplained, step.unexplained)
        else:
            cells += ["", "", ""]
        print(f"| {' | '.join(cells)} | {unexplained:.2g} % |", flush=True)
        exact += qemu.total == 0
        worst = max(worst, unexplained)
    print(f"\n{exact} programs agree to the instruction, wanted at least {WANTED_EXACT}; at most {worst:.2g} % is unexplained, wanted at most {TOLERATED} %.")
    sys.exit(0 if worst <= TOLERATED and (exact >= WANTED_EXACT or chosen) else 1)


main()
