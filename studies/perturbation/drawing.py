"""drawing.py: SVG by hand: lines, dots, words, and panels with axes."""
import math
from xml.sax.saxutils import escape

# Distinguishable with colour blindness, and by brightness.
COLOURS = ("#1f5fa8", "#d95f02", "#1b7837", "#762a83", "#c51b7d", "#4d4d4d")


class Drawing:
    def __init__(self, width, height, title):
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
                      f'font-family="Helvetica, Arial, sans-serif" role="img"><title>{escape(title)}</title>', f'<rect width="{width}" height="{height}" fill="#ffffff"/>']

    def line(self, x1, y1, x2, y2, colour="#888888", width=1.0, dash=""):
        dashes = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" stroke-width="{width}"{dashes}/>')

    def path(self, places, colour, width=1.5):
        self.parts.append(f'<polyline points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in places)}" fill="none" stroke="{colour}" stroke-width="{width}" stroke-linejoin="round"/>')

    def dot(self, x, y, colour, filled=True, size=3.5):
        self.parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{size}" fill="{colour if filled else "#ffffff"}" stroke="{colour}" stroke-width="1.5"/>')

    def text(self, x, y, words, size=13, anchor="start", colour="#222222", turn=0, bold=False):
        turned = f' transform="rotate({turn} {x:.1f} {y:.1f})"' if turn else ""
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{colour}"{weight}{turned}>{escape(words)}</text>')

    def save(self, path):
        with open(path, "w") as file:
            file.write("\n".join([*self.parts, "</svg>\n"]))


class Panel:
    """A rectangle with numbers from `low` to `high` upwards; x runs from 0 to 1."""

    def __init__(self, drawing, left, top, right, bottom, low, high):
        self.drawing, self.left, self.top, self.right, self.bottom, self.low, self.high = drawing, left, top, right, bottom, low, high

    def place(self, x, y):
        share = (min(max(y, self.low), self.high) - self.low) / (self.high - self.low)
        return self.left + x * (self.right - self.left), self.bottom - share * (self.bottom - self.top)

    def grid(self, ticks, name, labels=None):
        for index, tick in enumerate(ticks):
            y = self.place(0, tick)[1]
            self.drawing.line(self.left, y, self.right, y, "#dddddd")
            self.drawing.text(self.left - 7, y + 4, labels[index] if labels else f"{tick:g}", 12, "end")
        self.drawing.line(self.left, self.bottom, self.right, self.bottom, "#888888")
        self.drawing.text(self.left - 42, (self.top + self.bottom) / 2, name, 13, "middle", turn=-90)

    def under(self, x, words, turn=0):
        at = self.place(x, self.low)[0]
        self.drawing.line(at, self.bottom, at, self.bottom + 4)
        if turn:
            self.drawing.text(at + 4, self.bottom + 10, words, 11, "end", turn=turn)
        else:
            self.drawing.text(at, self.bottom + 17, words, 12, "middle")


def steps(low, high):
    """Round numbers from low to high, some five of them."""
    step = 10 ** math.floor(math.log10((high - low) / 4))
    step *= next(factor for factor in (1, 2, 5, 10) if (high - low) / (step * factor) <= 6)
    first = math.ceil(low / step - 1e-9)
    return [round((first + index) * step, 10) for index in range(int(math.floor(high / step + 1e-9)) - first + 1)]


def bent(value, knee=0.01):
    """Logarithmic on both sides of 0, straight around it."""
    return math.copysign(math.log10(1 + abs(value) / knee), value)
