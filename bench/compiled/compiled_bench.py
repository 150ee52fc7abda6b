#!/usr/bin/env python3
"""compiled_bench.py: what counting by the program itself costs, beside clang's own instrumentation.

compiled_bench.py BUILD [--rounds N] [--sources DIRECTORY] [--only cost,agree]

BUILD is a build directory that has tare, tare-cc and its engines. The four programs of bench/engines are built from source, once without instrumentation, once
with each kind of it, by the same clang with the same flags; bzip2 and sqlite3 are Debian's sources (script/sources fetches them to DIRECTORY). Rows are interleaved
round by round; times are user time. A ratio is taken within a round. The table shows the median of the rounds and, in brackets, the minimum and the maximum: a range
that contains the true median with a confidence of 1 - 2^(1 - rounds). Exit status 1 when a goal is missed.
"""
import argparse
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from costs import show_medians  # noqa: E402
from goals import check_max, run_parts  # noqa: E402
from inputs import queries, words  # noqa: E402

CLANG = "clang-19"

# The callbacks that trace-pc-guard needs from the program: here a counter per edge.
GUARD = """#include <stdint.h>
void __sanitizer_cov_trace_pc_guard_init(uint32_t* start, uint32_t* stop) {
  static uint32_t n;
  if (start == stop || *start) return;
  for (uint32_t* one = start; one < stop; one++) *one = ++n;
}
static uint64_t counts[1 << 20];
void __sanitizer_cov_trace_pc_guard(uint32_t* guard) { counts[*guard & ((1 << 20) - 1)]++; }
"""


class Bench:
    def __init__(self, build, sources, work):
        self.build, self.sources, self.work = os.path.abspath(build), os.path.abspath(sources), work
        subprocess.run([f"{ROOT}/script/sources", self.sources, "bzip2", "sqlite3"], check=True)
        with open(f"{work}/guard.c", "w") as guard:
            guard.write(GUARD)
        subprocess.run([CLANG, "-O2", "-c", f"{work}/guard.c", "-o", f"{work}/guard.o"], check=True)
        cc = f"{self.build}/tare-cc"
        self.rows = {
            "native": ([CLANG], []),
            "tare-cc --tare-blocks": ([cc, "--tare-blocks"], []),
            "tare-cc --tare-stream, thrown away": ([cc, "--tare-stream"], []),
            "clang -fprofile-instr-generate": ([CLANG, "-fprofile-instr-generate"], []),
            "clang -fsanitize-coverage=trace-pc-guard": ([CLANG, "-fsanitize-coverage=trace-pc-guard"], [f"{work}/guard.o"]),
        }
        bzip2, sqlite, own = f"{self.sources}/bzip2", f"{self.sources}/sqlite3", f"{ROOT}/bench/engines"
        names = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")
        self.programs = {
            "bzip2": ([f"{bzip2}/{name}.c" for name in names] + ["-D_FILE_OFFSET_BITS=64"], []),
            "spmv": ([f"{own}/spmv.c"], ["-lm"]),
            "hash": ([f"{own}/hash.c"], ["-lm"]),
            "sqlite": (self.amalgamation(sqlite) + ["-DSQLITE_THREADSAFE=1"], ["-lm", "-lpthread", "-ldl"]),
        }

    def amalgamation(self, directory):
        """Debian's source has it, or makes it."""
        if not os.path.exists(f"{directory}/sqlite3.c"):
            made = f"{self.work}/sqlite"
            os.makedirs(made)
            subprocess.run(f"{directory}/configure -q >/dev/null 2>&1 && make sqlite3.c shell.c >/dev/null", shell=True, cwd=made, check=True)
            directory = made
        return [f"{directory}/sqlite3.c", f"{directory}/shell.c", f"-I{directory}"]

    def path(self, row, program):
        return f"{self.work}/{program}.{list(self.rows).index(row)}"

    def make(self, rows):
        for row in rows:
            compiler, objects = self.rows[row]
            for program, (files, libraries) in self.programs.items():
                # One object per source, as make does it.
                flags = [one for one in files if one.startswith("-")]
                made = []
                for source in (one for one in files if not one.startswith("-")):
                    made.append(f"{self.work}/{os.path.basename(source)}.{len(made)}.o")
                    subprocess.run([*compiler, "-O2", "-w", *flags, "-c", source, "-o", made[-1]], check=True)
                subprocess.run([*compiler, "-O2", *made, *objects, "-o", self.path(row, program), *libraries], check=True)
            print(f"  built: {row}", file=sys.stderr, flush=True)

    def commands(self, size, table):
        words(f"{self.work}/words", size)
        queries(f"{self.work}/script.sql", table)
        return {"bzip2": (["-c", f"{self.work}/words"], None), "spmv": ([], None), "hash": ([], None),
                "sqlite": ([":memory:"], f"{self.work}/script.sql")}

    def time(self, row, program, arguments, stdin):
        environment = dict(os.environ, LLVM_PROFILE_FILE="/dev/null")
        environment.pop("TARE_RUN", None)
        with open(stdin or os.devnull, "rb") as source:
            process = subprocess.Popen([self.path(row, program), *arguments], stdin=source, stdout=subprocess.DEVNULL,
                                       stderr=subprocess.DEVNULL, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"compiled_bench: {program}, {row}: status {process.returncode}")
        return usage.ru_utime

    def cost(self, rounds):
        self.make(self.rows)
        commands = self.commands(7_000_000, 150_000)
        times = {}
        for number in range(rounds):
            for program, (arguments, stdin) in commands.items():
                for row in self.rows:
                    times.setdefault((row, program), []).append(self.time(row, program, arguments, stdin))
            print(f"  round {number + 1} of {rounds}", file=sys.stderr, flush=True)
        print(f"Cost: user time as a multiple of native, median [min, max] of {rounds} interleaved rounds\n")
        means = show_medians(times, self.rows, commands)
        check_max("block counts", means["tare-cc --tare-blocks"], 1.2)
        check_max("stream of blocks and addresses, thrown away", means["tare-cc --tare-stream, thrown away"], 2)

    def agree(self, _):
        """Instructions by function: what is left between the engines compiled and valgrind."""
        if not os.path.exists(self.path("tare-cc --tare-blocks", "hash")):
            self.make(["tare-cc --tare-blocks"])
        commands = self.commands(60_000, 800)
        commands["hash"] = (["20000"], None)
        print("Engines compiled and valgrind: instructions without an explanation\n")
        for program in ("bzip2", "hash", "sqlite"):
            arguments, stdin = commands[program]
            line = [f"{self.build}/tare", "count", "-q", "--json", "--engine", "valgrind,compiled", "--runs", "1"]
            line += ["--input", stdin] if stdin else []
            done = subprocess.run([*line, "--", self.path("tare-cc --tare-blocks", program), *arguments], stdin=subprocess.DEVNULL,
                                  capture_output=True, check=True)
            ledger = next(block for block in json.loads(done.stdout)["blocks"] if block.get("id") == "ledger")
            names = [column["name"] for column in ledger["columns"]]
            rows = [dict(zip(names, row)) for row in ledger["rows"]]
            left = sum(abs(row["difference"]["value"]) for row in rows if row["cause"] == "unexplained")
            for row in rows:
                print(f"  {program}: {row['cause']} {row['difference']['value']:+.0f} {row['where']}")
            check_max(f"{program}: unexplained", left, 0)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--sources", default=f"{ROOT}/build/sources")
    options.add_argument("--only", default="cost,agree")
    given = options.parse_args()
    run_parts(given, lambda work: Bench(given.build, given.sources, work))


main()
