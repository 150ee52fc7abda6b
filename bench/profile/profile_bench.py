#!/usr/bin/env python3
"""profile_bench.py: what sampling costs.

profile_bench.py BUILD [--only cost] [--rounds N] [--frequency HZ]

BUILD is a build directory that has tare. tests/programs/known_shares.c is compiled here; it spends 50, 30 and 20 % of its time in three
functions.

cost      the program alone, under tare profile and under perf record (if installed) at 1,000 samples per second, interleaved: the median of the
          ratios of the program's processor time to that of the run alone before it.

script/accuracy profile counts how often the intervals of shares contain the truth.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from goals import check_max, run_parts  # noqa: E402


class Bench:
    def __init__(self, given, work):
        self.given = given
        self.work = work
        self.tare = f"{given.build}/tare"
        self.program = f"{work}/known_shares"
        subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", f"{ROOT}/tests/programs/known_shares.c", "-o", self.program], check=True)

    def timed(self, prefix, turns):
        """The program times itself, so that the time of the profiler beside it does not count."""
        script = f"import os,subprocess,sys; p=subprocess.Popen({[self.program, str(turns)]!r}); " \
                 "_,s,u=os.wait4(p.pid,0); open(sys.argv[1],'w').write(str(u.ru_utime+u.ru_stime))"
        out = f"{self.work}/seconds"
        subprocess.run([*prefix, sys.executable, "-c", script, out], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        with open(out, encoding="utf-8") as file:
            return float(file.read())

    def cost(self, rounds):
        turns = 100000
        rate = str(self.given.frequency)
        ways = {"tare profile": [self.tare, "profile", "-q", "-F", rate, "--"],
                "tare profile -g dwarf": [self.tare, "profile", "-q", "-F", rate, "-g", "dwarf", "--"]}
        if shutil.which("perf"):
            ways["perf record -g"] = ["perf", "record", "-q", "-g", "-e", "cpu-clock", "-F", rate, "-o", f"{self.work}/perf.data", "--"]
        ratios = {way: [] for way in ways}
        for _ in range(rounds):
            alone = self.timed([], turns)
            for way, prefix in ways.items():
                ratios[way].append(self.timed(prefix, turns) / alone)
        print(f"cost at {rate} samples per second, {rounds} rounds: processor time of the program relative to the run alone")
        for way, values in ratios.items():
            print(f"  {way:24} {100 * (statistics.median(values) - 1):+.2f} %  [{100 * (min(values) - 1):+.2f}, {100 * (max(values) - 1):+.2f}]")
        check_max("cost of tare profile", 100 * (statistics.median(ratios["tare profile"]) - 1), 1)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--only", default="cost")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--frequency", type=int, default=1000)
    given = parser.parse_args()
    given.build = os.path.abspath(given.build)
    run_parts(given, lambda work: Bench(given, work))


main()
