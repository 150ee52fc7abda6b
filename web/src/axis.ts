// axis.ts: the axis of single values.

export interface DotAxis {
  low: number;
  high: number;
  log: boolean;
}

// Logarithmic if the values span more than two decades, as in svg_dots.cc.
export function dotAxis(values: number[], marks: number[]): DotAxis {
  const positive = values.filter((v) => v > 0);
  const log = positive.length > 0 && values.every((v) => v >= 0) && Math.max(...positive) / Math.min(...positive) > 100;
  const all = [...(log ? positive : values), ...marks.filter((v) => !log || v > 0)];
  if (all.length === 0) return { low: 0, high: 1, log: false };
  const [low, high] = [Math.min(...all), Math.max(...all)];
  if (log) return { low: low / 1.3, high: high * 1.3, log };
  if (low === high) return { low: Math.min(0, low * 1.2), high: Math.max(low * 1.2, low === 0 ? 1 : 0), log };
  const room = (high - low) * 0.05;
  return { low: low >= 0 && low < high * 0.3 ? 0 : low - room, high: high + room, log };
}

// The place on the axis in per cent; null without one.
export function placeOn(axis: DotAxis, value: number): number | null {
  if (axis.log && value <= 0) return null;
  const at = axis.log ? Math.log(value / axis.low) / Math.log(axis.high / axis.low) : (value - axis.low) / (axis.high - axis.low);
  return Math.min(Math.max(at, 0), 1) * 100;
}
