// heat.ts: many lines as rows of colours.
import { align } from "./columns";
import { h, printable } from "./dom";
import type { Series } from "./document";
import { withUnit } from "./numbers";
import { heatColour } from "./palette";
import { hideTip, showTip } from "./tooltip";
import { explain } from "./verdict";

const maxColumns = 400;

export function heatView(series: Series): HTMLElement {
  const log = series.log_values ?? false;
  const data = align(series.lines, series.log_axis, log);
  const unit = series.lines[0].unit;
  const bins = Math.min(maxColumns, data.x.length);
  // Each bin shows the value farthest from zero, so that peaks do not disappear: its place in the line.
  const places = data.values.map((values) => {
    const bin: (number | null)[] = new Array(bins).fill(null);
    values.forEach((v, i) => {
      const b = Math.floor((i * bins) / data.x.length);
      const old = bin[b];
      if (v != null && (old === null || Math.abs(v) > Math.abs(values[old] ?? 0))) bin[b] = i;
    });
    return bin;
  });
  const rows = places.map((bin, r) => bin.map((i) => i === null ? null : data.values[r][i] ?? null));
  const all = rows.flat().filter((v): v is number => v !== null);
  const low = all.reduce((a, b) => Math.min(a, b), Infinity);
  const high = all.reduce((a, b) => Math.max(a, b), -Infinity);
  const at = (bin: number) => data.x[Math.min(data.x.length - 1, Math.floor((bin * data.x.length) / bins))];
  const height = 22;
  const canvas = h("canvas", { width: bins, height: rows.length, class: "heat-canvas", role: "img",
    "aria-label": `Heat map of ${printable(series.title)}; the numbers are in the table below` });
  canvas.style.height = `${rows.length * height}px`;
  const paint = canvas.getContext("2d") as CanvasRenderingContext2D;
  rows.forEach((row, y) => row.forEach((value, x) => {
    if (value === null) return;
    paint.fillStyle = heatColour(value, low, high, log)[0];
    paint.fillRect(x, y, 1, 1);
  }));
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const bin = Math.min(bins - 1, Math.floor(((event.clientX - box.left) / box.width) * bins));
    const line = Math.min(rows.length - 1, Math.floor(((event.clientY - box.top) / box.height) * rows.length));
    const i = places[line][bin];
    const { name, source, verdict, reason } = series.lines[line];
    const measured = { value: rows[line][bin], low: i === null ? null : data.low[line][i] ?? null, high: i === null ? null : data.high[line][i] ?? null,
      exact: false, source, verdict: verdict ?? "unstated" as const, reason: reason ?? null };
    const where = `${name}, ${series.axis.name.replace(/_/g, " ")} ${withUnit(i === null ? at(bin) : data.x[i], series.axis.unit)}`;
    showTip(explain(measured, unit, where, series.source ?? series.axis.source), event.clientX, event.clientY);
  });
  canvas.addEventListener("mouseleave", hideTip);
  const names = h("div", { class: "heat-names" }, ...series.lines.map((line) => h("div", {}, printable(line.name))));
  const scale = h("div", { class: "heat-scale" }, withUnit(low, unit), ...Array.from({ length: 24 }, (_, i) => {
    const piece = h("span");
    piece.style.backgroundColor = heatColour(log ? low * (high / low) ** (i / 23) : low + ((high - low) * i) / 23, low, high, log)[0];
    return piece;
  }), withUnit(high, unit));
  // The columns are the positions in order, whatever their distances.
  const labelled = [...new Set([0, 0.25, 0.5, 0.75, 1].map((part) => Math.round(part * (bins - 1))))];
  const axis = h("div", { class: "heat-axis", "aria-hidden": "true" }, ...labelled.map((bin) => {
    const tick = h("span", {}, withUnit(at(bin), series.axis.unit, 3));
    tick.style.left = `${((bin + 0.5) / bins) * 100}%`;
    return tick;
  }));
  const under = h("div", { class: "heat-under" }, printable(series.axis.name.replace(/_/g, " ")));
  return h("div", { class: "heat-view" }, h("div", { class: "heat-grid" }, names, canvas, h("div"), axis, h("div"), under), scale);
}
