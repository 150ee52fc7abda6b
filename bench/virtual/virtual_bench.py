#!/usr/bin/env python3
"""virtual_bench.py: what the virtual PMU costs beside native runs and beside Cachegrind.

virtual_bench.py BUILD [--rounds N] [--tare PROGRAM]

BUILD is a build directory that has tare, its engines and bench/engines/*. The part `cost` has the four programs of bench/engines, the part `others` has perl,
sort and gzip, to which nothing was tuned. Rows are interleaved round by round. Times are wall
times of whole commands, because the virtual PMU works on two cores: `tare count` starts the program once on its own before it counts, and that is in its time.
A ratio is taken within a round; shown are the median over the rounds and, in brackets, the least and the most. Exit status 1 when a goal is missed.
"""
import argparse
import os
import shutil
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from costs import four_programs, interleave, other_programs, run, show_medians  # noqa: E402
from goals import check_max, run_parts  # noqa: E402

TWO_LEVELS = "tare count --engine virtual, two levels, TLB, gshare"


class Bench:
    def __init__(self, build, tare, work):
        self.build, self.work = os.path.abspath(build), work
        self.tare = os.path.abspath(tare or f"{build}/tare")
        self.programs = f"{self.build}/bench/engines"

    def virtual(self, machine):
        return [self.tare, "count", "-q", "--engine", "virtual", "--machine", machine, "--runs", "1", "--csv", "virtual", "--"]

    def rows(self):
        cachegrind = [shutil.which("valgrind"), "-q", "--vgdb=no", "--tool=cachegrind", f"--cachegrind-out-file={self.work}/cachegrind"]
        return {
            "native": [],
            TWO_LEVELS: self.virtual("two-levels"),
            "the same, three levels, prefetchers, TAGE": self.virtual("neoverse-v1"),
            "tare count --engine valgrind": [self.tare, "count", "-q", "--engine", "valgrind", "--runs", "1", "--csv", "counts", "--"],
            "cachegrind, caches and branches": cachegrind + ["--cache-sim=yes", "--branch-sim=yes"],
        }

    def cost(self, rounds):
        self.compare(four_programs(self.work, self.programs), rounds)

    def others(self, rounds):
        self.compare(other_programs(self.work), rounds)

    def compare(self, programs, rounds):
        rows = self.rows()
        walls = {}

        def time_one(row, command, stdin):
            wall, processor = run(rows[row] + command, None, stdin)
            walls.setdefault(row, []).append(processor / wall)
            return wall

        times = interleave(rows, programs, rounds, time_one)
        print(f"Cost: wall time as a multiple of native, median [min, max] of {rounds} interleaved rounds\n")
        means = show_medians(times, rows, programs)
        busy = walls[TWO_LEVELS]
        print(f"Processors that the virtual PMU keeps busy, on average: {sum(busy) / len(busy):.2f}\n")
        ours, peer = means[TWO_LEVELS], means["cachegrind, caches and branches"]
        check_max("virtual PMU to native", ours, 12)
        check_max("virtual PMU to cachegrind with caches and branches", ours / peer, 0.5)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--only", default="cost,others")
    options.add_argument("--tare", help="path of tare (default: the one of the build)")
    given = options.parse_args()
    run_parts(given, lambda work: Bench(given.build, given.tare, work))


main()
