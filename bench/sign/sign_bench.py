#!/usr/bin/env python3
"""sign_bench.py: what a signature costs beside native runs and beside Cachegrind.

sign_bench.py BUILD [--rounds N] [--only valgrind,compiled] [--tare PROGRAM]

BUILD is a build directory that has tare, tare-cc, the engines and bench/engines/*. The programs of bench/engines and three that nothing was tuned to; rows are interleaved
round by round. Times are wall times of whole commands, because a signature is collected on two cores. A ratio is taken within a round; shown are the median over the
rounds and, in brackets, the least and the most. Also the size of each signature and the most memory that tare used. The part compiled builds spmv and hash with
tare-cc --tare-blocks --tare-stream; native is the same compiler without. Exit status 1 when a goal is missed.
"""
import argparse
import os
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from costs import four_programs, interleave, other_programs, run, show_medians  # noqa: E402
from goals import check_max, run_parts  # noqa: E402

SAMPLED, EXACT = "tare sign", "tare sign --exact"
CACHEGRIND = "cachegrind, caches and branches"
COMPILED = "tare sign --source compiled"
MAX_FILE = 10e6
MAX_MEMORY = 512 << 20


class Bench:
    def __init__(self, build, tare, work):
        self.build, self.work = os.path.abspath(build), work
        self.tare = os.path.abspath(tare or f"{build}/tare")
        self.signature = f"{work}/signature"

    def sign(self, *options):
        return [self.tare, "sign", "-q", "-o", self.signature, *options, "--"]

    def valgrind(self, rounds):
        programs = {**four_programs(self.work, f"{self.build}/bench/engines"), **other_programs(self.work)}
        cachegrind = [shutil.which("valgrind"), "-q", "--vgdb=no", "--tool=cachegrind", f"--cachegrind-out-file={self.work}/cachegrind"]
        rows = {"native": [], SAMPLED: self.sign(), EXACT: self.sign("--exact"), CACHEGRIND: cachegrind + ["--cache-sim=yes", "--branch-sim=yes"]}
        sizes = {}

        def time_one(row, command, stdin):
            wall = run(rows[row] + command, None, stdin)[0]
            if row in (SAMPLED, EXACT):
                sizes[row, command[0]] = os.path.getsize(self.signature)
            return wall

        times = interleave(rows, programs, rounds, time_one)
        print(f"Cost: wall time as a multiple of native, median [min, max] of {rounds} interleaved rounds\n")
        means = show_medians(times, rows, programs)
        for row in (SAMPLED, EXACT):
            print(f"{row}, MB of the file: " + ", ".join(f"{name} {sizes[row, command[0]] / 1e6:.2f}" for name, (command, _) in programs.items()))
        print()
        check_max("tare sign to native", means[SAMPLED], 12)
        check_max("tare sign --exact to cachegrind", means[EXACT] / means[CACHEGRIND], 1)
        sqlite = sizes[EXACT, programs["sqlite"][0][0]]
        check_max("MB of the signature of sqlite3", sqlite / 1e6, MAX_FILE / 1e6)
        self.memory({name: programs[name] for name in ("hash", "sqlite")})

    def memory(self, programs):
        """The most memory of tare itself: the programs are its children, and so are not in RUSAGE_SELF of a process that only waits."""
        watch = "import resource, subprocess, sys; subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
        for name, (command, stdin) in programs.items():
            with open(stdin or os.devnull, "rb") as source:
                done = subprocess.run([sys.executable, "-c", watch, *self.sign("--exact"), *command], stdin=source, capture_output=True, text=True, check=True)
            most = int(done.stdout.split()[-1]) * 1024
            check_max(f"MiB of the largest process of tare sign --exact {name}", most / 2**20, MAX_MEMORY / 2**20)

    def compiled(self, rounds):
        programs, natives = {}, {}
        for name in ("spmv", "hash"):
            source = os.path.join(os.path.dirname(HERE), "engines", f"{name}.c")
            natives[name], target = f"{self.work}/{name}.native", f"{self.work}/{name}.stream"
            subprocess.run(["clang-19", "-O2", "-o", natives[name], source, "-lpthread"], check=True)
            subprocess.run([f"{self.build}/tare-cc", "--tare-blocks", "--tare-stream", "-O2", "-o", target, source, "-lpthread"], check=True)
            programs[name] = ([target], None)
        rows = {"native": [], COMPILED: self.sign("--source", "compiled")}

        def time_one(row, command, stdin):
            if row == "native":
                command = [command[0].replace(".stream", ".native")]
            return run(rows[row] + command, None, stdin)[0]

        times = interleave(rows, programs, rounds, time_one)
        print(f"Compiled streams: wall time as a multiple of native, median [min, max] of {rounds} interleaved rounds\n")
        means = show_medians(times, rows, programs)
        check_max("tare sign --source compiled to native", means[COMPILED], 5)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--rounds", type=int, default=3)
    options.add_argument("--only", default="valgrind,compiled")
    options.add_argument("--tare", help="path of tare (default: the one of the build)")
    given = options.parse_args()
    run_parts(given, lambda work: Bench(given.build, given.tare, work))


main()
