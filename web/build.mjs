// build.mjs: builds dist/page.html, the page without data that CMake embeds in tare.
// `node build.mjs --check` only compares it with the committed one.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const at = (...names) => join(here, ...names);

async function bundle(entry, more = {}) {
  const result = await build({
    absWorkingDir: here, entryPoints: [entry], bundle: true, minify: true, write: false, charset: "ascii",
    target: ["es2022", "chrome111", "firefox113", "safari16.4"], legalComments: "none", ...more,
  });
  return result.outputFiles[0].text.trim();
}

const hash = (text) => `sha256-${createHash("sha256").update(text).digest("base64")}`;

const licence = readFileSync(at("node_modules/uplot/LICENSE"), "utf8").trim().replace(/\s+/g, " ").replace(/\*\//g, "");
const script = `/*! Contains uPlot. ${licence} */\n` + (await bundle("src/page.ts", { format: "iife" }));
const style = (await bundle("node_modules/uplot/dist/uPlot.min.css")) + (await bundle("src/style.css"));
for (const [name, text] of [["script", script], ["style", style]]) {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`the ${name} would end its element`);
  if (/[^\x00-\x7f]/.test(text)) throw new Error(`the ${name} is not ASCII`);
}
const page = readFileSync(at("src/page.html"), "utf8")
  .replace("@SCRIPT_HASH@", () => hash(script)).replace("@STYLE_HASH@", () => hash(style))
  .replace("@STYLE@", () => style).replace("@SCRIPT@", () => script);

const size = gzipSync(page, { level: 9 }).length;
if (size >= 120_000) throw new Error(`the page has ${size} bytes gzipped; the limit is 120,000`);
if (process.argv.includes("--check")) {
  if (readFileSync(at("dist/page.html"), "utf8") !== page) {
    console.error("web/dist/page.html is not what the sources give; run node web/build.mjs");
    process.exit(1);
  }
  console.log(`web/dist/page.html is what the sources give (${size} bytes gzipped)`);
} else {
  writeFileSync(at("dist/page.html"), page);
  console.log(`web/dist/page.html: ${page.length} bytes, ${size} gzipped`);
}
