// axis.test.ts: the axis of single values.
import { expect, test } from "vitest";
import { dotAxis, dotSplits, placeOn } from "../src/axis";

test("values within two decades have a linear axis", () => {
  const axis = dotAxis([0.9, 1.2, 1.6], [], [1]);
  expect(axis.log).toBe(false);
  expect(placeOn(axis, 0.9)).toBeLessThan(placeOn(axis, 1.6)!);
});

test("values that span decades have a logarithmic one, with a place for zero before it", () => {
  const axis = dotAxis([0, 10, 1e6], [], []);
  expect(axis.log).toBe(true);
  expect(placeOn(axis, 0)).toBe(0);
  expect(placeOn(axis, 10)).toBeGreaterThan(5);
  expect(dotSplits(axis)[0]).toBe(0);
  expect(placeOn(dotAxis([10, 1e6], [], []), 0)).toBeNull();
  const steps = [100, 1000, 10000].map((v) => placeOn(axis, v)!);
  expect(steps[1] - steps[0]).toBeCloseTo(steps[2] - steps[1]);
});

test("marks are on the axis", () => {
  const axis = dotAxis([1.02, 1.04], [], [0.9, 1, 1.1]);
  expect(axis.low).toBeLessThanOrEqual(0.9);
  expect(axis.high).toBeGreaterThanOrEqual(1.1);
});

test("equal values, and no values, have an axis too", () => {
  for (const values of [[5, 5], [0], [-3], []]) {
    const axis = dotAxis(values, [], []);
    expect(axis.high).toBeGreaterThan(axis.low);
  }
});

test("differences of both signs over many decades are mirrored at zero", () => {
  const axis = dotAxis([-9.6e6, -0.4, 0, 42, 9.6e6], [-1e7], []);
  expect(axis.mirrored).toBe(true);
  expect(placeOn(axis, 0)).toBe(50);
  expect(placeOn(axis, 42)! + placeOn(axis, -42)!).toBeCloseTo(100);
  const places = [-1e7, -9.6e6, -42, -0.4, 0, 0.4, 42, 9.6e6].map((v) => placeOn(axis, v)!);
  expect([...places].sort((a, b) => a - b)).toEqual(places);
  const splits = dotSplits(axis);
  expect([...splits].sort((a, b) => a - b)).toEqual(splits);
  expect(dotAxis([-3, 0.01], [], []).log).toBe(false);
});
