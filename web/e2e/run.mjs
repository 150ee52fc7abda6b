// run.mjs: opens reports in a real browser. Usage: TARE=path/to/tare node e2e/run.mjs
// Exits with 77, and the reason, where there is no browser.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { at, browser, directory, done, open, report, runAll, seriousViolations, tare, url } from "./browser.mjs";
import { sample, toJson } from "./sample.mjs";

const tests = [];
const test = (name, body) => tests.push([name, body]);

test("the finding is first, then caveats with advice, then blocks", async () => {
  const page = await open(url("all.html"));
  const order = await page.$$eval("article > *", (nodes) => nodes.map((n) => n.className || n.tagName));
  assert.ok(order.indexOf("finding") < order.indexOf("caveats"));
  assert.ok(order.indexOf("caveats") < order.findIndex((name) => name.includes("block")));
  assert.match(await page.textContent(".caveat .hint"), /use --runs 20/);
  for (const kind of ["table", "series", "bars", "tree", "timeline"]) assert.ok(await page.$(`section.block.${kind}`), kind);
  await done(page);
});

test("hostile names are text", async () => {
  const page = await open(url("all.html"));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.$("img"), null);
  assert.ok((await page.textContent("body")).includes("<img src=x onerror=window.hacked=1>"));
  assert.ok(!(await page.evaluate(() => document.body.innerText)).includes("\u202e"));
  await done(page);
});

test("without the policy, escaping alone keeps hostile names harmless", async () => {
  const bare = readFileSync(at("all.html"), "utf8").replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, "");
  writeFileSync(at("bare.html"), bare);
  const page = await open(url("bare.html"));
  await page.evaluate(() => { for (const b of document.querySelectorAll("details")) b.open = true; });
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  await done(page);
});

test("without escaping, the policy alone stops scripts, handlers and requests", async () => {
  const inject = "<script>window.hacked=1</script><img src=x onerror=window.hacked=2><a id=j href='javascript:window.hacked=3'>x</a>";
  writeFileSync(at("raw.html"), readFileSync(at("all.html"), "utf8").replace("<body>", `<body>${inject}`));
  const page = await open(url("raw.html"));
  await page.evaluate(() => document.getElementById("j").click());
  const blocked = await page.evaluate(() => fetch("http://127.0.0.1:9/").then(() => "sent", (e) => String(e)));
  assert.match(blocked, /TypeError/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.ok(page.problems.some((text) => /Content Security Policy/.test(text)));
  await page.context().close();
});

test("numbers show interval, unit, source, verdict and reason on hover", async () => {
  const page = await open(url("all.html"));
  await page.hover("section[data-block=values] .number.valid");
  const tip = await page.textContent("#tip");
  for (const part of ["500 ms", "[400, 600]", "95 % confidence", "clock", "valid"]) assert.ok(tip.includes(part), `${part}: ${tip}`);
  await page.hover("section[data-block=values] .number.refused");
  assert.match(await page.textContent("#tip"), /not available.*refused.*no counter/s);
  assert.match(await page.textContent("section[data-block=values]"), /9,007,199,254,740,993/);
  const shapes = await page.$$eval("#legend path", (paths) => new Set(paths.map((p) => p.getAttribute("d"))).size);
  assert.equal(shapes, 3);
  await done(page);
});

test("tables sort and filter", async () => {
  const page = await open(url("all.html"));
  const first = () => page.textContent("section[data-block=values] tbody tr:first-child td:first-child");
  await page.click("section[data-block=values] th:nth-child(2) button");
  assert.equal(await first(), "row 29");
  assert.equal(await page.getAttribute("section[data-block=values] th:nth-child(2)", "aria-sort"), "descending");
  await page.click("section[data-block=values] th:nth-child(2) button");
  assert.equal(await first(), "doubtful one");
  await page.fill("section[data-block=values] input", "refused");
  assert.equal(await page.$$eval("section[data-block=values] tbody tr", (rows) => rows.length), 1);
  assert.equal(await first(), "refused one");
  await done(page);
});

test("rows and columns without numbers and a constant first column are not in the way", async () => {
  const page = await open(url("all.html"));
  const table = "section[data-block=metrics]";
  const rows = () => page.$$eval(`${table} tbody tr`, (found) => found.map((row) => row.firstChild.textContent));
  assert.deepEqual(await rows(), ["loads"]);
  assert.equal(await page.textContent(`${table} .constant`), "program: only");
  const columns = () => page.$$eval(`${table} th`, (heads) => heads.length);
  assert.equal(await columns(), 2);
  await page.click(`${table} .more`);
  assert.deepEqual(await rows(), ["loads", "faults", "cycles"]);
  assert.equal(await columns(), 3);
  await done(page);
});

test("columns of zeros wait where there is no room, and two texts name a card", async () => {
  for (const width of [1280, 390]) {
    const page = await open(url("all.html"), { viewport: { width, height: 900 } });
    const table = "section[data-block=wide]";
    const columns = () => page.$$eval(`${table} th`, (heads) => heads.length);
    assert.equal(await columns(), 10);
    assert.equal(await page.textContent(`${table} .more`), "Show all 3 rows and 16 more columns (1 without numbers or with zeros only)");
    await page.click(`${table} .more`);
    assert.equal(await columns(), 26);
    const title = await page.$eval(`${table} tbody tr:nth-child(2)`, (row) => row.innerText.split("\n")[0].trim());
    if (width === 390) assert.equal(title, "onlystores", "both texts are in the first line; a style sheet puts a colon between them");
    await done(page);
  }
});

test("options are not broken at the end of a line", async () => {
  const page = await open(url("all.html"), { viewport: { width: 390, height: 900 } });
  assert.equal(await page.textContent(".caveat .hint .option"), "--runs");
  await done(page);
});

test("plots zoom by brush, together, and by keyboard", async () => {
  const page = await open(url("all.html"));
  const plot = page.locator("section[data-block=course] .plot");
  await plot.scrollIntoViewIfNeeded();
  await page.waitForSelector("section[data-block=course] .u-over");
  const over = await page.locator("section[data-block=course] .u-over").boundingBox();
  await page.mouse.move(over.x + over.width * 0.3, over.y + 40);
  assert.match(await page.textContent("section[data-block=course] .readout"), /time .* s/);
  assert.match(await page.textContent("section[data-block=course] .legend"), /\[.*\]/);
  const before = await plot.screenshot();
  await page.mouse.down();
  await page.mouse.move(over.x + over.width * 0.6, over.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  assert.notDeepEqual(await plot.screenshot(), before);
  await page.mouse.move(1, 1);
  await plot.focus();
  await page.keyboard.press("0");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent("section[data-block=course] .readout"), /time 0/);
  await page.click("section[data-block=course] .legend li:first-child button");
  assert.equal(await page.getAttribute("section[data-block=course] .legend button", "aria-pressed"), "false");
  await done(page);
});

test("a plot shows all its points, whatever the range of others with the same axis", async () => {
  const page = await open(url("all.html"));
  for (const block of ["course", "second"]) {
    await page.locator(`section[data-block=${block}] .plot`).scrollIntoViewIfNeeded();
    await page.waitForSelector(`section[data-block=${block}] .u-over`);
  }
  const plot = page.locator("section[data-block=course] .plot");
  const isInside = async () => {
    await plot.focus();
    await page.keyboard.press("ArrowLeft");
    for (let i = 0; i < 199; ++i) await page.keyboard.press("ArrowLeft");
    assert.match(await page.textContent("section[data-block=course] .readout"), /^time 0 s/);
    const cursor = await plot.locator(".u-cursor-x").boundingBox();
    const over = await plot.locator(".u-over").boundingBox();
    return cursor !== null && cursor.x >= over.x - 1;
  };
  assert.ok(await isInside(), "the first point is cut off");
  await page.locator("section[data-block=second] .plot").focus();
  await page.keyboard.press("+");
  assert.ok(!(await isInside()), "zoom is shared");
  await page.locator("section[data-block=second] .plot").focus();
  await page.keyboard.press("0");
  assert.ok(await isInside(), "0 does not show all of the other plot");
  await done(page);
});

test("bars, heat map, tree and timeline react", async () => {
  const page = await open(url("all.html"));
  await page.click("section[data-block=mix] .choice button:nth-child(2)");
  await page.click("section[data-block=curves] .choice button:nth-child(2)");
  assert.ok(await page.isVisible("section[data-block=curves] canvas.heat-canvas"));
  assert.ok(!(await page.isVisible("section[data-block=curves] .panels")), "the lines are hidden");
  assert.match(await page.textContent("section[data-block=curves] .heat-axis"), /1 KiB.*1 MiB/);
  await page.hover("section[data-block=curves] canvas.heat-canvas", { position: { x: 5, y: 30 } });
  assert.match(await page.textContent("#tip"), /^line 2, size 1 KiBvalue4\.00 GB\/sinterval\[3\.60, 4\.40\] GB\/ssourcea benchverdictnot stated/);
  await page.click("section[data-block=curves] .choice button:nth-child(1)");
  assert.ok(!(await page.isVisible("section[data-block=curves] canvas.heat-canvas")), "the heat map is hidden");
  await page.click("section[data-block=calls] .icicle .box:nth-child(3)");
  assert.match(await page.textContent("section[data-block=calls] .icicle-path"), /70 % of all|70.00 % of all/);
  await page.focus("section[data-block=ranks] canvas");
  await page.keyboard.press("+");
  await page.hover("section[data-block=ranks] canvas", { position: { x: 400, y: 10 } });
  assert.match(await page.textContent("#tip"), /work/);
  await done(page);
});

test("dark and light, narrow and wide: nothing is wider than the screen", async () => {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 390]) {
      const page = await open(url("all.html"), { colorScheme, viewport: { width, height: 800 } });
      const [scroll, paper] = await page.evaluate(() => [document.documentElement.scrollWidth, getComputedStyle(document.body).backgroundColor]);
      assert.ok(scroll <= width, `${scroll} of ${width}`);
      assert.equal(paper, colorScheme === "dark" ? "rgb(20, 23, 27)" : "rgb(255, 255, 255)");
      const picture = await page.screenshot();
      assert.ok(picture.length > 10_000, "the page is not empty");
      await page.click("#theme");
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), paper);
      await done(page);
    }
  }
});

test("intervals are drawn between numbers of the same unit only", async () => {
  const page = await open(url("all.html"));
  const block = "section[data-block=mixed]";
  await page.click(`${block} .choice button:nth-child(2)`);
  // The whisker of 70 to 80 ms spans its scale, although another row has millions.
  const [first, last] = await page.$eval(`${block} tbody tr:first-child .whisker`, (line) => [line.x1.baseVal.value, line.x2.baseVal.value]);
  assert.ok(last - first > 80, `${first} to ${last}`);
  await done(page);
});

test("single points are not joined, and their line states its verdict", async () => {
  const page = await open(url("all.html"));
  const block = "section[data-block=points]";
  await page.locator(block).scrollIntoViewIfNeeded();
  await page.waitForSelector(`${block} .u-over`);
  assert.ok(await page.$(`${block} .legend .swatch.dot`));
  assert.ok(await page.$(`${block} .legend .mark.doubtful`));
  await page.click(`${block} .data summary`);
  assert.equal(await page.$$eval(`${block} .data .number .mark.valid`, (marks) => marks.length), 0);
  await done(page);
});

test("on paper all rows are there, or their number is", async () => {
  const page = await open(url("all.html"));
  const rows = () => page.$$eval("section[data-block=values] tbody tr", (found) => found.length);
  assert.equal(await rows(), 20);
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  assert.equal(await rows(), 33);
  assert.equal(await page.$$eval("section[data-block=long] tbody tr", (found) => found.length), 200);
  assert.match(await page.textContent("section[data-block=long] .left-out"), /^50 more rows/);
  assert.equal(await page.$$eval("th button", (buttons) => buttons.length), 0, "heads with buttons are not repeated on the next page");
  assert.ok(await page.isVisible(".provenance dl"), "how it was measured is not on paper");
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  assert.equal(await rows(), 20);
  assert.ok(!(await page.isVisible(".provenance dl")));
  assert.ok(await page.$("section[data-block=values] th button"));
  await done(page);
});

test("prints on white paper with all plots", async () => {
  const page = await open(url("all.html"), { colorScheme: "dark" });
  const pdf = await page.pdf();
  assert.equal(pdf.subarray(0, 4).toString(), "%PDF");
  assert.ok(pdf.length > 20_000);
  await done(page);
});

test("axe finds nothing serious", async () => {
  for (const colorScheme of ["light", "dark"]) {
    const page = await open(url("all.html"), { colorScheme, bypassCSP: true });
    assert.deepEqual(await seriousViolations(page), []);
    await page.context().close();
  }
});

test("the keyboard reaches everything that reacts", async () => {
  const page = await open(url("all.html"));
  const reached = new Set();
  for (let i = 0; i < 60; ++i) {
    await page.keyboard.press("Tab");
    reached.add(await page.evaluate(() => document.activeElement.className || document.activeElement.tagName));
  }
  for (const kind of ["skip", "BUTTON", "INPUT"]) assert.ok([...reached].some((r) => r.includes(kind)), `${kind}: ${[...reached]}`);
  await done(page);
});

test("two results of the same command are side by side, with contents", async () => {
  report("pair.html", "all.json", "other.json");
  const page = await open(url("pair.html"));
  assert.match(await page.textContent("#contents"), /all.json and other.json/);
  assert.match(await page.textContent("article.pair th:nth-child(4)"), /time: ratio/);
  assert.equal(await page.$$eval("article", (all) => all.length), 3);
  await done(page);
});

test("without scripts the results are text", async () => {
  const context = await browser.newContext({ javaScriptEnabled: false });
  const page = await context.newPage();
  await page.goto(url("all.html"));
  assert.match(await page.textContent("noscript"), /doubtful one/);
  await context.close();
});

test("a damaged page says so", async () => {
  writeFileSync(at("cut.html"), readFileSync(at("all.html"), "utf8").replace(/(id="data">.{60})[^<]*/, "$1"));
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(url("cut.html"));
  await page.waitForSelector(".failure");
  assert.match(await page.textContent(".failure"), /cannot be shown/);
  await context.close();
});

test("--serve follows its files and answers nobody else", async () => {
  const server = spawn(tare, ["report", "-q", "--serve", at("live.json")], { stdio: ["ignore", "ignore", "pipe"] });
  try {
    const address = await new Promise((resolve, reject) => {
      let text = "";
      server.stderr.on("data", (part) => { text += part; const found = /http:\S+/.exec(text); if (found) resolve(found[0]); });
      server.on("exit", () => reject(new Error(text)));
    });
    const status = (path, headers = {}) => new Promise((resolve) => request(new URL(path, address), { headers }, (answer) => { answer.resume(); resolve(answer.statusCode); }).end());
    assert.equal(await status("/"), 403);
    assert.equal(await status(address, { Host: "evil.example" }), 403);
    assert.equal(await status(`${address}x`), 404);
    writeFileSync(at("live.json"), toJson(sample()));
    const page = await open(address);
    const next = sample();
    next.blocks[0].text = "The second state.";
    // What the reader chose survives the update.
    await page.fill("section[data-block=values] input", "row 2");
    await page.click("section[data-block=values] th:nth-child(2) button");
    const filtered = await page.textContent("section[data-block=values] .count");
    assert.match(filtered, /of 33 rows/);
    await page.click("section[data-block=course] .data summary");
    const plot = page.locator("section[data-block=course] .plot");
    await plot.scrollIntoViewIfNeeded();
    await plot.focus();
    await page.keyboard.press("+");
    await page.focus("section[data-block=values] input");
    const range = () => page.evaluate(() => document.querySelector("section[data-block=course] .plot")?.dataset.range);
    const zoomed = await range();
    assert.match(zoomed, /\d/);
    writeFileSync(at("live.json"), toJson(next));
    await page.waitForFunction(() => document.querySelector(".finding")?.textContent.includes("second state"), null, { timeout: 120000 });
    assert.equal(await page.inputValue("section[data-block=values] input"), "row 2");
    assert.equal(await page.getAttribute("section[data-block=values] th:nth-child(2)", "aria-sort"), "descending");
    assert.equal(await page.textContent("section[data-block=values] .count"), filtered);
    assert.ok(await page.$eval("section[data-block=course] .data", (details) => details.open));
    assert.ok(await page.evaluate(() => document.activeElement.matches("section[data-block=values] input")), "the focus is kept");
    await plot.scrollIntoViewIfNeeded();
    await page.waitForSelector("section[data-block=course] .u-over");
    assert.equal(await range(), zoomed);
    await done(page);
  } finally {
    server.kill("SIGINT");
    await new Promise((resolve) => server.on("exit", resolve));
  }
});

let failed = 0;
try {
  writeFileSync(at("all.json"), toJson(sample()));
  const other = sample();
  other.blocks[1].rows[0][1].value = 0.25;
  writeFileSync(at("other.json"), toJson(other));
  report("all.html", "all.json");
  failed = await runAll(tests);
} finally {
  await browser.close();
  rmSync(directory, { recursive: true });
}
process.exit(failed > 0 ? 1 : 0);
