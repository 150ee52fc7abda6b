// dots.ts: single values with their intervals, a row each, on one axis.
import { dotAxis, dotSplits, placeOn } from "./axis";
import { h, name, printable, svg } from "./dom";
import type { Bars, Measured, Table } from "./document";
import { readableUnit, rounded } from "./numbers";
import { lineColour } from "./palette";
import { redrawWithPlots } from "./plot";
import { remembered } from "./memory";
import { tableView } from "./table";
import { withTip } from "./tooltip";
import { explain, trustMark } from "./verdict";

function numbersOf(bars: Bars): Table {
  return {
    kind: "table", id: `${bars.id}/numbers`, title: `${bars.title}: numbers`, source: bars.source,
    columns: [{ name: "name", unit: "" }, ...bars.segments.map((name) => ({ name, unit: bars.unit }))],
    rows: bars.bars.map((bar) => [bar.name, ...bar.values]),
  };
}

function finite(value: unknown): value is number | bigint {
  return typeof value === "bigint" || (typeof value === "number" && Number.isFinite(value));
}


export function dotsView(bars: Bars, scope = ""): HTMLElement {
  const marks = bars.marks ?? [];
  const drawn = bars.bars.flatMap((bar) => bar.values.filter((v) => finite(v.value)));
  const axis = dotAxis(drawn.map((v) => Number(v.value)), drawn.flatMap((v) => [v.low, v.high]).filter(finite).map(Number), marks.map((mark) => mark.x));
  const several = bars.segments.length > 1;
  const percent = (value: number) => `${placeOn(axis, value) ?? 0}%`;
  const dot = (value: Measured, s: number, row: string): HTMLElement | null => {
    if (!finite(value.value) || placeOn(axis, Number(value.value)) === null) return null;
    const where = several ? `${row}: ${bars.segments[s]}` : row;
    const line = h("div", { class: "dot-line" });
    const mark = trustMark(value.verdict) ?? svg("svg", { class: "mark" });
    const point = h("div", { class: `dot ${value.verdict}`, tabindex: "0", role: "img", "aria-label": printable(`${where}: ${rounded(Number(value.value), 4)}`) }, mark);
    point.style.left = percent(Number(value.value));
    const extent = value.low === null || value.high === null ? 0 : (placeOn(axis, value.high) ?? 0) - (placeOn(axis, value.low) ?? 0);
    // An interval that the mark covers would only change its shape.
    if (value.low !== null && extent > 1 && !value.exact) {
      const interval = h("div", { class: `dot-interval ${value.verdict}` });
      interval.style.left = percent(value.low);
      interval.style.width = `${extent}%`;
      if (several) interval.style.setProperty("--dot", `var(--group-${s})`);
      line.append(interval);
    }
    if (several) point.style.setProperty("--dot", `var(--group-${s})`);
    line.append(withTip(point, () => explain(value, bars.unit, where, bars.source)));
    return line;
  };
  const splits = dotSplits(axis);
  const scale = readableUnit(Math.max(Math.abs(axis.low), Math.abs(axis.high)), bars.unit);
  const rule = (value: number, kind: string) => {
    const line = h("div", { class: kind });
    line.style.left = percent(value);
    return line;
  };
  const at = (value: number, text: string, kind: string) => {
    const label = h("span", { class: kind }, printable(text));
    label.style.left = percent(value);
    return label;
  };
  const rows = bars.bars.map((bar) => h("div", { class: "dot-row" },
    h("div", { class: "dot-name" }, ...name(bar.name)),
    h("div", { class: "dot-track" }, ...splits.map((value) => rule(value, "dot-rule")), ...marks.map((mark) => rule(mark.x, "dot-mark")),
      ...bar.values.map((value, s) => dot(value, s, bar.name)))));
  const area = h("div", { class: bars.segments.length > 4 ? "dots many" : "dots" },
    marks.length === 0 ? null : h("div", { class: "dot-row dot-labels" }, h("div", {}), h("div", { class: "dot-axis" }, ...marks.map((mark, i) => at(mark.x, mark.label, i === 0 ? "before" : i === marks.length - 1 ? "after" : "inner")))),
    ...rows,
    h("div", { class: "dot-row dot-labels" }, h("div", {}), h("div", { class: "dot-axis" },
      ...splits.map((value, i) => at(value, `${rounded(value * scale.factor, 3)} ${scale.unit}`.trim(), i % 2 === 1 ? "odd" : "")))));
  const legend = h("ul", { class: "legend" });
  const view = h("div", { class: "dots-view" }, area, several ? legend : null,
    remembered(`${scope}/${bars.id}`, h("details", { class: "data" }, h("summary", {}, "Numbers"), tableView(numbersOf(bars), scope))));
  const paint = () => {
    bars.segments.forEach((_, s) => area.style.setProperty(`--group-${s}`, lineColour(s)));
    legend.replaceChildren(...bars.segments.map((segment, s) => {
      const swatch = h("span", { class: "swatch dot-swatch" });
      swatch.style.backgroundColor = lineColour(s);
      return h("li", {}, swatch, printable(segment));
    }));
  };
  paint();
  if (several) redrawWithPlots(paint);
  return view;
}
