#!/usr/bin/env python3
"""mix_bench.py: what reading all code of a large binary costs beside objdump.

mix_bench.py BUILD [--rounds N] [--file FILE] [--objdump PROGRAM] [--tare PROGRAM]

BUILD is a build directory that has tare. Without --file the largest libLLVM of this machine is read, or else the largest library. Both programs run in each of the
interleaved rounds, after one run of each that does not count; the best round counts. Exit status 1 when a goal is missed.
"""
import argparse
import glob
import os
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from goals import finish, check_max  # noqa: E402

MIB = 2**20


def run(command):
    """Wall seconds, user + system seconds and the largest resident set in bytes."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    wall = time.monotonic() - begin
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"mix_bench: status {process.returncode}: {' '.join(command)}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def largest_library():
    directories = ["/usr/lib", "/usr/lib/*", "/usr/lib/llvm-*/lib"]
    for pattern in ["libLLVM*.so*", "*.so*"]:
        found = {os.path.realpath(path) for directory in directories for path in glob.glob(f"{directory}/{pattern}") if os.path.isfile(path)}
        if found:
            return max(found, key=os.path.getsize)
    sys.exit("mix_bench: no library found; name one with --file")


def spread(values):
    return f"{min(values):.2f} s (up to {max(values):.2f})"


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--file")
    parser.add_argument("--objdump", default="objdump")
    parser.add_argument("--tare")
    options = parser.parse_args()
    file = options.file or largest_library()
    size = os.path.getsize(file)
    commands = {
        "tare mix": [os.path.abspath(options.tare or f"{options.build}/tare"), "mix", "--csv", "total", file],
        "objdump -d": [options.objdump, "-d", file],
    }
    print(f"{os.path.basename(file)}, {size / MIB:.0f} MiB, {options.rounds} rounds, {os.cpu_count()} processors")
    for command in commands.values():
        run(command)
    rounds = {name: [] for name in commands}
    for _ in range(options.rounds):
        for name, command in commands.items():
            rounds[name].append(run(command))
    for name, results in rounds.items():
        wall, work, memory = min(results)
        walls = spread([one[0] for one in results])
        print(f"  {name}: wall {walls}, user + system {work:.2f} s, {work / wall:.2f} processors, {memory / MIB:.0f} MiB")
    best = {name: min(results) for name, results in rounds.items()}
    ratio = best["tare mix"][0] / best["objdump -d"][0]
    memory = max(one[2] for one in rounds["tare mix"]) / MIB
    check_max("wall time as a share of objdump's", ratio, 0.1, f"{ratio:.3f}")
    check_max("peak memory in MiB, 1.5 x file + 300 MB", memory, (1.5 * size + 300e6) / MIB, f"{memory:.0f}")
    finish()


main()
