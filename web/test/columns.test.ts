// columns.test.ts: lines on one axis, and joined tables.
import { expect, test } from "vitest";
import { align, byChange } from "../src/columns";
import { joinTables, ratio } from "../src/compare";
import type { Line, Table } from "../src/document";

const line = (x: number[], y: (number | null)[]): Line => ({ name: "", unit: "", x, y, low: [], high: [] });

test("lines with other positions are joined; gaps stay gaps", () => {
  const joined = align([line([1, 3], [10, null]), line([2], [20])], false, false);
  expect(joined.x).toEqual([1, 2, 3]);
  expect(joined.values[0]).toEqual([10, undefined, null]);
  expect(joined.values[1]).toEqual([undefined, 20, undefined]);
});

test("positions are sorted and doubles are kept", () => {
  const joined = align([line([2, 1, 1], [3, 1, 2])], false, false);
  expect(joined.values[0]).toEqual([1, 2, 3]);
  expect(joined.x[1]).toBeGreaterThan(1);
});

test("what a logarithmic axis cannot show is left out", () => {
  expect(align([line([0, 1], [5, -5])], true, true)).toMatchObject({ x: [1], values: [[null]] });
});

const table = (rows: Table["rows"]): Table => ({ kind: "table", id: "t", title: "", columns: [{ name: "what", unit: "" }, { name: "n", unit: "" }], rows });

test("rows are matched by their texts, and ratios are computed", () => {
  const joined = joinTables(table([["a", 2], ["b", 4]]), table([["b", 2], ["c", 1]]), ["x", "y"]);
  expect(joined?.columns.map((c) => c.name)).toEqual(["what", "n: x", "n: y", "n: ratio"]);
  expect(joined?.rows.map((r) => r[0])).toEqual(["a", "b", "c"]);
  expect(joined?.rows[1][3]).toMatchObject({ value: 0.5 });
  expect(joined?.rows[0][3]).toBeNull();
});

test("rows that cannot be told apart are not joined", () => {
  expect(joinTables(table([["a", 2], ["a", 4]]), table([["a", 2]]), ["x", "y"])).toBeNull();
});

test("a ratio is as doubtful as its numbers", () => {
  const doubtful = { value: 2, low: null, high: null, exact: false, verdict: "doubtful" as const, reason: "noise" };
  expect(ratio(doubtful, 4)).toMatchObject({ value: 2, verdict: "doubtful", reason: "noise" });
  expect(ratio(0, 4)).toBeNull();
});

test("of too many lines, those that change most come first", () => {
  const many = Array.from({ length: 5 }, (_, i) => line([0, 1], [5, 5 + i]));
  expect(byChange(many, 4).map((l) => l.y[1])).toEqual([9, 8, 7, 6, 5]);
  expect(byChange(many, 5)).toBe(many);
});
