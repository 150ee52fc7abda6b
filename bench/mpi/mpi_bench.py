#!/usr/bin/env python3
"""mpi_bench.py: what recording costs per MPI call.

mpi_bench.py BUILD [--rounds N] [--calls N]

BUILD is a build directory that has tare and bench/mpi/self_calls. Runs with and without recording are interleaved round by round; the program reports its own CPU
time per call. Shown is the median over the rounds and, in brackets, the least and the most. Exit status 1 when a goal is missed.
"""
import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from goals import check_max, finish  # noqa: E402

KINDS = ["Irecv, Isend, Waitall", "Allreduce", "Sendrecv"]
MAX_COST_NS = 500


def measure(build, rounds, calls):
    environment = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    command = ["mpirun.openmpi", "-n", "1", f"{build}/bench/mpi/self_calls", str(calls)]
    with tempfile.TemporaryDirectory() as work:
        costs = [[] for _ in KINDS]
        natives = [[] for _ in KINDS]
        for _ in range(rounds):
            trace = f"{work}/trace"
            plain = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            recorded = subprocess.run([f"{build}/tare", "mpi", "-q", "-o", trace, "--", *command], env=environment, check=True, capture_output=True, text=True).stdout
            size = sum(os.path.getsize(f"{trace}/{name}") for name in os.listdir(trace))
            shutil.rmtree(trace)
            for i, (native, with_trace) in enumerate(zip(map(float, plain.split()), map(float, recorded.split()))):
                natives[i].append(native)
                costs[i].append(with_trace - native)
    print(f"Cost of recording per call in ns of CPU time, median [min, max] of {rounds} rounds; {size / calls / 5:.1f} bytes per call\n")
    for kind, native, cost in zip(KINDS, natives, costs):
        print(f"{kind:24} native {statistics.median(native):6.0f}   recording {statistics.median(cost):6.0f} [{min(cost):.0f}, {max(cost):.0f}]")
        check_max(f"ns per call above the call itself, {kind}", statistics.median(cost), MAX_COST_NS)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--calls", type=int, default=200000)
    given = options.parse_args()
    measure(os.path.abspath(given.build), given.rounds, given.calls)
    finish()


main()
