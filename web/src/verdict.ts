// verdict.ts: how far a number can be trusted, by shape and by colour.
import { h, printable, svg } from "./dom";
import type { Measured, Trust, Verdict } from "./document";
import { figure, magnitude, readableUnit } from "./numbers";

const shapes: Record<Verdict, string> = {
  valid: "M6 1.2a4.8 4.8 0 1 1 0 9.6a4.8 4.8 0 1 1 0-9.6z",
  doubtful: "M6 .8L11.6 11H.4z",
  refused: "M2.6 .9L6 4.3L9.4 .9L11.1 2.6L7.7 6L11.1 9.4L9.4 11.1L6 7.7L2.6 11.1L.9 9.4L4.3 6L.9 2.6z",
};

export function verdictMark(verdict: Verdict): SVGElement {
  return svg("svg", { class: `mark ${verdict}`, viewBox: "0 0 12 12", role: "img", "aria-label": verdict },
    svg("path", { d: shapes[verdict] }));
}

// What is worth knowing, but is no verdict on a number.
export function noteMark(): SVGElement {
  return svg("svg", { class: "mark note", viewBox: "0 0 12 12", role: "img", "aria-label": "note" },
    svg("path", { "fill-rule": "evenodd", d: "M1 0h10v12H1zM5.1 2v1.8h1.8V2zM5.1 5v5h1.8V5z" }));
}

export function trustMark(trust: Trust): SVGElement | null {
  return trust === "unstated" ? null : verdictMark(trust);
}

export function isVerdict(text: unknown): text is Verdict {
  return text === "valid" || text === "doubtful" || text === "refused";
}

// Everything that is known about a number, for the tooltip.
// `source` is that of the number's row, column or block.
export function explain(measured: Measured, unit: string, where = "", source = ""): HTMLElement {
  const own = measured.unit ?? unit;
  const scale = readableUnit(magnitude(measured), own);
  const shown = figure(measured, scale.factor);
  const rows: [string, Node | string][] = [];
  const value = measured.value === null ? "not available" : `${shown.value} ${scale.unit}`.trim();
  rows.push(["value", value]);
  if (shown.interval !== "") {
    const level = measured.confidence === undefined ? "" : ` (${+(measured.confidence * 100).toFixed(2)} % confidence)`;
    rows.push(["interval", `${shown.interval} ${scale.unit}`.trim() + level]);
  } else {
    rows.push(["interval", measured.exact ? "exact" : "none stated"]);
  }
  const from = measured.source || source;
  if (from !== "") rows.push(["source", printable(from)]);
  if (measured.verdict === "unstated") rows.push(["verdict", "not stated for single points"]);
  else rows.push(["verdict", h("span", {}, verdictMark(measured.verdict), ` ${measured.verdict}`)]);
  if (measured.reason) rows.push(["reason", printable(measured.reason)]);
  return h("div", {},
    where === "" ? null : h("div", { class: "tip-title" }, printable(where)),
    h("dl", {}, ...rows.flatMap(([name, text]) => [h("dt", {}, name), h("dd", {}, text)])));
}
