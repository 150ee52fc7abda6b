"""tables.py: the tables of the study's page, as Markdown."""
import statistics

from results import STATES, benchmarks, engines_of, percent, short
from written import read


def table(header, rows):
    """The first column is text, the others are numbers unless they say "<"."""
    names = [name.lstrip("<") for name in header]
    rules = ["---" if index == 0 or name.startswith("<") else "---:" for index, name in enumerate(header)]
    lines = [names, rules, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def summary(directory):
    """Both states in a few numbers."""
    columns = []
    for state in STATES:
        marks = benchmarks(directory, state)
        within = [deviation for mark in marks.values() for deviation in mark.within.values()]
        between = sorted(marks.values(), key=lambda mark: -mark.cv)
        inside = max(marks.values(), key=lambda mark: mark.pooled() / mark.mean)
        columns.append([f"{sum(len(counts) for mark in marks.values() for counts in mark.runs.values())}",
                        f"{sum(deviation == 0 for deviation in within)} of {len(within)}",
                        f"{percent(100 * inside.pooled() / inside.mean)} % ({inside.name})",
                        f"{percent(statistics.median(mark.cv for mark in between))} %",
                        *(f"{percent(mark.cv)} % ({mark.name})" for mark in between[:3]),
                        f"{sum(mark.cv < 0.002 for mark in between)} of {len(between)}"])
    names = ["runs", "pairs of benchmark and engine whose runs agree to the instruction", "greatest variation within engines", "variation between engines: median",
             "greatest", "second", "third", "benchmarks below 0.002 %, the document's limit"]
    return table(["", *STATES], [[name, *cells] for name, *cells in zip(names, *columns)])


def inter(directory, state):
    marks = benchmarks(directory, state)
    engines = engines_of(marks)
    return table(["benchmark", "mean", "sd", "cv, %", *engines],
                 [[mark.name, f"{mark.mean:,.0f}", short(mark.between), percent(mark.cv)] +
                  [short(mark.deltas[engine], True) if engine in mark.deltas else "" for engine in engines] for mark in marks.values()])


def intra(directory, state):
    marks = benchmarks(directory, state)
    engines = engines_of(marks)
    return table(["benchmark", "sd", "cv, %", *engines],
                 [[mark.name, short(mark.pooled()), percent(100 * mark.pooled() / mark.mean)] +
                  [short(mark.within[engine]) if engine in mark.within else "" for engine in engines] for mark in marks.values()])


def causes(directory, state, least):
    """One line for each pair of engines that are so many instructions apart or more."""
    pairs, places = {}, {}
    for row in read(directory, "causes"):
        if row["state"] == state:
            pair = (row["benchmark"], row["machine"], row["reference"])
            pairs.setdefault(pair, {})[row["cause"]] = int(row["difference"])
            places[pair, row["cause"]] = row["where"]
    rows = []
    for pair, split in pairs.items():
        total = split.pop("total", 0)
        if abs(total) < least:
            continue
        named = sorted(((cause, value) for cause, value in split.items() if value), key=lambda one: -abs(one[1]))
        first = places[pair, named[0][0]].split(", ")[0]
        rows.append([pair[0], f"{pair[1]} less {pair[2]}", f"{total:+,}", ", ".join(f"{cause} {value:+,}" for cause, value in named), f"`{first}`" if first else ""])
    return table(["benchmark", "<engines", "difference", "<causes", "<most of the first in"], rows)


def faults(directory):
    counts, marks = {}, benchmarks(directory, "after")
    for row in read(directory, "events"):
        if row["event"] == "page-faults":
            counts.setdefault(row["benchmark"], {}).setdefault(row["state"], []).append(int(row["count"]))
    rows = []
    for name, by_state in counts.items():
        cells = [f"{function(by_state[state]):,.{digits}f}" for state in STATES for function, digits in ((statistics.fmean, 0), (statistics.stdev, 1))]
        rows.append([name, *cells, percent(100 * statistics.fmean(by_state["after"]) / marks[name].mean)])
    return table(["benchmark", "before: mean", "sd", "after: mean", "sd", "of the instructions, %"], rows)


def repeated(directory):
    """Like table 3: what counting each iteration of a rep instruction would add."""
    rows = [(row["benchmark"], int(row["rep_iterations"]) - int(row["rep_instructions"]), int(row["instructions"])) for row in read(directory, "repeated")]
    found = sorted((row for row in rows if row[1] > 0), key=lambda row: -row[1])
    shown = [[name, f"{excess:,}", percent(100 * excess / count)] for name, excess, count in found]
    return table(["benchmark", "rep counts in excess", "% overcount"], shown or [[f"none of {len(rows)}", "0", "0"]])


def programs(directory):
    return table(["benchmark", "<command", "<kin in the document"], [[row["benchmark"], f"`{row['command']}`", row["kin"]] for row in read(directory, "programs")])


def all_tables(directory):
    made = {f"inter {state}": inter(directory, state) for state in STATES}
    made |= {f"intra {state}": intra(directory, state) for state in STATES}
    return made | {"summary": summary(directory), "programs": programs(directory), "causes before": causes(directory, "before", 10_000), "causes after": causes(directory, "after", 1), "faults": faults(directory), "repeated": repeated(directory)}
