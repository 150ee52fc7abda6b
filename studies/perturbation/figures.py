#!/usr/bin/env python3
"""figures.py: draws the study's figures and writes its tables, from what run.py has written.

figures.py DIRECTORY

Writes figure3.svg and so on, by the numbers of the paper's figures, beside the CSV files of DIRECTORY. Where there is a page DIRECTORY.md, the tables in it are replaced: each
stands between <!-- table NAME --> and <!-- end -->. Where there is none, they go to tables.md.
"""
import os
import sys

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from drawing import COLOURS, Drawing, Panel, bent, steps  # noqa: E402
from results import names, points  # noqa: E402
from tables import all_tables, percent  # noqa: E402
from written import publish, read  # noqa: E402

LEFT, RIGHT, WIDTH = 70, 600, 990
STATES = {"not": ("#1f5fa8", "not perturbed"), "once": ("#e6a23c", "in one of two layouts"), "twice": ("#b2182b", "in both layouts")}


def by(rows, field):
    found = {}
    for row in rows:
        found.setdefault(row[field], []).append(row)
    return found


def legend(drawing, top, colours):
    for index, (name, colour) in enumerate(colours.items()):
        y = top + 12 + 21 * index
        drawing.line(RIGHT + 22, y, RIGHT + 48, y, colour, 2)
        drawing.text(RIGHT + 54, y + 4, name, 12)


def panels(directory, path, title, table, field, draw_under, name):
    """One panel for each program, one above the other; draw_under draws the axis and says where each row's x is."""
    rows = read(directory, table)
    # Pairs have the same colours as in the figure of added metrics.
    coloured = read(directory, "inner") if table == "baseline" else rows
    programs = [program for program in names(directory) if any(row["program"] == program for row in rows)]
    if not programs:
        return
    height, gap, top = 210, 98, 48
    drawing = Drawing(WIDTH, top + (height + gap) * len(programs), title)
    drawing.text(LEFT, 22, title, 16, bold=True)
    for number, program in enumerate(programs):
        lines = by([row for row in rows if row["program"] == program], field)
        numbers = [float(row["correlation"]) for found in lines.values() for row in found]
        low = max(0.0, min(numbers) - 0.04)
        upper = top + (height + gap) * number + 14
        panel = Panel(drawing, LEFT, upper, RIGHT, upper + height, low, 1.0)
        panel.grid(steps(low, 1.0), name)
        drawing.text(LEFT, upper - 8, program, 14, bold=True)
        where = draw_under(panel, next(iter(lines.values())), points(directory, program, "given"))
        known = by([row for row in coloured if row["program"] == program], field)
        colours = {line: colour for line, colour in zip(known, COLOURS) if line in lines}
        legend(drawing, upper, colours)
        for line, colour in colours.items():
            found = lines[line]
            places = [panel.place(where(row), float(row["correlation"])) for row in found]
            # Runs that could not be aligned have no outer correlation: the line has a gap.
            pieces = [[places[0]]]
            for place, before, row in zip(places[1:], found, found[1:]):
                if "counted" in row and int(row["counted"]) - int(before["counted"]) > 1:
                    pieces.append([])
                pieces[-1].append(place)
            for piece in pieces:
                drawing.path(piece, colour)
            for (x, y), row in zip(places, found):
                drawing.dot(x, y, colour, row.get("significant", "no") == "yes")
    drawing.save(f"{directory}/{path}")


def runs_axis(panel, rows, given):
    place = lambda row: (int(row["run"]) - 0.5) / len(rows)  # noqa: E731
    for row in rows:
        if int(row["run"]) % 5 == 0 or int(row["run"]) == 1:
            panel.under(place(row), row["run"])
    panel.drawing.text((panel.left + panel.right) / 2, panel.bottom + 38, "run of the baseline", 13, "middle")
    return place


def added_axis(panel, rows, given):
    across = lambda counted: (counted + 0.5) / (len(given) + 1)  # noqa: E731
    place = lambda row: across(int(row["counted"]))  # noqa: E731
    panel.under(across(0), "0", turn=-60)
    for one in given:
        panel.under(across(one.counted), percent(one.instructions), turn=-60)
    panel.drawing.text((panel.left + panel.right) / 2, panel.bottom + 58, "instructions added, %; one more metric at each step", 13, "middle")
    return place


def signals(directory, program):
    """Figure 5: both metrics of a pair before and after the step that changed it most, and the metric that was added."""
    rows = [row for row in read(directory, "signals") if row["program"] == program]
    drawn = by(rows, "signal")
    # A pair that never changed significantly is not worth a figure.
    pair = " – ".join(list(drawn)[:2])
    if not any((row["program"], row["name"]) == (program, pair) for row in read(directory, "back")):
        return
    height, top = 120, 74
    drawing = Drawing(WIDTH, top + (height + 34) * len(drawn) + 30, f"{program}: signals before and after a change")
    wide = (WIDTH - 110 - 70) / 2
    lefts = {"before": 100, "after": 100 + wide + 60}
    titles = {row["when"]: row["title"] for row in read(directory, "changes") if row["program"] == program}
    for when, left in lefts.items():
        drawing.text(left, 22, f"{program}, {when}", 15, bold=True)
        drawing.text(left, 40, shortened(titles[when]), 12)
    for number, (signal, found) in enumerate(drawn.items()):
        most = max(float(row["value"]) for row in found) or 1
        upper = top + (height + 34) * number
        for when, left in lefts.items():
            line = [row for row in found if row["when"] == when]
            if not line:
                continue
            panel = Panel(drawing, left, upper, left + wide, upper + height, 0, most * 1.05)
            ticks = [tick for tick in steps(0, most * 1.05) if tick <= most * 1.05][::2]
            panel.grid(ticks, "", [f"{tick / 1000:g}k" if tick >= 1000 else f"{tick:g}" for tick in ticks])
            drawing.text(left + 4, upper - 4, signal, 12, colour="#555555")
            last = max(int(row["instructions"]) for row in rows)
            drawing.path([panel.place(int(row["instructions"]) / last, float(row["value"])) for row in line], COLOURS[number], 1.2)
            if number == len(drawn) - 1 or when == "before" and number == len(drawn) - 2 and not any(row["when"] == "before" for row in list(drawn.values())[-1]):
                for tick in steps(0, last / 1e6):
                    panel.under(tick * 1e6 / last, f"{tick:g}")
                drawing.text(left + wide / 2, upper + height + 36, "million instructions", 12, "middle")
    drawing.text(22, top + (height + 34) * len(drawn) / 2, "events, of the most between two records", 13, "middle", turn=-90)
    drawing.save(f"{directory}/figure5-{program}.svg")


def shortened(title):
    """Of "A - B before C was added: 0.4" the correlation and the metric; of "The same with it: 0.6" the correlation."""
    words, correlation = title.rsplit(": ", 1)
    return f"correlation {correlation}, before {words.split(' before ')[-1].removesuffix(' was added')}" if " before " in words else f"correlation {correlation}"


def overhead(directory):
    """Every run of the sweeps: the largest change of a correlation against the instructions that were added."""
    programs = names(directory)
    if not programs:
        return
    wide, high, gap = 390, 240, 80
    drawing = Drawing(WIDTH, 70 + (high + gap) * ((len(programs) + 1) // 2), "Change of correlations against added instructions")
    drawing.text(LEFT, 22, "Largest change of a correlation against the instructions that were added", 16, bold=True)
    for index, (colour, words) in enumerate(STATES.values()):
        drawing.dot(LEFT + 8 + 240 * index, 42, colour, index > 0, 4.5)
        drawing.text(LEFT + 18 + 240 * index, 46, f"perturbed {words}" if index else words)
    found = points(directory)
    most = max(abs(one.change) for one in found) * 1.05
    ends = [bent(min(-0.01, *(one.instructions for one in found))), bent(max(one.instructions for one in found) * 1.2)]
    across = lambda number: (bent(number) - ends[0]) / (ends[1] - ends[0])  # noqa: E731
    for number, program in enumerate(programs):
        left, upper = LEFT + (wide + 70) * (number % 2), 80 + (high + gap) * (number // 2)
        panel = Panel(drawing, left, upper, left + wide, upper + high, 0, most)
        panel.grid(steps(0, most), "change")
        drawing.text(left, upper - 8, program, 14, bold=True)
        for tick in (-10, -1, -0.1, 0, 0.1, 1, 10, 100):
            if 0 <= across(tick) <= 1:
                panel.under(across(tick), f"{tick:g}")
        drawing.text(left + wide / 2, upper + high + 38, "instructions added, %", 13, "middle")
        for one in sorted((one for one in found if one.program == program), key=lambda one: one.times):
            drawing.dot(*panel.place(across(one.instructions), abs(one.change)), STATES[one.state][0], one.times > 0, 4)
    drawing.save(f"{directory}/figure9.svg")


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = sys.argv[1].rstrip("/")
    panels(directory, "figure3.svg", "Inner correlation in the runs of the baseline", "baseline", "pair", runs_axis, "inner correlation")
    panels(directory, "figure4.svg", "Inner correlation as metrics are added", "inner", "pair", added_axis, "inner correlation")
    panels(directory, "figure7.svg", "Outer correlation as metrics are added", "outer", "metric", added_axis, "outer correlation")
    for program in names(directory):
        signals(directory, program)
    overhead(directory)
    publish(directory, all_tables(directory))


main()
