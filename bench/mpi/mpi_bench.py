#!/usr/bin/env python3
"""mpi_bench.py: what recording costs per MPI call, and the measured network beside NetPIPE.

mpi_bench.py BUILD [--rounds N] [--calls N] [--only calls,network]

BUILD is a build directory that has tare and bench/mpi/self_calls. Shown are medians over the rounds and, in brackets, the least and the most.
  calls    runs with and without recording, interleaved round by round; the program reports its own CPU time per call
  network  one way of a message between two ranks of this machine, by tare machine measure --network and by NetPIPE, interleaved
Exit status 1 when a goal is missed.
"""
import argparse
import json
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
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
# Sizes that both programs send.
SIZES = (1, 64, 4096, 65536, 1048576)


def run(words):
    return subprocess.run(words, env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout


def measure_calls(build, rounds, calls):
    command = ["mpirun.openmpi", "-n", "1", f"{build}/bench/mpi/self_calls", str(calls)]
    with tempfile.TemporaryDirectory() as work:
        costs = [[] for _ in KINDS]
        natives = [[] for _ in KINDS]
        for _ in range(rounds):
            trace = f"{work}/trace"
            plain = run(command)
            recorded = run([f"{build}/tare", "mpi", "-q", "-o", trace, "--", *command])
            size = sum(os.path.getsize(f"{trace}/{name}") for name in os.listdir(trace))
            shutil.rmtree(trace)
            for i, (native, with_trace) in enumerate(zip(map(float, plain.split()), map(float, recorded.split()))):
                natives[i].append(native)
                costs[i].append(with_trace - native)
    print(f"Cost of recording per call in ns of CPU time, median [min, max] of {rounds} rounds; {size / calls / 5:.1f} bytes per call\n")
    for kind, native, cost in zip(KINDS, natives, costs):
        print(f"{kind:24} native {statistics.median(native):6.0f}   recording {statistics.median(cost):6.0f} [{min(cost):.0f}, {max(cost):.0f}]")
        check_max(f"ns per call above the call itself, {kind}", statistics.median(cost), MAX_COST_NS)


def messages_of_tare(build, launcher, work):
    document = json.loads(run([f"{build}/tare", "machine", "measure", "--network", "--quick", "--json", "-o", f"{work}/network.toml", "--", *launcher]))
    rows = next(block for block in document["blocks"] if block.get("id") == "messages")["rows"]
    value = lambda cell: cell["value"] if isinstance(cell, dict) else cell  # noqa: E731
    return {int(value(row[1])): value(row[2]) for row in rows}


def messages_of_netpipe(launcher, work):
    run([*launcher, "NPopenmpi", "-p", "0", "-u", str(SIZES[-1]), "-o", f"{work}/netpipe"])
    with open(f"{work}/netpipe", encoding="utf-8") as file:
        return {int(size): float(seconds) for size, _, seconds in (line.split() for line in file)}


def measure_network(build, rounds):
    if shutil.which("NPopenmpi") is None:
        print("netpipe-openmpi is not installed: the network is not measured")
        return
    launcher = ["mpirun.openmpi", "--bind-to", "none", "-n", "2"]
    times = {size: ([], []) for size in SIZES}
    with tempfile.TemporaryDirectory() as work:
        for _ in range(rounds):
            both = messages_of_tare(build, launcher, work), messages_of_netpipe(launcher, work)
            for size in SIZES:
                for found, messages in zip(times[size], both):
                    found.append(messages[size] * 1e6)
    print(f"One way of a message within this machine in us, median [min, max] of {rounds} rounds\n")
    for size, (ours, theirs) in times.items():
        text = [f"{statistics.median(found):8.3f} [{min(found):.3f}, {max(found):.3f}]" for found in (ours, theirs)]
        ratio = statistics.median(ours) / statistics.median(theirs)
        print(f"{size:8} B   tare {text[0]:30} NetPIPE {text[1]:30} ratio {ratio:.2f}")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("build")
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--calls", type=int, default=200000)
    options.add_argument("--only", default="calls,network")
    given = options.parse_args()
    build = os.path.abspath(given.build)
    if "calls" in given.only.split(","):
        measure_calls(build, given.rounds, given.calls)
    if "network" in given.only.split(","):
        measure_network(build, given.rounds)
    finish()


main()
