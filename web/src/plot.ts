// plot.ts: lines with error bands, logarithmic axes, zoom and linked cursors (uPlot).
import uPlot from "uplot";
import { align, type Aligned, byChange } from "./columns";
import { choice, h, printable, svg } from "./dom";
import type { Line, Series, Table } from "./document";
import { heatView } from "./heat";
import { memory, printed, remembered, resultWords } from "./memory";
import { readableUnit, rounded, withUnit } from "./numbers";
import { dashes, isDark, lineColour } from "./palette";
import { linearSplits, logSplits } from "./splits";
import { tableView } from "./table";
import { trustMark } from "./verdict";

// Plots of a result with the same axis share zoom and cursor. `homes` are the ranges of their data.
interface Group {
  plots: Map<uPlot, Range>;
  homes: Range[];
  busy: boolean;
}
type Range = [number, number];
const groups = new Map<string, Group>();
const redraws = new Set<() => void>();

// After a change of the theme, because a canvas does not follow style sheets.
export function redrawPlots(): void {
  for (const redraw of [...redraws]) redraw();
}

export function redrawWithPlots(redraw: () => void): void {
  redraws.add(redraw);
}

export function forgetPlots(): void {
  groups.clear();
  redraws.clear();
}

function style(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function finite(arrays: (number | null | undefined)[][]): [number, number] | null {
  let low = Infinity;
  let high = -Infinity;
  for (const values of arrays) for (const v of values) {
    if (v === null || v === undefined) continue;
    if (v < low) low = v;
    if (v > high) high = v;
  }
  return low <= high ? [low, high] : null;
}

function alpha(colour: string, share: number): string {
  const value = Number.parseInt(colour.slice(1), 16);
  return `rgba(${value >> 16},${(value >> 8) & 255},${value & 255},${share})`;
}

// Tick labels in one unit for the axis.
function labels(unit: string, high: number): { suffix: string; factor: number; label: (v: number) => string } {
  const scale = readableUnit(high, unit);
  return {
    suffix: scale.unit,
    factor: scale.factor,
    label: (v) => rounded(v * scale.factor, 4),
  };
}

function niceRange(low: number, high: number, log: boolean): [number, number] {
  if (log) return [low / 1.15, high * 1.15];
  if (low === high) return low === 0 ? [0, 1] : [Math.min(0, low * 1.2), Math.max(0, low * 1.2)];
  const room = (high - low) * 0.06;
  return [low >= 0 && low < high * 0.6 ? 0 : low - room, high + room];
}

// What a plot shows without zoom: the range of the whole group, so that plots of one run are aligned,
// or its own one if that would be less than half of the width.
export function homeOf(own: [number, number], all: [number, number][], log: boolean): [number, number] {
  const length = ([low, high]: [number, number]) => (log ? Math.log(high / low) : high - low);
  const whole: [number, number] = [Math.min(...all.map(([low]) => low)), Math.max(...all.map(([, high]) => high))];
  return length(own) >= length(whole) / 2 ? whole : own;
}

// Room for the labels of marks above the lines.
function withHeadroom([low, high]: [number, number], log: boolean): [number, number] {
  return [low, log && low > 0 ? high * (high / low) ** 0.07 : high + 0.07 * (high - low)];
}

// The positions of a logarithmic axis that has only a few, such as numbers of ranks.
export function fewPlaces(x: number[], low: number, high: number, width: number, label: (v: number) => string): number[] | null {
  const places = [...new Set(x)].filter((v) => v >= low * 0.9999 && v <= high * 1.0001);
  if (places.length > 12 || places.length < 2) return null;
  const gaps = places.slice(1).map((v, i) => (Math.log(v / places[i]) / Math.log(high / low)) * width);
  return Math.min(...gaps) >= Math.max(28, ...places.map((v) => 8 + letter * label(v).length)) ? places : null;
}

// How many labels as long as this one an axis has room for.
const letter = 6.6;
export function labelsAcross(width: number, longest: string): number {
  return width / Math.max(80, 24 + letter * longest.length);
}

// The lines of the marks are below the plotted lines, their labels above them.
function drawMarks(plot: uPlot, series: Series, names: boolean): void {
  const marks = series.marks ?? [];
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = style("--muted");
  ctx.textAlign = "left";
  ctx.textBaseline = "top";
  ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
  let free = -Infinity;
  for (const mark of marks) {
    const x = plot.valToPos(mark.x, "x", true);
    if (x < bbox.left || x > bbox.left + bbox.width) continue;
    if (!names) {
      ctx.setLineDash([4, 4]);
      ctx.strokeStyle = style("--muted");
      ctx.lineWidth = 1;
      ctx.beginPath();
      ctx.moveTo(x, bbox.top);
      ctx.lineTo(x, bbox.top + bbox.height);
      ctx.stroke();
      continue;
    }
    const text = printable(mark.label);
    if (x < free) continue;
    ctx.setLineDash([]);
    ctx.strokeStyle = style("--paper");
    ctx.lineWidth = 4 * devicePixelRatio;
    ctx.lineJoin = "round";
    ctx.strokeText(text, x + 4, bbox.top + 2);
    ctx.fillText(text, x + 4, bbox.top + 2);
    free = x + ctx.measureText(text).width + 10;
  }
  ctx.restore();
}

// A band needs a neighbour, so lines of few points also have their intervals one by one.
const mostWhiskers = 12;

function drawWhiskers(plot: uPlot, lines: Line[], data: Aligned, colours: string[]): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = 1.5 * devicePixelRatio;
  lines.forEach((line, l) => {
    if (line.x.length > mostWhiskers || !plot.series[1 + 3 * l].show) return;
    ctx.strokeStyle = colours[l];
    data.x.forEach((at, i) => {
      const low = data.low[l][i];
      const high = data.high[l][i];
      if (low == null || high == null) return;
      const x = plot.valToPos(at, "x", true);
      const [top, bottom] = [plot.valToPos(high, "y", true), plot.valToPos(low, "y", true)];
      const end = 4 * devicePixelRatio;
      ctx.beginPath();
      ctx.moveTo(x, top);
      ctx.lineTo(x, bottom);
      for (const y of [top, bottom]) {
        ctx.moveTo(x - end, y);
        ctx.lineTo(x + end, y);
      }
      ctx.stroke();
    });
  });
  ctx.restore();
}

function heightFor(host: HTMLElement): number {
  if (host.closest(".multiples") !== null) return 160;
  return Math.min(320, Math.max(200, (host.clientWidth || 600) * 0.4));
}

// More lines than this cannot be told apart by colour and dash; then fewer are shown at first.
const mostDistinct = 24;
const mostLines = 16;

interface Panel {
  element: HTMLElement;
  make: () => void;
}

function panel(series: Series, all: Line[], first: number, groupName: string, small: boolean): Panel {
  const lines = byChange(all, mostDistinct);
  const unit = lines[0].unit;
  const data: Aligned = align(lines, series.log_axis, series.log_values ?? false);
  const xRange = finite([data.x]);
  const state = memory<{ hidden: number[] | null }>(`${groupName}/${series.id}/${unit}`, { hidden: null });
  const range = memory<{ x: { min: number; max: number } | null }>(`${groupName}/range`, { x: null });
  const sources = [...new Set(lines.map((line) => line.source || series.source || series.axis.source || ""))].filter((s) => s !== "").join(", ");
  const host = h("div", { class: "plot", tabindex: "0", role: "application",
    "aria-label": `Plot ${printable(series.title)}${resultWords(groupName)}. Left and right move the cursor, plus and minus zoom, 0 shows all.` });
  const readout = h("div", { class: "readout", "aria-live": "polite" });
  const hidden = new Set<number>(state.hidden ?? (lines.length <= mostDistinct ? [] : lines.map((_, i) => i).slice(mostLines)));
  let plot: uPlot | null = null;
  let cursor: number | null = null;

  const legend = h("ul", { class: "legend lines" });
  const items = lines.map((line, i) => {
    const swatch = h("span", { class: line.points ? "swatch dot" : "swatch line" });
    const mark = line.verdict === undefined ? null : trustMark(line.verdict);
    if (mark !== null && line.reason) mark.append(svg("title", {}, printable(line.reason)));
    const value = h("span", { class: "at" });
    const toggle = () => {
      if (hidden.has(i)) hidden.delete(i); else hidden.add(i);
      button.setAttribute("aria-pressed", hidden.has(i) ? "false" : "true");
      state.hidden = [...hidden];
      for (const part of [1, 2, 3]) plot?.setSeries(part + 3 * i, { show: !hidden.has(i) });
    };
    const button = h("button", { type: "button", "aria-pressed": hidden.has(i) ? "false" : "true", click: toggle },
      swatch, h("span", {}, printable(line.name) || "value"), small && lines.length === 1 ? null : mark, value);
    // A small plot of one line has its name as title, and nothing to hide.
    const item = small && lines.length === 1 ? h("li", {}, mark, value) : h("li", { hidden: hidden.has(i) && i >= mostLines }, button);
    legend.append(item);
    return { swatch, value, item, toggle };
  });
  const fewer = h("div", { class: "fewer" });
  if (lines.length > mostDistinct && [...hidden].some((i) => i >= mostLines)) {
    const more = h("button", { type: "button", class: "more", click: () => {
      fewer.remove();
      items.forEach(({ item, toggle }, i) => {
        item.hidden = false;
        if (i >= mostLines && hidden.has(i)) toggle();
      });
    } }, `Show all ${lines.length}`);
    fewer.append(`These ${mostLines} lines change most. `, more);
  }

  const show = (index: number | null) => {
    cursor = index;
    if (index === null) {
      readout.textContent = "";
      items.forEach((item) => { item.value.textContent = ""; });
      return;
    }
    readout.textContent = `${printable(series.axis.name)} ${withUnit(data.x[index], series.axis.unit)}${sources === "" ? "" : `; source: ${printable(sources)}`}`;
    lines.forEach((_, i) => {
      const y = data.values[i][index];
      const low = data.low[i][index];
      const high = data.high[i][index];
      const interval = low != null && high != null ? ` [${withUnit(low, unit)}, ${withUnit(high, unit)}]` : "";
      items[i].value.textContent = y == null ? "" : ` ${withUnit(y, unit)}${interval}`;
    });
  };

  const group = groups.get(groupName) ?? { plots: new Map<uPlot, Range>(), homes: [], busy: false };
  groups.set(groupName, group);
  if (xRange !== null) group.homes.push(xRange);

  const make = () => {
    if (xRange === null) return;
    const home = homeOf(xRange, group.homes, series.log_axis);
    const old = plot;
    if (old !== null) {
      group.plots.delete(old);
      old.destroy();
    }
    const grid = { stroke: style("--grid"), width: 1 };
    const ticks = { stroke: style("--grid"), width: 1, size: 5 };
    const ink = style("--ink");
    const yRange = finite([...data.values, ...data.low, ...data.high]) ?? [0, 1];
    const yLabels = labels(unit, Math.max(Math.abs(yRange[0]), Math.abs(yRange[1])));
    const xLabels = labels(series.axis.unit, Math.max(Math.abs(xRange[0]), Math.abs(xRange[1])));
    const bytes = series.axis.unit === "B";
    const points = data.x.length;
    const perValue = series.log_axis && bytes;
    const whole = !series.log_axis && data.x.every(Number.isInteger);
    const colours = lines.map((_, i) => lineColour(first + i));
    const font = "12px system-ui, sans-serif";
    const width = host.clientWidth || 600;
    const ticksAcross = labelsAcross(width, xLabels.label(home[1]));
    const options: uPlot.Options = {
      width,
      height: heightFor(host),
      legend: { show: false },
      cursor: { sync: { key: groupName, setSeries: false }, drag: { x: true, y: false, setScale: true }, points: { size: 7 } },
      scales: {
        x: { time: false, distr: series.log_axis ? 3 : 1, log: bytes ? 2 : 10, range: (_u, min, max) => {
          if (series.log_axis) return min < max ? [min, max] : [min / 2, max * 2];
          return min < max ? [min, max] : [min - 1, max + 1]; } },
        y: { distr: series.log_values ? 3 : 1, range: (_u, min, max) => {
          const [low, high] = min == null || max == null ? yRange : [min, max];
          const range = niceRange(low, high, series.log_values ?? false);
          return series.marks?.length ? withHeadroom(range, series.log_values ?? false) : range; } },
      },
      axes: [
        { stroke: ink, grid, ticks, font, labelFont: font,
          ...(series.log_axis ? { splits: (_u: uPlot, _i: number, min: number, max: number) => (bytes ? null : fewPlaces(data.x, min, max, width, xLabels.label)) ?? logSplits(min, max, bytes ? 2 : 10, Math.max(3, bytes ? width / 80 : ticksAcross)), filter: (_u: uPlot, v: number[]) => v }
            : { splits: (_u: uPlot, _i: number, min: number, max: number) => linearSplits(min * xLabels.factor, max * xLabels.factor, ticksAcross).filter((v) => !whole || Number.isInteger(v)).map((v) => v / xLabels.factor) }),
          label: printable(series.axis.name.replace(/_/g, " ")) + (xLabels.suffix === "" || perValue || xLabels.suffix === series.axis.name ? "" : ` (${printable(xLabels.suffix)})`), labelSize: 20, size: 32,
          values: (_u, v) => v.map((x) => (x === null ? "" : perValue ? withUnit(x, "B", 3) : xLabels.label(x))) },
        { stroke: ink, grid, ticks, font, labelFont: font,
          ...(series.log_values ? { splits: (_u: uPlot, _i: number, min: number, max: number) => logSplits(min * yLabels.factor, max * yLabels.factor, 10, 8).map((v) => v / yLabels.factor), filter: (_u: uPlot, v: number[]) => v }
            : { splits: (_u: uPlot, _i: number, min: number, max: number) => linearSplits(min * yLabels.factor, max * yLabels.factor, heightFor(host) / 50).map((v) => v / yLabels.factor) }),
          label: printable(yLabels.suffix) || undefined, labelSize: yLabels.suffix === "" ? 0 : 22,
          size: (_u, v) => 18 + 7 * Math.max(3, ...(v ?? []).map((t) => t.length)),
          values: (_u, v) => v.map((y) => (y === null ? "" : yLabels.label(y))) },
      ],
      series: [{}],
      bands: [],
      hooks: {
        drawAxes: [(u) => drawMarks(u, series, false)],
        draw: [(u) => { drawWhiskers(u, lines, data, colours); drawMarks(u, series, true); }],
        setCursor: [(u) => show(u.cursor.idx ?? null)],
        setScale: [(u, key) => {
          if (key !== "x") return;
          const { min, max } = u.scales.x as { min: number; max: number };
          const zoomed = min > home[0] || max < home[1];
          host.dataset.range = zoomed ? `${min} ${max}` : "";
          if (group.busy || !group.plots.has(u)) return;
          group.busy = true;
          range.x = zoomed ? { min, max } : null;
          for (const [other, [low, high]] of group.plots) {
            if (other !== u) other.setScale("x", range.x ?? { min: low, max: high });
          }
          group.busy = false;
        }],
      },
    };
    const columns: (number | null | undefined)[][] = [];
    lines.forEach((line, i) => {
      const colour = colours[i];
      items[i].swatch.style.borderTopColor = colour;
      if (line.points) items[i].swatch.style.backgroundColor = colour;
      items[i].swatch.style.borderTopStyle = dashes(first + i).length > 0 ? "dashed" : "solid";
      options.series.push({ stroke: colour, width: 1.75, dash: dashes(first + i), show: !hidden.has(i),
        ...(line.points ? { paths: () => null } : {}),
        points: { show: line.points || points <= 60, size: line.points ? 7 : 5, fill: colour, stroke: colour }, label: String(i), spanGaps: false });
      const band = { stroke: "transparent", width: 0, points: { show: false }, show: !hidden.has(i), label: "" };
      options.series.push({ ...band }, { ...band });
      options.bands?.push({ series: [3 + 3 * i, 2 + 3 * i], fill: alpha(colour, isDark() ? 0.28 : 0.2) });
      columns.push(data.values[i], data.low[i], data.high[i]);
    });
    plot = new uPlot(options, [data.x, ...columns] as uPlot.AlignedData, host);
    plot.setScale("x", range.x ?? { min: home[0], max: home[1] });
    group.plots.set(plot, home);
  };

  const zoom = (factor: number) => {
    if (plot === null || xRange === null) return;
    const [first, last] = homeOf(xRange, group.homes, series.log_axis);
    const { min, max } = plot.scales.x as { min: number; max: number };
    const middle = cursor === null ? (min + max) / 2 : data.x[cursor];
    if (series.log_axis) {
      const span = Math.log(max / min) * factor / 2;
      const centre = cursor === null ? Math.sqrt(min * max) : middle;
      plot.setScale("x", { min: Math.max(first, centre / Math.exp(span)), max: Math.min(last, centre * Math.exp(span)) });
      return;
    }
    const span = ((max - min) * factor) / 2;
    plot.setScale("x", { min: Math.max(first, middle - span), max: Math.min(last, middle + span) });
  };
  const showAll = () => {
    if (plot === null || xRange === null) return;
    const [min, max] = homeOf(xRange, group.homes, series.log_axis);
    plot.setScale("x", { min, max });
  };
  host.addEventListener("keydown", (event) => {
    if (plot === null || xRange === null) return;
    const move = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (move !== 0) {
      const index = Math.min(data.x.length - 1, Math.max(0, (cursor ?? (move > 0 ? -1 : data.x.length)) + move));
      const y = data.values.map((v) => v[index]).find((v) => v != null) ?? 0;
      plot.setCursor({ left: plot.valToPos(data.x[index], "x"), top: plot.valToPos(y, "y") });
      show(index);
    } else if (event.key === "+" || event.key === "=") zoom(0.5);
    else if (event.key === "-") zoom(2);
    else if (event.key === "0") showAll();
    else return;
    event.preventDefault();
  });
  host.addEventListener("dblclick", showAll);
  new ResizeObserver(() => {
    if (plot !== null && host.clientWidth > 0 && host.clientWidth !== plot.width) {
      plot.setSize({ width: host.clientWidth, height: heightFor(host) });
    }
  }).observe(host);
  redraws.add(make);
  return { element: h("div", { class: "panel" }, host, h("div", { class: "under" }, legend, fewer, readout)), make };
}

export function numbersOf(series: Series): Table {
  const rows: Table["rows"] = [];
  const data = align(series.lines, false, false);
  const most = Math.min(data.x.length, 2000);
  for (let i = 0; i < most; ++i) {
    rows.push([data.x[i], ...series.lines.map((line, l) => {
      const value = data.values[l][i];
      if (value == null) return null;
      return { value, low: data.low[l][i] ?? null, high: data.high[l][i] ?? null, exact: false, verdict: line.verdict ?? "unstated" as const, reason: line.reason ?? null };
    })]);
  }
  return { kind: "table", id: `${series.id}/numbers`, title: `${series.title}: numbers`, source: series.source, rows,
    columns: [series.axis, ...series.lines.map((line) => ({ name: line.name || "value", unit: line.unit, source: line.source }))] };
}

// `small`: one of several plots beside each other.
export function seriesView(series: Series, scope: string, small = false): HTMLElement {
  const byUnit = new Map<string, Line[]>();
  for (const line of series.lines) byUnit.set(line.unit, [...(byUnit.get(line.unit) ?? []), line]);
  const group = `${scope}/${series.axis.name}/${series.axis.unit}/${series.log_axis}`;
  let first = 0;
  const panels = [...byUnit.values()].map((lines) => {
    const made = panel(series, lines, first, group, small);
    first += lines.length;
    return made;
  });
  const plots = h("div", { class: "panels" }, ...panels.map((p) => p.element));
  const points = Math.max(0, ...series.lines.map((line) => line.x.length));
  const data = h("details", { class: "data" }, h("summary", {}, points > 2000 ? "Numbers (first 2,000 positions)" : "Numbers"));
  data.addEventListener("toggle", () => { if (data.open && data.childElementCount === 1) data.append(tableView(numbersOf(series), scope)); });
  remembered(`${scope}/${series.id}`, data);
  const view = h("div", { class: "series-view" }, plots, data);
  if (byUnit.size === 1 && series.lines.length >= 4 && points >= 4 && !series.lines.some((line) => line.points)) {
    const heat = h("div", {});
    const state = memory(`${scope}/${series.id}/style`, { index: 0 });
    const show = (index: number) => {
      state.index = index;
      plots.hidden = index === 1;
      heat.hidden = index === 0;
      if (index === 1) heat.replaceChildren(heatView(series));
    };
    view.prepend(h("div", { class: "tools" }, choice("Show as", ["Lines", "Heat map"], show, state.index)));
    show(state.index);
    plots.after(heat);
  }
  // Plots need their width, so they are drawn when they come into view.
  const seen = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    seen.disconnect();
    panels.forEach((p) => p.make());
  }, { rootMargin: "400px" });
  seen.observe(view);
  printed.add((onPaper) => {
    if (!onPaper) return;
    seen.disconnect();
    panels.forEach((p) => p.make());
  });
  return view;
}
