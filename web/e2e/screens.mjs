// screens.mjs: compares what every block of a page looks like with what it looked like before:
// loosely, so that other fonts pass, and a block that is gone, empty or without colours does not.
// Usage: TARE=path/to/tare [TARE_UPDATE=1] node e2e/screens.mjs [NAME]
// screens.json has, for each block, its height over its width, and the mean luminance of each cell of
// a grid, as two hexadecimal digits. TARE_UPDATE=1 writes it; look at the pages before.
import assert from "node:assert/strict";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { browser, directory, open, report, runAll, url } from "./browser.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const stored = join(here, "screens.json");
const names = ["check", "compare", "count", "mix", "profile", "proxy", "trace"];
const views = [["light", 1280], ["dark", 390]];
const columns = 16;
const rows = 12;

// Pictures are read in a page of their own, because that of a report loads nothing.
const reader = await (await browser.newContext()).newPage();

// The grid of each part of a picture.
async function gridsOf(picture, parts) {
  return reader.evaluate(async ([data, boxes, width, height]) => {
    const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d", { willReadFrequently: true });
    context.drawImage(image, 0, 0);
    return boxes.map((box) => {
      const pixels = context.getImageData(box.x, box.y, box.width, box.height).data;
      const sums = new Array(width * height).fill(0);
      const counts = new Array(width * height).fill(0);
      for (let y = 0; y < box.height; ++y) {
        for (let x = 0; x < box.width; ++x) {
          const cell = Math.floor(y * height / box.height) * width + Math.floor(x * width / box.width);
          const at = 4 * (y * box.width + x);
          sums[cell] += 0.2126 * pixels[at] + 0.7152 * pixels[at + 1] + 0.0722 * pixels[at + 2];
          ++counts[cell];
        }
      }
      return sums.map((sum, k) => Math.round(sum / Math.max(counts[k], 1)));
    });
  }, [picture.toString("base64"), parts, columns, rows]);
}

// Blocks that nobody sees, because they or what they are in are closed, are left out.
async function look(page) {
  const boxes = await page.evaluate(async () => {
    for (const plot of document.querySelectorAll(".plot")) {
      if (!plot.checkVisibility()) continue;
      plot.scrollIntoView();
      for (let i = 0; i < 2000 && plot.querySelector(".u-over") === null; ++i) await new Promise((resolve) => setTimeout(resolve, 30));
    }
    window.scrollTo(0, 0);
    return [...document.querySelectorAll("[data-block]")].filter((block) => block.checkVisibility()).map((block) => {
      const box = block.getBoundingClientRect();
      return { id: block.dataset.block, x: Math.round(box.x + scrollX), y: Math.round(box.y + scrollY), width: Math.round(box.width), height: Math.round(box.height) };
    }).filter((box) => box.width > 0 && box.height > 0);
  });
  const grids = await gridsOf(await page.screenshot({ fullPage: true }), boxes);
  return Object.fromEntries(boxes.map((box, i) => [box.id, {
    shape: Math.round(1000 * box.height / box.width) / 1000,
    grid: grids[i].map((value) => value.toString(16).padStart(2, "0")).join(""),
  }]));
}

function cells(block) {
  return block.grid.match(/../g).map((digits) => parseInt(digits, 16));
}

function backgroundOf(values) {
  return [...values].sort((a, b) => a - b)[values[0] > 127 ? values.length - 1 : 0];
}

// How far all cells together are from the background.
function ink(values) {
  const background = backgroundOf(values);
  return values.reduce((sum, value) => sum + Math.abs(value - background), 0) / values.length;
}

const farthest = 14; // of 255, on average
const heights = 1.35;
const inks = 2;

function faultsOf(before, now) {
  const faults = [];
  for (const [id, old] of Object.entries(before)) {
    const block = now[id];
    if (block === undefined) {
      faults.push(`${id}: is gone`);
      continue;
    }
    const [a, b] = [cells(old), cells(block)];
    const distance = a.reduce((sum, value, i) => sum + Math.abs(value - b[i]), 0) / a.length;
    const shape = Math.max(old.shape / block.shape, block.shape / old.shape);
    const drawn = ink(b) / Math.max(ink(a), 0.1);
    if (distance > farthest) faults.push(`${id}: differs by ${distance.toFixed(1)} of 255`);
    if (shape > heights) faults.push(`${id}: is ${shape.toFixed(2)} times as high or as low`);
    if (drawn > inks || drawn < 1 / inks) faults.push(`${id}: has ${drawn.toFixed(2)} times as much on it`);
  }
  for (const id of Object.keys(now)) if (before[id] === undefined) faults.push(`${id}: is new; run with TARE_UPDATE=1`);
  return faults;
}

const tests = [];
const found = {};
const reference = process.env.TARE_UPDATE === "1" ? null : JSON.parse(readFileSync(stored, "utf8"));

for (const name of names) {
  for (const [colorScheme, width] of views) {
    const key = `${name}, ${colorScheme}, ${width} pixels`;
    tests.push([key, async () => {
      report(`${name}.html`, join(here, "results", `${name}.json`));
      const page = await open(url(`${name}.html`), { colorScheme, viewport: { width, height: 900 } });
      found[key] = await look(page);
      if (reference !== null) assert.deepEqual(faultsOf(reference[key], found[key]), []);
      if (reference !== null && name === "check" && width === 1280) await notices(page, found[key]);
      await page.context().close();
    }]);
  }
}

// The comparison itself must be able to fail.
async function notices(page, before) {
  const ids = Object.keys(before);
  const change = async (id, style) => {
    await page.evaluate(([one, property, value]) => {
      document.querySelector(`[data-block="${one}"]`).style[property] = value;
    }, [id, ...style]);
  };
  await page.evaluate(() => { document.body.style.fontFamily = "serif"; });
  assert.deepEqual(faultsOf(before, await look(page)), [], "another font is a difference");
  await change(ids[0], ["opacity", "0"]);
  await change(ids[1], ["display", "none"]);
  const faults = faultsOf(before, await look(page)).map((fault) => fault.split(":")[0]);
  assert.ok(faults.includes(ids[0]), `an empty block ${ids[0]} is not noticed`);
  assert.ok(faults.includes(ids[1]), `a missing block ${ids[1]} is not noticed`);
}

let failed = 0;
try {
  failed = await runAll(tests);
  // With a name, the others stay.
  const kept = process.argv[2] === undefined ? {} : JSON.parse(readFileSync(stored, "utf8"));
  if (reference === null) writeFileSync(stored, `${JSON.stringify({ ...kept, ...found }, null, 1)}\n`);
} finally {
  await browser.close();
  rmSync(directory, { recursive: true });
}
process.exit(failed > 0 ? 1 : 0);
