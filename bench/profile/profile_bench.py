#!/usr/bin/env python3
"""profile_bench.py: what sampling costs.

profile_bench.py BUILD [--only cost] [--rounds N] [--frequency HZ]

BUILD is a build directory that has tare. tests/programs/known_shares.c is compiled here; it spends 50, 30 and 20 % of its time in three
functions.

cost      processor time of the program under tare profile and under perf record (if installed) at 1,000 samples per second, relative to the mean
          of a run alone before and one after it. Runs are short and many, on one processor. Prints the median of the ratios of all rounds with its
          95 % interval, and the same for runs alone, which shows what the machine contributes.

script/accuracy profile counts how often the intervals of shares contain the truth.
"""
import argparse
import math
import os
import random
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from goals import check_max, run_parts  # noqa: E402

TURNS = "10000"  # about 0.2 s


class Bench:
    def __init__(self, given, work):
        self.given = given
        self.work = work
        self.tare = f"{given.build}/tare"
        self.program = f"{work}/known_shares"
        self.timer = f"{work}/timed"
        subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", f"{ROOT}/tests/programs/known_shares.c", "-o", self.program], check=True)
        subprocess.run(["cc", "-O1", f"{HERE}/timed.c", "-o", self.timer], check=True)

    def timed(self, prefix):
        """Processor seconds of the program, without those of the profiler beside it."""
        out = f"{self.work}/seconds"
        subprocess.run([*prefix, self.timer, out, self.program, TURNS], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with open(out, encoding="utf-8") as file:
            return float(file.read())

    def cost(self, rounds):
        rate = str(self.given.frequency)
        ways = {"alone": [],
                "tare profile": [self.tare, "profile", "-q", "-F", rate, "--"],
                "tare profile -g dwarf": [self.tare, "profile", "-q", "-F", rate, "-g", "dwarf", "--"]}
        if shutil.which("perf"):
            ways["perf record -g"] = ["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", rate, "-o", f"{self.work}/perf.data", "--"]
        costs = {way: [] for way in ways}
        order = list(ways)
        for number in range(rounds):
            random.Random(number).shuffle(order)
            before = self.timed([])
            for way in order:
                used = self.timed(ways[way])
                after = self.timed([])
                costs[way].append(100 * (2 * used / (before + after) - 1))
                before = after
        print(f"Processor time of the program at {rate} samples per second, beyond that of runs alone: median of {rounds} rounds, 95 % interval")
        for way, values in costs.items():
            low, high = median_interval(values)
            print(f"  {way:24} {statistics.median(values):+.2f} %  [{low:+.2f}, {high:+.2f}]")
        check_max("cost of tare profile, %", statistics.median(costs["tare profile"]), 1)


def median_interval(values):
    """By order statistics: the number of values below the median is binomial."""
    values, count = sorted(values), len(values)
    tail, below = 0.0, 0
    while below < count // 2 and tail + math.comb(count, below) / 2**count <= 0.025:
        tail += math.comb(count, below) / 2**count
        below += 1
    below = max(below - 1, 0)
    return values[below], values[count - 1 - below]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="cost")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--frequency", type=int, default=1000)
    given = parser.parse_args()
    given.build = os.path.abspath(given.build)
    run_parts(given, lambda work: Bench(given, work))


main()
