// timeline.ts: spans on lanes, with zoom.
import { h, printable } from "./dom";
import type { Span, Table, Timeline } from "./document";
import { memory, remembered } from "./memory";
import { withUnit } from "./numbers";
import { fillColour } from "./palette";
import { tableView } from "./table";
import { hideTip, showTip } from "./tooltip";

const laneHeight = 22;
const axisHeight = 26;
const longestName = 170;

function totals(timeline: Timeline): Map<string, number> {
  const sums = new Map<string, number>();
  for (const lane of timeline.lanes) for (const span of lane.spans) {
    sums.set(span.label, (sums.get(span.label) ?? 0) + span.end - span.start);
  }
  return new Map([...sums].sort((a, b) => b[1] - a[1]));
}

function numbersOf(timeline: Timeline, sums: Map<string, number>): Table {
  const lanes = timeline.lanes.slice(0, 12);
  return {
    kind: "table", id: `${timeline.id}/totals`, title: `${timeline.title}: totals by label`, source: timeline.source,
    columns: [{ name: "label", unit: "" }, { name: "total", unit: timeline.unit }, ...lanes.map((lane) => ({ name: lane.name, unit: timeline.unit }))],
    rows: [...sums].map(([label, total]) => [label, ...[total, ...lanes.map((lane) => lane.spans.reduce((sum, s) => sum + (s.label === label ? s.end - s.start : 0), 0))]
      .map((value) => ({ value, low: null, high: null, exact: false, verdict: "unstated" as const, reason: null }))]),
  };
}

function step(span: number): number {
  const raw = span / 6;
  const power = 10 ** Math.floor(Math.log10(raw));
  return [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw) ?? raw;
}

export function timelineView(timeline: Timeline, scope = ""): HTMLElement {
  let low = Infinity;
  let high = -Infinity;
  for (const lane of timeline.lanes) {
    lane.spans.sort((a, b) => a.start - b.start);
    for (const span of lane.spans) {
      low = Math.min(low, span.start);
      high = Math.max(high, span.end);
    }
  }
  if (!(low <= high)) return h("p", {}, "The timeline is empty.");
  if (low === high) high = low + 1;
  const sums = totals(timeline);
  const colours = new Map([...sums.keys()].map((label, i) => [label, fillColour(i)]));
  const zoom = memory(`${scope}/${timeline.id}/zoom`, { from: low, to: high, whole: true });
  let from = zoom.whole ? low : zoom.from;
  let to = zoom.whole ? high : zoom.to;
  let nameWidth = longestName;
  const canvas = h("canvas", { class: "timeline", tabindex: "0", role: "application",
    "aria-label": `Timeline ${printable(timeline.title)}. Left and right move, plus and minus zoom, 0 shows all. The table has the totals.` });
  const height = timeline.lanes.length * laneHeight + axisHeight;
  canvas.style.height = `${height}px`;

  const draw = () => {
    const width = canvas.clientWidth;
    if (width === 0) return;
    const ratio = window.devicePixelRatio || 1;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const paint = canvas.getContext("2d") as CanvasRenderingContext2D;
    const css = getComputedStyle(document.documentElement);
    paint.scale(ratio, ratio);
    paint.font = "11px system-ui, sans-serif";
    paint.textBaseline = "middle";
    nameWidth = Math.min(longestName, width / 3, Math.max(30, ...timeline.lanes.map((lane) => paint.measureText(printable(lane.name)).width + 12)));
    const plot = width - nameWidth;
    const place = (t: number) => nameWidth + ((t - from) / (to - from)) * plot;
    const ink = css.getPropertyValue("--ink").trim();
    const gridStep = step(to - from);
    paint.strokeStyle = css.getPropertyValue("--grid").trim();
    for (let t = Math.ceil(from / gridStep) * gridStep; t <= to; t += gridStep) {
      paint.beginPath();
      paint.moveTo(place(t), 0);
      paint.lineTo(place(t), height - axisHeight);
      paint.stroke();
      paint.fillStyle = ink;
      paint.textAlign = "center";
      const text = withUnit(Math.abs(t) < gridStep / 1e6 ? 0 : t, timeline.unit, 5);
      const half = paint.measureText(text).width / 2;
      paint.fillText(text, Math.min(place(t), width - half - 1), height - axisHeight / 2);
    }
    timeline.lanes.forEach((lane, index) => {
      const y = index * laneHeight;
      paint.fillStyle = ink;
      paint.textAlign = "right";
      paint.save();
      paint.beginPath();
      paint.rect(0, y, nameWidth - 4, laneHeight);
      paint.clip();
      paint.fillText(printable(lane.name), nameWidth - 8, y + laneHeight / 2);
      paint.restore();
      paint.textAlign = "left";
      paint.save();
      paint.beginPath();
      paint.rect(nameWidth, y, plot, laneHeight);
      paint.clip();
      let covered = -1; // pixels that already have a span narrower than themselves
      for (const span of lane.spans) {
        if (span.end < from || span.start > to) continue;
        const left = place(span.start);
        const wide = Math.max(1, place(span.end) - left);
        if (wide <= 1 && Math.floor(left) <= covered) continue;
        covered = Math.floor(left);
        const [background, text] = colours.get(span.label) as [string, string];
        paint.fillStyle = background;
        paint.fillRect(left, y + 2, Math.max(wide - (wide > 3 ? 0.5 : 0), 1), laneHeight - 4);
        if (wide > 40) {
          paint.fillStyle = text;
          const start = Math.max(left, nameWidth) + 4;
          const room = Math.min(place(span.end), width) - start - 4;
          if (paint.measureText(printable(span.label)).width < room) paint.fillText(printable(span.label), start, y + laneHeight / 2 + 0.5);
        }
      }
      paint.restore();
    });
    if (selection !== null) {
      paint.fillStyle = "rgba(120,120,120,0.25)";
      paint.fillRect(Math.min(...selection), 0, Math.abs(selection[1] - selection[0]), height - axisHeight);
    }
  };

  let selection: [number, number] | null = null;
  const timeAt = (x: number) => from + ((x - nameWidth) / (canvas.clientWidth - nameWidth)) * (to - from);
  const range = (a: number, b: number) => {
    const span = Math.max(b - a, (high - low) * 1e-9);
    from = Math.max(low, Math.min(a, high - span));
    to = Math.min(high, Math.max(from + span, b));
    Object.assign(zoom, { from, to, whole: from === low && to === high });
    draw();
  };
  const spanAt = (x: number, y: number): Span | null => {
    const lane = timeline.lanes[Math.floor(y / laneHeight)];
    if (lane === undefined || x < nameWidth) return null;
    const slack = ((to - from) / (canvas.clientWidth - nameWidth)) * 1.5;
    const t = timeAt(x);
    let best: Span | null = null;
    for (const span of lane.spans) {
      if (span.start > t + slack) break;
      if (span.end >= t - slack) best = span;
    }
    return best;
  };
  canvas.addEventListener("mousedown", (event) => { selection = [event.offsetX, event.offsetX]; });
  canvas.addEventListener("mousemove", (event) => {
    if (selection !== null) {
      selection[1] = event.offsetX;
      hideTip();
      draw();
      return;
    }
    const span = spanAt(event.offsetX, event.offsetY);
    if (span === null) return hideTip();
    showTip(h("div", {}, h("div", { class: "tip-title" }, printable(span.label)),
      `${withUnit(span.start, timeline.unit, 6)} to ${withUnit(span.end, timeline.unit, 6)}: ${withUnit(span.end - span.start, timeline.unit)}`,
      timeline.source ? h("div", {}, `source: ${printable(timeline.source)}`) : null), event.clientX, event.clientY);
  });
  window.addEventListener("mouseup", () => {
    if (selection === null) return;
    const [a, b] = [Math.min(...selection), Math.max(...selection)];
    const times = [timeAt(a), timeAt(b)];
    selection = null;
    if (b - a > 4) range(times[0], times[1]); else draw();
  });
  canvas.addEventListener("mouseleave", hideTip);
  canvas.addEventListener("dblclick", () => range(low, high));
  canvas.addEventListener("keydown", (event) => {
    const span = to - from;
    if (event.key === "+" || event.key === "=") range(from + span / 4, to - span / 4);
    else if (event.key === "-") range(from - span / 2, to + span / 2);
    else if (event.key === "0") range(low, high);
    else if (event.key === "ArrowLeft") range(from - span / 8, from - span / 8 + span);
    else if (event.key === "ArrowRight") range(from + span / 8, from + span / 8 + span);
    else return;
    event.preventDefault();
  });
  new ResizeObserver(draw).observe(canvas);
  themed.add(draw);
  const legend = h("ul", { class: "legend" }, ...[...sums.keys()].slice(0, 16).map((label) => {
    const swatch = h("span", { class: "swatch" });
    swatch.style.backgroundColor = (colours.get(label) as [string, string])[0];
    return h("li", {}, swatch, printable(label));
  }), sums.size > 16 ? h("li", {}, `and ${sums.size - 16} more`) : null);
  return h("div", { class: "timeline-view" }, canvas, legend,
    remembered(`${scope}/${timeline.id}`, h("details", { class: "data" }, h("summary", {}, "Totals by label"), tableView(numbersOf(timeline, sums), scope))));
}

const themed = new Set<() => void>();
export function redrawTimelines(): void {
  for (const draw of themed) draw();
}

export function forgetTimelines(): void {
  themed.clear();
}
