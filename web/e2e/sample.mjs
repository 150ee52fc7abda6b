// sample.mjs: a result with every kind of block and hostile names.
export const hostile = "</script><img src=x onerror=window.hacked=1>\u0007\u202e";

const measured = (value, more = {}) => ({ value, low: null, high: null, exact: false, verdict: "valid", reason: null, ...more });

export function sample(points = 200) {
  const x = Array.from({ length: points }, (_, i) => i / 10);
  const y = x.map((v) => 2 + Math.sin(v));
  const node = (label, value, children = []) => ({ label, cells: [measured(value)], children });
  return {
    tare: "0.1.0", format: 4, command: "check", title: `Check of ${hostile}`,
    blocks: [
      { kind: "text", id: "answer", text: `The answer about ${hostile} comes first.` },
      { kind: "table", id: "values", title: "Values", columns: [{ name: "name", unit: "" }, { name: "time", unit: "s" }, { name: "count", unit: "" }],
        rows: [
          [hostile, measured(0.5, { low: 0.4, high: 0.6, confidence: 0.95, source: "clock" }), measured(9007199254740992, { exact: true })],
          ["doubtful one", measured(0.2, { low: 0.1, high: 0.9, verdict: "doubtful", reason: "few runs" }), measured(3, { exact: true })],
          ["refused one", measured(null, { verdict: "refused", reason: "no counter" }), measured(2, { exact: true })],
          ...Array.from({ length: 30 }, (_, i) => [`row ${i}`, measured(1 + i), measured(100 - i, { exact: true })]),
        ] },
      { kind: "table", id: "metrics", title: "Metrics", columns: [{ name: "program", unit: "" }, { name: "metric", unit: "" }, { name: "count", unit: "" }, { name: "by_counter", unit: "" }],
        rows: [
          ["only", "loads", measured(3, { exact: true }), measured(null, { verdict: "refused", reason: "no counter" })],
          ["only", "faults", measured(0, { exact: true }), null],
          ["only", "cycles", measured(null, { verdict: "refused", reason: "no counter" }), null],
        ] },
      { kind: "table", id: "wide", title: "More columns than fit", columns: [{ name: "engine", unit: "" }, { name: "event", unit: "" }, ...Array.from({ length: 24 }, (_, c) => ({ name: `count_${c}`, unit: "" }))],
        rows: ["loads", "stores"].map((event, r) => ["only", event, ...Array.from({ length: 24 }, (_, c) => measured(c % 3 === 0 ? 1000000 + r + c : 0, { exact: true, source: "an engine" }))]).concat([["other", "loads", ...Array.from({ length: 24 }, () => measured(0, { exact: true }))]]) },
      { kind: "series", id: "course", title: "Course", axis: { name: "time", unit: "s" }, log_axis: false,
        lines: [{ name: hostile, unit: "B", x, y, low: y.map((v) => v - 0.2), high: y.map((v) => v + 0.2) }, { name: "other", unit: "B", x, y: y.map((v) => v / 2), low: [], high: [] }],
        marks: [{ x: 5, label: "L1" }] },
      { kind: "series", id: "second", title: "Same axis", axis: { name: "time", unit: "s" }, log_axis: false, lines: [{ name: "b", unit: "", x: x.slice(3), y: y.slice(3), low: [], high: [] }] },
      { kind: "series", id: "curves", title: "Logarithmic", source: "a bench", axis: { name: "size", unit: "B" }, log_axis: true, log_values: true,
        lines: [1, 2, 3, 4].map((k) => {
          const rates = [8e9 / k, 4e9 / k, 1e9 / k, 1e8 / k];
          return { name: `line ${k}`, unit: "B/s", x: [1024, 4096, 65536, 1048576], y: rates, low: rates.map((y) => 0.9 * y), high: rates.map((y) => 1.1 * y) };
        }) },
      { kind: "table", id: "mixed", title: "Units of their own", source: "several clocks", columns: [{ name: "what", unit: "" }, { name: "value", unit: "" }],
        rows: [["time", measured(0.076, { unit: "s", low: 0.07, high: 0.08 })], ["share", measured(1.5, { unit: "%", low: 1, high: 2 })], ["count", measured(242577289, { exact: true })]] },
      { kind: "table", id: "long", title: "Many rows", columns: [{ name: "n", unit: "" }, { name: "time", unit: "s" }], rows: Array.from({ length: 250 }, (_, i) => [`n ${i}`, measured(i)]) },
      { kind: "series", id: "points", title: "Points on a curve", axis: { name: "size", unit: "B" }, log_axis: true, log_values: true,
        lines: [{ name: "curve", unit: "/s", x: [1024, 1048576], y: [1e9, 1e8], low: [], high: [] },
          { name: "blocks", unit: "/s", x: [4096, 4096, 65536], y: [9e8, 5e8, 3e8], low: [], high: [], points: true, verdict: "doubtful", reason: "projected" }] },
      { kind: "bars", id: "mix", title: "Mix", unit: "", segments: ["move", hostile, "branch"], bars: [{ name: "one", values: [measured(50), measured(30), measured(20)] }, { name: "two", values: [measured(10), measured(10), measured(5)] }] },
      { kind: "tree", id: "calls", title: "Calls", columns: [{ name: "samples", unit: "" }], roots: [node("main", 100, [node(hostile, 70, [node("leaf", 30)]), node("print", 20)])] },
      { kind: "timeline", id: "ranks", title: "Ranks", unit: "s", lanes: [{ name: "rank 0", spans: [{ start: 0, end: 1, label: "work" }, { start: 1, end: 1.5, label: hostile }] }, { name: hostile, spans: [{ start: 0.2, end: 1.4, label: "work" }] }] },
    ],
    caveats: [{ id: "few-runs", verdict: "doubtful", message: `few runs of ${hostile}`, detail: "3", hint: "use --runs 20" }],
    provenance: { machine: "a machine", kernel: "Linux", command_line: ["tare", "check", "--", hostile], settings: { runs: "3" }, seed: 1, time: "2026-01-01T00:00:00Z" },
  };
}

// JSON whose whole numbers beyond 2^53 are not those of a double.
export function toJson(document) {
  return JSON.stringify(document).replaceAll("9007199254740992", "9007199254740993");
}
