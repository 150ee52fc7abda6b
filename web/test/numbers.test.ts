// numbers.test.ts: digits, units and intervals.
import { expect, test } from "vitest";
import { bare, bareIn, columnUnit, figure, readableUnit, rounded } from "../src/numbers";
import type { Measured } from "../src/document";

const measured = (value: number | bigint | null, more: Partial<Measured> = {}): Measured =>
  ({ value, low: null, high: null, exact: false, verdict: "valid", reason: null, ...more });

test("an interval decides the digits of its value", () => {
  expect(figure(measured(3.2513, { low: 3.042, high: 3.4605 }), 1)).toEqual({ value: "3.25", interval: "[3.04, 3.46]" });
});

test("at most four digits", () => {
  expect(figure(measured(1000.54, { low: 1000.51, high: 1000.57 }), 1)).toEqual({ value: "1,001", interval: "[±0.03]" });
});

test("exact counts are shown in full, also beyond 2^53", () => {
  expect(figure(measured(2907248, { exact: true }), 1).value).toBe("2,907,248");
  expect(figure(measured(9007199254740993n, { exact: true }), 1).value).toBe("9,007,199,254,740,993");
});

test("what was not measured is not 0", () => {
  expect(figure(measured(null), 1).value).toBe("-");
});

test("no bound is rounded beyond the value", () => {
  expect(figure(measured(0.58, { low: 0.52, high: 73 }), 1)).toEqual({ value: "0.6", interval: "[0.5, 73]" });
});

test("one bound has its sign", () => {
  expect(figure(measured(5, { low: 4 }), 1).interval).toBe("[≥ 4]");
});

test("units are scaled as in text", () => {
  expect(readableUnit(3.2e-6, "s")).toEqual({ unit: "µs", factor: 1e6 });
  expect(readableUnit(65536, "B").unit).toBe("KiB");
  expect(readableUnit(0, "us")).toEqual({ unit: "µs", factor: 1 });
  expect(readableUnit(5, "instructions")).toEqual({ unit: "instructions", factor: 1 });
});

test("a column has one unit only if all its numbers are readable in it", () => {
  expect(columnUnit([1e-3, 5e-3], "s")?.unit).toBe("ms");
  expect(columnUnit([1e-9, 1], "s")).toBeNull();
});

test("rounding leaves no exponent and no sign of zero", () => {
  expect(rounded(1234567, 4)).toBe("1,234,567");
  expect(rounded(-0.00001234, 3)).toBe("-0.000012");
  expect(rounded(1e-9, 3)).toBe("<0.000001");
  expect(rounded(4.2e17, 3)).toBe("420,000,000,000,000,000");
  expect(rounded(3e25, 3)).toBe("10^25");
  expect(bare(2024)).toBe("2024");
});

test("plain numbers follow the unit of their column", () => {
  expect(bareIn(0.005, { unit: "ms", factor: 1000 }, "s")).toBe("5");
  expect(bareIn(0.002, null, "s")).toBe("2 ms");
  expect(bareIn(7, { unit: "", factor: 1 }, "")).toBe("7");
});
