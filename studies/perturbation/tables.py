"""tables.py: the tables of the study's page, as Markdown."""
import math
import statistics

from results import names, points
from written import read

ORDERS = {"given": "given", "random 1": "random", "alone": "each alone"}
CLEARLY = 0.02  # differences below this occur between layouts
WORDS = {"not": "no", "once": "in one of two layouts", "twice": "yes"}


def table(header, rows):
    """The first column is text, the others are numbers unless they say "<"."""
    shown = [name.lstrip("<") for name in header]
    rules = ["---" if index == 0 or name.startswith("<") else "---:" for index, name in enumerate(header)]
    return "\n".join(f"| {' | '.join(line)} |" for line in [shown, rules, *rows])


def percent(number):
    if abs(number) < 5e-5:
        return "0"
    return f"{number:+.2g}" if abs(number) < 1 else f"{number:+.1f}"


def changed(point):
    """The largest significant change of a pair."""
    return f"{point.change:+.2f}" if point.inner else ""


def named(point):
    """Which run it is."""
    if point.order == "alone":
        return f"{point.metric}, alone"
    return f"{point.counted} metrics, {ORDERS[point.order]} order" if point.counted > 1 else f"{point.metric}, alone"


def tail(successes, trials, chance):
    """The chance of so many successes or fewer."""
    return sum(math.comb(trials, count) * chance**count * (1 - chance)**(trials - count) for count in range(successes + 1))


def bisected(rises):
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rises(middle) else (middle, high)
    return low


def clopper_pearson(successes, trials, alpha=0.05):
    low = bisected(lambda chance: 1 - tail(successes - 1, trials, chance) > alpha / 2) if successes else 0.0
    high = bisected(lambda chance: tail(successes, trials, chance) < alpha / 2) if successes < trials else 1.0
    return low, high


def programs(directory):
    rows = [[row["program"], row["language"], f"`{row['command']}`", row["kin"], f"{int(row['instructions']) / 1e6:.0f}", f"{int(row['records']):,}", row["watched"]]
            for row in read(directory, "programs")]
    return table(["program", "<language", "<command", "<kin in the paper", "instructions, millions", "records", "metrics watched"], rows)


def about(directory):
    return table(["what", "<value"], [[row["what"], row["value"]] for row in read(directory, "about")])


def summary(directory):
    rows = []
    for program in names(directory):
        for order, words in ORDERS.items():
            found = points(directory, program, order)
            count = [sum(one.state == state for one in found) for state in ("twice", "once", "not")]
            rows.append([program, words, str(len(found)), *map(str, count), percent(min(one.instructions for one in found)), percent(max(one.instructions for one in found)),
                         f"{max((abs(one.change) for one in found if one.inner), default=0):.2f}", f"{min((one.lowest for one in found if one.lowest is not None), default=0):.2f}",
                         str(sum(one.lowest is None for one in found))])
    return table(["program", "<order", "runs", "perturbed in both layouts", "in one", "in none", "least added, %", "most added, %", "largest change inside",
                  "lowest correlation outside", "not aligned"], rows)


def steps(directory, program):
    """The given order step by step, and each of its metrics by itself."""
    alone = {one.metric: one for one in points(directory, program, "alone")}
    rows = []
    for one in points(directory, program, "given"):
        other = alone[one.metric]
        rows.append([str(one.counted), one.metric, percent(one.instructions), str(one.inner), changed(one), str(one.outer),
                     f"{one.lowest:.2f}" if one.lowest is not None else "not aligned", WORDS[one.state],
                     percent(other.instructions), changed(other), WORDS[other.state]])
    return table(["counted", "<metric added", "instructions, %", "pairs changed", "largest change", "metrics changed outside", "lowest", "<perturbed", "alone: instructions, %",
                  "largest change", "<perturbed"], rows)


def nearest(found, words):
    return f"{percent(found.instructions)} % ({named(found)}; {words(found)})" if found else "none"


def overheads(directory):
    """Low overhead is not low perturbation: the cheapest run that is perturbed, and the dearest that is not."""
    rows = []
    for program in names(directory):
        found = points(directory, program)
        worst = min((one for one in found if one.state == "twice"), key=lambda one: abs(one.instructions), default=None)
        best = max((one for one in found if one.state == "not"), key=lambda one: abs(one.instructions), default=None)
        rows.append([program, nearest(worst, lambda one: f"{one.inner} pairs, most by {one.change:+.2f}" if one.inner else "outside only"), nearest(best, lambda one: "no pair")])
    return table(["program", "<least instructions added that perturb", "<most that do not"], rows)


def interactions(directory):
    rows = []
    for program in names(directory):
        falls, recovered = 0, []
        for order in ("given", "random 1"):
            found = points(directory, program, order)
            for before, after in zip(found, found[1:]):
                falls += after.instructions > before.instructions and before.inner > 0 and abs(after.change if after.inner else 0) <= abs(before.change) - CLEARLY
                if before.state == "twice" and after.state == "not":
                    recovered.append(after)
        mine = [row for row in read(directory, "back") if row["program"] == program]
        came = [f"{sum(row['back'] != '' for row in mine if row['kind'] == kind)} of {sum(row['kind'] == kind for row in mine)}" for kind in ("inner", "outer")]
        steps_taken = sum(len(points(directory, program, order)) - 1 for order in ("given", "random 1"))
        rows.append([program, f"{falls} of {steps_taken}", *came, str(len(recovered))])
    return table(["program", "steps that add instructions and lessen the largest significant change by 0.02 or more",
                  "pairs that changed and were as before at a later step", "metrics outside, likewise", "runs from perturbed to not by adding one"], rows)


def plans(directory):
    groups, refused, trust = read(directory, "groups"), read(directory, "not_placed"), read(directory, "trust")
    rows = []
    for row in read(directory, "tests"):
        mine = [one for one in groups if one["program"] == row["program"]]
        placed = sum(int(one["size"]) for one in mine)
        left = sum(one["program"] == row["program"] for one in refused)
        believed = [float(one["trust"]) for one in trust if one["program"] == row["program"] and one["trust"]]
        spread = [f"{number:.2f}" for number in (min(believed), statistics.median(believed), max(believed))] if believed else ["", "", ""]
        rows.append([row["program"], f"{placed} of {placed + left}", ", ".join(one["size"] for one in mine) or "none", row["sets"], row["runs"],
                     "yes" if row["out_of_budget"] == "yes" else "no", *spread])
    return table(["program", "metrics placed", "sizes of the groups", "sets tried", "runs", "<budget spent", "trust: least", "median", "most"], rows)


def moved(directory):
    """Plans against baselines with other code addresses in every run."""
    before = {row["program"]: row for row in read(directory, "tests")}
    groups = read(directory, "groups")
    rows = []
    for row in read(directory, "moved"):
        left = [one for one in row["not_placed"].split("; ") if one]
        placed_before = sum(int(one["size"]) for one in groups if one["program"] == row["program"])
        spread = " to ".join(f"{float(row[key]):.2f}" for key in ("trust_least", "trust_most")) if row["trust_least"] else ""
        rows.append([row["program"], f"{placed_before} of {int(row['placed']) + len(left)}", f"{row['placed']} of {int(row['placed']) + len(left)}", ", ".join(row["sizes"].split()) or "none",
                     ", ".join(left) or "none", f"{before[row['program']]['runs']}", row["runs"], spread, f"{row['alarms']} of {row['controls']}"])
    return table(["program", "placed, one build", "placed, code moved", "sizes of the groups", "<not placed", "runs, one build", "runs, code moved", "trust", "nothing added, perturbed"], rows)


def not_placed(directory):
    """A row for each metric that failed; those that were not tried alone share one."""
    reason = lambda text: text.split("; ")[0].rstrip(".").replace("the correlation of ", "").replace(" of metrics changed,", " of metrics,")  # noqa: E731
    rows = []
    for program in names(directory):
        mine = [row for row in read(directory, "not_placed") if row["program"] == program]
        rows += [[program, row["metric"], reason(row["reason"])] for row in mine if "budget" not in row["reason"]]
        untried = [row["metric"] for row in mine if "budget" in row["reason"]]
        if untried:
            rows.append([program, ", ".join(untried), "failed in a set; the budget was used up before they were tested alone"])
    return table(["program", "<metric", "<why not"], rows)


def together(directory):
    """Sets that failed twice although each of their metrics passed alone, or in another set; the smallest of each program."""
    rows = []
    for program in names(directory):
        tried = [(set(row["metrics"].split(", ")), row["passed"] == "yes") for row in read(directory, "sets") if row["program"] == program]
        passed = set().union(*(metrics for metrics, good in tried if good))
        failed = sorted((metrics for metrics, good in tried if not good and metrics <= passed), key=len)
        for metrics in failed[:2]:
            within = max((found for found, good in tried if good and found < metrics), key=len, default=set())
            rows.append([program, ", ".join(sorted(metrics)), ", ".join(sorted(within)) or "each alone or in other sets"])
    return table(["program", "<perturb together", "<of these, not perturbed"], rows)


def trust(directory):
    """The metrics that are trusted least, of each program."""
    rows = []
    for program in names(directory):
        found = [row for row in read(directory, "trust") if row["program"] == program]
        for row in sorted((row for row in found if row["trust"]), key=lambda row: float(row["trust"]))[:4]:
            rows.append([program, row["metric"], f"{float(row['trust']):.2f}", f"{float(row['low']):.2f} to {float(row['high']):.2f}"])
        still = [row["metric"] for row in found if not row["trust"]]
        if still:
            rows.append([program, ", ".join(still), "", "never changes between records"])
    return table(["program", "<metric", "trust", "<nine tenths of the runs"], rows)


def control(directory):
    rows, found = [], read(directory, "control")
    for program in [*names(directory), "all"]:
        for least in ("0", "default"):
            mine = [row for row in found if row["kind"] == f"least {least}" and program in (row["program"], "all")]
            line = [program, least, str(len(mine))]
            for which in (["inner"], ["outer"], ["inner", "outer"]):
                alarms = sum(any(int(row[name]) > 0 for name in which) for row in mine)
                low, high = clopper_pearson(alarms, len(mine)) if mine else (0, 1)
                line.append(f"{alarms} ({100 * alarms / max(1, len(mine)):.1f} %, {100 * low:.1f} to {100 * high:.1f})")
            rows.append(line)
    return table(["program", "<least", "runs", "alarms inside", "alarms outside", "either"], rows)


def relinked(directory):
    rows, found = [], read(directory, "control")
    for program in names(directory):
        for kind, words in (("least default", "as they were"), ("relinked", "in the opposite order")):
            mine = [row for row in found if (row["program"], row["kind"]) == (program, kind)]
            if mine:
                changes = [abs(float(row["change"])) for row in mine if row["inner"] not in ("", "0")]
                rows.append([program, words, str(len(mine)), percent(float(mine[0]["instructions"])), str(sum(row["perturbed"] != "no" for row in mine)),
                             f"{statistics.median(map(int, (row['inner'] or 0 for row in mine))):g}", f"{max(changes):.2f}" if changes else "none", str(sum(not row["lowest"] for row in mine))])
    return table(["program", "<parts linked", "runs", "instructions added, %", "perturbed", "pairs changed, median", "largest significant change", "not aligned"], rows)


def methods(directory):
    """What the paper's method and the default say about the same runs."""
    found, rows = read(directory, "methods"), []
    for program in dict.fromkeys(row["program"] for row in found):
        for words, is_control in (("metrics added", False), ("nothing added", True)):
            mine = [row for row in found if row["program"] == program and row["run"].startswith("control") == is_control]
            verdicts = [(row["default"] != "no", row["document"] != "no") for row in mine]
            rows.append([program, words, str(len(mine)), str(sum(one for one, _ in verdicts)), str(sum(other for _, other in verdicts)),
                         str(sum(one and not other for one, other in verdicts)), str(sum(other and not one for one, other in verdicts)),
                         *(f"{statistics.median(int(row[name] or 0) for row in mine):g}" for name in ("default_inner", "document_inner"))])
    return table(["program", "<runs with", "runs", "perturbed, default", "perturbed, document", "only default", "only document", "pairs, default, median", "pairs, document, median"], rows)


def all_tables(directory):
    made = {f"steps {program}": steps(directory, program) for program in names(directory)}
    return made | {"programs": programs(directory), "about": about(directory), "summary": summary(directory), "overheads": overheads(directory), "interactions": interactions(directory),
                   "plans": plans(directory), "moved": moved(directory), "not placed": not_placed(directory), "together": together(directory), "trust": trust(directory), "control": control(directory), "relinked": relinked(directory), "methods": methods(directory)}
