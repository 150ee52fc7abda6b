#!/usr/bin/env python3
"""figures.py: draws the study's figures and writes its tables, from what run.py has written.

figures.py DIRECTORY

Writes figure1.svg, figure2.svg and figure3.svg beside the CSV files of DIRECTORY. Where there is a page DIRECTORY.md, the tables in it are replaced: each stands between
<!-- table NAME --> and <!-- end -->. Where there is none, they go to tables.md.
"""
import math
import os
import sys
from xml.sax.saxutils import escape

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from programs import OTHER, PLAIN  # noqa: E402
from results import STATES, benchmarks, engines_of  # noqa: E402
from tables import all_tables  # noqa: E402
from written import publish, read  # noqa: E402

COLOURS = {"before": "#d95f02", "after": "#1f5fa8"}
LETTER_COLOURS = ("#1b7837", "#762a83", "#b2182b", "#2166ac", "#8c510a", "#01665e", "#c51b7d", "#4d4d4d", "#e08214", "#5e4fa2")
OUTLIER = 1000  # instructions
SUPERSCRIPTS = str.maketrans("-0123456789", "\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079")


class Drawing:
    def __init__(self, width, height, title):
        self.width, self.height = width, height
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      f'font-family="Helvetica, Arial, sans-serif" role="img"><title>{escape(title)}</title>',
                      f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def line(self, x1, y1, x2, y2, colour="#888888", width=1.0, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def dot(self, x, y, state):
        fill = "#ffffff" if state == "before" else COLOURS[state]
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="6" fill="{fill}" stroke="{COLOURS[state]}" stroke-width="2.5"/>')

    def text(self, x, y, words, size=15, anchor="start", colour="#222222", turn=0, bold=False, family=""):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        weight = ' font-weight="bold"' if bold else ""
        if family:
            weight += f' font-family="{family}"'
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}{turned}>{escape(words)}</text>')

    def save(self, path):
        with open(path, "w") as file:
            file.write("\n".join([*self.parts, "</svg>\n"]))


class LogAxis:
    """Powers of ten from the bottom up; 0 has a place of its own below them."""

    def __init__(self, values, top, bottom, least=None):
        positive = [value for value in values if value > 0]
        self.low = least if least is not None else math.floor(math.log10(min(positive)))
        self.high = math.ceil(math.log10(max(positive)))
        self.top, self.zero = top, bottom
        self.base = bottom - 34

    def place(self, value):
        if value == 0:
            return self.zero
        return self.base - (max(math.log10(value), self.low) - self.low) / (self.high - self.low) * (self.base - self.top)

    def draw(self, drawing, left, right, name):
        for power in range(self.low, self.high + 1):
            y = self.place(10.0**power)
            drawing.line(left, y, right, y, "#dddddd")
            label = f"{10**power:,}" if 0 <= power <= 3 else {-1: "0.1", -2: "0.01"}.get(power, "10" + str(power).translate(SUPERSCRIPTS))
            drawing.text(left - 8, y + 5, label, anchor="end")
        drawing.line(left, self.zero, right, self.zero, "#aaaaaa", dash="4 3")
        drawing.text(left - 8, self.zero + 5, "0", anchor="end")
        drawing.text(24, (self.top + self.zero) / 2, name, 16, "middle", turn=-90)


def variation(directory, group, path, title):
    """Figures 1 and 2: the coefficient of variation between engines of each program, before and after control."""
    marks = {state: benchmarks(directory, state) for state in STATES}
    names = [row["benchmark"] for row in read(directory, "programs") if row["group"] == group]
    if not names:
        return
    left, top, bottom = 100, 76, 400
    step = max(38, min(60, 880 / len(names)))
    right = left + step * len(names) + 10
    drawing = Drawing(int(max(right + 20, 700)), bottom + 130, title)
    drawing.text(left, 28, title, 18, bold=True)
    for index, (state, words) in enumerate((("before", "before control"), ("after", "after control"))):
        drawing.dot(left + 8 + 180 * index, 51, state)
        drawing.text(left + 22 + 180 * index, 56, words)
    axis = LogAxis([mark.cv for by_name in marks.values() for mark in by_name.values()], top, bottom)
    axis.draw(drawing, left, right, "coefficient of variation, %")
    for index, name in enumerate(names):
        x = left + step * (index + 0.5)
        places = {state: axis.place(marks[state][name].cv) for state in STATES}
        drawing.line(x, places["before"], x, places["after"], "#999999", 2)
        for state in STATES:
            drawing.dot(x, places[state], state)
        drawing.text(x + 5, bottom + 22, name, anchor="end", turn=-45)
    drawing.save(path)


def spread_out(places, distance):
    """Moves labels apart that would overlap. Places from the bottom up, side by side in three columns in turn."""
    moved = []
    for index, place in enumerate(places):
        moved.append(place if index < 3 else min(place, moved[index - 3] - distance))
    return moved


def deviations(directory, path):
    """Figure 3: the deviation within each engine of all programs, outliers by their letter."""
    marks = {state: benchmarks(directory, state) for state in STATES}
    engines = engines_of(marks["before"])
    names = list(marks["before"])
    outliers = [name for name in names if any(mark.within[engine] >= OUTLIER for state in STATES for engine in engines
                                              for mark in [marks[state][name]] if engine in mark.within)]
    first, colours = {}, {}
    for name in outliers:
        colours[name] = LETTER_COLOURS[first.setdefault(name[0], 0) % len(LETTER_COLOURS)]
        first[name[0]] += 1
    left, top, bottom, column = 100, 80, 500, 84
    right = left + 2 * column * len(engines) + 20
    drawing = Drawing(right + 200, bottom + 70, "Deviation within each engine, before and after control")
    drawing.text(left, 28, "Standard deviation over the runs of one engine", 18, bold=True)
    drawing.text(left, 52, f"letter: a benchmark whose deviation is {OUTLIER:,} or more; short line: one of the others")
    axis = LogAxis([value for state in STATES for mark in marks[state].values() for value in mark.within.values()], top, bottom, 0)
    axis.draw(drawing, left, right, "standard deviation, instructions")
    for index, engine in enumerate(engines):
        for side, state in enumerate(STATES):
            x = left + 20 + 2 * column * index + column * side + (4 if side == 0 else -4)
            found = [(marks[state][name].within[engine], name) for name in names if engine in marks[state][name].within]
            letters = sorted((axis.place(value), name) for value, name in found if value >= OUTLIER)[::-1]
            for number, (y, name) in enumerate(zip(spread_out([y for y, _ in letters], 14), [name for _, name in letters])):
                drawing.text(x + 22 + 18 * (number % 3), y + 5, name[0], 18, "middle", colours[name], bold=True, family="monospace")
            for value, _ in found:
                if value < OUTLIER:
                    drawing.line(x + 8, axis.place(value), x + 62, axis.place(value), COLOURS[state], 2)
            zeros = sum(value == 0 for value, _ in found)
            if zeros:
                drawing.text(x + 35, axis.zero - 6, f"{zeros} of {len(found)}", 13, "middle", COLOURS[state])
            drawing.text(x + 35, bottom + 24, state, 15, "middle", COLOURS[state])
        drawing.text(left + 20 + 2 * column * (index + 0.5), bottom + 48, engine, 17, "middle", bold=True)
        if index:
            drawing.line(left + 10 + 2 * column * index, top - 10, left + 10 + 2 * column * index, bottom + 50, "#cccccc")
    for number, name in enumerate(sorted(outliers)):
        y = top + 10 + 20 * number
        drawing.text(right + 30, y, name[0], 18, "middle", colours[name], bold=True, family="monospace")
        drawing.text(right + 46, y, name)
    drawing.save(path)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = sys.argv[1].rstrip("/")
    variation(directory, PLAIN, f"{directory}/figure1.svg", "Variation between engines: C programs")
    variation(directory, OTHER, f"{directory}/figure2.svg", "Variation between engines: C++ programs and interpreters")
    deviations(directory, f"{directory}/figure3.svg")
    publish(directory, all_tables(directory))


main()
