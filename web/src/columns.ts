// columns.ts: lines with different x aligned to one x, as the plot library takes them.
import type { Line, Reals } from "./document";

export interface Aligned {
  x: number[];
  // Per line: null is a gap of the line, undefined a position that only other lines have.
  values: (number | null | undefined)[][];
  low: (number | null | undefined)[][];
  high: (number | null | undefined)[][];
}

function same(a: Reals, b: Reals): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; ++i) if (a[i] !== b[i]) return false;
  return true;
}

function shown(value: number | null | undefined, positive: boolean): number | null {
  if (value === null || value === undefined || !Number.isFinite(value)) return null;
  return positive && value <= 0 ? null : value;
}

function inOrder(x: Reals): number[] {
  const order: number[] = [];
  for (let i = 0; i < x.length; ++i) if (x[i] !== null && Number.isFinite(x[i])) order.push(i);
  return order.sort((a, b) => (x[a] as number) - (x[b] as number) || a - b);
}

// A line that has an x twice keeps both points: the second one is moved by the smallest step.
function places(line: Line, order: number[]): number[] {
  let last = -Infinity;
  return order.map((i) => {
    let x = line.x[i] as number;
    if (x <= last) x = last + Math.max(Math.abs(last) * 2 ** -50, Number.MIN_VALUE);
    last = x;
    return x;
  });
}

export function align(lines: Line[], logX: boolean, logY: boolean): Aligned {
  const take = (line: Line, field: Reals, order: number[]) => order.map((i) => shown(field[i], logY && field === line.y) );
  // On a logarithmic axis an interval that reaches 0 ends below the smallest value.
  let bottom = Infinity;
  if (logY) for (const line of lines) for (let i = 0; i < line.y.length; ++i) {
    const y = line.y[i];
    if (y !== null && y > 0 && y < bottom) bottom = y;
  }
  const clipped = (value: number | null) => logY && value !== null && value <= 0 ? bottom / 2 : value;
  const bound = (field: Reals, order: number[]) => order.map((i) => (field.length === 0 ? null : shown(clipped(field[i]), logY)));
  const parts = lines.map((line) => {
    const order = inOrder(line.x).filter((i) => !logX || (line.x[i] as number) > 0);
    return { x: places(line, order), y: take(line, line.y, order), low: bound(line.low, order), high: bound(line.high, order) };
  });
  if (parts.every((part) => same(part.x, parts[0].x))) {
    return { x: parts[0]?.x ?? [], values: parts.map((p) => p.y), low: parts.map((p) => p.low), high: parts.map((p) => p.high) };
  }
  const x = [...new Set(parts.flatMap((part) => part.x))].sort((a, b) => a - b);
  const index = new Map(x.map((value, i) => [value, i]));
  const spread = (part: { x: number[] }, values: (number | null)[]) => {
    const out = new Array<number | null | undefined>(x.length).fill(undefined);
    part.x.forEach((value, i) => { out[index.get(value) as number] = values[i]; });
    return out;
  };
  return {
    x,
    values: parts.map((part) => spread(part, part.y)),
    low: parts.map((part) => spread(part, part.low)),
    high: parts.map((part) => spread(part, part.high)),
  };
}

function change(line: Line): number {
  const values = Array.from(line.y).filter((y): y is number => y !== null && Number.isFinite(y));
  return values.length === 0 ? -1 : values.reduce((a, b) => Math.max(a, b)) - values.reduce((a, b) => Math.min(a, b));
}

// If there are more lines than `most`, those that change most come first.
export function byChange(lines: Line[], most: number): Line[] {
  if (lines.length <= most) return lines;
  return [...lines].sort((a, b) => change(b) - change(a));
}
