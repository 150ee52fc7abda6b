// numbers.ts: formats numbers with as many digits as their intervals justify, in readable units.
import type { Measured, Num } from "./document";

type Ladder = [string, number][];

// The same as src/base/units.cc.
const ladders: Ladder[] = [
  [["ns", 1e-9], ["µs", 1e-6], ["ms", 1e-3], ["s", 1], ["days", 86400], ["years", 31536000], ["centuries", 3153600000]],
  [["B", 1], ["KiB", 2 ** 10], ["MiB", 2 ** 20], ["GiB", 2 ** 30], ["TiB", 2 ** 40]],
  [["Hz", 1], ["kHz", 1e3], ["MHz", 1e6], ["GHz", 1e9]],
  ...["B/s", "flop/s", "op/s"].map((unit): Ladder => [
    [unit, 1], ["k" + unit, 1e3], ["M" + unit, 1e6], ["G" + unit, 1e9],
    ["T" + unit, 1e12]]),
  [["/s", 1], ["k/s", 1e3], ["M/s", 1e6], ["G/s", 1e9]],
];

export interface Scale {
  unit: string;
  factor: number;
}

// The unit in which `value` reads best, and the factor from `unit` to it.
export function readableUnit(value: number, unit: string): Scale {
  const symbol = unit === "us" ? "µs" : unit;
  for (const ladder of ladders) {
    const from = ladder.find(([name]) => name === symbol);
    if (from === undefined || !Number.isFinite(value) || value === 0) continue;
    const magnitude = Math.abs(value) * from[1];
    let best = ladder[0];
    for (const step of ladder) if (magnitude >= step[1] * 0.9995) best = step;
    return { unit: best[0], factor: from[1] / best[1] };
  }
  return { unit: symbol, factor: 1 };
}

export function group(digits: string): string {
  const [whole, fraction] = digits.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  return fraction === undefined ? grouped : `${grouped}.${fraction}`;
}

function exponent(magnitude: number): number {
  if (magnitude === 0) return 0;
  return Number(magnitude.toExponential(1).split("e")[1]);
}

// The same limits as in text (figures.cc): nobody reads exponents.
const maxDecimals = 6;
const smallest = 1e-6;
const largestShown = 1e21;

function fixed(value: number, decimals: number, trim: boolean): string {
  if (value === 0) return "0";
  if (Math.abs(value) >= largestShown) return `${value < 0 ? "-" : ""}10^${exponent(Math.abs(value))}`;
  if (value !== 0 && Math.abs(value) < smallest / 2 && decimals >= maxDecimals) {
    return value < 0 ? ">-0.000001" : "<0.000001";
  }
  let text: string;
  if (decimals < 0) {
    const step = 10 ** -decimals;
    text = (Math.round(value / step) * step).toFixed(0);
  } else {
    text = value.toFixed(Math.min(decimals, maxDecimals));
  }
  if (trim && text.includes(".")) text = text.replace(/\.?0+$/, "");
  if (!/[1-9]/.test(text)) text = text.replace("-", "");
  return group(text);
}

// `value` with `digits` significant digits, without trailing zeros of a fraction. Whole parts are
// shown in full.
export function rounded(value: number, digits: number): string {
  if (!Number.isFinite(value)) return "-";
  if (value === 0) return "0";
  return fixed(value, Math.max(0, digits - 1 - exponent(Math.abs(value))), true);
}

export interface Figure {
  value: string;
  interval: string; // "[3.04, 3.46]", "[±0.0002]" if the digits shown are the same, or empty
}

export function figure(measured: Measured, factor: number): Figure {
  if (measured.value === null) return { value: "-", interval: "" };
  if (typeof measured.value === "bigint" && factor === 1) {
    return { value: group(measured.value.toString()), interval: "" };
  }
  const value = Number(measured.value) * factor;
  if (!Number.isFinite(value)) return { value: "-", interval: "" };
  const low = measured.low === null ? null : measured.low * factor;
  const high = measured.high === null ? null : measured.high * factor;
  const half = measured.exact || low === null || high === null ? 0 : Math.abs(high - low) / 2;
  const largest = Math.max(Math.abs(value), Math.abs(low ?? 0), Math.abs(high ?? 0));
  let ofValue: number;
  let ofBounds: number;
  if (half === 0) {
    const whole = Number.isInteger(value);
    const digits = whole && measured.exact ? 15 : 4;
    ofValue = ofBounds = Math.max(0, digits - 1 - exponent(largest));
    const shown = whole && measured.exact ? group(value.toFixed(0)) : fixed(value, ofValue, true);
    return { value: shown, interval: bounds(low, high, ofBounds, true) };
  }
  ofBounds = Math.min(1 - exponent(half), 3 - exponent(largest));
  ofValue = ofBounds;
  if (Math.abs(value) >= half / 1000) ofValue = Math.max(ofBounds, -exponent(Math.abs(value)));
  const shown = fixed(value, ofValue, false);
  // A bound that rounding would move beyond the value has the digits of the value.
  const first = fixed(low!, roundTo(low!, ofBounds) > value ? ofValue : ofBounds, false);
  const last = fixed(high!, roundTo(high!, ofBounds) < value ? ofValue : ofBounds, false);
  if (first === last) {
    const distance = Math.max(Math.abs(value - low!), Math.abs(high! - value));
    if (distance >= 1e-6 && distance < largestShown) {
      return { value: shown, interval: `[±${fixed(distance, 1 - exponent(distance), true)}]` };
    }
  }
  return { value: shown, interval: `[${first}, ${last}]` };
}

function roundTo(value: number, decimals: number): number {
  const step = 10 ** -decimals;
  return Math.round(value / step) * step;
}

// The number that decides the unit: the value, or the larger bound around a zero.
export function magnitude(measured: Measured): number {
  const value = Number(measured.value ?? 0);
  return value !== 0 ? value : Math.max(Math.abs(measured.low ?? 0), Math.abs(measured.high ?? 0));
}

function bounds(low: number | null, high: number | null, decimals: number, trim: boolean): string {
  if (low !== null && high !== null) {
    return `[${fixed(low, decimals, trim)}, ${fixed(high, decimals, trim)}]`;
  }
  if (low !== null) return `[≥ ${fixed(low, decimals, trim)}]`;
  if (high !== null) return `[≤ ${fixed(high, decimals, trim)}]`;
  return "";
}

// A plain number: an index, a setting. Whole numbers have no thousands separators: a year, a port.
export function bare(value: Num): string {
  if (typeof value === "bigint") return value.toString();
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return String(value);
  return rounded(value, 4);
}

// A plain number in the scale of its column; without one, with a unit of its own.
export function bareIn(value: Num, scale: Scale | null, unit: string): string {
  const own = scale ?? readableUnit(Number(value), unit);
  const text = bare(own.factor === 1 ? value : Number(value) * own.factor);
  return scale === null && own.unit !== "" ? `${text} ${own.unit}` : text;
}

export function withUnit(value: number, unit: string, digits = 4): string {
  const scale = readableUnit(value, unit);
  const text = rounded(value * scale.factor, digits);
  return scale.unit === "" ? text : `${text} ${scale.unit}`;
}

// One unit for a whole column, chosen by its median magnitude, unless the largest and the smallest
// number would not both be readable in it.
export function columnUnit(values: number[], unit: string): Scale | null {
  const magnitudes = values.map(Math.abs).filter((v) => v > 0 && Number.isFinite(v));
  if (magnitudes.length === 0) return { unit, factor: 1 };
  magnitudes.sort((a, b) => a - b);
  const scale = readableUnit(magnitudes[magnitudes.length >> 1], unit);
  const smallest = magnitudes[0] * scale.factor;
  const largest = magnitudes[magnitudes.length - 1] * scale.factor;
  if (scale.unit === unit && readableUnit(1, unit).unit === unit && scale.factor === 1 &&
      !ladders.some((ladder) => ladder.some(([name]) => name === unit))) {
    return scale;
  }
  return smallest < 0.1 || largest >= 1e5 ? null : scale;
}
