// document.ts: the types of a tare Document as its JSON has them; docs/formats/document.md.

export type Verdict = "valid" | "doubtful" | "refused";

// Points of a plot may state no verdict.
export type Trust = Verdict | "unstated";

// Whole numbers beyond 2^53 are kept as bigint, so that exact counts stay exact.
export type Num = number | bigint;

export interface Measured {
  value: Num | null;
  low: number | null;
  high: number | null;
  exact: boolean;
  confidence?: number;
  unit?: string;
  source?: string;
  verdict: Trust;
  reason: string | null;
}

export type Cell = null | string | Num | Measured;

export interface Column {
  name: string;
  unit: string;
  below?: boolean;
  symbol?: boolean;
  source?: string;
}

export interface Table {
  kind: "table";
  id: string;
  title: string;
  source?: string;
  columns: Column[];
  rows: Cell[][];
}

export type Reals = ArrayLike<number | null>;

export interface Line {
  name: string;
  unit: string;
  x: Reals;
  y: Reals;
  low: Reals;
  high: Reals;
  points?: boolean;
  verdict?: Verdict;
  reason?: string;
  source?: string;
}

export interface Series {
  kind: "series";
  id: string;
  title: string;
  source?: string;
  axis: Column;
  log_axis: boolean;
  lines: Line[];
  log_values?: boolean;
  marks?: { x: number; label: string }[];
}

export interface TreeNode {
  label: string;
  cells: Cell[];
  children: TreeNode[];
}

export interface Tree {
  kind: "tree";
  id: string;
  title: string;
  source?: string;
  columns: Column[];
  roots: TreeNode[];
}

export interface Span {
  start: number;
  end: number;
  label: string;
}

export interface Timeline {
  kind: "timeline";
  id: string;
  title: string;
  source?: string;
  unit: string;
  lanes: { name: string; spans: Span[] }[];
}

export interface Bars {
  kind: "bars";
  id: string;
  title: string;
  source?: string;
  unit: string;
  segments: string[];
  bars: { name: string; values: Measured[] }[];
  dots?: boolean; // single values instead of parts of a whole
  marks?: { x: number; label: string }[];
}

export interface Text {
  kind: "text";
  id: string;
  text: string;
}

export type Block = Table | Series | Tree | Timeline | Bars | Text;

export interface Caveat {
  id: string;
  verdict: Verdict;
  message: string;
  detail: string;
  hint: string;
}

export interface Provenance {
  machine: string;
  kernel: string;
  command_line: string[];
  settings: Record<string, string>;
  seed: Num | null;
  time: string;
}

export interface Document {
  tare: string;
  format: number;
  command: string;
  title: string;
  blocks: Block[];
  caveats: Caveat[];
  provenance: Provenance;
}

export interface Result {
  name: string; // the file that it was read from; empty for the result of one command
  note: string; // what happened to the data on the way to the page, for readers
  document: Document;
}

export function isMeasured(cell: Cell): cell is Measured {
  return cell !== null && typeof cell === "object";
}

export function isNumeric(cell: Cell): boolean {
  return typeof cell === "number" || typeof cell === "bigint" || isMeasured(cell);
}

// The number of a cell, or null if it has none.
export function numberOf(cell: Cell): number | null {
  const value = isMeasured(cell) ? cell.value : cell;
  if (typeof value === "bigint") return Number(value);
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}

// Texts with these ids are the answer of their command, wherever they are.
const answers = new Set(["answer", "summary", "finding", "prediction_summary"]);

// What was found comes before how it was recorded.
export function findings(blocks: Block[]): Text[] {
  const found = blocks.filter((block): block is Text => block.kind === "text" && answers.has(block.id));
  if (found.length === 0 && blocks[0]?.kind === "text") found.push(blocks[0]);
  return found.sort((a, b) => Number(a.id === "summary") - Number(b.id === "summary"));
}
