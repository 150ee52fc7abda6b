"""results.py: what run.py has written, by program and compiler."""
import math
import statistics

from written import read

COMPILERS = ("gcc", "clang")
TOLERANCE = 0.1
# In the order of the document's table 1; in addition, instructions and CPU time, which other
# programs hardly affect.
COLUMNS = {"run-time": "run time", "cpu-time": "CPU time", "instructions": "instructions", "loads": "loads", "stores": "stores", "l1i-misses": "L1I misses", "l2-instruction-misses": "L2I misses",
           "l2-data-misses": "L2D misses", "conditional-branches": "cond. branches", "mispredictions": "br. mispred."}
EVENTS = [name for name in COLUMNS if not name.endswith("-time")]
PREDICTED = ("instructions", "loads", "stores", "conditional-branches")


class Cell:
    def __init__(self, row):
        self.ratio, self.low, self.high, self.verdict = float(row["ratio"]), float(row["low"]), float(row["high"]), row["verdict"]
        self.vanilla = float(row["vanilla"]) if row["vanilla"] else None

    def text(self):
        """Refused ones bold, doubtful ones in brackets."""
        shown = f"{self.ratio:.3f}" if self.ratio < 100 else f"{self.ratio:.0f}"
        return {"refused": f"**{shown}**", "doubtful": f"({shown})"}.get(self.verdict, shown)


class Ratios:
    """Cells by compiler, program and metric; programs in the order in which they were run."""

    def __init__(self, directory):
        self.cells = {compiler: {} for compiler in COMPILERS}
        self.programs = [row["program"] for row in read(directory, "programs")]
        for row in read(directory, "ratios"):
            self.cells[row["compiler"]].setdefault(row["program"], {})[row["metric"]] = Cell(row)

    def pairs(self):
        """Compiler, program and its cells, of all that were measured."""
        return [(compiler, program, self.cells[compiler][program]) for compiler in COMPILERS for program in self.programs if program in self.cells[compiler]]

    def of(self, metric, compiler=None):
        return [cells[metric] for one, _, cells in self.pairs() if metric in cells and compiler in (None, one)]


def accepted(cells):
    """Whether the plain rule takes the program: its run time is within 10 %."""
    return "run-time" in cells and abs(cells["run-time"].ratio - 1) <= TOLERANCE


def geometric(values):
    return math.exp(statistics.fmean(math.log(value) for value in values))


def standing(ratio):
    return "valid" if abs(ratio - 1) <= TOLERANCE else "refused"
