#!/usr/bin/env python3
"""machine_bench.py: what tare machine measures beside its peers, how long it takes, and whether it repeats.

machine_bench.py BUILD [--rounds N] [--peers-only | --survey-only] [--tare PROGRAM] [--core N]

Rates: loads, stores and copies in L1, L2 and memory by the kernels of tare machine and by every peer that is installed (likwid-bench, stress-ng, sysbench, mbw, a plain
loop of the compiler's), all in each of the interleaved rounds on one core; the best round of each counts, bytes loaded and stored. The goal: at least 0.95 of the best peer.
Survey: two whole measurements in a row and a quick one: their time, the share of points at which they agree, and what was discovered. Exit status 1 when a goal is missed.
"""
import argparse
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from goals import finish, check  # noqa: E402

MB = 1e6
SECONDS = "0.3"


def output(command, **options):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, **options)
    return done.stdout + done.stderr if done.returncode == 0 else ""


def data_caches():
    """Sizes of the first core's data caches in bytes, by level."""
    sizes = {}
    for directory in glob.glob("/sys/devices/system/cpu/cpu0/cache/index*"):
        read = lambda name: open(f"{directory}/{name}").read().strip()
        if read("type") != "Instruction":
            sizes[int(read("level"))] = int(read("size")[:-1]) * 1024
    return sizes


def numbers(pattern, text, factor):
    return [float(one) * factor for one in re.findall(pattern, text)]


def kernels(build, kind, size):
    text = output([f"{build}/bench/machine/kernel_rates", kind, str(size), SECONDS])
    return max(numbers(r"(?m)^(\S+) ", text, 1), default=0)


def plain(build, kind, size):
    return max(numbers(r"(?m)^(\S+)$", output([f"{build}/bench/machine/plain_loop", kind, str(size), SECONDS]), 1), default=0)


def stress_ng(_, kind, size):
    if kind == "copy":
        return 0
    text = output(["stress-ng", "--memrate", "1", "--memrate-bytes", f"{size // 1024}K", "-t", "2", "--metrics"])
    words = "read" if kind == "load" else "(?:write|memset)"
    return max(numbers(rf"memrate +([0-9.]+) {words}\w* MB per sec", text, 2**20), default=0)


def sysbench(_, kind, size):
    if kind == "copy":
        return 0
    text = output(["sysbench", "memory", f"--memory-block-size={size // 1024}K", "--memory-total-size=100T", f"--memory-oper={'read' if kind == 'load' else 'write'}",
                   "--memory-scope=local", "--time=1", "run"])
    return max(numbers(r"\(([0-9.]+) MiB/sec\)", text, 2**20), default=0)


def mbw(_, kind, size):
    # Its arrays are whole MiB. Its fixed-block test reads the same block repeatedly, so it is not a
    # memory copy.
    if kind != "copy" or size < 4 * 2**20:
        return 0
    text = output(["mbw", "-q", "-n", "10", "-t0", "-t1", str(size // 2**21)])
    return max(numbers(r"(?m)^\d+\s.*Copy: ([0-9.]+) MiB/s", text, 2 * 2**20), default=0)


LIKWID = {"load": ["load_avx512", "load_avx", "load_sse", "load"], "store": ["store_avx512", "store_avx", "store_mem_avx", "store_sse", "store"],
          "copy": ["copy_avx512", "copy_avx", "copy_mem_avx", "copy_sse", "copy"]}


def likwid(_, kind, size):
    text = ""
    for test in LIKWID[kind]:
        text += output(["likwid-bench", "-t", test, "-w", f"N:{size // 1000}kB:1", "-s", "1"])
    return max(numbers(r"MByte/s:\s+([0-9.]+)", text, MB), default=0)


PEERS = {"plain loop": (plain, None), "stress-ng": (stress_ng, "stress-ng"), "sysbench": (sysbench, "sysbench"), "mbw": (mbw, "mbw"),
         "likwid-bench": (likwid, "likwid-bench")}


def compare_rates(build, rounds):
    caches = data_caches()
    last = max(caches.values())
    sizes = {"L1": caches[1] // 2, "L2": caches[2] // 2, "memory": min(4 * last, 2**29)}
    there = {name: function for name, (function, program) in PEERS.items() if program is None or shutil.which(program)}
    absent = sorted(set(PEERS) - set(there))
    print(f"rates, best of {rounds} rounds, GB/s" + (f"; not installed: {', '.join(absent)}" if absent else ""))
    for level, size in sizes.items():
        for kind in ["load", "store", "copy"]:
            own, peers = 0, {name: 0 for name in there}
            for _ in range(rounds):
                own = max(own, kernels(build, kind, size))
                for name, function in there.items():
                    peers[name] = max(peers[name], function(build, kind, size))
            best = max(peers.values())
            shown = ", ".join(f"{name} {rate / 1e9:.1f}" for name, rate in peers.items() if rate)
            check(f"{kind} {level} ({size // 1024} KiB)", own >= 0.95 * best, f"tare {own / 1e9:.1f}; {shown}; {own / best:.2f} of the best peer")


def survey(tare, core):
    print("survey")
    with tempfile.TemporaryDirectory() as directory:
        times = {}
        for name, flags in {"first": [], "second": [], "quick": ["--quick"]}.items():
            begin = time.monotonic()
            command = [tare, "machine", "measure", *flags, *(["--core", core] if core else []), "-q", "-o", f"{directory}/{name}.json"]
            if subprocess.run(command, stdout=subprocess.DEVNULL).returncode != 0:
                sys.exit(f"machine_bench: {' '.join(command)} failed")
            times[name] = time.monotonic() - begin
        for name, limit in {"first": 300, "second": 300, "quick": 30}.items():
            check(f"time of the {name} survey", times[name] <= limit, f"{times[name]:.0f} s, wanted at most {limit}")
        document = json.loads(output([tare, "machine", "compare", "--json", f"{directory}/first.json", f"{directory}/second.json"]))
        table = next(block for block in document["blocks"] if block.get("id") == "curves")
        columns = [column["name"] for column in table["columns"]]
        total = lambda name: sum(row[columns.index(name)]["value"] for row in table["rows"])
        agree, compared = total("agree"), total("compared")
        check("two surveys agree", agree >= 0.95 * compared, f"at {agree} of {compared} points, {100 * agree / compared:.1f} %")
        for found in json.load(open(f"{directory}/first.json"))["discovered"]:
            print(f"  {found['what']}: {json.dumps(found.get('measured'))}, reported {found.get('reported')}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--peers-only", action="store_true")
    parser.add_argument("--survey-only", action="store_true")
    parser.add_argument("--tare")
    parser.add_argument("--core", default="")
    options = parser.parse_args()
    if options.core:
        os.sched_setaffinity(0, {int(options.core)})
    if not options.survey_only:
        compare_rates(options.build, options.rounds)
    if not options.peers_only:
        os.sched_setaffinity(0, range(os.cpu_count()))
        survey(os.path.abspath(options.tare or f"{options.build}/tare"), options.core)
    finish()


if __name__ == "__main__":
    main()
