// page_speed.mjs: size of a report, time until it can be used, and time of a zoom, in a browser:
// node bench/report/page_speed.mjs REPORT.html
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { chromium } from "../../web/node_modules/playwright-core/index.mjs";

const file = resolve(process.argv[2]);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium-headless-shell", args: ["--no-sandbox"] });
const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
const start = Date.now();
await page.goto(`file://${file}`);
await page.waitForSelector("article .u-over");
const ready = Date.now() - start;
await page.locator(".plot").first().scrollIntoViewIfNeeded();
await page.waitForTimeout(300);
const over = await page.locator(".u-over").first().boundingBox();
await page.evaluate(() => {
  window.zooms = [];
  window.addEventListener("mouseup", () => {
    const from = performance.now();
    requestAnimationFrame(() => setTimeout(() => window.zooms.push(performance.now() - from), 0));
  }, true);
});
for (const [left, right] of [[0.2, 0.7], [0.3, 0.6], [0.4, 0.5]]) {
  await page.mouse.move(over.x + over.width * left, over.y + 30);
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * right, over.y + 30, { steps: 3 });
  await page.mouse.up();
  await page.waitForTimeout(200);
}
const zooms = await page.evaluate(() => window.zooms);
console.log(`size ${statSync(file).size} B, ready in ${ready} ms, zooms in ${zooms.map((z) => z.toFixed(0)).join(", ")} ms`);
await browser.close();
