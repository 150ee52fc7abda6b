// compare.ts: results of the same command side by side.
import { h, printable, sentence } from "./dom";
import { findings, isMeasured, isNumeric, numberOf, type Block, type Cell, type Column, type Measured, type Result, type Series, type Table } from "./document";

const noInterval = "one of the two numbers has no interval";

// The ratio of two numbers with the extreme ratios of their intervals; its verdict is the worse of
// the two, and doubtful if an interval is missing.
export function ratio(first: Cell, second: Cell): Cell {
  const a = numberOf(first);
  const b = numberOf(second);
  if (a === null || b === null || a === 0) return null;
  const result: Measured = { value: b / a, low: null, high: null, exact: false, unit: "", source: "computed from both results", verdict: "valid", reason: null };
  const ends = (cell: Cell, value: number): [number, number] | null =>
    !isMeasured(cell) || cell.exact ? [value, value] : cell.low !== null && cell.high !== null ? [cell.low, cell.high] : null;
  const x = ends(first, a);
  const y = ends(second, b);
  if (x !== null && y !== null && x[0] > 0 && y[0] >= 0) {
    // Two exact numbers have an exact ratio.
    if (x[0] < x[1] || y[0] < y[1]) [result.low, result.high] = [y[0] / x[1], y[1] / x[0]];
  } else {
    result.verdict = "doubtful";
    result.reason = noInterval;
  }
  for (const cell of [first, second]) {
    if (!isMeasured(cell) || cell.verdict === "valid" || cell.verdict === "unstated") continue;
    if (result.verdict === "refused") continue;
    result.verdict = cell.verdict;
    result.reason = cell.reason;
  }
  return result;
}

// In words: which of two numbers is larger, as far as their intervals tell.
export function verdictOf(cell: Cell): string | null {
  if (!isMeasured(cell) || cell.value === null) return null;
  if (cell.low !== null && cell.high !== null) return cell.low > 1 ? "higher" : cell.high < 1 ? "lower" : "no difference seen";
  if (cell.verdict === "valid") return cell.value === 1 ? "the same" : cell.value > 1 ? "higher" : "lower";
  return null;
}

// What identifies a row in both results: its texts before the first number.
function keyOf(table: Table, row: Cell[]): string {
  const texts: string[] = [];
  for (const cell of row) {
    if (typeof cell !== "string") break;
    texts.push(cell);
  }
  return texts.length === 0 ? "" : JSON.stringify(texts);
}

function keyColumns(table: Table): number {
  const numeric = table.columns.findIndex((_, c) => table.rows.some((row) => isNumeric(row[c])));
  return numeric < 0 ? table.columns.length : numeric;
}

// One table with the numbers of both results beside each other and their ratio, or null if the rows
// cannot be matched.
export function joinTables(a: Table, b: Table, names: [string, string]): Table | null {
  if (a.columns.map((c) => c.name).join("|") !== b.columns.map((c) => c.name).join("|")) return null;
  const keys = Math.min(keyColumns(a), keyColumns(b));
  if (keys === 0 || keys >= a.columns.length) return null;
  const rowsOfB = new Map(b.rows.map((row) => [keyOf(b, row.slice(0, keys)), row]));
  if (rowsOfB.size !== b.rows.length || rowsOfB.has("")) return null;
  const holding = (kind: (cell: Cell) => boolean) => a.columns.map((_, c) => c).filter((c) => c >= keys && [...a.rows, ...b.rows].some((row) => kind(row[c])));
  // Settings and indices are compared only where nothing was measured.
  const measured = holding(isMeasured);
  const numeric = measured.length > 0 ? measured : holding(isNumeric);
  const columns: Column[] = a.columns.slice(0, keys);
  for (const c of numeric) {
    const { name, unit } = a.columns[c];
    columns.push({ name: `${name}: ${names[0]}`, unit }, { name: `${name}: ${names[1]}`, unit }, { name: `${name}: ratio`, unit: "" });
    if (numeric.length === 1) columns.push({ name: "difference", unit: "" });
  }
  const rows: Cell[][] = [];
  const used = new Set<string>();
  const push = (key: Cell[], x: Cell[], y: Cell[]) => rows.push([...key,
    ...numeric.flatMap((c) => {
      const quotient = ratio(x[c], y[c]);
      const both = [x[c], y[c], quotient];
      return numeric.length === 1 ? [...both, verdictOf(quotient)] : both;
    })]);
  for (const row of a.rows) {
    const key = keyOf(a, row.slice(0, keys));
    if (used.has(key) || key === "") return null;
    used.add(key);
    const other = rowsOfB.get(key);
    if (other !== undefined) push(row.slice(0, keys), row, other);
  }
  // Rows of one result only have no counterpart to stand beside; they are in that result.
  const alone = a.rows.length + b.rows.length - 2 * rows.length;
  const title = alone === 0 ? a.title : `${a.title} (${alone} ${alone === 1 ? "row is" : "rows are"} in one result only)`;
  return { kind: "table", id: a.id, title, source: a.source, columns, rows };
}

export function joinSeries(a: Series, b: Series, names: [string, string]): Series | null {
  if (a.axis.unit !== b.axis.unit || a.axis.name !== b.axis.name) return null;
  const named = (series: Series, name: string) => series.lines.map((line) => ({ ...line, name: line.name === "" ? name : `${line.name}: ${name}` }));
  return { ...a, lines: [...named(a, names[0]), ...named(b, names[1])] };
}

// Whether two results have the same content, wherever they were read from.
export function same(a: Result, b: Result): boolean {
  const content = (result: Result) => JSON.stringify([result.document.blocks, result.document.caveats],
    (_key, value: unknown) => typeof value === "bigint" ? String(value) : value instanceof Float64Array ? Array.from(value) : value);
  return content(a) === content(b);
}

// How many ratios of the joined tables differ from 1 beyond their intervals.
export function joinSentence(blocks: Block[]): string {
  const counts = new Map<string, number>();
  for (const block of blocks) {
    if (block.kind !== "table") continue;
    const places = block.columns.flatMap((column, c) => column.name.endsWith(": ratio") ? [c] : []);
    for (const row of block.rows) for (const c of places) {
      const verdict = verdictOf(row[c]);
      if (verdict !== null) counts.set(verdict, (counts.get(verdict) ?? 0) + 1);
    }
  }
  const total = [...counts.values()].reduce((sum, n) => sum + n, 0);
  if (total === 0) return "No number of both results has an interval to judge the difference by.";
  const parts = ["higher", "lower", "no difference seen", "the same"].filter((word) => counts.has(word)).map((word) => `${counts.get(word)} ${word}`);
  return `Of ${total} numbers that can be judged, in the second result: ${parts.join(", ")}. The intervals are taken one by one, so a few of many differ by chance.`;
}

// The blocks that two results share, joined where that is possible.
export function joinResults(a: Result, b: Result, names: [string, string]): Block[] {
  const blocks: Block[] = [];
  for (const block of a.document.blocks) {
    const other = b.document.blocks.find((candidate) => candidate.kind === block.kind && candidate.id === block.id);
    if (other === undefined) continue;
    if (block.kind === "table" && other.kind === "table") {
      const joined = joinTables(block, other, names);
      if (joined !== null && joined.rows.length > 0) blocks.push(joined);
    } else if (block.kind === "series" && other.kind === "series") {
      const joined = joinSeries(block, other, names);
      if (joined !== null) blocks.push(joined);
    } else if (block.kind === "bars" && other.kind === "bars" && block.segments.join("|") === other.segments.join("|")) {
      const named = (bars: typeof block, name: string) => bars.bars.map((bar) => ({ ...bar, name: `${bar.name}: ${name}` }));
      blocks.push({ ...block, bars: [...named(block, names[0]), ...named(other, names[1])] });
    }
  }
  return blocks;
}

export function texts(result: Result, name: string): HTMLElement {
  const found = findings(result.document.blocks);
  return h("div", { class: "side" }, h("h4", {}, printable(name)),
    ...found.slice(0, 1).map((block) => h("p", {}, ...sentence(block.text))));
}
