#!/usr/bin/env python3
"""figures.py: draws the study's figure and writes its tables, from what run.py has written.

figures.py DIRECTORY

Writes figure1.svg beside the CSV files of DIRECTORY. Where there is a page DIRECTORY.md, the tables in it are replaced: each stands between <!-- table NAME --> and
<!-- end -->. Where there is none, they go to tables.md.
"""
import math
import os
import sys
from xml.sax.saxutils import escape

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
from results import COLUMNS, COMPILERS, Ratios  # noqa: E402
from tables import all_tables  # noqa: E402
from written import publish  # noqa: E402

COLOURS = {"gcc": "#d95f02", "clang": "#1f5fa8"}
SHOWN = ("run-time", "conditional-branches", "mispredictions", "stores", "l1i-misses")
LEFT, RIGHT, ROW, GAP, TOP = 110, 760, 22, 46, 30


def axis(values):
    """The place of a ratio, by its logarithm; room on both sides."""
    low, high = math.log(min(0.9, *values) * 0.97), math.log(max(1.1, *values) * 1.05)
    return lambda ratio: LEFT + (RIGHT - LEFT) * (math.log(ratio) - low) / (high - low)


def figure(directory):
    """Like the document's figure 1: one panel for each metric, a row for each program, one dot for each compiler; the band is the tolerance."""
    marks = Ratios(directory)
    shown = [metric for metric in SHOWN if marks.of(metric)]
    if not shown:
        return
    place = axis([cell.ratio for metric in shown for cell in marks.of(metric)])
    panel = ROW * len(marks.programs) + GAP
    height = TOP + panel * len(shown) + 10
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {RIGHT + 40} {height}" width="{RIGHT + 40}" height="{height}" font-family="Helvetica, Arial, sans-serif" '
             'role="img"><title>Ratios of instrumented to vanilla programs</title>', f'<rect width="{RIGHT + 40}" height="{height}" fill="#ffffff"/>']
    for index, compiler in enumerate(COMPILERS):
        parts.append(f'<circle cx="{LEFT + 90 * index}" cy="14" r="5" fill="{COLOURS[compiler]}"/><text x="{LEFT + 10 + 90 * index}" y="19" font-size="14">{compiler}</text>')
    for number, metric in enumerate(shown):
        top = TOP + panel * number + 24
        bottom = top + ROW * len(marks.programs)
        parts.append(f'<text x="{LEFT}" y="{top - 6}" font-size="14" font-weight="bold">{escape(COLUMNS[metric])}</text>')
        parts.append(f'<rect x="{place(0.9):.1f}" y="{top}" width="{place(1.1) - place(0.9):.1f}" height="{bottom - top}" fill="#dcefdc"/>')
        for tick in (0.5, 1, 1.5, 2, 3, 5, 10, 20, 50, 100):
            if LEFT <= place(tick) <= RIGHT:
                parts.append(f'<line x1="{place(tick):.1f}" y1="{top}" x2="{place(tick):.1f}" y2="{bottom}" stroke="#cccccc"/>')
                parts.append(f'<text x="{place(tick):.1f}" y="{bottom + 14}" font-size="12" text-anchor="middle" fill="#555555">{tick:g}</text>')
        for row, program in enumerate(marks.programs):
            y = top + ROW * row + ROW / 2
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" font-size="13" text-anchor="end">{escape(program)}</text>')
            for compiler in COMPILERS:
                cell = marks.cells[compiler].get(program, {}).get(metric)
                if cell:
                    offset = -4 if compiler == "gcc" else 4
                    parts.append(f'<line x1="{place(cell.low):.1f}" y1="{y + offset}" x2="{place(cell.high):.1f}" y2="{y + offset}" stroke="{COLOURS[compiler]}" stroke-width="2"/>')
                    parts.append(f'<circle cx="{place(cell.ratio):.1f}" cy="{y + offset}" r="4" fill="{COLOURS[compiler]}"/>')
    with open(f"{directory}/figure1.svg", "w") as file:
        file.write("\n".join([*parts, "</svg>\n"]))


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    directory = sys.argv[1].rstrip("/")
    figure(directory)
    publish(directory, all_tables(directory))


main()
