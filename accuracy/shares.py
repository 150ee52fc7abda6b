#!/usr/bin/env python3
"""shares.py: how often do the intervals of `tare profile` contain the true share?

shares.py TARE DIRECTORY [PROFILES]

Builds tests/programs/known_shares.c in DIRECTORY, which spends 50, 30 and 20 % of its time in three functions, in random order. Takes PROFILES
profiles of it (default: 200), each with another seed. The true share of a function is its share of the loop's iterations, which the random numbers
determine. Prints how often the 95 % interval contains it. Exit status 0 when that is 93 to 97 % of all intervals and hardly any profile is said to be
in step with the program.
"""
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FUNCTIONS = ("half", "third", "fifth")
TURNS = 10_000
MASK = (1 << 64) - 1


def true_shares(turns, seed):
    """Iterations by function, as known_shares.c draws them, in percent."""
    state = seed
    sums = dict.fromkeys(FUNCTIONS, 0)

    def bits():
        nonlocal state
        state = (state * 6364136223846793005 + 1442695040888963407) & MASK
        return state >> 33

    for _ in range(4):
        bits()
    for _ in range(turns):
        length = 5000 + bits() % 20000
        choice = bits() % 10
        sums["half" if choice < 5 else "third" if choice < 8 else "fifth"] += length
    total = sum(sums.values())
    return {name: 100 * value / total for name, value in sums.items()}


def profiled(tare, program, seed):
    """The intervals of the three shares, and whether tare found the samples in step with the program."""
    command = [tare, "profile", "--json", "--", program, str(TURNS), str(seed)]
    document = json.loads(subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout)
    table = next(block for block in document["blocks"] if block.get("id") == "functions")
    columns = [column["name"] for column in table["columns"]]
    rows = [dict(zip(columns, row)) for row in table["rows"]]
    intervals = {row["function"]: (row["share"]["low"], row["share"]["high"]) for row in rows if row["function"] in FUNCTIONS}
    return intervals, any(caveat["id"] == "in-step" for caveat in document["caveats"])


def main():
    tare, directory = os.path.abspath(sys.argv[1]), sys.argv[2]
    profiles = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    os.makedirs(directory, exist_ok=True)
    program = os.path.join(directory, "known_shares")
    subprocess.run(["cc", "-O1", "-g", "-fno-omit-frame-pointer", f"{ROOT}/tests/programs/known_shares.c", "-o", program], check=True)
    hits, alarms = dict.fromkeys(FUNCTIONS, 0), 0
    for number in range(1, profiles + 1):
        truth = true_shares(TURNS, number)
        intervals, alarm = profiled(tare, program, number)
        alarms += alarm
        for name, (low, high) in intervals.items():
            hits[name] += low <= truth[name] <= high
        if number % 20 == 0:
            print(f"  {number} of {profiles}", file=sys.stderr, flush=True)
    print(f"Coverage of 95 % intervals in {profiles} profiles")
    for name, count in hits.items():
        print(f"  {name}: {100 * count / profiles:.1f} %")
    together = 100 * sum(hits.values()) / (len(FUNCTIONS) * profiles)
    good = 93 <= together <= 97
    print(f"  all: {together:.1f} %, goal: 93 to 97: {'met' if good else 'MISSED'}")
    print(f"  alarms of sampling in step: {alarms}, expected: {0.001 * profiles:.1f}")
    sys.exit(0 if good and alarms <= 1 + profiles // 100 else 1)


main()
