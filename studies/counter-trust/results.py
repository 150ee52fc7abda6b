"""results.py: what run.py has written, and what follows from it: means, differences and standard deviations."""
import math
import statistics

from written import read

STATES = ("before", "after")
ENGINES = ("valgrind", "qemu", "step", "compiled", "hardware")
# Its counts exclude the C library and the loader, so it is shown but excluded from means and
# deviations between engines.
EXCLUDED = ("compiled",)


class Benchmark:
    """One program on one input, by several engines."""

    def __init__(self, name, runs):
        self.name = name
        self.runs = runs  # counts by engine
        self.means = {engine: statistics.fmean(counts) for engine, counts in runs.items()}
        # Exactly 0 when all runs agree.
        self.within = {engine: statistics.stdev(counts) if len(counts) > 1 else math.nan for engine, counts in runs.items()}
        compared = [mean for engine, mean in self.means.items() if engine not in EXCLUDED]
        self.mean = statistics.fmean(compared)
        self.between = statistics.stdev(compared) if len(compared) > 1 else math.nan
        self.cv = 100 * self.between / self.mean  # percent
        self.deltas = {engine: mean - self.mean for engine, mean in self.means.items()}

    def pooled(self):
        """Deviation within engines, all runs of those compared."""
        squares = [deviation**2 * (len(self.runs[engine]) - 1) for engine, deviation in self.within.items() if engine not in EXCLUDED]
        freedom = sum(len(counts) - 1 for engine, counts in self.runs.items() if engine not in EXCLUDED)
        return math.sqrt(sum(squares) / freedom)


def benchmarks(directory, state):
    """In the order in which they were run."""
    runs = {}
    for row in read(directory, state):
        runs.setdefault(row["benchmark"], {}).setdefault(row["machine"], []).append(int(row["count"]))
    return {name: Benchmark(name, by_engine) for name, by_engine in runs.items()}


def engines_of(marks):
    return [engine for engine in ENGINES if any(engine in mark.runs for mark in marks.values())]


def short(value, signed=False):
    """As the tables of the document have it: 317, -46k, 2.1M."""
    sign = "-" if value < 0 else "+" if signed and value > 0 else ""
    size = abs(value)
    for limit, unit in ((1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= limit:
            scaled = size / (1e3 if unit == "k" else limit)
            return f"{sign}{scaled:.1f}{unit}" if scaled < 10 else f"{sign}{scaled:,.0f}{unit}"
    return f"{sign}{size:,.0f}" if size >= 10 or size == int(size) else f"{sign}{size:.1f}"


def percent(value):
    return "0" if value == 0 else f"{value:.2g}" if value >= 1e-3 else f"{value:.1e}"
