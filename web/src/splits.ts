// splits.ts: round numbers on axes.

// Round numbers on a logarithmic axis: powers of two for bytes, else 1, 2 and 5 times powers of ten,
// or only powers of ten if there are many.
export function logSplits(low: number, high: number, base: number, most: number): number[] {
  if (!(low > 0) || !(high > low)) return [];
  const powers: number[] = [];
  for (let e = Math.floor(Math.log(low) / Math.log(base)); base ** e <= high * 1.0001; ++e) powers.push(base ** e);
  const inside = (values: number[]) => values.filter((v) => v >= low * 0.9999 && v <= high * 1.0001);
  if (base === 10) {
    const fine = inside(powers.flatMap((p) => [p, 2 * p, 5 * p]));
    if (fine.length <= most) return fine;
  }
  const coarse = inside(powers);
  const step = Math.max(1, Math.ceil(coarse.length / most));
  return coarse.filter((_, i) => i % step === 0);
}

// Round numbers in the unit that is shown: 10 MiB, not 9.54 MiB.
export function linearSplits(low: number, high: number, most: number): number[] {
  const raw = (high - low) / Math.max(most, 1);
  if (!(raw > 0) || !Number.isFinite(raw)) return [];
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 2.5, 5, 10].map((m) => m * power).find((s) => s >= raw * 0.999999) ?? raw;
  const out: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) out.push(i * step + 0);
  return out;
}
