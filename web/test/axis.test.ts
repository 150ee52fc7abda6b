// axis.test.ts: the axis of single values.
import { expect, test } from "vitest";
import { dotAxis, placeOn } from "../src/axis";

test("values within two decades have a linear axis", () => {
  const axis = dotAxis([0.9, 1.2, 1.6], [1]);
  expect(axis.log).toBe(false);
  expect(placeOn(axis, 0.9)).toBeLessThan(placeOn(axis, 1.6)!);
});

test("values that span decades have a logarithmic one, without a place for zero", () => {
  const axis = dotAxis([0, 10, 1e6], []);
  expect(axis.log).toBe(true);
  expect(placeOn(axis, 0)).toBeNull();
  const steps = [100, 1000, 10000].map((v) => placeOn(axis, v)!);
  expect(steps[1] - steps[0]).toBeCloseTo(steps[2] - steps[1]);
});

test("marks are on the axis", () => {
  const axis = dotAxis([1.02, 1.04], [0.9, 1, 1.1]);
  expect(axis.low).toBeLessThanOrEqual(0.9);
  expect(axis.high).toBeGreaterThanOrEqual(1.1);
});

test("equal values, and no values, have an axis too", () => {
  for (const values of [[5, 5], [0], [-3], []]) {
    const axis = dotAxis(values, []);
    expect(axis.high).toBeGreaterThan(axis.low);
  }
});
