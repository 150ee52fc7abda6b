// table.ts: tables that sort and filter, with heat colours or intervals drawn beside the numbers.
import { choice, h, printable, svg } from "./dom";
import { isMeasured, isNumeric, numberOf, type Cell, type Column, type Table } from "./document";
import { bareIn, columnUnit, figure, magnitude, readableUnit, type Scale } from "./numbers";
import { heatColour } from "./palette";
import { explain, isVerdict, verdictMark } from "./verdict";
import { withTip } from "./tooltip";

const pageRows = 20;

interface Shown {
  column: Column;
  index: number;
  numeric: boolean;
  scale: Scale | null; // null: each cell has its own unit
  unit: string;
  low: number;
  high: number;
}

function examine(table: Table): Shown[] {
  return table.columns.map((column, index) => {
    const cells = table.rows.map((row) => row[index]);
    const filled = cells.filter((cell) => cell !== null);
    const numeric = filled.length > 0 && filled.every(isNumeric);
    const units = new Set(filled.map((cell) => (isMeasured(cell) ? cell.unit : undefined) ?? column.unit));
    const unit = units.size === 1 ? [...units][0] : "";
    const numbers = cells.map(numberOf).filter((v): v is number => v !== null);
    const scale = units.size > 1 || !numeric ? null : columnUnit(numbers, unit);
    const ends = cells.flatMap((cell) => isMeasured(cell) ? [numberOf(cell), cell.low, cell.high] : [numberOf(cell)])
      .filter((v): v is number => v !== null);
    return { column, index, numeric, scale, unit, low: Math.min(...ends), high: Math.max(...ends) };
  });
}

function words(name: string): string {
  return printable(name.replace(/_/g, " "));
}

// A symbol name that is too long is cut in the middle; the tooltip has all of it.
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, Math.ceil(most * 0.6))}…${text.slice(-Math.floor(most * 0.35))}`;
}

export function numberNode(cell: Cell, shown: Pick<Shown, "scale" | "unit">, where: string): HTMLElement {
  if (!isMeasured(cell)) return h("span", { class: "number" }, cell === null ? "" : printable(bareIn(cell as number, shown.scale, shown.unit)));
  const unit = cell.unit ?? shown.unit;
  const scale = shown.scale ?? readableUnit(magnitude(cell), unit);
  const text = figure(cell, scale.factor);
  const ownUnit = shown.scale === null && cell.value !== null ? scale.unit : "";
  const node = h("span", { class: `number ${cell.verdict}`, tabindex: "0" },
    text.value, ownUnit === "" ? null : h("span", { class: "unit" }, ` ${printable(ownUnit)}`),
    text.interval === "" ? null : h("span", { class: "interval" }, ` ${text.interval}`),
    verdictMark(cell.verdict));
  return withTip(node, () => explain(cell, shown.unit, where));
}

function textNode(text: string, column: Column): Node {
  if (isVerdict(text)) return h("span", { class: `verdict ${text}` }, verdictMark(text), ` ${text}`);
  const clean = printable(text);
  const short = column.symbol ? shorten(clean, 70) : clean;
  if (short === clean) return document.createTextNode(clean);
  return withTip(h("span", { tabindex: "0" }, short), () => h("div", {}, clean));
}

// The value as a dot and its interval as a line, on the scale of the column.
function drawInterval(cell: Cell, shown: Shown): SVGElement | null {
  const value = numberOf(cell);
  if (value === null || !(shown.high > shown.low)) return null;
  const low = Math.min(shown.low, shown.low > 0 && shown.low < shown.high / 4 ? 0 : shown.low);
  const place = (v: number) => (4 + ((v - low) / (shown.high - low)) * 112).toFixed(1);
  const measured = isMeasured(cell) ? cell : null;
  const parts: SVGElement[] = [];
  if (low <= 0 && shown.high >= 0) parts.push(svg("line", { class: "zero", x1: place(0), x2: place(0), y1: 0, y2: 18 }));
  if (measured !== null && measured.low !== null && measured.high !== null) {
    parts.push(svg("line", { class: "whisker", x1: place(measured.low), x2: place(measured.high), y1: 9, y2: 9 }));
    for (const end of [measured.low, measured.high]) parts.push(svg("line", { class: "whisker", x1: place(end), x2: place(end), y1: 5, y2: 13 }));
  }
  parts.push(svg("circle", { class: "dot", cx: place(value), cy: 9, r: 3.6 }));
  return svg("svg", { class: "spread", viewBox: "0 0 120 18", "aria-hidden": "true" }, ...parts);
}

function matches(row: Cell[], words_: string[]): boolean {
  const text = row.map((cell) => isMeasured(cell) ? `${cell.value} ${cell.verdict} ${cell.source ?? ""} ${cell.reason ?? ""}` : String(cell ?? "")).join(" ").toLowerCase();
  return words_.every((word) => text.includes(word));
}

// Whether a row has a number that is neither absent nor zero, or no numbers at all.
function saysSomething(row: Cell[]): boolean {
  const numbers = row.filter(isMeasured);
  return numbers.length === 0 || numbers.some((m) => m.value !== null && (Number(m.value) !== 0 || (m.low ?? 0) !== 0 || (m.high ?? 0) !== 0));
}

// The text that the first column has in every row, such as the only program.
function constantFirst(table: Table): string | null {
  const first = table.rows[0]?.[0];
  if (table.rows.length < 2 || table.columns.length < 3 || typeof first !== "string" || first === "") return null;
  return table.rows.every((row) => row[0] === first) ? first : null;
}

function compareCells(a: Cell, b: Cell): number {
  const x = numberOf(a);
  const y = numberOf(b);
  if (x !== null && y !== null) return x - y;
  if (x !== null || y !== null) return x === null ? 1 : -1; // what has no number comes last
  return String(a ?? "").localeCompare(String(b ?? ""));
}

export function tableView(table: Table): HTMLElement {
  const shown = examine(table);
  const constant = constantFirst(table);
  const inRow = shown.filter((s) => !s.column.below && !(s.index === 0 && constant !== null));
  const below = shown.filter((s) => s.column.below);
  const numeric = shown.filter((s) => s.numeric && table.rows.some((row) => isMeasured(row[s.index])));
  const says = table.rows.map(saysSomething);
  const hides = table.rows.length > 1 && says.some((something) => something);
  let order = table.rows.map((_, i) => i);
  let sorted: { index: number; down: boolean } | null = null;
  let filter: string[] = [];
  let style = 0; // 0: numbers, 1: intervals, 2: heat
  let all = false;

  const body = h("tbody");
  const more = h("button", { type: "button", class: "more", click: () => { all = true; draw(); } });
  const count = h("span", { class: "count", role: "status" });

  const cellNode = (row: Cell[], s: Shown): HTMLElement => {
    const cell = row[s.index];
    const label = row[inRow[0].index];
    const name = typeof label === "string" ? `${label}: ${words(s.column.name)}` : words(s.column.name);
    const long = typeof cell === "string" && /\S{36}/.test(cell);
    const short = typeof cell === "string" && cell.length < 26 && (s === inRow[0] || !cell.includes(" "));
    const td = h("td", { class: isNumeric(cell) ? "numeric" : long ? "long" : short ? "short" : null });
    if (typeof cell === "string") td.append(textNode(cell, s.column));
    else if (cell !== null) td.append(numberNode(cell, s, name));
    if (style === 1 && s.numeric) {
      const drawing = drawInterval(cell, s);
      if (drawing !== null) td.append(drawing);
    }
    const value = numberOf(cell);
    if (style === 2 && s.numeric && value !== null && numeric.includes(s)) {
      const peers = numeric.filter((p) => p.unit === s.unit);
      const [background, ink] = heatColour(value, Math.min(...peers.map((p) => p.low)), Math.max(...peers.map((p) => p.high)));
      td.style.backgroundColor = background;
      td.style.color = ink;
      td.classList.add("heat");
    }
    return td;
  };

  const draw = () => {
    const kept = order.filter((i) => filter.length === 0 || matches(table.rows[i], filter));
    const saying = hides && filter.length === 0 ? kept.filter((i) => says[i]) : kept;
    const visible = all ? kept : saying.slice(0, pageRows);
    body.replaceChildren(...visible.flatMap((i) => {
      const row = table.rows[i];
      const lines = [h("tr", {}, ...inRow.map((s) => cellNode(row, s)))];
      for (const s of below) {
        const cell = row[s.index];
        if (cell === null || cell === "") continue;
        lines.push(h("tr", { class: "below" }, h("td", { colspan: inRow.length }, typeof cell === "string" ? textNode(cell, s.column) : numberNode(cell, s, s.column.name))));
      }
      return lines;
    }));
    more.hidden = kept.length <= visible.length;
    const empty = kept.length - saying.length;
    more.textContent = `Show all ${kept.length} rows${empty > 0 ? ` (${empty} without numbers or with zeros only)` : ""}`;
    count.textContent = filter.length > 0 ? `${kept.length} of ${table.rows.length} rows` : "";
  };

  const heads = inRow.map((s) => {
    const unit = s.scale !== null && s.numeric && s.scale.unit !== "" ? ` (${printable(s.scale.unit)})` : "";
    const th = h("th", { scope: "col", class: s.numeric ? "numeric" : null });
    th.append(h("button", { type: "button", click: () => {
      const down: boolean = sorted?.index === s.index ? !sorted.down : s.numeric;
      sorted = { index: s.index, down };
      order = table.rows.map((_, i) => i);
      order.sort((a, b) => {
        const x = table.rows[a][s.index];
        const y = table.rows[b][s.index];
        if ((numberOf(x) === null) !== (numberOf(y) === null)) return compareCells(x, y);
        return (down ? -1 : 1) * compareCells(x, y) || a - b;
      });
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      th.setAttribute("aria-sort", down ? "descending" : "ascending");
      draw();
    } }, words(s.column.name), unit === "" ? null : h("span", { class: "unit" }, unit), h("span", { class: "arrow", "aria-hidden": "true" })));
    return th;
  });

  const tools = h("div", { class: "tools" });
  if (constant !== null) {
    tools.append(h("span", { class: "constant" }, `${words(table.columns[0].name)}: `, h("strong", {}, textNode(constant, table.columns[0]))));
  }
  if (table.rows.length > 8) {
    tools.append(h("input", { type: "search", placeholder: "Filter rows", "aria-label": `Filter rows of ${printable(table.title)}`,
      input: (event: Event) => {
        filter = (event.target as HTMLInputElement).value.toLowerCase().split(/\s+/).filter((w) => w !== "");
        draw();
      } }), count);
  }
  const options = ["Numbers"];
  const hasIntervals = numeric.some((s) => s.high > s.low) && table.rows.length > 1;
  if (hasIntervals) options.push("Intervals");
  const peers = Math.max(0, ...numeric.map((s) => numeric.filter((p) => p.unit === s.unit && p.scale !== null).length));
  const hasHeat = peers >= 3 && table.rows.length >= 3;
  if (hasHeat) options.push("Heat map");
  if (options.length > 1) {
    tools.append(choice("Show cells as", options, (index) => {
      style = options[index] === "Numbers" ? 0 : options[index] === "Intervals" ? 1 : 2;
      draw();
    }));
  }
  draw();
  return h("div", { class: "table-view" }, tools.childElementCount > 0 ? tools : null,
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": printable(table.title) || "Table" },
      h("table", {}, h("thead", {}, h("tr", {}, ...heads)), body)), more);
}
