"""costs.py: commands timed beside each other, and the table of what they cost."""
import math
import os
import shutil
import statistics
import subprocess
import sys
import time

from inputs import queries, words


def run(command, environment=None, stdin=None):
    """Wall seconds, and user + system seconds of the process and its descendants."""
    begin = time.monotonic()
    with open(stdin or os.devnull, "rb") as source:
        process = subprocess.Popen(command, stdin=source, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        sys.exit(f"status {process.returncode}: {' '.join(command)}")
    return time.monotonic() - begin, usage.ru_utime + usage.ru_stime


def four_programs(work, programs):
    """The programs to measure: a command and its standard input each. `programs` has those of bench/engines."""
    text, script = f"{work}/words", f"{work}/script.sql"
    words(text, 7_000_000)
    queries(script, 150_000)
    return {
        "bzip2": ([shutil.which("bzip2"), "-c", text], None),
        "spmv": ([f"{programs}/spmv"], None),
        "hash": ([f"{programs}/hash"], None),
        "sqlite": ([shutil.which("sqlite3"), ":memory:"], script),
    }


def other_programs(work):
    """Programs to which no engine was tuned."""
    text = f"{work}/other_words"
    words(text, 6_000_000)
    with open(text) as source:
        lines = source.read().replace(" ", "\n")
    with open(text, "w") as target:
        target.write(lines)
    count = "while (<>) { $seen{$_}++ for split } print scalar(keys %seen), qq(\\n)"
    return {
        "perl": ([shutil.which("perl"), "-e", count, text], None),
        "sort": ([shutil.which("sort"), "--parallel=1", text], None),
        "gzip": ([shutil.which("gzip"), "-c", text], None),
    }


def interleave(rows, programs, rounds, time_one):
    """time_one(row, command, stdin) for each row and program, round by round: the times by row and program."""
    times = {}
    for number in range(rounds):
        for program, (command, stdin) in programs.items():
            for row in rows:
                times.setdefault((row, program), []).append(time_one(row, command, stdin))
        print(f"  round {number + 1} of {rounds}", file=sys.stderr, flush=True)
    return times


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def show_best(times, rows, programs):
    """The table of best rounds as multiples of the row "native", and the geometric mean of each row."""
    head(programs)
    means = {}
    for row in rows:
        best = [min(times[row, program]) for program in programs]
        ratios = [one / min(times["native", program]) for one, program in zip(best, programs)]
        means[row] = geometric_mean(ratios)
        line(row, [f"{one:.2f} s" for one in best] if row == "native" else [f"{ratio:.1f}" for ratio in ratios], f"{means[row]:.1f}")
    print()
    return means


def show_medians(times, rows, programs, against="native"):
    """The same with the median, minimum and maximum of the ratios within the rounds; the medians of the geometric means."""
    head(programs)
    means = {}
    show = lambda values: f"{statistics.median(values):.2f} [{min(values):.2f}, {max(values):.2f}]"
    for row in rows:
        ratios = {program: [a / b for a, b in zip(times[row, program], times[against, program])] for program in programs}
        of_rounds = [geometric_mean(values) for values in zip(*ratios.values())]
        means[row] = statistics.median(of_rounds)
        cells = [f"{min(times[row, program]):.2f} s" for program in programs] if row == against else [show(ratios[program]) for program in programs]
        line(row, cells, show(of_rounds))
    print()
    return means


def head(programs):
    print("| what | " + " | ".join(programs) + " | geometric mean |")
    print("| --- |" + " --- |" * (len(programs) + 1))


def line(row, cells, mean):
    print(f"| {row} | {' | '.join(cells)} | {'1' if row == 'native' else mean} |")
