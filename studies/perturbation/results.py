"""results.py: the study's tables: what is kept of tare's documents, and what is read out of it again."""
import json
import os
import subprocess

from written import Tables, read, rows_of

HEADERS = {
    "programs": ["program", "language", "kin", "command", "instructions", "records", "watched"],
    "points": ["program", "order", "counted", "metric", "instructions", "inner", "change", "outer", "lowest", "perturbed", "again"],
    "baseline": ["program", "pair", "run", "correlation"],
    "inner": ["program", "pair", "counted", "instructions", "low", "high", "correlation", "significant"],
    "outer": ["program", "metric", "counted", "instructions", "low", "high", "correlation", "significant"],
    "changes": ["program", "when", "title"],
    "back": ["program", "kind", "name", "changed", "back"],
    "signals": ["program", "when", "signal", "instructions", "value"],
    "groups": ["program", "group", "size", "instructions", "metrics"],
    "tests": ["program", "sets", "runs", "passed", "out_of_budget"],
    "sets": ["program", "size", "runs", "passed", "metrics"],
    "not_placed": ["program", "metric", "reason"],
    "trust": ["program", "metric", "trust", "low", "high", "verdict"],
    "control": ["program", "kind", "instructions", "inner", "outer", "change", "lowest", "perturbed"],
    "moved": ["program", "placed", "sizes", "sets", "runs", "not_placed", "trust_least", "trust_median", "trust_most", "controls", "alarms"],
    "methods": ["program", "run", "default", "document", "default_inner", "document_inner", "default_outer", "document_outer"],
    "about": ["what", "value"],
}
MAX_LINES, ALMOST_THE_SAME = 6, 0.04
STRETCHES = 120  # of a signal, for the figure
INTERESTING = 0.3


def value(cell):
    return cell.get("value") if isinstance(cell, dict) else cell


def end(cell, which):
    """An end of its interval; the value itself where it has none."""
    found = cell.get(which) if isinstance(cell, dict) else None
    return value(cell) if found is None else found


def short(number, digits=4):
    return None if number is None else f"{number:.{digits}f}"


def moving(curves, significant):
    """The names of the curves that move most, those that do so significantly first; none that runs along with another."""
    rank = lambda name: (name in significant, max(curves[name]) - min(curves[name]))  # noqa: E731
    chosen = []
    for name in sorted(curves, key=rank, reverse=True):
        alike = any(max(abs(one - other) for one, other in zip(curves[name], curves[before])) < ALMOST_THE_SAME for before in chosen)
        if not alike and len(chosen) < MAX_LINES:
            chosen.append(name)
    return chosen


def curves_of(rows, name_of, field):
    """Rows of the given order by their names, those of which every run has a value."""
    found = {}
    for row in rows:
        if row["order"] == "given":
            found.setdefault(name_of(row), []).append(row)
    return {name: rows for name, rows in found.items() if all(value(row[field]) is not None for row in rows)}


def thinned(x, y):
    """Means over stretches of equal length."""
    step = max(1, -(-len(x) // STRETCHES))
    return [(x[min(at + step, len(x)) - 1], sum(y[at:at + step]) / len(y[at:at + step])) for at in range(0, len(x), step)]


def changes_of(document):
    """For each run the largest change of a pair, of the significant ones where there are any."""
    points, inner = rows_of(document, "points"), rows_of(document, "inner")
    pairs, found = len(inner) // len(points), []
    for index, point in enumerate(points):
        rows = inner[index * pairs:(index + 1) * pairs]
        assert all((row["order"], row["metrics"]) == (point["order"], point["metrics"]) for row in rows)
        significant = [value(row["change"]) for row in rows if row["significant"] == "yes" and value(row["change"]) is not None]
        found.append(max(significant, key=abs) if significant else value(point["change"]))
    return found


class Results(Tables):
    def __init__(self, directory):
        super().__init__(directory, HEADERS)

    def take(self, program, sweeps, plans, controls):
        self.take_program(program)
        self.take_points(program.name, *sweeps)
        self.take_curves(program.name, sweeps[0])
        self.take_signals(program.name, sweeps[0])
        self.take_plan(program.name, *plans[0])
        self.take_moved(program.name, *plans[1], plans[2])
        for kind, document in controls.items():
            self.take_control(program.name, kind, document)

    def take_methods(self, name, document):
        for row in rows_of(document, "methods"):
            self.add("methods", name, *(value(row[column]) for column in HEADERS["methods"][1:]))

    def take_program(self, program):
        with open(f"{program.work}/baseline") as file:
            stored = json.load(file)
        run = stored["runs"][0]
        instructions = sum(next(signal["values"] for signal in run["signals"] if signal["name"] == "instructions"))
        self.add("programs", program.name, program.language, program.kin, program.shown(), int(instructions), len(run["times"]), len(stored["metrics"]))

    def take_points(self, name, first, again):
        for row, other, change in zip(rows_of(first, "points"), rows_of(again, "points"), changes_of(first)):
            assert (row["order"], row["metrics"]) == (other["order"], other["metrics"])
            self.add("points", name, row["order"], value(row["metrics"]), row["added"], short(value(row["instructions"])), value(row["inner"]), short(change, 3),
                     value(row["outer"]), short(value(row["lowest"]), 3), row["perturbed"], other["perturbed"])

    def take_curves(self, name, document):
        """Correlations as metrics are added in the given order: of the pairs and of the metrics that move most."""
        pairs = curves_of(rows_of(document, "inner"), lambda row: f"{row['first']} – {row['second']}", "run")
        metrics = curves_of(rows_of(document, "outer"), lambda row: row["metric"], "correlation")
        for table, curves, field in (("inner", pairs, "run"), ("outer", metrics, "correlation")):
            # The first point, before any metric is added, is the baseline's mean.
            numbers = {one: [abs(value(rows[0]["baseline"])), *(abs(value(row[field])) for row in rows)] for one, rows in curves.items()}
            numbers = {one: found for one, found in numbers.items() if max(found) >= INTERESTING}
            shown = moving(numbers, {one for one, rows in curves.items() if any(row["significant"] == "yes" for row in rows)})
            for one in shown:
                low, high = (short(abs(end(curves[one][0]["baseline"], which))) for which in ("low", "high"))
                self.add(table, name, one, 0, 0, low, high, short(numbers[one][0]), "no")
                for row, number in zip(curves[one], numbers[one][1:]):
                    self.add(table, name, one, value(row["metrics"]), short(value(row["instructions"])), low, high, short(number), row["significant"])
            if table == "inner":
                self.take_baseline(name, shown, document)
            for one, rows in curves.items():
                self.take_back(name, table, one, [value(row["metrics"]) for row in rows], [row["significant"] == "yes" for row in rows])

    def take_back(self, name, kind, one, counted, changed):
        """Of what changed at some step: the first such step, and the first later one at which it was as before."""
        if any(changed):
            first = changed.index(True)
            self.add("back", name, kind, one, counted[first], next((step for step, yes in zip(counted[first:], changed[first:]) if not yes), None))

    def take_baseline(self, name, pairs, document):
        """The same pairs in the runs of the baseline, as far as they are interesting there."""
        lines = {line["name"].replace(" - ", " – "): line for line in next(block for block in document["blocks"] if block.get("id") == "baseline_inner")["lines"]}
        for pair in (pair for pair in pairs if pair in lines):
            for run, number in zip(lines[pair]["x"], lines[pair]["y"]):
                self.add("baseline", name, pair, int(run), short(abs(number)))

    def take_signals(self, name, document):
        for when in ("before", "after"):
            block = next((block for block in document["blocks"] if block.get("id") == f"signals_{when}"), None)
            if block is None:
                continue
            self.add("changes", name, when, block["title"])
            for line in block["lines"]:
                for x, y in thinned(line["x"], line["y"]):
                    self.add("signals", name, when, line["name"], int(x), f"{y:.5g}")

    def take_plan(self, name, plan, merged):
        for row in rows_of(plan, "groups"):
            self.add("groups", name, value(row["group"]), value(row["size"]), short(value(row["instructions"])), row["metrics"])
        tests = rows_of(plan, "tests")
        answer = next(block["text"] for block in plan["blocks"] if block.get("id") == "answer")
        self.add("tests", name, len(tests), sum(value(row["runs"]) for row in tests), sum(row["passed"] == "yes" for row in tests), "yes" if "budget was spent" in answer else "no")
        for row in tests:
            self.add("sets", name, value(row["size"]), value(row["runs"]), row["passed"], row["metrics"])
        for row in rows_of(plan, "not_placed"):
            self.add("not_placed", name, row["metric"], row["reason"])
        for row in rows_of(merged, "merged") if merged else ():
            cell = row["trust"]
            self.add("trust", name, row["metric"], short(value(cell)), short(end(cell, "low")), short(end(cell, "high")), cell.get("verdict") if isinstance(cell, dict) else "valid")

    def take_moved(self, name, plan, merged, control):
        tests, trust = rows_of(plan, "tests"), sorted(float(value(row["trust"])) for row in rows_of(merged, "merged") if value(row["trust"]) is not None) if merged else []
        sizes = [value(row["size"]) for row in rows_of(plan, "groups")]
        judged = [row["perturbed"] for row in rows_of(control, "points") if row["order"] == "control"]
        self.add("moved", name, sum(sizes), " ".join(map(str, sizes)), len(tests), sum(value(row["runs"]) for row in tests),
                 "; ".join(row["metric"] for row in rows_of(plan, "not_placed")), *([short(trust[0]), short(trust[len(trust) // 2]), short(trust[-1])] if trust else ["", "", ""]),
                 len(judged), sum(one != "no" for one in judged))

    def take_control(self, name, kind, document):
        """A row for each run with nothing added: how many pairs and how many metrics alarmed."""
        for row, change in zip(rows_of(document, "points"), changes_of(document)):
            if row["order"] == "control":
                self.add("control", name, kind, short(value(row["instructions"])), value(row["inner"]), value(row["outer"]), short(change, 3), short(value(row["lowest"]), 3),
                         row["perturbed"])

    def about(self, study, runs, budget):
        version = lambda command: subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]  # noqa: E731
        for what, found in (("compiler", f"{version('clang-19')}, -O2, by way of tare-cc"), ("engine", version("valgrind")), ("architecture", os.uname().machine),
                            ("modelled processor", study.given.machine), ("instructions from record to record", f"{study.given.every:,}"),
                            ("runs of a baseline", runs), ("budget of a plan, runs", budget)):
            self.add("about", what, found)


class Point:
    """One run of a sweep, and the run of the same metrics with another layout."""

    def __init__(self, row):
        self.program, self.order, self.counted, self.metric = row["program"], row["order"], int(row["counted"]), row["metric"]
        self.instructions, self.change = float(row["instructions"]), float(row["change"] or 0)
        self.lowest = float(row["lowest"]) if row["lowest"] else None  # None: the run could not be aligned with the baseline
        self.inner, self.outer = int(row["inner"] or 0), int(row["outer"] or 0)
        self.first, self.again = row["perturbed"], row["again"]
        self.times = (self.first != "no") + (self.again != "no")
        # Only a perturbation found in both runs counts.
        self.state = ("not", "once", "twice")[self.times]


def points(directory, program=None, order=None):
    found = [Point(row) for row in read(directory, "points")]
    return [one for one in found if program in (None, one.program) and order in (None, one.order)]


def names(directory):
    return [row["program"] for row in read(directory, "programs")]
