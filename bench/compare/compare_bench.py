#!/usr/bin/env python3
"""compare_bench.py: what `tare compare` costs beside the runs themselves, and beside hyperfine.

compare_bench.py BUILD [ROUNDS]

Times `tare compare` of two programs of about 10 ms: all of it with the defaults, and the part that is neither a run nor the start of one. hyperfine gets as many runs in the same round.
"""
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = "int main(int c, char** v) { volatile unsigned long s = 0; for (long i = 0; i < %d; ++i) s += i; return 0; }"
SECONDS = 0.010


def timed(command):
    begin = time.monotonic()
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return time.monotonic() - begin, done.stdout


def program_of(work, name, count):
    with open(f"{work}/{name}.c", "w") as source:
        source.write(SOURCE % count)
    subprocess.run(["cc", "-O1", f"{work}/{name}.c", "-o", f"{work}/{name}"], check=True)
    return f"{work}/{name}"


def quickest(program):
    return min(timed([program])[0] for _ in range(30))


def main():
    tare = f"{os.path.abspath(sys.argv[1])}/tare"
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    with tempfile.TemporaryDirectory() as work:
        count = 9_000_000
        count = int(count * SECONDS / quickest(program_of(work, "trial", count)))
        programs = [program_of(work, "a", count), program_of(work, "b", int(1.1 * count))]
        whole, per_run, peer = [], [], []
        for _ in range(rounds):
            seconds, _ = timed([tare, "compare", "--json", "-q", *programs])
            whole.append(seconds)
            seconds, text = timed([tare, "compare", "--json", "-q", "--no-counts", "--runs", "80", *programs])
            samples = next(block for block in json.loads(text)["blocks"] if block["id"] == "samples")["rows"]
            runs = sum(row[3]["value"] for row in samples)
            # Besides the timed runs, each command runs three times to see what it does.
            per_run.append(seconds / (runs * (len(samples) + 6) / len(samples)) - 1)
            seconds, _ = timed(["hyperfine", "-N", "--warmup", "2", "--runs", str(len(samples) // 2), "--export-json", f"{work}/out.json", *programs])
            with open(f"{work}/out.json") as file:
                all_times = [t for result in json.load(file)["results"] for t in result["times"]]
            peer.append(seconds / (sum(all_times) * (len(all_times) + 4) / len(all_times)) - 1)
    print(f"beyond the runs, by round: {', '.join(f'{100 * part:.1f}' for part in sorted(per_run))} %")
    print(f"tare compare of two programs of 10 ms, defaults: {statistics.median(whole):.2f} s")
    print(f"beyond the runs: tare {100 * statistics.median(per_run):.1f} %, hyperfine {100 * statistics.median(peer):.1f} %")


if __name__ == "__main__":
    main()
