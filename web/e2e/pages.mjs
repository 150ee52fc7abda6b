// pages.mjs: opens the pages of results that commands really gave: light and wide, dark and narrow.
// results/NAME.json is what `tare NAME --json` printed, with long tables and lines cut.
// Usage: TARE=path/to/tare node e2e/pages.mjs
// All pages take minutes: by default those of the commands whose pages have most kinds of blocks,
// with TARE_PAGES=all every one (script/check).
import assert from "node:assert/strict";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, directory, done, open, report, runAll, seriousViolations, url } from "./browser.mjs";

const results = join(dirname(fileURLToPath(import.meta.url)), "results");
const names = readdirSync(results).filter((name) => name.endsWith(".json")).map((name) => name.slice(0, -5)).sort()
  .filter((name) => process.env.TARE_PAGES === "all" || ["check", "predict", "replay", "trace"].includes(name));

// Opens everything that can be opened, so that it is looked at too.
async function openAll(page) {
  await page.evaluate(async () => {
    const settle = () => new Promise((resolve) => setTimeout(resolve, 30));
    for (const details of document.querySelectorAll("details")) details.open = true;
    await settle();
    for (const plot of document.querySelectorAll(".plot")) {
      plot.scrollIntoView();
      for (let i = 0; i < 2000 && plot.querySelector(".u-over") === null; ++i) await settle();
    }
    window.scrollTo(0, 0);
    await settle();
  });
}

// Numbers whose tooltip names no source or no verdict.
const withoutSource = () => {
  const bad = [];
  for (const number of document.querySelectorAll(".number[tabindex], .piece[tabindex='0'], .box[tabindex='0']")) {
    number.dispatchEvent(new Event("focus"));
    const terms = [...document.querySelectorAll("#tip dt")].map((dt) => dt.textContent);
    const whole = number.classList.contains("box") && terms.length === 0; // the box of everything
    if (!whole && (!terms.includes("source") || !terms.includes("verdict"))) {
      bad.push(`${number.closest("[data-block]")?.dataset.block}: ${number.textContent} (${terms})`);
    }
    number.dispatchEvent(new Event("blur"));
  }
  return bad;
};

const plotsWithoutSource = () => [...document.querySelectorAll(".plot")].filter((plot) => {
  plot.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
  return !/source: ./.test(plot.parentElement.querySelector(".readout").textContent);
}).map((plot) => plot.closest("[data-block]").dataset.block);

// Texts of bars that their piece cuts, tables that are cut without a sign, and numbers that are not
// on the screen at all.
const layoutFaults = () => {
  const bad = [];
  const block = (node) => node.closest("[data-block]")?.dataset.block;
  for (const span of document.querySelectorAll(".piece span")) {
    if (span.offsetWidth > span.parentElement.clientWidth) bad.push(`${block(span)}: '${span.textContent}' is cut`);
  }
  for (const box of document.querySelectorAll(".edge > .scroll")) {
    if (box.scrollWidth > box.clientWidth + 1 && !box.parentElement.classList.contains("cut")) bad.push(`${block(box)}: no sign that the table is cut`);
    const number = box.querySelector(".number");
    if (number !== null && box.clientWidth > 0 && number.getBoundingClientRect().right > window.innerWidth) bad.push(`${block(box)}: its first number is not on the screen`);
  }
  if (document.documentElement.scrollWidth > window.innerWidth) bad.push(`the page is ${document.documentElement.scrollWidth} pixels wide`);
  return bad;
};

const tests = [];
const test = (name, body) => tests.push([name, body]);

for (const name of names) {
  for (const [colorScheme, width] of [["light", 1280], ["dark", 390]]) {
    test(`${name}, ${colorScheme}, ${width} pixels`, async () => {
      const page = await open(url(`${name}.html`), { colorScheme, viewport: { width, height: 900 }, bypassCSP: true });
      assert.ok(await page.$(".finding"), "there is no finding");
      await openAll(page);
      assert.deepEqual(await page.evaluate(layoutFaults), []);
      if (width === 1280) {
        assert.deepEqual(await page.evaluate(withoutSource), []);
        assert.deepEqual(await page.evaluate(plotsWithoutSource), []);
      }
      assert.deepEqual(await seriousViolations(page), []);
      await done(page);
    });
  }

  test(`${name} on paper`, async () => {
    const page = await open(url(`${name}.html`), { viewport: { width: 718, height: 1000 } });
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
    const faults = await page.evaluate(() => [...document.querySelectorAll(".edge > .scroll > table")]
      .filter((table) => table.getBoundingClientRect().width > 719).map((table) => table.closest("[data-block]").dataset.block));
    assert.deepEqual(faults, [], "tables are wider than the paper");
    const silent = await page.evaluate(() => [...document.querySelectorAll(".table-view")]
      .filter((view) => !view.querySelector(".more").hidden && !/more (rows?|columns?)/.test(view.querySelector(".left-out").textContent)).length);
    assert.equal(silent, 0, "rows are left out without a word");
    await done(page);
  });
}

test("a caveat that several machines share is stated once", async () => {
  const result = JSON.parse(readFileSync(join(results, "predict.json"), "utf8"));
  const stated = new Set(result.caveats.map(({ id, verdict, message, hint }) => JSON.stringify([id, verdict, message, hint])));
  assert.ok(stated.size < result.caveats.length);
  const page = await open(url("predict.html"), { bypassCSP: true });
  assert.equal(await page.locator(".caveat").count(), stated.size);
  const text = await page.locator(".caveats").textContent();
  for (const { detail } of result.caveats) assert.ok(text.includes(detail), detail);
  await done(page);
});

test("two results side by side have unique landmarks and a verdict", async () => {
  report("pair.html", ...["compare", "compare", "check", "check"].map((name) => join(results, `${name}.json`)));
  const page = await open(url("pair.html"), { bypassCSP: true });
  assert.match(await page.textContent("article.pair .finding"), /identical/);
  for (const side of await page.locator("article.pair .side p").allTextContents()) assert.match(side, /instructions/);
  assert.deepEqual(await seriousViolations(page), []);
  await done(page);
});

let failed = 0;
try {
  for (const name of names) report(`${name}.html`, join(results, `${name}.json`));
  failed = await runAll(tests);
} finally {
  await browser.close();
  rmSync(directory, { recursive: true });
}
process.exit(failed > 0 ? 1 : 0);
