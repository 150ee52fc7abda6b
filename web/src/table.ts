// table.ts: tables that sort and filter, with heat colours or intervals drawn beside the numbers.
import { choice, h, printable, svg } from "./dom";
import { isMeasured, isNumeric, numberOf, type Cell, type Column, type Table } from "./document";
import { memory, printed, resultWords } from "./memory";
import { bareIn, columnUnit, figure, magnitude, readableUnit, type Scale } from "./numbers";
import { heatColour } from "./palette";
import { explain, isVerdict, trustMark, verdictMark } from "./verdict";
import { withTip } from "./tooltip";

const pageRows = 20;
const paperRows = 200;
// On a phone a row of more than three columns is a card, with a line for each.
const cardLines = 80;
const paperWidth = 700; // CSS pixels between the margins of A4

// The smallest and largest number of a group of cells, intervals included.
interface Range {
  low: number;
  high: number;
}

interface Shown {
  column: Column;
  index: number;
  numeric: boolean;
  intervals: boolean;
  scale: Scale | null; // null: each cell has its own unit
  unit: string;
  ranges: Map<string, Range>; // by unit
}

function unitOf(cell: Cell, column: Column): string {
  return (isMeasured(cell) ? cell.unit : undefined) ?? column.unit;
}

function rangesOf(cells: Cell[], column: Column): Map<string, Range> {
  const ranges = new Map<string, Range>();
  for (const cell of cells) {
    const ends = (isMeasured(cell) ? [numberOf(cell), cell.low, cell.high] : [numberOf(cell)]).filter((v): v is number => v !== null);
    if (ends.length === 0) continue;
    const unit = unitOf(cell, column);
    const old = ranges.get(unit) ?? { low: Infinity, high: -Infinity };
    ranges.set(unit, { low: Math.min(old.low, ...ends), high: Math.max(old.high, ...ends) });
  }
  return ranges;
}

// Columns that no row fills are left out. Columns of the same unit have the same scale if all their
// numbers are readable in it.
export function examine(table: Table): Shown[] {
  const values = new Map<string, number[]>();
  const shown = table.columns.map((column, index): Shown | null => {
    const cells = table.rows.map((row) => row[index]);
    const filled = cells.filter((cell) => cell !== null && !(typeof cell === "string" && cell.trim() === ""));
    if (filled.length === 0 && table.rows.length > 0) return null;
    const numeric = filled.length > 0 && filled.every(isNumeric);
    const units = new Set(filled.map((cell) => unitOf(cell, column)));
    const unit = units.size === 1 ? [...units][0] : "";
    const numbers = cells.map(numberOf).filter((v): v is number => v !== null);
    const measured = filled.some(isMeasured);
    const scale = units.size > 1 || !numeric ? null : columnUnit(numbers, unit);
    if (measured && numeric && unit !== "") values.set(unit, [...values.get(unit) ?? [], ...numbers]);
    const intervals = cells.some((cell) => isMeasured(cell) && (cell.low !== null || cell.high !== null));
    return { column, index, numeric, intervals, scale, unit, ranges: rangesOf(cells, column) };
  }).filter((s): s is Shown => s !== null);
  for (const s of shown) {
    const together = s.numeric && s.scale !== null ? values.get(s.unit) : undefined;
    const common = together === undefined ? null : columnUnit(together, s.unit);
    if (common === null) continue;
    // Lines of a cache beside its capacity: 128 B, not 0.125 KiB.
    const cells = table.rows.map((row) => Math.abs(numberOf(row[s.index]) ?? 0));
    if (s.unit !== "B" || Math.max(...cells) * common.factor >= 1) s.scale = common;
  }
  return shown;
}

// Columns whose cells name where the numbers of their row come from.
const sourceColumns = new Set(["source", "engine", "origin", "counted_by", "read_by", "sampler", "clock"]);

// Where the numbers of a row come from, by the row, the column or the table.
export function sourceOf(table: Table, row: Cell[], column: Column): string {
  if (column.source) return column.source;
  const place = table.columns.findIndex((c) => sourceColumns.has(c.name));
  const named = place < 0 ? null : row[place];
  if (typeof named === "string" && named !== "" && named !== "none") return table.source ? `${named} (${table.source})` : named;
  return table.source ?? "";
}

function words(name: string): string {
  return printable(name.replace(/_/g, " "));
}

// A symbol name that is too long is cut in the middle; the tooltip has all of it.
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, Math.ceil(most * 0.6))}…${text.slice(-Math.floor(most * 0.35))}`;
}

export function numberNode(cell: Cell, shown: Pick<Shown, "scale" | "unit">, where: string, source = ""): HTMLElement {
  if (!isMeasured(cell)) return h("span", { class: "number" }, cell === null ? "" : printable(bareIn(cell as number, shown.scale, shown.unit)));
  const unit = cell.unit ?? shown.unit;
  const scale = shown.scale ?? readableUnit(magnitude(cell), unit);
  const text = figure(cell, scale.factor);
  const ownUnit = shown.scale === null && cell.value !== null ? scale.unit : "";
  // "100 [100, 100]" would say no more than 100; the tooltip has it.
  const isPoint = cell.low !== null && cell.low === cell.high && cell.low === Number(cell.value);
  // What is not there needs no mark of its own; the tooltip has the reason.
  const absent = cell.value === null;
  const node = h("span", { class: `number ${cell.verdict}${absent ? " absent" : ""}`, tabindex: "0" },
    text.value, ownUnit === "" ? null : h("span", { class: "unit" }, ` ${printable(ownUnit)}`),
    text.interval === "" || isPoint ? null : h("span", { class: "interval" }, ` ${text.interval}`),
    absent ? svg("svg", { class: "mark" }) : trustMark(cell.verdict));
  return withTip(node, () => explain(cell, shown.unit, where, source));
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
  const range = shown.ranges.get(unitOf(cell, shown.column));
  if (value === null || range === undefined || !(range.high > range.low)) return null;
  const low = Math.min(range.low, range.low > 0 && range.low < range.high / 4 ? 0 : range.low);
  const place = (v: number) => (4 + ((v - low) / (range.high - low)) * 112).toFixed(1);
  const measured = isMeasured(cell) ? cell : null;
  const parts: SVGElement[] = [];
  if (low <= 0 && range.high >= 0) parts.push(svg("line", { class: "zero", x1: place(0), x2: place(0), y1: 0, y2: 18 }));
  if (measured !== null && measured.low !== null && measured.high !== null) {
    parts.push(svg("line", { class: "whisker", x1: place(measured.low), x2: place(measured.high), y1: 9, y2: 9 }));
    for (const end of [measured.low, measured.high]) parts.push(svg("line", { class: "whisker", x1: place(end), x2: place(end), y1: 5, y2: 13 }));
  }
  parts.push(svg("circle", { class: "dot", cx: place(value), cy: 9, r: 3.6 }));
  return svg("svg", { class: "spread", viewBox: "0 0 120 18", "aria-hidden": "true" }, ...parts);
}

// The range of the colours of a column: that of all columns of its unit, or its own.
export function heatRange(s: Shown, all: Shown[]): Range {
  const peers = s.unit === "" ? [s] : all.filter((p) => p.unit === s.unit && p.ranges.size === 1);
  const ranges = peers.flatMap((p) => [...p.ranges.values()]);
  return { low: Math.min(...ranges.map((r) => r.low)), high: Math.max(...ranges.map((r) => r.high)) };
}

function matches(row: Cell[], words_: string[]): boolean {
  const text = row.map((cell) => isMeasured(cell) ? `${cell.value} ${cell.verdict} ${cell.source ?? ""} ${cell.reason ?? ""}` : String(cell ?? "")).join(" ").toLowerCase();
  return words_.every((word) => text.includes(word));
}

// Whether a row has a number, or no cells for numbers at all.
function hasNumber(row: Cell[]): boolean {
  const numbers = row.filter(isMeasured);
  return numbers.length === 0 || numbers.some((m) => m.value !== null);
}

function isNothing(cell: Cell): boolean {
  return isMeasured(cell) && (cell.value === null || (Number(cell.value) === 0 && (cell.low ?? 0) === 0 && (cell.high ?? 0) === 0));
}

// Whether a row has a number that is not zero, or no cells for numbers at all.
function saysSomething(row: Cell[]): boolean {
  const numbers = row.filter(isMeasured);
  return numbers.length === 0 || !numbers.every(isNothing);
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

interface TableState {
  filter: string;
  sorted: { index: number; down: boolean } | null;
  style: string;
  all: boolean;
}

const narrow = () => window.matchMedia("(max-width: 640px)").matches; // as in style.css
const isLongText = (cell: Cell) => typeof cell === "string" && cell.length > 24;

// `scope` tells the tables of several results apart.
export function tableView(table: Table, scope = ""): HTMLElement {
  const key = `${scope}/${table.id}/${table.columns.map((c) => c.name).join("|")}`;
  const state = memory<TableState>(key, { filter: "", sorted: null, style: "Numbers", all: false });
  const shown = examine(table);
  const constant = constantFirst(table);
  // Texts that move below their row where the table is too wide for the page.
  const moved = new Set<Shown>();
  // Columns without numbers, and those of zeros where there is no room for them.
  const empty = new Set<Shown>();
  let inRow: Shown[] = [];
  const numeric = shown.filter((s) => s.numeric && table.rows.some((row) => isMeasured(row[s.index])));
  // Where all numbers are zeros, rows without a number are left out alone.
  const says = table.rows.map(table.rows.some(saysSomething) ? saysSomething : hasNumber);
  const hides = says.some((s) => s) && says.some((s) => !s);
  let order: number[] = [];
  let filter: string[] = [];
  let onPaper = false;
  const body = h("tbody");
  const head = h("tr");
  const count = h("span", { class: "count", role: "status" });
  const more = h("button", { type: "button", class: "more", click: () => { state.all = true; place(); draw(); shade(); } });
  const left = h("p", { class: "left-out" });

  const place = () => {
    inRow = shown.filter((s) => !s.column.below && !moved.has(s) && (state.all || !empty.has(s)) && !(s.index === 0 && constant !== null));
    if (inRow.length === 0) inRow = shown.slice(0, 1);
    pairUp();
  };

  const sort = () => {
    order = table.rows.map((_, i) => i);
    filter = state.filter.toLowerCase().split(/\s+/).filter((w) => w !== "");
    const by = state.sorted;
    if (by === null) return;
    order.sort((a, b) => {
      const x = table.rows[a][by.index];
      const y = table.rows[b][by.index];
      if ((numberOf(x) === null) !== (numberOf(y) === null)) return compareCells(x, y);
      return (by.down ? -1 : 1) * compareCells(x, y) || a - b;
    });
  };

  const cellNode = (row: Cell[], s: Shown) => {
    const cell = row[s.index];
    const label = row[inRow[0].index];
    const name = typeof label === "string" ? `${label}: ${words(s.column.name)}` : words(s.column.name);
    const long = typeof cell === "string" && /\S{36}/.test(cell);
    const short = typeof cell === "string" && cell.length < 26 && (s === inRow[0] || !cell.includes(" ") || cell.length < 16);
    const part = !isPair ? "" : s === inRow[0] ? "first" : s === inRow[1] ? "second" : "";
    const classes = [part, isNumeric(cell) && (s.numeric || isMeasured(cell)) ? "numeric" : long ? "long" : short ? "short" : "", cell === null || cell === "" ? "empty" : ""];
    const td = h("td", { class: classes.join(" ").trim() || null, "data-label": s === inRow[0] && typeof cell === "string" ? null : heading(s) });
    if (typeof cell === "string") td.append(textNode(cell, s.column));
    else if (cell !== null) td.append(numberNode(cell, s, name, sourceOf(table, row, s.column)));
    if (state.style === "Intervals" && s.numeric && s.intervals) {
      const drawing = drawInterval(cell, s);
      if (drawing !== null) td.append(drawing);
    }
    const value = numberOf(cell);
    if (state.style === "Heat map" && s.numeric && value !== null && numeric.includes(s) && s.ranges.size === 1) {
      const range = heatRange(s, numeric);
      const [background, ink] = heatColour(value, range.low, range.high);
      td.style.backgroundColor = background;
      td.style.color = ink;
      td.classList.add("heat");
    }
    return td;
  };

  // On a card: whether the first column alone does not name a row, but the first two do better.
  let isPair = false;
  const pairUp = () => {
    const [first, second] = inRow;
    const texts = (s: Shown) => table.rows.map((row) => row[s.index]);
    const named = second !== undefined && [...texts(first), ...texts(second)].every((cell) => typeof cell === "string" && cell !== "" && !isVerdict(cell));
    isPair = named && new Set(texts(first)).size < table.rows.length && new Set(texts(second)).size > 1 && !texts(second).some(isLongText);
  };

  const belowNode = (row: Cell[], s: Shown) => {
    const cell = row[s.index];
    if (cell === null || cell === "") return null;
    const content = typeof cell === "string" ? textNode(cell, s.column) : numberNode(cell, s, s.column.name, sourceOf(table, row, s.column));
    const title = moved.has(s) ? h("span", { class: "below-name" }, `${words(s.column.name)}: `) : null;
    return h("tr", { class: "below" }, h("td", { colspan: inRow.length }, title, content));
  };

  const heading = (s: Shown) => {
    const unit = s.scale !== null && s.numeric && s.scale.unit !== "" && s.scale.unit !== s.column.name ? ` (${printable(s.scale.unit)})` : "";
    return words(s.column.name) + unit;
  };

  const headNode = (s: Shown) => {
    const name = words(s.column.name);
    const unit = heading(s).slice(name.length);
    const by = state.sorted?.index === s.index ? state.sorted : null;
    // Nothing is sorted on paper, and browsers do not repeat what is in a button on the next page.
    if (onPaper) return h("th", { scope: "col", class: s.numeric ? "plain numeric" : "plain" }, name, unit === "" ? null : h("span", { class: "unit" }, unit));
    return h("th", { scope: "col", class: s.numeric ? "numeric" : null, "aria-sort": by === null ? null : by.down ? "descending" : "ascending" },
      h("button", { type: "button", click: () => {
        state.sorted = { index: s.index, down: by !== null ? !by.down : s.numeric };
        const at = inRow.indexOf(s);
        update();
        (head.children[at]?.firstElementChild as HTMLElement | null)?.focus();
      } }, name, unit === "" ? null : h("span", { class: "unit" }, unit), h("span", { class: "arrow", "aria-hidden": "true" })));
  };

  const rowsAtFirst = () => {
    const areCards = inRow.length > 3 && narrow();
    return areCards ? Math.min(pageRows, Math.max(4, Math.floor(cardLines / inRow.length))) : pageRows;
  };

  const draw = () => {
    const kept = order.filter((i) => filter.length === 0 || matches(table.rows[i], filter));
    const saying = hides && filter.length === 0 ? kept.filter((i) => says[i]) : kept;
    const shownRows = state.all ? kept : saying;
    const visible = onPaper ? shownRows.slice(0, paperRows) : state.all ? kept : saying.slice(0, rowsAtFirst());
    const below = shown.filter((s) => (s.column.below || moved.has(s)) && !inRow.includes(s));
    head.replaceChildren(...inRow.map(headNode));
    body.replaceChildren(...visible.flatMap((i) => {
      const row = table.rows[i];
      return [h("tr", {}, ...inRow.map((s) => cellNode(row, s))), ...below.map((s) => belowNode(row, s)).filter((line) => line !== null)];
    }));
    const columns = state.all ? 0 : empty.size;
    const rows = kept.length > visible.length;
    more.hidden = !rows && columns === 0;
    const silent = rows ? kept.length - saying.length : columns;
    const why = silent > 0 ? ` (${rows ? `${silent} ` : ""}without ${table.rows.some(saysSomething) ? "numbers or with zeros only" : "numbers"})` : "";
    const aside = columns > 0 ? `${columns} more ${columns === 1 ? "column" : "columns"}` : "";
    more.textContent = rows ? `Show all ${kept.length} rows${aside === "" ? "" : ` and ${aside}`}${why}` : `Show ${aside}${why}`;
    const missing = kept.length - visible.length;
    const absent = [missing > 0 ? `${missing} more ${missing === 1 ? "row" : "rows"}` : "", aside].filter((part) => part !== "").join(" and ");
    left.textContent = onPaper && absent !== "" ? `${absent} ${missing + columns === 1 ? "is" : "are"} in the file.` : "";
    count.textContent = filter.length > 0 ? `${kept.length} of ${table.rows.length} rows` : "";
  };
  const update = () => { sort(); draw(); };

  const tools = h("div", { class: "tools" });
  if (constant !== null) {
    tools.append(h("span", { class: "constant" }, `${words(table.columns[0].name)}: `, h("strong", {}, textNode(constant, table.columns[0]))));
  }
  if (table.rows.length > 8) {
    const input = h("input", { type: "search", placeholder: "Filter rows", "aria-label": `Filter rows of ${printable(table.title)}${resultWords(scope)}`,
      input: (event: Event) => {
        state.filter = (event.target as HTMLInputElement).value;
        update();
      } });
    input.value = state.filter;
    tools.append(input, count);
  }
  if (table.rows.length > 8 && shown.length > 4) {
    // Cards have no heads to sort by.
    const pick = h("select", { class: "sort-by", "aria-label": `Sort rows of ${printable(table.title)}${resultWords(scope)}`, change: () => {
      const index = Number(pick.value);
      state.sorted = index < 0 ? null : { index, down: shown.find((s) => s.index === index)?.numeric ?? false };
      update();
    } }, h("option", { value: -1 }, "Sort by"), ...shown.map((s) => h("option", { value: s.index }, words(s.column.name))));
    tools.append(pick);
  }
  const options = ["Numbers"];
  if (numeric.some((s) => s.intervals && [...s.ranges.values()].some((r) => r.high > r.low)) && table.rows.length > 1) options.push("Intervals");
  const peers = Math.max(0, ...numeric.map((s) => s.ranges.size !== 1 ? 0 : numeric.filter((p) => p.unit === s.unit && p.scale !== null).length));
  if (peers >= 3 && table.rows.length >= 3) options.push("Heat map");
  if (!options.includes(state.style)) state.style = "Numbers";
  if (options.length > 1) {
    tools.append(choice("Show cells as", options, (index) => {
      state.style = options[index];
      draw();
    }, options.indexOf(state.style)));
  }
  place();
  update();
  const columns = inRow.length;
  const grid = h("table", { class: columns > 3 ? "cards" : columns > 1 ? "slim" : null }, h("thead", {}, head), body);
  const box = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": printable((table.title || "Table") + resultWords(scope)) }, grid);
  const edge = h("div", { class: "edge" }, box);
  const isCut = () => box.scrollWidth > box.clientWidth + 1;
  const shade = () => { edge.classList.toggle("cut", box.scrollLeft + box.clientWidth + 1 < box.scrollWidth); };
  let fitted = 0;
  const fit = () => {
    if (box.clientWidth === 0 || onPaper) return;
    if (box.clientWidth !== fitted) {
      fitted = box.clientWidth;
      moved.clear();
      empty.clear();
      place();
      draw();
      edge.classList.remove("dense", "stacked");
      grid.classList.toggle("cards", columns > 3);
      const texts = shown.filter((s) => !s.numeric && s !== inRow[0] && table.rows.some((row) => isLongText(row[s.index])));
      const size = (s: Shown) => Math.max(...table.rows.map((row) => typeof row[s.index] === "string" ? (row[s.index] as string).length : 0));
      texts.sort((a, b) => size(b) - size(a));
      const cards = getComputedStyle(grid).display === "block";
      const putAside = (some: Shown[]) => {
        if (some.length === 0 || some.length === numeric.length) return;
        some.forEach((s) => empty.add(s));
        place();
        draw();
      };
      putAside(numeric.filter((s) => table.rows.every((row) => numberOf(row[s.index]) === null)));
      if (cards || isCut()) putAside(numeric.filter((s) => table.rows.every((row) => row[s.index] === null || isNothing(row[s.index]))));
      const isTall = () => cards || grid.clientHeight > 52 * Math.max(1, body.querySelectorAll("tr:not(.below)").length) + 60;
      const below = (some: Shown[]) => {
        for (const s of some) {
          if (!isCut() && !isTall()) return;
          moved.add(s);
          place();
          draw();
        }
      };
      // Long sentences first; then smaller letters, intervals under their numbers, and other texts.
      below(texts.filter((s) => size(s) > 60));
      for (const step of ["dense", "stacked"]) if (isCut()) edge.classList.add(step);
      const before = new Set(moved);
      if (!cards) below(texts.filter((s) => !moved.has(s)));
      if (isCut() && moved.size > before.size) {
        moved.clear();
        before.forEach((s) => moved.add(s));
        place();
        draw();
      }
      // Three columns that have no room on a phone.
      if (isCut() && !cards && narrow()) grid.classList.add("cards");
    }
    shade();
  };
  box.addEventListener("scroll", shade, { passive: true });
  new ResizeObserver(fit).observe(box);
  printed.add((paper) => {
    onPaper = paper;
    place();
    draw();
    grid.classList.remove("boxes");
    if (!paper) return;
    grid.style.width = "min-content";
    const fits = Math.min(1, paperWidth / Math.max(grid.offsetWidth, 1));
    grid.style.width = "";
    // Smaller letters could not be read: each row becomes a box.
    grid.classList.toggle("boxes", fits < 0.55);
    grid.style.setProperty("--fit", String(fits < 0.55 ? 1 : fits));
  });
  return h("div", { class: "table-view" }, tools.childElementCount > 0 ? tools : null, edge, more, left);
}
