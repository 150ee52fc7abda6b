// columns.test.ts: lines on one axis, and joined tables.
import { expect, test } from "vitest";
import { align, byChange } from "../src/columns";
import { joinSentence, joinTables, ratio, verdictOf } from "../src/compare";
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
  expect(joined?.columns.map((c) => c.name)).toEqual(["what", "n: x", "n: y", "n: ratio", "difference"]);
  expect(joined?.rows.map((r) => r[0])).toEqual(["b"]);
  expect(joined?.title).toContain("2 rows are in one result only");
  expect(joined?.rows[0][3]).toMatchObject({ value: 0.5 });
});

test("rows that cannot be told apart are not joined", () => {
  expect(joinTables(table([["a", 2], ["a", 4]]), table([["a", 2]]), ["x", "y"])).toBeNull();
});

test("a ratio is as doubtful as its numbers", () => {
  const doubtful = { value: 2, low: null, high: null, exact: false, verdict: "doubtful" as const, reason: "noise" };
  expect(ratio(doubtful, 4)).toMatchObject({ value: 2, verdict: "doubtful", reason: "noise" });
  expect(ratio(0, 4)).toBeNull();
});

const between = (value: number, low: number, high: number) => ({ value, low, high, exact: false, verdict: "valid" as const, reason: null });

test("a ratio has the extreme ratios of its intervals", () => {
  const same = ratio(between(20.29, 20.16, 20.5), between(20.35, 20.27, 20.48));
  expect(same).toMatchObject({ verdict: "valid", low: 20.27 / 20.5, high: 20.48 / 20.16 });
  expect(verdictOf(same)).toBe("no difference seen");
  expect(verdictOf(ratio(between(2, 1.9, 2.1), between(4, 3.9, 4.1)))).toBe("higher");
  const exact = (value: number) => ({ value, low: null, high: null, exact: true, verdict: "valid" as const, reason: null });
  expect(verdictOf(ratio(exact(7), exact(7)))).toBe("the same");
});

test("without an interval a ratio is doubtful", () => {
  const bare = { value: 2, low: null, high: null, exact: false, verdict: "valid" as const, reason: null };
  expect(ratio(bare, between(4, 3, 5))).toMatchObject({ value: 2, low: null, verdict: "doubtful" });
  expect(verdictOf(ratio(bare, between(4, 3, 5)))).toBeNull();
});

test("the sentence of two results counts what differs", () => {
  const joined = joinTables(table([["a", between(2, 1.9, 2.1)], ["b", between(4, 3, 5)]]), table([["a", between(4, 3.9, 4.1)], ["b", between(4, 3, 5)]]), ["x", "y"]);
  expect(joinSentence([joined as Table])).toMatch(/^Of 2 numbers .* 1 higher, 1 no difference seen/);
});

test("an interval that reaches 0 stays on a logarithmic axis", () => {
  const joined = align([{ ...line([1, 2], [4, 8]), low: [0, 6], high: [10, 12] }], false, true);
  expect(joined.low[0]).toEqual([2, 6]);
});

test("of too many lines, those that change most come first", () => {
  const many = Array.from({ length: 5 }, (_, i) => line([0, 1], [5, 5 + i]));
  expect(byChange(many, 4).map((l) => l.y[1])).toEqual([9, 8, 7, 6, 5]);
  expect(byChange(many, 5)).toBe(many);
});
