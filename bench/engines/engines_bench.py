#!/usr/bin/env python3
"""engines_bench.py: what counting costs beside native runs and peers, and whether counts repeat.

engines_bench.py BUILD [--rounds N] [--only cost,threads,repeat,waiting] [--tare PROGRAM]

BUILD is a build directory that has tare, its engines and bench/engines/*. Rows of one program are interleaved, round by round; times are user + system of the
command and all that it waited for, and the best round counts. Exit status 1 when a goal is missed.
"""
import argparse
import json
import math
import os
import platform
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from costs import four_programs, interleave, run, show_best  # noqa: E402
from goals import check_max, run_parts  # noqa: E402
from inputs import words  # noqa: E402

MACHINE = platform.machine()
# The processor features that Valgrind shows; see CommonHwcap() in src/measure/engine.
HWCAP = "1fb" if MACHINE == "aarch64" else "78bfbff"


class Bench:
    def __init__(self, build, tare, work):
        self.build, self.work = os.path.abspath(build), work
        self.tare = os.path.abspath(tare or f"{build}/tare")
        self.programs = f"{self.build}/bench/engines"
        self.valgrind = shutil.which("valgrind")
        platform_name = "arm64-linux" if MACHINE == "aarch64" else "amd64-linux"
        self.tool = f"{self.build}/engines/valgrind/tare-{platform_name}"

    def rows(self):
        """Name of a row: how a command is put under it. The engines get the flags that src/measure/engine gives them."""
        environment = dict(os.environ, VALGRIND_LIB=os.path.dirname(self.tool), VALGRIND_LAUNCHER=self.valgrind)
        plugin = f"{self.build}/engines/tare-qemu.so,directory={self.work}/recordings,pin=yes,hwcap={HWCAP}"
        processor = "max,sve=off" if MACHINE == "aarch64" else "max"
        ours = [self.tool, "--tool=tare", "-q", "--vgdb=no", "--trace-children=no", f"--directory={self.work}/recordings", "--pin=yes", f"--hwcap={HWCAP}"] + (["--sim-hints=fallback-llsc"] if platform.machine() == "aarch64" else [])
        theirs = [self.valgrind, "-q", "--vgdb=no"]
        return {
            "native": lambda c: (c, None),
            "tare's valgrind tool": lambda c: (ours + c, environment),
            "tare's qemu plugin": lambda c: ([f"qemu-{MACHINE}", "-cpu", processor, "-plugin", plugin] + c, None),
            "valgrind --tool=none": lambda c: (theirs + ["--tool=none"] + c, None),
            "cachegrind, no simulation": lambda c: (
                theirs + ["--tool=cachegrind", "--cache-sim=no", "--branch-sim=no", f"--cachegrind-out-file={self.work}/cachegrind"] + c, None),
            "tare count --engine valgrind --runs 1": lambda c: (
                [self.tare, "count", "-q", "--engine", "valgrind", "--runs", "1", "--save", f"{self.work}/count.json", "--csv", "counts", "--"] + c, None),
        }

    def cost(self, rounds):
        programs, rows = four_programs(self.work, self.programs), self.rows()

        def time_one(row, command, stdin):
            os.makedirs(f"{self.work}/recordings", exist_ok=True)
            line, environment = rows[row](command)
            taken = run(line, environment, stdin)[1]
            shutil.rmtree(f"{self.work}/recordings")
            return taken

        times = interleave(rows, programs, rounds, time_one)
        print(f"Cost: user + system time as a multiple of native, best of {rounds} interleaved rounds\n")
        means = show_best(times, rows, programs)
        ours, peer = means["tare's valgrind tool"], means["cachegrind, no simulation"]
        check_max("tare's valgrind tool to native", ours, 6, f"{ours:.2f}")
        check_max("tare's valgrind tool to cachegrind without simulation", ours / peer, 0.6, f"{ours / peer:.2f}")

    def count(self, command, *options):
        done = subprocess.run([self.tare, "count", "-q", "--json", *options, "--", *command], stdin=subprocess.DEVNULL, capture_output=True, check=True)
        tables = {block["id"]: block for block in json.loads(done.stdout)["blocks"] if block["kind"] == "table"}
        names = [column["name"] for column in tables["counts"]["columns"]]
        return {row[0]: dict(zip(names, row)) for row in tables["counts"]["rows"]}

    def threads(self, _):
        n = 20_000_000
        wanted = 2 * (2 * n + 1)
        print(f"Two threads that run the same loop at the same time: {wanted} instructions by construction, 5 runs")
        counts = self.count([f"{self.programs}/two_threads", str(n)], "--engine", "valgrind,qemu", "--region", "spin", "--runs", "5")
        for engine, row in counts.items():
            cell = row["instructions"]
            off = max(abs((cell["low"] or cell["value"]) - wanted), abs((cell["high"] or cell["value"]) - wanted))
            check_max(f"{engine}: instructions off in the worst run", off, 0, f"{off:g}")

    def repeat(self, _):
        print("Coefficient of variation of the instructions of whole programs, 10 runs each")
        text = f"{self.work}/few-words"
        words(text, 100_000)
        for command in (["bzip2", "-c", text], ["sort", text], ["perl", "-e", "my %h; $h{$_ % 97} .= $_ for 1 .. 20000; print scalar %h"]):
            for engine, row in self.count(command, "--engine", "valgrind,qemu", "--runs", "10").items():
                cv = row["cv"]["value"]
                check_max(f"{command[0]} by {engine}", math.inf if cv is None else cv, 0, f"{cv}")

    def waiting(self, rounds):
        print(f"Latency: wall time, median of {max(5, rounds)} runs")
        walls = sorted(run([self.tare, "count", "-q", "--", shutil.which("true")])[0] for _ in range(max(5, rounds)))
        check_max("tare count -- true, seconds", walls[len(walls) // 2], 1, f"{walls[len(walls) // 2]:.2f} s")
        command = [f"{self.programs}/hash", "14000000"]
        ratios, alone = [], []
        for _ in range(rounds):
            native = run(command)[0]
            ratios.append(run([self.tare, "check", "-q", "--"] + command)[0] / native)
            alone.append(native)
        ratio = sorted(ratios)[len(ratios) // 2]
        check_max(f"tare check of a program of {sorted(alone)[len(alone) // 2]:.1f} s, multiple of its time", ratio, 22, f"{ratio:.1f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", default="cost,threads,repeat,waiting")
    options.add_argument("--tare", help="path of tare (default: the one of the build)")
    given = options.parse_args()
    run_parts(given, lambda work: Bench(given.build, given.tare, work))


main()
