"""tables.py: the tables of the study's page, as Markdown."""
import statistics

from results import COLUMNS, COMPILERS, EVENTS, PREDICTED, Ratios, accepted, geometric, standing
from written import read


def table(header, rows):
    """The first column is text, the others are numbers unless they say "<"."""
    names = [name.lstrip("<") for name in header]
    rules = ["---" if index == 0 or name.startswith("<") else "---:" for index, name in enumerate(header)]
    lines = [names, rules, *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def programs(directory):
    return table(["program", "<language", "<command", "<kin in the document"],
                 [[row["program"], row["language"], f"`{row['command']}`", row["kin"]] for row in read(directory, "programs")])


def about(directory):
    return table(["what", "<value"], [[row["what"], row["value"]] for row in read(directory, "about")])


def ratios(directory, compiler):
    marks = Ratios(directory)
    rows = []
    for one, program, cells in marks.pairs():
        if one == compiler:
            rows.append([program, *(cells[metric].text() if metric in cells else "" for metric in COLUMNS)])
    means = [geometric([cell.ratio for cell in marks.of(metric, compiler)]) if marks.of(metric, compiler) else None for metric in COLUMNS]
    rows.append(["geometric mean", *("" if mean is None else f"{mean:.3f}" for mean in means)])
    return table(["program", *COLUMNS.values()], rows)


def verdicts(directory):
    """How many of each metric are valid, doubtful and refused, and the ranges of the ratios."""
    marks, rows = Ratios(directory), []
    for metric, name in COLUMNS.items():
        for compiler in COMPILERS:
            cells = marks.of(metric, compiler)
            if cells:
                count = [sum(cell.verdict == verdict for cell in cells) for verdict in ("valid", "doubtful", "refused")]
                values = sorted(cell.ratio for cell in cells)
                rows.append([name, compiler, *map(str, count), f"{values[0]:.3f}", f"{statistics.median(values):.3f}", f"{values[-1]:.3f}"])
    return table(["metric", "<compiler", "valid", "doubtful", "refused", "least", "median", "most"], rows)


def misled(directory):
    """Programs that the plain rule takes, with what it is wrong about; and those that it rejects, with what is valid."""
    rows = []
    for compiler, program, cells in Ratios(directory).pairs():
        if "run-time" not in cells:
            continue
        takes = accepted(cells)
        wrong = [f"{COLUMNS[metric]} {cells[metric].ratio:.3f}" for metric in EVENTS if metric in cells and cells[metric].verdict == ("refused" if takes else "valid")]
        rows.append([program, compiler, f"{cells['run-time'].ratio:.3f}", "takes it" if takes else "rejects it", ", ".join(wrong) or "none"])
    return table(["program", "<compiler", "run time", "<the rule", "<refused although taken, valid although rejected"], rows)


def findings(directory):
    """Each of the document's sentences as a count."""
    pairs = Ratios(directory).pairs()
    have = lambda *metrics: [cells for _, _, cells in pairs if all(metric in cells for metric in metrics)]  # noqa: E731
    share = lambda count, of: f"{count} of {of}"  # noqa: E731
    timed = have("run-time")
    taken = [cells for cells in timed if accepted(cells)]
    left = [cells for cells in timed if not accepted(cells)]
    refused = lambda cells: any(cells[metric].verdict == "refused" for metric in EVENTS if metric in cells)  # noqa: E731
    valid = lambda cells: any(cells[metric].verdict == "valid" for metric in EVENTS if metric in cells)  # noqa: E731
    both, branches, cache = have("loads", "stores"), have("conditional-branches"), have("l1i-misses", "l2-instruction-misses", "l2-data-misses")
    farthest = lambda cells: max((metric for metric in EVENTS if metric in cells and metric != "instructions"), key=lambda metric: abs(cells[metric].ratio - 1))  # noqa: E731
    rows = [
        ["programs within 10 % of their run time that have a refused metric", share(sum(map(refused, taken)), len(taken)), "3 of 5"],
        ["programs beyond it that have a valid metric", share(sum(map(valid, left)), len(left)), "8 of 9"],
        ["conditional branches within 10 %", share(sum(standing(cells["conditional-branches"].ratio) == "valid" for cells in branches), len(branches)), "13 of 14"],
        ["stores moved more than loads", share(sum(cells["stores"].ratio > cells["loads"].ratio for cells in both), len(both)), "12 of 14"],
        ["stores moved most of the metrics", share(sum(farthest(cells) == "stores" for cells in cache), len(cache)), "6 of 14"],
        ["L1 instruction misses moved most of the metrics", share(sum(farthest(cells) == "l1i-misses" for cells in cache), len(cache)), "3 of 14"],
        ["L1 instruction misses moved more than L2 instruction misses", share(sum(abs(cells["l1i-misses"].ratio - 1) > abs(cells["l2-instruction-misses"].ratio - 1) for cells in cache), len(cache)), "8 of 14"],
        ["L2 data misses within 10 %", share(sum(standing(cells["l2-data-misses"].ratio) == "valid" for cells in cache), len(cache)), "11 of 14"],
    ]
    return table(["finding", "here", "in the document's table 1"], rows)


def prediction(directory):
    marks, rows, order = {}, [], []
    for row in read(directory, "prediction"):
        key = (row["program"], row["compiler"])
        if key not in marks:
            order.append(key)
        marks.setdefault(key, {})[row["metric"]] = row
    for key in order:
        line = list(key)
        for metric in PREDICTED:
            row = marks[key].get(metric)
            if row is None:
                line.append("")
                continue
            predicted, measured = float(row["predicted"]), float(row["measured"])
            sign = "" if standing(predicted) == standing(measured) else " (another verdict)"
            line.append(f"{predicted:.3f} / {measured:.3f}{sign}")
        rows.append(line)
    return table(["program", "<compiler", *(f"{COLUMNS[metric]}: predicted / measured" for metric in PREDICTED)], rows)


def scores(directory):
    rows = []
    for metric in PREDICTED:
        for compiler in COMPILERS:
            found = [row for row in read(directory, "prediction") if row["metric"] == metric and row["compiler"] == compiler]
            if not found:
                continue
            numbers = [(float(row["predicted"]), float(row["low"]), float(row["high"]), float(row["measured"])) for row in found]
            errors = [100 * (predicted - measured) for predicted, _, _, measured in numbers]
            relative = [100 * abs(predicted / measured - 1) for predicted, _, _, measured in numbers]
            ranges = any(low < high for _, low, high, _ in numbers)
            inside = f"{sum(low <= measured <= high for _, low, high, measured in numbers)} of {len(found)}" if ranges else "no range"
            same = sum(standing(predicted) == standing(measured) for predicted, _, _, measured in numbers)
            rows.append([COLUMNS[metric], compiler, f"{statistics.median(map(abs, errors)):.1f}", f"{max(errors, key=abs):+.1f}", f"{statistics.median(relative):.1f}",
                         inside, f"{same} of {len(found)}"])
    return table(["metric", "<compiler", "median error, points", "worst", "median of the ratio, %", "measured inside the range", "same verdict"], rows)


def parts(directory):
    """Shares of the instructions that were added."""
    causes, marks = ("hook calls", "hook code", "around", "inlining", "rest"), {}
    for row in read(directory, "parts"):
        marks.setdefault((row["program"], row["compiler"]), {})[row["cause"]] = float(row["instructions"])
    rows = []
    for (program, compiler), found in marks.items():
        total = found.get("total", 0)
        if total:
            rows.append([program, compiler, f"{total / 1e6:,.1f} M", *(f"{100 * found.get(cause, 0) / total:.1f}" for cause in causes)])
    return table(["program", "<compiler", "instructions added", *(f"{cause}, %" for cause in causes)], rows)


def all_tables(directory):
    made = {f"ratios {compiler}": ratios(directory, compiler) for compiler in COMPILERS}
    return made | {"programs": programs(directory), "about": about(directory), "verdicts": verdicts(directory), "misled": misled(directory), "findings": findings(directory),
                   "prediction": prediction(directory), "scores": scores(directory), "parts": parts(directory)}
