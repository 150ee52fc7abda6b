// plot.test.ts: what a plot shows at first, and the labels of its axis.
import { beforeAll, expect, test, vi } from "vitest";

let plot: typeof import("../src/plot");
beforeAll(async () => {
  vi.stubGlobal("document", { addEventListener: () => undefined });
  plot = await import("../src/plot");
});

test("plots with the same axis are aligned, unless one would be narrow", () => {
  expect(plot.homeOf([2, 9], [[0, 8], [2, 9]], false)).toEqual([0, 9]);
  expect(plot.homeOf([2, 3], [[0, 8], [2, 3]], false)).toEqual([2, 3]);
  expect(plot.homeOf([10, 1000], [[1, 1000], [10, 1000]], true)).toEqual([1, 1000]);
});

test("labels of an axis do not overlap", () => {
  const label = (v: number) => String(v);
  expect(plot.fewPlaces([1, 2, 4], 1, 4, 300, label)).toEqual([1, 2, 4]);
  expect(plot.fewPlaces([1, 1.778, 3.162, 5.623, 10], 1, 10, 120, label)).toBeNull();
  expect(plot.labelsAcross(400, "100")).toBe(5);
  expect(plot.labelsAcross(400, "125,000,000")).toBeLessThan(4.2);
});
