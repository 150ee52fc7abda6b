// dom.test.ts: text from outside, as the page shows it.
import { expect, test } from "vitest";
import { printable } from "../src/dom";

test("characters that are invisible or reorder text are shown, as on the terminal", () => {
  for (const c of ["\u0000", "\u001b", "\u0085", "\u061c", "\u200b", "\u202e", "\u2066", "\u206a", "\ufeff", "\ufff9", "\u{e0041}"]) {
    expect(printable(`a${c}b`)).toBe(`a\\u{${c.codePointAt(0)?.toString(16)}}b`);
  }
});

test("other text stays as it is, and tabs are blanks", () => {
  expect(printable("naïve 数 𝛼\nnext\tword")).toBe("naïve 数 𝛼\nnext word");
});
