// payload.test.ts: columns as src/report/page_payload.cc writes them.
import { expect, test } from "vitest";
import { decodePayload, decodeReal, decodeWhole } from "../src/payload";

test("differences of whole numbers", () => {
  expect([...decodeWhole(new Uint8Array([0x0a, 0x05, 0xd4, 0x04]), 3)]).toEqual([5, 2, 300]);
});

test("large differences do not lose digits", () => {
  // 2^52 - 1 as zigzag is 2^53 - 2.
  const bytes: number[] = [];
  let rest = 2n ** 53n - 2n;
  while (rest >= 128n) {
    bytes.push(Number(rest & 127n) | 128);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  expect([...decodeWhole(new Uint8Array(bytes), 1)]).toEqual([2 ** 52 - 1]);
});

test("planes of reals, with gaps", () => {
  const plain = new Float64Array([0.1, Number.NaN, -3]);
  const bytes = new Uint8Array(plain.buffer);
  const planes = new Uint8Array(24);
  for (let i = 0; i < 3; ++i) for (let b = 0; b < 8; ++b) planes[b * 3 + i] = bytes[i * 8 + b];
  expect([...decodeReal(planes, 3, 8)]).toEqual([0.1, Number.NaN, -3]);
});

test("damaged columns are refused", () => {
  expect(() => decodeWhole(new Uint8Array([0x80]), 1)).toThrow(/damaged/);
  expect(() => decodeReal(new Uint8Array(7), 1, 8)).toThrow(/damaged/);
});

test("another page format is refused and both are named", () => {
  const json = new TextEncoder().encode('{"page": 9, "results": [], "columns": []}');
  const bytes = new Uint8Array(4 + json.length);
  new DataView(bytes.buffer).setUint32(0, json.length, true);
  bytes.set(json, 4);
  expect(() => decodePayload(bytes)).toThrow(/page format 9.*reads 1/);
});
