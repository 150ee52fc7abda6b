// browser.mjs: starts the browser of the tests, and makes pages with tare.
// Exits with 77, and the reason, where there is no browser.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const browsers = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", process.env.TARE_BROWSER ?? ""];
const executable = browsers.find((path) => path !== "" && existsSync(path));
if (executable === undefined) {
  console.log("skipped: no chromium-headless-shell");
  process.exit(77);
}
const { chromium } = await import("playwright-core");
export const tare = process.env.TARE ?? "tare";
export const directory = mkdtempSync(join(tmpdir(), "tare-e2e-"));
export const at = (name) => join(directory, name);
export const url = (name) => `file://${at(name)}`;

// Files are those of the test's directory, or absolute.
export function report(output, ...inputs) {
  const run = spawnSync(tare, ["report", "-q", ...inputs.map((name) => name.startsWith("/") ? name : at(name)), "-o", at(output)], { encoding: "utf8" });
  assert.equal(run.status, 0, run.stderr);
}

export const browser = await chromium.launch({
  executablePath: executable,
  timeout: 120000,
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});

// A page that fails the test on any error and any request that leaves the file.
export async function open(address, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  context.setDefaultTimeout(120000); // slow machines
  const page = await context.newPage();
  page.problems = [];
  page.on("console", (message) => { if (["error", "warning"].includes(message.type())) page.problems.push(message.text()); });
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("request", (sent) => { if (!sent.url().startsWith(address.split("?")[0]) && !sent.url().startsWith("data:")) page.problems.push(`request ${sent.url()}`); });
  await page.goto(address);
  await page.waitForSelector("article", { timeout: 120000 });
  return page;
}

export async function done(page) {
  assert.deepEqual(page.problems, []);
  await page.context().close();
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

// The page must have been opened with bypassCSP.
export async function seriousViolations(page) {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document));
  return found.violations.filter((v) => ["serious", "critical"].includes(v.impact) || v.id === "landmark-unique")
    .map((v) => [v.id, v.nodes.map((n) => n.target.join(" ")).slice(0, 3)]);
}

// Runs named tests, those whose name contains the first argument of the command line.
export async function runAll(tests) {
  let failed = 0;
  for (const [name, body] of tests) {
    if (process.argv[2] !== undefined && !name.includes(process.argv[2])) continue;
    try {
      await body();
      console.log(`ok      ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  return failed;
}
