// compare.ts: results of the same command side by side.
import { h, printable } from "./dom";
import { isMeasured, isNumeric, numberOf, type Block, type Cell, type Column, type Measured, type Result, type Series, type Table } from "./document";

function derived(value: number): Measured {
  return { value, low: null, high: null, exact: false, verdict: "valid", reason: null };
}

// The ratio of two numbers, doubtful if one of them is.
export function ratio(first: Cell, second: Cell): Cell {
  const a = numberOf(first);
  const b = numberOf(second);
  if (a === null || b === null || a === 0) return null;
  const worst = [first, second].find((cell) => isMeasured(cell) && cell.verdict !== "valid");
  const result = derived(b / a);
  if (worst !== undefined && isMeasured(worst)) {
    result.verdict = worst.verdict;
    result.reason = worst.reason;
  }
  return result;
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
  const numeric = a.columns.map((_, c) => c).filter((c) => c >= keys && [...a.rows, ...b.rows].some((row) => isNumeric(row[c])));
  const columns: Column[] = a.columns.slice(0, keys);
  for (const c of numeric) {
    const { name, unit } = a.columns[c];
    columns.push({ name: `${name}: ${names[0]}`, unit }, { name: `${name}: ${names[1]}`, unit }, { name: `${name}: ratio`, unit: "" });
  }
  const rows: Cell[][] = [];
  const used = new Set<string>();
  const push = (key: Cell[], x: Cell[] | undefined, y: Cell[] | undefined) => rows.push([...key,
    ...numeric.flatMap((c) => [x?.[c] ?? null, y?.[c] ?? null, ratio(x?.[c] ?? null, y?.[c] ?? null)])]);
  for (const row of a.rows) {
    const key = keyOf(a, row.slice(0, keys));
    if (used.has(key) || key === "") return null;
    used.add(key);
    push(row.slice(0, keys), row, rowsOfB.get(key));
  }
  for (const [key, row] of rowsOfB) if (!used.has(key)) push(row.slice(0, keys), undefined, row);
  return { kind: "table", id: a.id, title: a.title, columns, rows };
}

export function joinSeries(a: Series, b: Series, names: [string, string]): Series | null {
  if (a.axis.unit !== b.axis.unit || a.axis.name !== b.axis.name) return null;
  const named = (series: Series, name: string) => series.lines.map((line) => ({ ...line, name: line.name === "" ? name : `${line.name}: ${name}` }));
  return { ...a, lines: [...named(a, names[0]), ...named(b, names[1])] };
}

export interface Joined {
  block: Block;
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
  const found = result.document.blocks.filter((block) => block.kind === "text");
  return h("div", { class: "side" }, h("h4", {}, printable(name)),
    ...found.slice(0, 1).map((block) => h("p", {}, block.kind === "text" ? printable(block.text) : "")));
}
