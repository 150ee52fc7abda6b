#!/usr/bin/env python3
"""study_bench.py: what `tare study` costs per run, and how it deals with 100,000 runs.

study_bench.py BUILD [--only overhead,scale,cases] [--rounds N]

overhead: the time of a whole study beyond the wall times of its programs, per run, beside hyperfine on the same program in the same round.
scale: a database of 100,000 runs of 1,000 cases with 8 metrics, made by copying the rows of one real run: time and memory of status, report and export.
cases: a study of 20,000 cases, each run once: the time per run beyond the program, and time and memory of status and report.
"""
import argparse
import json
import os
import random
import resource
import shutil
import sqlite3
import statistics
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from goals import check_max, run_parts  # noqa: E402


def timed(command):
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    output, errors = process.communicate()
    if process.returncode != 0:
        sys.exit(f"{command} fails: {errors}")
    return time.monotonic() - begin, output


def peak_bytes(command):
    """Largest resident size of the command, which GNU time would give, too."""
    pid = os.fork()
    if pid == 0:
        null = os.open("/dev/null", os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        os.execvp(command[0], command)
    _, status, usage = os.wait4(pid, 0)
    if status != 0:
        sys.exit(f"{command} fails")
    return usage.ru_maxrss * 1024


class Bench:
    def __init__(self, tare, work):
        self.tare, self.work = tare, work

    def write(self, name, text):
        path = f"{self.work}/{name}.toml"
        with open(path, "w") as file:
            file.write(text)
        return path

    def overhead(self, rounds):
        print("Time per run beyond the program, ms")
        ours, peer = [], []
        for index in range(rounds):
            path = self.write(f"overhead{index}", 'format = 1\nruns = 200\n[[program]]\nname = "a"\ncommand = "/bin/true"\n')
            seconds, _ = timed([self.tare, "study", "run", "-q", path])
            database = sqlite3.connect(f"{self.work}/overhead{index}.results/study.db")
            runs, inside = database.execute("SELECT count(*), sum(seconds) FROM runs").fetchone()
            database.close()
            ours.append(1000 * (seconds - inside) / runs)
            if shutil.which("hyperfine"):
                out = f"{self.work}/peer.json"
                seconds, _ = timed(["hyperfine", "-N", "--runs", "200", "--export-json", out, "/bin/true"])
                with open(out) as file:
                    times = json.load(file)["results"][0]["times"]
                peer.append(1000 * (seconds - sum(times)) / len(times))
        check_max("tare study run", statistics.median(ours), 5)
        if peer:
            print(f"  hyperfine, which stores nothing: {statistics.median(peer):.2f}")

    def scale(self, rounds):
        print("A study of 100,000 runs")
        levels = ", ".join(str(i) for i in range(500))
        path = self.write("scale", f'format = 1\nruns = 1\n[[program]]\nname = "a"\ncommand = "/bin/true {{n}}"\n[[program]]\nname = "b"\ncommand = "/bin/true {{n}}"\n'
                          f'[parameters]\nn = [{levels}]\n[[analysis]]\nkind = "compare"\nof = "program"\n[[analysis]]\nkind = "groups"\nby = ["program"]\n')
        timed([self.tare, "study", "run", "-q", path])
        with open(path) as file:
            text = file.read()
        with open(path, "w") as file:
            file.write(text.replace("runs = 1\n", "runs = 100\n"))
        database = sqlite3.connect(f"{self.work}/scale.results/study.db")
        draw = random.Random(1)
        columns = "case_id, repetition, attempt, started, state, exit_status, signal, seconds, load, node, conditions, message"
        database.execute("CREATE TEMP TABLE first AS SELECT * FROM runs")
        metrics = database.execute("SELECT metric, value FROM results WHERE run = 1").fetchall()
        rows = database.execute("SELECT case_id, started, node, conditions FROM first").fetchall()
        for repetition in range(1, 100):
            values = []
            for case, started, node, conditions in rows:
                wall = 0.01 * draw.uniform(0.95, 1.05)
                cursor = database.execute(f"INSERT INTO runs({columns}) VALUES(?, ?, 1, ?, 'ok', 0, NULL, ?, 0.5, ?, ?, '')",
                                          (case, repetition, started + repetition, wall, node, conditions))
                values += [(cursor.lastrowid, metric, wall if index == 0 else value) for index, (metric, value) in enumerate(metrics)]
            database.executemany("INSERT INTO results VALUES(?, ?, ?)", values)
        database.commit()
        database.close()
        self.read(path, rounds, (("status", 1, ["status"]), ("report", 10, ["report"]), ("report as JSON", 10, ["report", "--json"]), ("export as CSV", None, ["export"]),
                                 ("plan", None, ["plan"])))

    def cases(self, rounds):
        print("A study of 20,000 cases")
        levels = ", ".join(str(i) for i in range(20_000))
        path = self.write("cases", f'format = 1\nruns = 1\n[[program]]\nname = "a"\ncommand = "/bin/true {{n}}"\n[parameters]\nn = [{levels}]\n[[analysis]]\nkind = "groups"\nby = ["program"]\n')
        seconds, _ = timed([self.tare, "study", "run", "-q", path])
        database = sqlite3.connect(f"{self.work}/cases.results/study.db")
        runs, inside = database.execute("SELECT count(*), sum(seconds) FROM runs").fetchone()
        database.close()
        check_max("tare study run, ms per run", 1000 * (seconds - inside) / runs, 5)
        self.read(path, rounds, (("status", 1, ["status"]), ("report", 10, ["report"])))

    def read(self, path, rounds, commands):
        for name, limit, command in commands:
            whole = [self.tare, "study", *command, path]
            seconds = min(timed(whole)[0] for _ in range(rounds))
            memory = peak_bytes(whole) / 2**20
            if limit:
                check_max(f"{name}, s", seconds, limit)
            else:
                print(f"  {name}: {seconds:.2f} s")
            check_max(f"{name}, MiB", memory, 500, f"{memory:.0f}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="overhead,scale,cases")
    parser.add_argument("--rounds", type=int, default=3)
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    run_parts(given, lambda work: Bench(f"{os.path.abspath(given.build)}/tare", work))


if __name__ == "__main__":
    main()
