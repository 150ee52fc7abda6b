// heat.ts: many lines as rows of colours.
import { align } from "./columns";
import { h, printable } from "./dom";
import type { Series } from "./document";
import { withUnit } from "./numbers";
import { heatColour } from "./palette";
import { hideTip, showTip } from "./tooltip";

const maxColumns = 400;

export function heatView(series: Series): HTMLElement {
  const data = align(series.lines, series.log_axis, false);
  const unit = series.lines[0].unit;
  const bins = Math.min(maxColumns, data.x.length);
  const rows = data.values.map((values) => {
    const bin: (number | null)[] = new Array(bins).fill(null);
    // Each bin shows the value farthest from zero, so that peaks do not disappear.
    values.forEach((v, i) => {
      const b = Math.floor((i * bins) / data.x.length);
      const old = bin[b];
      if (v != null && (old === null || Math.abs(v) > Math.abs(old))) bin[b] = v;
    });
    return bin;
  });
  const all = rows.flat().filter((v): v is number => v !== null);
  const low = Math.min(...all);
  const high = Math.max(...all);
  const height = 22;
  const canvas = h("canvas", { width: bins, height: rows.length, class: "heat-canvas", role: "img",
    "aria-label": `Heat map of ${printable(series.title)}; the numbers are in the table below` });
  canvas.style.height = `${rows.length * height}px`;
  const paint = canvas.getContext("2d") as CanvasRenderingContext2D;
  rows.forEach((row, y) => row.forEach((value, x) => {
    if (value === null) return;
    paint.fillStyle = heatColour(value, low, high)[0];
    paint.fillRect(x, y, 1, 1);
  }));
  canvas.addEventListener("mousemove", (event) => {
    const box = canvas.getBoundingClientRect();
    const bin = Math.min(bins - 1, Math.floor(((event.clientX - box.left) / box.width) * bins));
    const line = Math.min(rows.length - 1, Math.floor(((event.clientY - box.top) / box.height) * rows.length));
    const at = data.x[Math.floor((bin * data.x.length) / bins)];
    const value = rows[line][bin];
    showTip(h("div", {}, h("div", { class: "tip-title" }, printable(series.lines[line].name)),
      `${printable(series.axis.name)} ${withUnit(at, series.axis.unit)}: ${value === null ? "no value" : withUnit(value, unit)}`), event.clientX, event.clientY);
  });
  canvas.addEventListener("mouseleave", hideTip);
  const names = h("div", { class: "heat-names" }, ...series.lines.map((line) => h("div", {}, printable(line.name))));
  const scale = h("div", { class: "heat-scale" }, withUnit(low, unit), ...Array.from({ length: 24 }, (_, i) => {
    const piece = h("span");
    piece.style.backgroundColor = heatColour(low + ((high - low) * i) / 23, low, high)[0];
    return piece;
  }), withUnit(high, unit));
  return h("div", { class: "heat-view" }, h("div", { class: "heat-grid" }, names, canvas), scale);
}
