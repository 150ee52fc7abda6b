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

sys.dont_write_bytecode = True
from programs import ENVIRONMENT, programs, write_inputs  # noqa: E402

WANTED_EXACT = 8
TOLERATED = 0.01  # percent
MAX_STEPS = 400_000  # about 5 s


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
