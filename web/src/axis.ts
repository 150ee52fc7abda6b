// axis.ts: the axis of single values, of the same kind as in dot_scale.cc.
import { linearSplits, logSplits } from "./splits";

export interface DotAxis {
  low: number; // of magnitudes if mirrored
  high: number;
  log: boolean;
  start: number; // where a logarithmic axis, or each half of it, starts: before it is the place of 0
  mirrored: boolean;
}

const gapAtZero = 0.06;

function span(magnitudes: number[]): number {
  return magnitudes.length === 0 ? 1 : Math.max(...magnitudes) / Math.min(...magnitudes);
}

// Logarithmic if the values span decades; then 0 has a place of its own, in the middle if some values
// are negative. `ends` are those of intervals.
export function dotAxis(values: number[], ends: number[], marks: number[]): DotAxis {
  const magnitudes = values.filter((v) => v !== 0).map(Math.abs);
  const all = [...values, ...ends];
  const signed = all.some((v) => v < 0);
  if (signed && span(magnitudes) > 10_000) {
    const high = Math.max(...magnitudes, ...ends.map(Math.abs));
    return { low: Math.min(...magnitudes) / 1.3, high: high * 1.3, log: true, start: gapAtZero / 2, mirrored: true };
  }
  const log = !signed && span(all.filter((v) => v > 0)) > 100;
  const shown = [...(log ? all.filter((v) => v > 0) : all), ...marks.filter((v) => !log || v > 0)];
  const plain = { log, start: log && values.includes(0) ? gapAtZero : 0, mirrored: false };
  if (shown.length === 0) return { low: 0, high: 1, ...plain };
  const [low, high] = [Math.min(...shown), Math.max(...shown)];
  if (log) return { low: low / 1.3, high: high * 1.3, ...plain };
  if (low === high) return { low: Math.min(0, low * 1.2), high: Math.max(low * 1.2, low === 0 ? 1 : 0), ...plain };
  const room = (high - low) * 0.05;
  return { low: low >= 0 && low < high * 0.3 ? 0 : low - room, high: high + room, ...plain };
}

// The place on the axis in per cent; null without one.
export function placeOn(axis: DotAxis, value: number): number | null {
  const inside = (at: number) => Math.min(Math.max(at, 0), 1);
  if (!axis.log) return inside((value - axis.low) / (axis.high - axis.low)) * 100;
  const at = (magnitude: number) => inside(Math.log(magnitude / axis.low) / Math.log(axis.high / axis.low));
  if (axis.mirrored) {
    const distance = value === 0 ? 0 : axis.start + at(Math.abs(value)) * (0.5 - axis.start);
    return (0.5 + Math.sign(value) * distance) * 100;
  }
  if (value === 0 && axis.start > 0) return 0;
  return value > 0 ? (axis.start + at(value) * (1 - axis.start)) * 100 : null;
}

// Round numbers from left to right.
export function dotSplits(axis: DotAxis): number[] {
  if (!axis.log) return linearSplits(axis.low, axis.high, 5);
  if (!axis.mirrored) return [...(axis.start > 0 ? [0] : []), ...logSplits(axis.low, axis.high, 10, 6)];
  // The innermost would be too near to 0.
  const side = logSplits(axis.low, axis.high, 10, 3).slice(1);
  return [...side.map((v) => -v).reverse(), 0, ...side];
}
