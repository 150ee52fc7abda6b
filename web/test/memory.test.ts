// memory.test.ts: what a reader chose is kept, and titles are told apart.
import { expect, test } from "vitest";
import { memory, resultWords } from "../src/memory";

test("a view finds the state that it left, another view does not", () => {
  memory("result-0/t", { filter: "" }).filter = "loads";
  expect(memory("result-0/t", { filter: "" }).filter).toBe("loads");
  expect(memory("result-1/t", { filter: "" }).filter).toBe("");
});

test("views of several results differ in their names for screen readers", () => {
  expect(resultWords("result-0/size/B")).toBe("");
  expect(resultWords("result-2")).toBe(", result 3");
  expect(resultWords("pair-0-2/ranks/2")).toBe(", results 1 and 3");
});
