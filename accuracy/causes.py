#!/usr/bin/env python3
"""causes.py: does `tare why` name planted causes, every time?

causes.py TARE PROGRAMS [REPETITIONS [NAME...]]

Runs `tare why --of counts` on each program of tests/programs with a planted cause, REPETITIONS times (20) with another seed each (those that are named, or all), and prints how often the cause was named, alone.
Then ("time") times the program that nothing moves, as often, and prints how often anything was called a cause that cannot be one: cold files, busy neighbours, cores and randomization do change the time of a
program that takes a millisecond. Exit status 0 when every planted cause was named every time, nothing was named in the clean one, and false alarms of the time are no more than the stated alpha allows.
"""
import json
import math
import subprocess
import sys

PLANTED = {
    "why_stack": "stack", "why_heap": "heap", "why_time": "time", "why_process_id": "process-id", "why_alignment": "stack", "why_path": "argv0",
    "why_dispatch": "dispatch", "why_threads": "threads", "why_proc": "system", "why_random": "random", "why_clean": None,
}
ALPHA = 0.05
REAL_FOR_TIME = {"page-cache", "neighbour", "core", "randomization"}


def named(tare, program, seed, of):
    """The factors called significant, and the number of runs."""
    command = [tare, "why", "--of", of, "--seed", str(seed), "--alpha", str(ALPHA), "--json", "--quiet", "--", program]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    table = next(block for block in document["blocks"] if block["id"] == "causes")
    columns = [column["name"] for column in table["columns"]]
    rows = [dict(zip(columns, row)) for row in table["rows"]]
    summary = next(block for block in document["blocks"] if block["id"] == "summary")["text"]
    return [row["factor"] for row in rows if row["significant"] == "yes"], int(summary.rsplit("\n\n", 1)[-1].split(" ")[0])


def at_least(count, trials, chance):
    """Binomial tail: the chance of `count` or more."""
    return sum(math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(count, trials + 1))


def main():
    tare, programs = sys.argv[1:3]
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 20
    chosen = sys.argv[4:] or [*PLANTED, "time"]
    failed = False
    print(f"{'program':16} {'planted':12} {'named alone':>12} {'runs':>6}  otherwise")
    for program, cause in PLANTED.items():
        if program not in chosen:
            continue
        right, runs, others = 0, [], []
        for seed in range(1, repetitions + 1):
            found, taken = named(tare, f"{programs}/{program}", seed, "counts")
            runs.append(taken)
            if found == ([cause] if cause else []):
                right += 1
            else:
                others.append("+".join(found) or "nothing")
        failed = failed or right < repetitions
        print(f"{program:16} {cause or '-':12} {right:5} of {repetitions:3} {sum(runs) / len(runs):6.0f}  {' '.join(others)}", flush=True)
    if "time" not in chosen:
        sys.exit(failed)
    alarms = []
    for seed in range(1, repetitions + 1):
        found = set(named(tare, f"{programs}/why_clean", seed, "time")[0]) - REAL_FOR_TIME
        if found:
            alarms.append("+".join(sorted(found)))
    failed = failed or at_least(len(alarms), repetitions, ALPHA) < 0.01
    print(f"time of why_clean: {len(alarms)} of {repetitions} with an alarm, {100 * ALPHA:.0f} % allowed  {' '.join(alarms)}")
    sys.exit(failed)


if __name__ == "__main__":
    main()
