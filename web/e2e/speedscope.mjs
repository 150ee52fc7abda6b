// speedscope.mjs: opens the exports of tare profile and tare events in speedscope, in a real browser.
// Usage: TARE=path/to/tare PROGRAMS=path/to/tests/programs node e2e/speedscope.mjs
// Exits with 77, and the reason, where something is missing.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

function skip(reason) {
  console.log(`skipped: ${reason}`);
  process.exit(77);
}

const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", process.env.TARE_BROWSER ?? ""];
const executable = browsers.find((path) => path !== "" && existsSync(path));
if (executable === undefined) skip("no chromium-headless-shell");
let index;
try {
  index = join(dirname(createRequire(import.meta.url).resolve("speedscope/package.json")), "dist/release/index.html");
} catch {
  skip("no speedscope; run npm install --no-save in web/");
}
const tare = process.env.TARE ?? "tare";
const programs = process.env.PROGRAMS ?? join(dirname(tare), "tests/programs");
const directory = mkdtempSync(join(tmpdir(), "tare-speedscope-"));
const at = (name) => join(directory, name);

function run(program, ...words) {
  const done = spawnSync(program, words, { encoding: "utf8", maxBuffer: 1 << 28 });
  if (done.error) return null; // not installed
  assert.equal(done.status, 0, `${program} ${words.join(" ")}\n${done.stderr}`);
  return done.stdout;
}

// speedscope's list of functions: percentages of all samples, with and without callees.
async function functions(browser, file) {
  const page = await browser.newPage();
  const problems = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("dialog", (dialog) => { problems.push(dialog.message()); dialog.dismiss(); });
  await page.goto(`file://${index}`);
  await page.setInputFiles("input[type=file]", at(file));
  await page.waitForFunction(() => document.body.innerText.includes("Sandwich"), undefined, { timeout: 120000 });
  await page.keyboard.press("3");
  await page.waitForFunction(() => document.querySelectorAll("table tr").length > 2, undefined, { timeout: 120000 });
  const rows = await page.$$eval("table tr", (all) => all.map((row) => [...row.querySelectorAll("td")].map((cell) => cell.textContent)));
  assert.deepEqual(problems, [], file);
  await page.close();
  const percent = (text) => Number(/\(([0-9.]+)%\)/.exec(text)?.[1] ?? /([0-9.]+)%/.exec(text)?.[1]);
  return new Map(rows.filter((cells) => cells.length >= 3).map(([total, self, name]) => [name.trim(), { total: percent(total), self: percent(self) }]));
}

let browser;
try {
  const exports = { folded: "f.txt", speedscope: "s.json", pprof: "p.pb.gz", callgrind: "callgrind.out.1", "perf-data": "d.data" };
  const options = Object.entries(exports).flatMap(([name, file]) => [`--${name}`, at(file)]);
  const profiled = spawnSync(tare, ["profile", "--json", ...options, "--", join(programs, "known_shares"), "20000"], { encoding: "utf8" });
  if (/perf_event|cannot sample/.test(profiled.stderr) && profiled.status !== 0) skip(profiled.stderr.trim());
  assert.equal(profiled.status, 0, profiled.stderr);
  const table = JSON.parse(profiled.stdout).blocks.find((block) => block.id === "functions");
  const column = (name) => table.columns.findIndex((one) => one.name === name);
  const share = new Map(table.rows.map((row) => [row[column("function")], row[column("share")].value]));

  const files = Object.entries(exports).filter(([name]) => name !== "perf-data").map(([name, file]) => [name, file]);
  const script = run("perf", "script", "-i", at(exports["perf-data"]));
  if (script === null) console.log("skipped perf script: perf is not installed");
  else {
    writeFileSync(at("perf.txt"), script);
    // The samples by their innermost function, as perf itself prints them.
    const innermost = [...script.matchAll(/^\S.*:\s*\n\s+[0-9a-f]+ ([^+\s]+)/gm)].map(([, name]) => name);
    for (const wanted of ["half", "third", "fifth"]) {
      const percent = (100 * innermost.filter((name) => name === wanted).length) / innermost.length;
      assert.ok(Math.abs(percent - share.get(wanted)) < 0.6, `${wanted} in perf script: ${percent} % instead of ${share.get(wanted)} %`);
    }
    files.push(["perf script", "perf.txt"]);
  }

  const { chromium } = await import("playwright-core");
  browser = await chromium.launch({ executablePath: executable, timeout: 120000, args: ["--no-sandbox", "--disable-dev-shm-usage", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
  for (const [name, file] of files) {
    const shown = await functions(browser, file);
    for (const wanted of ["half", "third", "fifth"]) {
      const row = [...shown].find(([key]) => key === wanted || key.startsWith(`${wanted} `) || key.startsWith(`${wanted}+`))?.[1];
      assert.ok(row, `${wanted} in ${name}: ${[...shown.keys()].join(", ")}`);
      // The weights of perf script's samples are the times between them, which hold every preemption: not compared.
      if (name === "perf script") continue;
      assert.ok(Math.abs(row.self - share.get(wanted)) < 0.6, `${wanted} in ${name}: ${row.self} % instead of ${share.get(wanted)} %`);
    }
    console.log(`ok      ${name}, read by speedscope`);
  }

  run(tare, "events", "record", "-q", "-o", at("x.events"), "--", join(programs, "source_events"), "nested", "100");
  run(tare, "events", "export", "--chrome", at("x.json"), at("x.events"));
  const spans = await functions(browser, "x.json");
  assert.ok([...spans.keys()].some((name) => name.startsWith("outer")), [...spans.keys()].join(", "));
  assert.ok([...spans.keys()].some((name) => name.startsWith("inner")), [...spans.keys()].join(", "));
  console.log("ok      Chrome's trace JSON, read by speedscope");
} finally {
  await browser?.close();
  rmSync(directory, { recursive: true });
}
