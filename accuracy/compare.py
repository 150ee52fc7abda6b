#!/usr/bin/env python3
"""compare.py: does `tare compare` claim differences that are there, and no others?

compare.py TARE DIRECTORY [REPETITIONS [PART...]]

Builds the programs of accuracy/compare in DIRECTORY and runs, REPETITIONS times (200) with another seed each:
  same      a program against itself: how often a difference is claimed (at most 5 % allowed)
  delay     the same program with 0.5, 1, 2 and 5 % more work: how often the interval covers the known ratio (93 to 97 %)
  stack     a program that is slower at one stack alignment: a fixed layout claims a difference, the default does not, and names the stack
  code      the same with the alignment of code: two directories and --builds
Prints a table. Exit status 0 when all rates are consistent with what is allowed (binomial, 1 %).
"""
import json
import math
import os
import subprocess
import sys

ITERATIONS = 3_000_000
BUDGET = "600ms"
SOURCES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "compare")


def tail(count, trials, chance):
    """Binomial tail: the chance of `count` or more."""
    return sum(math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(count, trials + 1))


def below(count, trials, chance):
    return sum(math.comb(trials, k) * chance**k * (1 - chance) ** (trials - k) for k in range(0, count + 1))


def compared(tare, *words):
    """The answer's text, and the row of the second command by column."""
    done = subprocess.run([tare, "compare", "--json", "--quiet", "--no-counts", *words], capture_output=True, text=True, check=True)
    document = json.loads(done.stdout)
    table = next(block for block in document["blocks"] if block["id"] == "comparison")
    columns = [column["name"] for column in table["columns"]]
    text = next(block for block in document["blocks"] if block["id"] == "answer")["text"]
    return text, [dict(zip(columns, row)) for row in table["rows"]][1]


def cc(directory, source, name, *options):
    program = os.path.join(directory, name)
    subprocess.run(["cc", "-O1", *options, os.path.join(SOURCES, source), "-o", program], check=True)
    return program


def quickest(program, *arguments, runs=60):
    import time

    best = math.inf
    for _ in range(runs):
        start = time.perf_counter()
        subprocess.run([program, *arguments], check=True)
        best = min(best, time.perf_counter() - start)
    return best


def same(tare, directory, repetitions):
    program = cc(directory, "work.c", "work")
    claims = equal = 0
    for seed in range(1, repetitions + 1):
        _, row = compared(tare, "--budget", BUDGET, "--seed", str(seed), f"{program} {ITERATIONS}", f"{program} {ITERATIONS}")
        claims += row["answer"] in ("faster", "slower")
        equal += row["answer"] == "equal"
    print(f"same: a difference claimed in {claims} of {repetitions}, equality in {equal}", flush=True)
    return tail(claims, repetitions, 0.05) > 0.01


def delay(tare, directory, repetitions):
    program = cc(directory, "work.c", "work")
    # The start of the process takes the same time in both.
    start, whole = quickest(program, "0"), quickest(program, str(ITERATIONS))
    sound = True
    for percent in (0.5, 1, 2, 5):
        ratio = 1 + percent / 100 * (1 - start / whole)
        covered = found = 0
        for seed in range(1, repetitions + 1):
            more = int(ITERATIONS * (1 + percent / 100))
            _, row = compared(tare, "--budget", BUDGET, "--seed", str(seed), f"{program} {ITERATIONS}", f"{program} {more}")
            covered += row["ratio"]["low"] <= ratio <= row["ratio"]["high"]
            found += row["answer"] == "slower"
        print(f"delay of {percent} %: covered in {covered} of {repetitions}, found in {found}", flush=True)
        sound = sound and below(covered, repetitions, 0.93) > 0.01 and tail(covered, repetitions, 0.97) > 0.01
    return sound


def stack(tare, directory, repetitions):
    repetitions = max(5, repetitions // 10)
    programs = [cc(directory, "stack.c", f"stack{i}", f"-DCLASS={i}") for i in range(4)]
    # The class that the plain layout has, for programs of this name length.
    for slow in range(4):
        _, row = compared(tare, "--fixed-layout", "--runs", "40", programs[(slow + 2) % 4], programs[slow])
        if row["answer"] == "slower" and row["ratio"]["low"] > 1.03:
            break
    claimed = silent = named = 0
    for seed in range(1, repetitions + 1):
        pair = [programs[(slow + 2) % 4], programs[slow]]
        _, row = compared(tare, "--fixed-layout", "--runs", "40", "--seed", str(seed), *pair)
        claimed += row["answer"] == "slower"
        text, row = compared(tare, "--budget", "3s", "--seed", str(seed), *pair)
        silent += row["answer"] in ("equal", "undecided")
        named += "the stack address" in text or "size of environment" in text
    print(f"stack: claimed in a fixed layout {claimed} of {repetitions}; not claimed over layouts {silent}; named {named}", flush=True)
    return claimed >= 0.9 * repetitions and silent >= 0.8 * repetitions and named >= 0.8 * repetitions


def code(tare, directory, repetitions):
    repetitions = max(5, repetitions // 20)
    found = None
    for slow in range(4):
        for name, kind in (("old", (slow + 2) % 4), ("new", slow)):
            os.makedirs(os.path.join(directory, name), exist_ok=True)
            with open(os.path.join(SOURCES, "code.c")) as source, open(os.path.join(directory, name, "code.c"), "w") as target:
                target.write(f"#define CLASS {kind}\n" + source.read())
            subprocess.run(["cc", "-O1", "code.c", "-o", "code"], cwd=os.path.join(directory, name), check=True)
        _, row = compared(tare, "--fixed-layout", "--runs", "40", f"{directory}/old/code", f"{directory}/new/code")
        if row["answer"] == "slower" and row["ratio"]["low"] > 1.03:
            found = slow
            break
    if found is None:
        print("code: no class makes the fixed layout slower")
        return False
    silent = named = 0
    for seed in range(1, repetitions + 1):
        text, row = compared(tare, "--builds", f"{directory}/old", f"{directory}/new", "--build", "cc -O1 -c code.c && cc code.o -o code",
                             "--placements", "12", "--budget", "4s", "--seed", str(seed), "--", "./code")
        silent += row["answer"] in ("equal", "undecided")
        named += "addresses of functions" in text
    print(f"code: claimed in a fixed layout; not claimed over builds {silent} of {repetitions}; named {named}", flush=True)
    return silent >= 0.8 * repetitions


PARTS = {"same": same, "delay": delay, "stack": stack, "code": code}


def main():
    tare, directory = sys.argv[1:3]
    repetitions = int(sys.argv[3]) if len(sys.argv) > 3 else 200
    os.makedirs(directory, exist_ok=True)
    sound = [PARTS[name](os.path.abspath(tare), os.path.abspath(directory), repetitions) for name in sys.argv[4:] or PARTS]
    sys.exit(not all(sound))


if __name__ == "__main__":
    main()
