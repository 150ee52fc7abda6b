// exports.mjs: reads exports back with programs that are not ours: DuckDB, SQLite and Python.
// Usage: TARE=path/to/tare node e2e/exports.mjs
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { hostile, sample, toJson } from "./sample.mjs";

const tare = process.env.TARE ?? "tare";
const directory = mkdtempSync(join(tmpdir(), "tare-exports-"));
const at = (name) => join(directory, name);

function run(program, ...words) {
  const done = spawnSync(program, words, { encoding: "utf8" });
  if (done.error) return null; // not installed
  assert.equal(done.status, 0, `${program} ${words.join(" ")}\n${done.stderr}`);
  return done.stdout;
}

async function duckdb(sql) {
  const { DuckDBInstance } = await import("@duckdb/node-api");
  const connection = await (await DuckDBInstance.create(":memory:")).connect();
  return (await connection.runAndReadAll(sql)).getRowObjects();
}

const comparison = sample();
comparison.command = "compare";
comparison.provenance.settings.gate = "2%";
const measured = (value, more = {}) => ({ value, low: null, high: null, exact: false, verdict: "valid", reason: null, ...more });
comparison.blocks = [
  { kind: "table", id: "comparison", title: "Times", columns: [{ name: "command", unit: "" }, { name: "ratio", unit: "" }], rows: [["a", measured(1)], [hostile, measured(1.5, { low: 1.4, high: 1.6 })]] },
  { kind: "table", id: "samples", title: "Runs", columns: [{ name: "command", unit: "" }, { name: "time", unit: "s" }], rows: [["a", measured(1)], ["a", measured(2)], [hostile, measured(3)]] },
];

try {
  writeFileSync(at("all.json"), toJson(sample()));
  writeFileSync(at("compare.json"), toJson(comparison));

  run(tare, "report", "-q", at("all.json"), "--figure", "values", "-o", at("values.parquet"));
  const rows = await duckdb(`SELECT * FROM '${at("values.parquet")}'`);
  assert.equal(rows.length, 33);
  assert.equal(rows[0].time, 0.5);
  assert.equal(rows[0].time_low, 0.4);
  assert.equal(rows[0].count, 9007199254740993n);
  assert.equal(rows[0].name, hostile);
  assert.equal(rows[2].time, null);
  assert.equal(rows[2].time_verdict, "refused");
  console.log("ok      Parquet of a table, read by DuckDB");

  run(tare, "report", "-q", at("all.json"), "--figure", "course", "-o", at("course.parquet"));
  const [sums] = await duckdb(`SELECT count(*) AS n, max(time) AS last FROM '${at("course.parquet")}'`);
  assert.equal(sums.n, 200n);
  assert.equal(sums.last, 19.9);
  console.log("ok      Parquet of a series, read by DuckDB");

  if (run(tare, "trace", "-q", "--interval", "1ms", "-o", at("run.series"), "--", "sleep", "0.2") !== null) {
    run(tare, "report", "-q", at("run.series"), "-o", at("run.parquet"));
    const csv = run(tare, "trace", "-q", "--show", at("run.series"), "--records-csv", at("run.csv"));
    assert.notEqual(csv, null);
    const lines = readFileSync(at("run.csv"), "utf8").trim().split("\n");
    const [count] = await duckdb(`SELECT count(*) AS n, max(time_ns) AS last FROM '${at("run.parquet")}'`);
    assert.equal(Number(count.n), lines.length - 1);
    assert.equal(String(count.last), lines.at(-1).split(",")[0]);
    console.log("ok      Parquet of a trace's records, read by DuckDB");
  }

  run(tare, "report", "-q", at("all.json"), at("compare.json"), "-o", at("all.sqlite"));
  const sql = "SELECT name, count, time_verdict FROM check_values LIMIT 3; SELECT count(*) FROM results; SELECT label FROM check_calls WHERE depth = 1 ORDER BY samples; SELECT hint FROM caveats LIMIT 1; PRAGMA integrity_check;";
  const text = run("sqlite3", at("all.sqlite"), sql);
  if (text === null) console.log("skipped SQLite: sqlite3 is not installed");
  else {
    for (const part of ["9007199254740993", "refused one|2|refused", "\n2\n", "print\n", "use --runs 20", "ok\n"]) assert.ok(text.includes(part), `${part} in ${text}`);
    console.log("ok      SQLite, read by sqlite3");
  }

  const study = ["format = 1", "runs = 4", "[[program]]", 'name = "a"', 'command = "echo value: {n}"', "[parameters]", "n = [3, 5]", "[[metric]]", 'name = "value"', "pattern = 'value: ([0-9]+)'"];
  writeFileSync(at("study.toml"), study.join("\n"));
  run(tare, "study", "run", "-q", at("study.toml"));
  for (const suffix of ["parquet", "sqlite"]) run(tare, "study", "export", "-q", "-o", at(`runs.${suffix}`), at("study.toml"));
  const groups = await duckdb(`SELECT n, count(*) AS runs, avg(value) AS mean, max(exit_status) AS status, min(wall) > 0 AS timed FROM '${at("runs.parquet")}' WHERE state = 'ok' GROUP BY n ORDER BY n`);
  assert.deepEqual(groups, [3, 5].map((n) => ({ n: BigInt(n), runs: 4n, mean: n, status: 0n, timed: true })));
  console.log("ok      Parquet of a study's runs, read by DuckDB");
  const stored = run("sqlite3", at("runs.sqlite"), "SELECT n, count(*), avg(value), max(exit_status) FROM runs WHERE state = 'ok' GROUP BY n ORDER BY n; SELECT count(*) FROM conditions WHERE name = 'program sha256' AND length(value) = 64; PRAGMA integrity_check;");
  if (stored === null) console.log("skipped SQLite of a study: sqlite3 is not installed");
  else {
    assert.equal(stored, "3|4|3.0|0\n5|4|5.0|0\n1\nok\n");
    console.log("ok      SQLite of a study's runs, read by sqlite3");
  }

  // The lines of docs/methods/data-frames.md.
  const pandas = spawnSync("/usr/bin/python3", ["-c", "import pandas"]).status === 0;
  if (!pandas) console.log("skipped pandas: python3-pandas is not installed");
  else {
    const page = readFileSync(fileURLToPath(new URL("../../docs/methods/data-frames.md", import.meta.url)), "utf8");
    const lines = page.match(/```python\n([\s\S]*?)```/)[1];
    writeFileSync(at("samples.csv"), run(tare, "compare", "--no-counts", "--runs", "4", "--csv", "samples", "true", "true x"));
    run(tare, "report", "-q", at("compare.json"), "-o", at("compare.sqlite"));
    run(tare, "report", "-q", at("compare.json"), "--figure", "samples", "-o", at("samples.parquet"));
    // Each statement of the page, and how many rows and which first columns it gives.
    const told = run("/usr/bin/python3", "-c", `
import ast, importlib.util, os, sys
os.chdir(sys.argv[2])
names = {}
for statement in ast.parse(sys.argv[1]).body:
    code = ast.unparse(statement)
    readers = [name for name in ("pyarrow", "fastparquet") if importlib.util.find_spec(name)]
    if "read_parquet" in code and not readers:
        print("no reader of Parquet")
        continue
    exec(code, names)
    if code.startswith("samples ="):
        samples = names["samples"]
        print(len(samples), list(samples.columns)[0], "time" in samples.columns)`, lines, directory).trim().split("\n");
    const rows = readFileSync(at("samples.csv"), "utf8").trim().split("\n").length - 1;
    assert.deepEqual(told.slice(0, 3), [`${rows} command True`, "3 result True", "3 command True"]);
    assert.ok(["3 command True", "no reader of Parquet"].includes(told[3]), told[3]);
    if (told[3].startsWith("no ")) console.log("skipped Parquet in pandas: neither pyarrow nor fastparquet is installed");
    console.log("ok      the lines of docs/methods/data-frames.md in pandas");
  }

  run(tare, "report", "-q", at("compare.json"), "--format", "hyperfine", "-o", at("h.json"));
  const hyperfine = JSON.parse(readFileSync(at("h.json"), "utf8"));
  assert.deepEqual(hyperfine.results[0].times, [1, 2]);
  assert.equal(hyperfine.results[0].mean, 1.5);
  run(tare, "report", "-q", at("compare.json"), "--format", "google-benchmark", "-o", at("g.json"));
  const google = JSON.parse(readFileSync(at("g.json"), "utf8"));
  assert.equal(google.benchmarks.filter((b) => b.run_type === "iteration").length, 3);
  assert.equal(google.benchmarks.find((b) => b.aggregate_name === "median").real_time, 1.5);
  console.log("ok      times as JSON of hyperfine and Google Benchmark");
  // What hyperfine itself writes has no field that ours lack.
  const own = run("hyperfine", "-N", "--runs", "2", "--style", "none", "--export-json", at("own.json"), "true");
  if (own === null) console.log("skipped the form of hyperfine: it is not installed");
  else {
    const fields = Object.keys(JSON.parse(readFileSync(at("own.json"), "utf8")).results[0]);
    for (const result of hyperfine.results) assert.deepEqual(fields.filter((field) => !(field in result)), []);
    console.log("ok      JSON of hyperfine, in the form that hyperfine writes");
  }
  const comparer = "/usr/share/benchmark/compare.py";
  const scipy = spawnSync("/usr/bin/python3", ["-c", "import scipy"]).status === 0;
  if (!existsSync(comparer) || !scipy) console.log("skipped compare.py: libbenchmark-tools or python3-scipy is not installed");
  else {
    const compared = run("/usr/bin/python3", comparer, "--no-color", "benchmarks", at("g.json"), at("g.json"));
    assert.match(compared, /^a\b.*\+0\.0000/m);
    console.log("ok      JSON of Google Benchmark, read by its compare.py");
  }

  run(tare, "report", "-q", at("compare.json"), "-o", at("gate.xml"));
  const python = "import sys, xml.etree.ElementTree as E; s = E.parse(sys.argv[1]).getroot()[0]; print(s.get('failures'), [c.get('name') for c in s if c.find('failure') is not None])";
  const xml = run("python3", "-c", python, at("gate.xml"));
  if (xml === null) console.log("skipped JUnit: python3 is not installed");
  else {
    assert.match(xml, /^1 \['/);
    assert.ok(xml.includes("<img src=x onerror=window.hacked=1>"));
    console.log("ok      JUnit, read by Python's XML reader");
  }
  if (spawnSync("/usr/bin/python3", ["-c", "import junitparser"]).status !== 0) console.log("skipped junitparser: python3-junitparser is not installed");
  else {
    const parsed = run("/usr/bin/python3", "-c", "import sys, junitparser as j; s = list(j.JUnitXml.fromfile(sys.argv[1])); print(s[0].tests, s[0].failures, [type(r).__name__ for c in s[0] for r in c.result])", at("gate.xml"));
    assert.match(parsed, /^\d+ 1 \[.*'Failure'/);
    console.log("ok      JUnit, read by junitparser");
  }
  run(tare, "report", "-q", at("compare.json"), "--format", "github", "-o", at("gate.txt"));
  assert.match(readFileSync(at("gate.txt"), "utf8"), /^::error title=[^\n]*::[^\n]*slower by more than 2 %25[^\n]*\n$/);
  console.log("ok      GitHub annotations");
  run(tare, "report", "-q", at("all.json"), "--svg", at("plot.svg"));
  const svg = run("python3", "-c", "import sys, xml.etree.ElementTree as E; print(E.parse(sys.argv[1]).getroot().tag)", at("plot.svg"));
  if (svg !== null) assert.match(svg, /svg\}svg/);
  console.log("ok      SVG is well-formed XML");
} finally {
  rmSync(directory, { recursive: true });
}
