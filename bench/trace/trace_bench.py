#!/usr/bin/env python3
"""trace_bench.py: what taking records costs the traced program, by the observer and by the signal sampler.

trace_bench.py BUILD [--rounds N] [--sources DIRECTORY]

BUILD is a build directory that has tare, tare-cc and its engines. bzip2 of Debian's sources is built by tare-cc with the ten metrics of examples/metrics and run alone,
and traced by both samplers with the same interval, interleaved round by round. Compared is the program's own processor time, user and system, as the kernel
tells it at its end, and its time on the clock. Shown are the median of the ratios to the run alone and, in brackets, the least and the most. Exit status 1 when
the observer costs the program more than the signal sampler.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))
from goals import finish, check  # noqa: E402
from inputs import words  # noqa: E402

NAMES = ("blocksort", "huffman", "crctable", "randtable", "compress", "decompress", "bzlib", "bzip2")


def make(build, sources, work):
    subprocess.run([f"{ROOT}/script/sources", sources, "bzip2"], check=True)
    objects = []
    compiler = [f"{build}/tare-cc", f"--tare-metrics={ROOT}/examples/metrics/bzip2.toml", "-O2", "-w", "-D_FILE_OFFSET_BITS=64"]
    for name in NAMES:
        objects.append(f"{work}/{name}.o")
        subprocess.run([*compiler, "-c", f"{sources}/bzip2/{name}.c", "-o", objects[-1]], check=True)
    subprocess.run([*compiler, *objects, "-o", f"{work}/bzip2"], check=True)
    words(f"{work}/words", 7_000_000)
    return [f"{work}/bzip2", "-c", f"{work}/words"]


def alone(command):
    """Processor seconds and wall seconds."""
    begin = time.monotonic()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"trace_bench: status {process.returncode}: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime, time.monotonic() - begin


def table(document, name):
    block = next(block for block in document["blocks"] if block.get("id") == name)
    columns = [column["name"] for column in block["columns"]]
    return [dict(zip(columns, row)) for row in block["rows"]]


def traced(tare, command, sampler, interval):
    """Processor seconds and wall seconds of the program, records, and seconds beside it."""
    text = subprocess.run([tare, "trace", "--json", "--sampler", sampler, "--interval", interval, "--", *command], stdout=subprocess.PIPE, check=True).stdout
    document = json.loads(text)
    rows = table(document, "sampling")
    wall = next(row for row in table(document, "metrics") if row["metric"] == "bytes read")
    seconds = wall["total"]["value"] / wall["rate"]["value"]
    return rows[0]["program_cpu"]["value"], seconds, rows[0]["records"]["value"], rows[-1]["cost"]["value"]


def show(ratios):
    return f"{statistics.median(ratios):.3f} [{min(ratios):.3f}, {max(ratios):.3f}]"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--sources", default=f"{ROOT}/build/sources")
    options = parser.parse_args()
    build = os.path.abspath(options.build)
    with tempfile.TemporaryDirectory() as work:
        command = make(build, os.path.abspath(options.sources), work)
        for interval in ("10ms", "1ms", "100us"):
            cpu, wall, more = {}, {}, {}
            for _ in range(options.rounds):
                base_cpu, base_wall = alone(command)
                for sampler in ("observer", "signal"):
                    own, clock, records, beside = traced(f"{build}/tare", command, sampler, interval)
                    cpu.setdefault(sampler, []).append(own / base_cpu)
                    wall.setdefault(sampler, []).append(clock / base_wall)
                    more[sampler] = (records, beside)
            print(f"every {interval}")
            for sampler in ("observer", "signal"):
                records, beside = more[sampler]
                print(f"  {sampler:8}  processor time {show(cpu[sampler])}, wall time {show(wall[sampler])}, {records} records, {beside * 1e3:.1f} ms outside the program")
            kept = statistics.median(cpu["observer"]) <= statistics.median(cpu["signal"])
            check(f"every {interval}", kept, "the observer costs the program no more than the signal sampler")
    finish()


main()
