#!/usr/bin/env python3
"""signatures.py: are the hit rates of one signature those of a simulation of each cache?

signatures.py TARE [PROGRAM...]

Signs ten of Debian's programs, exactly and by sampling, and simulates caches of several shapes by the virtual PMU, a run for each. Prints the hit rate of each
cache by the simulation, and how many percentage points the signatures differ from it. Exit status 0 when the exact signature differs by at most 0.05 points in the
near zone, because it counts accesses that span two lines as two references, and the sampled one by at most 0.5 points. That the misses themselves are equal is
tested in tests/unit/predict/signature.
"""
import json
import os
import subprocess
import sys

sys.dont_write_bytecode = True
from programs import ENVIRONMENT, programs, write_inputs  # noqa: E402

TEN = ["bzip2", "gzip", "xz", "sqlite3", "perl", "mawk", "openssl", "cc1", "bc", "sort"]
SPANNING = 0.05  # points
TOLERATED = 0.5
# Bytes, ways and bytes of a line.
CACHES = [("16KiB", 4, 64), ("32KiB", 8, 64), ("48KiB", 12, 64), ("512KiB", 8, 64), ("1MiB", 16, 64), ("64KiB", 8, 128)]


def document(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=ENVIRONMENT)
    if done.returncode != 0:
        sys.exit(f"signatures: status {done.returncode}: {' '.join(command)}\n{done.stderr}")
    return {block["id"]: block for block in json.loads(done.stdout)["blocks"] if block["kind"] == "table"}


def rows(table):
    columns = [column["name"] for column in table["columns"]]
    return [dict(zip(columns, row)) for row in table["rows"]]


def number(cell):
    return cell["value"] if isinstance(cell, dict) else cell


def describe(path, size, ways, line):
    """A processor with this data cache alone."""
    with open(path, "w") as file:
        file.write(f"version = 1\nname = \"one cache\"\n[l1i]\nbytes = \"32KiB\"\nways = 8\n[l1d]\nbytes = \"{size}\"\nways = {ways}\nline = {line}\n")


def simulated(tare, machine, command):
    """Hit rate in percent."""
    table = document([tare, "count", "-q", "--json", "--engine", "virtual", "--machine", machine, "--runs", "1", "--", *command])["virtual"]
    count = {row["event"]: number(row["count"]) for row in rows(table)}
    return 100 * (1 - count["l1d-misses"] / (count["loads"] + count["stores"]))


def signed(tare, signature, machine):
    """The same from a signature: its blocks weighted by their references."""
    blocks = rows(document([tare, "sign", "--json", "--show", signature, "--machine", machine])["blocks"])
    share = sum(number(block["share"]) for block in blocks)
    return sum(number(block["share"]) * number(block["l1"]) for block in blocks if number(block["share"]) > 0) / share


def main():
    tare, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:] or TEN
    os.makedirs("build/accuracy", exist_ok=True)
    os.chdir("build/accuracy")
    write_inputs()
    machines = []
    for size, ways, line in CACHES:
        machines.append(f"./cache-{size}-{ways}-{line}.toml")
        describe(machines[-1], size, ways, line)
    print("| program | cache | simulated, % | exact, points | sampled, points |\n| --- | --- | ---: | ---: | ---: |")
    worst_exact = worst_sampled = 0.0
    for name in chosen:
        command = programs()[name]("small")
        for signature, options in (("exact.sig", ["--exact"]), ("sampled.sig", [])):
            subprocess.run([tare, "sign", "-q", *options, "-o", signature, "--", *command], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True, env=ENVIRONMENT)
        for machine, (size, ways, line) in zip(machines, CACHES):
            truth = simulated(tare, machine, command)
            exact, sampled = (signed(tare, signature, machine) - truth for signature in ("exact.sig", "sampled.sig"))
            worst_exact, worst_sampled = max(worst_exact, abs(exact)), max(worst_sampled, abs(sampled))
            print(f"| {name} | {size}, {ways} ways, {line} | {truth:.4f} | {exact:+.2g} | {sampled:+.2g} |", flush=True)
    print(f"\nExact: at most {worst_exact:.2g} points, wanted {SPANNING}. Sampled: at most {worst_sampled:.2g} points, wanted {TOLERATED}.")
    sys.exit(0 if worst_exact <= SPANNING and worst_sampled <= TOLERATED else 1)


main()
