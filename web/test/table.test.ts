// table.test.ts: what a table shows of its columns, and where its numbers come from.
import { beforeAll, expect, test, vi } from "vitest";
import type { Series, Table } from "../src/document";
import { linearSplits } from "../src/splits";

// The views listen to the document when they are loaded.
let table: typeof import("../src/table");
let plot: typeof import("../src/plot");
let result: typeof import("../src/result");
beforeAll(async () => {
  vi.stubGlobal("document", { addEventListener: () => undefined });
  table = await import("../src/table");
  plot = await import("../src/plot");
  result = await import("../src/result");
});

const of = (value: number, unit: string, more = {}) => ({ value, low: null, high: null, exact: false, unit, verdict: "valid" as const, reason: null, ...more });

const make = (columns: Table["columns"], rows: Table["rows"], source?: string): Table => ({ kind: "table", id: "t", title: "", columns, rows, source });

test("numbers of different units have ranges of their own", () => {
  const [, value] = table.examine(make([{ name: "what", unit: "" }, { name: "value", unit: "" }],
    [["time", of(0.076, "s", { low: 0.07, high: 0.08 })], ["share", of(1.5, "%")], ["count", of(242577289, "")]]));
  expect(Object.fromEntries(value.ranges)).toEqual({ s: { low: 0.07, high: 0.08 }, "%": { low: 1.5, high: 1.5 }, "": { low: 242577289, high: 242577289 } });
  expect(value.scale).toBeNull();
});

test("heat colours are shared by columns of the same unit only", () => {
  const columns = [{ name: "a", unit: "s" }, { name: "b", unit: "s" }, { name: "c", unit: "" }, { name: "d", unit: "" }];
  const shown = table.examine(make(columns, [[of(1, "s"), of(9, "s"), of(5, ""), of(500, "")]]));
  expect(shown.map((s) => table.heatRange(s, shown))).toEqual([{ low: 1, high: 9 }, { low: 1, high: 9 }, { low: 5, high: 5 }, { low: 500, high: 500 }]);
});

test("columns that no row fills are left out, and neighbours share their unit", () => {
  const columns = [{ name: "what", unit: "" }, { name: "source", unit: "" }, { name: "start", unit: "s" }, { name: "end", unit: "s" }];
  const shown = table.examine(make(columns, [["a", " ", of(0.9, "s"), of(1.2, "s")]]));
  expect(shown.map((s) => s.column.name)).toEqual(["what", "start", "end"]);
  expect(shown[1].scale).toEqual(shown[2].scale);
});

test("small sizes beside large ones keep their own unit", () => {
  const columns = [{ name: "level", unit: "" }, { name: "capacity", unit: "B" }, { name: "line", unit: "B" }];
  const shown = table.examine(make(columns, [["L1", of(65536, "B"), of(128, "B")], ["L2", of(8388608, "B"), of(128, "B")]]));
  expect(shown[2].scale?.unit).toBe("B");
});

test("the source is that of the column, the row or the table", () => {
  const columns = [{ name: "engine", unit: "" }, { name: "n", unit: "" }, { name: "m", unit: "", source: "rusage" }];
  const known = make(columns, [["qemu", 1, 2]], "counts of the engine");
  expect(table.sourceOf(known, known.rows[0], columns[1])).toBe("qemu (counts of the engine)");
  expect(table.sourceOf(known, known.rows[0], columns[2])).toBe("rusage");
  expect(table.sourceOf(known, ["", 1, 2], columns[1])).toBe("counts of the engine");
});

const series: Series = { kind: "series", id: "s", title: "S", axis: { name: "x", unit: "" }, log_axis: false, source: "a clock",
  lines: [{ name: "a", unit: "s", x: [1, 2], y: [1, 2], low: [], high: [] },
    { name: "b", unit: "s", x: [1, 2], y: [1, 2], low: [], high: [], verdict: "doubtful", reason: "few runs" }] };

test("plotted points have the verdict of their line, or state none", () => {
  const numbers = plot.numbersOf(series);
  expect(numbers.rows[0][1]).toMatchObject({ verdict: "unstated" });
  expect(numbers.rows[0][2]).toMatchObject({ verdict: "doubtful", reason: "few runs" });
  expect(numbers.source).toBe("a clock");
});

test("ticks are round in the unit that is shown", () => {
  expect(linearSplits(0, 38, 4)).toEqual([0, 10, 20, 30]);
  expect(linearSplits(0.2, 1.1, 5)).toEqual([0.2, 0.4, 0.6000000000000001, 0.8, 1]);
});

test("a line with one spike hardly changes", () => {
  const spike = { ...series, lines: [{ ...series.lines[0], y: [...new Array(500).fill(0), 9, ...new Array(500).fill(0)] }] };
  expect(result.activity(spike)).toBeLessThan(0.01);
  expect(result.activity(series)).toBe(1);
});
