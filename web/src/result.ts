// result.ts: one result: its finding, caveats with advice, blocks and provenance.
import { barsView } from "./bars";
import { joinResults, joinSentence, same, texts } from "./compare";
import { freshId, h, printable, sentence } from "./dom";
import { dotsView } from "./dots";
import { findings, type Block, type Caveat, type Result, type Series, type Text } from "./document";
import { seriesView } from "./plot";
import { tableView } from "./table";
import { timelineView } from "./timeline";
import { treeView } from "./tree";
import { printed, remembered } from "./memory";
import { noteMark, verdictMark } from "./verdict";

function paragraphs(text: string): HTMLElement[] {
  return text.split(/\n\s*\n/).filter((part) => part.trim() !== "").map((part) => h("p", {}, ...part.trim().split("\n").flatMap((line, i) => i === 0 ? sentence(line) : [h("br"), ...sentence(line)])));
}

// Of a long finding the first paragraphs; the rest can be opened.
function folded(all: HTMLElement[], scope: string): HTMLElement[] {
  const most = 4;
  if (all.length <= most + 1) return all;
  return [...all.slice(0, most), remembered(`${scope}/finding`, h("details", { class: "data" },
    h("summary", {}, `${all.length - most} more paragraphs`), ...all.slice(most)))];
}

// Details of several things, such as machines, each on a line of its own unless all are short. Long
// ones can be opened.
function caveatView(same: Caveat[]): HTMLElement {
  const [{ verdict, message, hint }] = same as [Caveat];
  const details = same.map((caveat) => caveat.detail).filter((detail) => detail !== "");
  const joined = details.join("; ");
  const beside = joined.length > 0 && joined.length <= 160;
  const lines = beside ? [] : details.map((detail) => h("div", {}, printable(detail)));
  return h("li", { class: `caveat ${verdict}` }, verdict === "valid" ? noteMark() : verdictMark(verdict),
    h("div", {}, h("strong", {}, ...sentence(beside ? `${message}: ${joined}` : message)),
      ...(joined.length > 400 ? [h("details", {}, h("summary", {}, "details"), ...lines)] : lines),
      hint === "" ? null : h("div", { class: "hint" }, ...sentence(hint))));
}

// A caveat that differs from another one in its details only is stated with it.
function caveatViews(caveats: Caveat[]): HTMLElement[] {
  const groups = new Map<string, Caveat[]>();
  for (const caveat of caveats) {
    const key = JSON.stringify([caveat.id, caveat.verdict, caveat.message, caveat.hint]);
    groups.set(key, [...(groups.get(key) ?? []), caveat]);
  }
  return [...groups.values()].map(caveatView);
}

function view(block: Block, scope: string, small: boolean): HTMLElement {
  switch (block.kind) {
    case "table": return tableView(block, scope);
    case "series": return seriesView(block, scope, small);
    case "tree": return treeView(block, scope);
    case "timeline": return timelineView(block, scope);
    case "bars": return block.dots ? dotsView(block, scope) : barsView(block, scope);
    case "text": return h("div", { class: "prose" }, ...paragraphs(block.text));
    default: return h("p", {}, `This page has no view for blocks of kind ${printable((block as { kind: string }).kind)}.`);
  }
}

function isEmpty(block: Block): boolean {
  switch (block.kind) {
    case "table": return block.rows.length === 0;
    case "series": return block.lines.every((line) => line.x.length === 0);
    case "tree": return block.roots.length === 0;
    case "timeline": return block.lanes.length === 0;
    case "bars": return block.bars.length === 0;
    default: return block.text.trim() === "";
  }
}

// A view that fails must not take the others with it.
export function blockView(block: Block, scope: string, small = false): HTMLElement {
  const title = "title" in block ? block.title : "";
  let content: HTMLElement;
  try {
    content = view(block, scope, small);
  } catch (error) {
    console.error(error);
    content = h("p", {}, "This block cannot be shown.");
  }
  return h("section", { class: `block ${block.kind}`, "data-block": block.id }, title === "" ? null : h("h3", {}, ...sentence(title)), content);
}

function provenanceView(result: Result, scope: string): HTMLElement {
  const { provenance, tare } = result.document;
  const rows: [string, string][] = [
    ["command", provenance.command_line.map((word) => (/[^\w@%+=:,./-]/.test(word) || word === "" ? `'${word.replace(/'/g, "'\\''")}'` : word)).join(" ")],
    ["machine", provenance.machine], ["kernel", provenance.kernel], ["time", provenance.time], ["tare", tare],
  ];
  if (provenance.seed !== null) rows.push(["seed", String(provenance.seed)]);
  for (const [name, value] of Object.entries(provenance.settings)) rows.push([name, value]);
  if (result.name !== "") rows.push(["file", result.name]);
  const view = remembered(`${scope}/provenance`, h("details", { class: "provenance" }, h("summary", {}, "How this was measured"),
    h("dl", {}, ...rows.filter(([, value]) => value !== "").flatMap(([name, value]) => [h("dt", {}, printable(name)), h("dd", {}, printable(value))]))));
  let wasOpen = false;
  printed.add((onPaper) => {
    if (onPaper) wasOpen = view.open;
    view.open = onPaper || wasOpen;
  });
  return view;
}

function isSmall(block: Block): block is Series {
  return block.kind === "series" && block.lines.length === 1;
}

// How much of its course a line changes: the share of its steps that are not zero.
export function activity(series: Series): number {
  const { y } = series.lines[0];
  let steps = 0;
  for (let i = 1; i < y.length; ++i) if (y[i] !== y[i - 1]) ++steps;
  return y.length < 2 ? 1 : steps / (y.length - 1);
}

// Lines that hardly ever change are folded, and those that change most come first.
const quiet = 0.01;

function multiples(blocks: Series[], scope: string): HTMLElement[] {
  const sorted = blocks.map((block) => ({ block, share: activity(block) })).sort((a, b) => b.share - a.share);
  const grid = (some: typeof sorted) => h("div", { class: "multiples" }, ...some.map(({ block }) => blockView(block, scope, true)));
  const lively = sorted.filter(({ share }) => share > quiet);
  const still = sorted.filter(({ share }) => share <= quiet);
  if (lively.length === 0 || still.length === 0) return [grid(sorted)];
  return [grid(lively), remembered(`${scope}/still`, h("details", { class: "data still" },
    h("summary", {}, `${still.length} ${still.length === 1 ? "plot" : "plots"} of values that hardly change`), grid(still)))];
}

// Several plots of one line each are shown small, beside each other.
function views(blocks: Block[], scope: string): HTMLElement[] {
  const out: HTMLElement[] = [];
  for (let i = 0; i < blocks.length;) {
    let end = i;
    while (end < blocks.length && isSmall(blocks[end])) ++end;
    if (end - i >= 3) {
      out.push(...multiples(blocks.slice(i, end).filter(isSmall), scope));
      i = end;
    } else {
      out.push(blockView(blocks[i], scope));
      ++i;
    }
  }
  return out;
}

export function resultView(result: Result, id: string): HTMLElement {
  const { document: shown } = result;
  const blocks = shown.blocks.filter((block) => !isEmpty(block));
  const lead = findings(blocks);
  const rest = blocks.filter((block) => !lead.includes(block as Text));
  // What needs attention comes before what is as it should be; a call tree, or a plot of what the first
  // table has, says more than the second table.
  const urgent = rest.findIndex((block) => block.kind === "table" && block.id === "problems");
  if (urgent > 0) rest.unshift(...rest.splice(urgent, 1));
  const early = (block: Block) => block.kind === "tree" || (block.kind === "bars" && block.dots === true);
  const first = rest.findIndex((block) => block.kind === "table");
  const late = (blocks: Block[]) => blocks.filter((block) => !early(block));
  const ordered = first < 0 ? rest : [...late(rest.slice(0, first + 1)), ...rest.filter(early), ...late(rest.slice(first + 1))];
  const heading = freshId("title");
  return h("article", { id, "aria-labelledby": heading },
    h("header", {}, h("div", { class: "command" }, `tare ${printable(shown.command)}`), h("h2", { id: heading, tabindex: "-1" }, printable(shown.title))),
    lead.length > 0 ? h("div", { class: "finding" }, ...folded(lead.flatMap((text) => paragraphs(text.text)), id)) : null,
    shown.caveats.length > 0 ? h("ul", { class: "caveats", "aria-label": "Caveats" }, ...caveatViews(shown.caveats)) : null,
    result.note === "" ? null : h("p", { class: "note" }, printable(result.note)),
    ...views(ordered, id),
    provenanceView(result, id));
}

// Two results of the same command, with the numbers of both beside each other.
export function pairView(a: Result, b: Result, names: [string, string], id: string): HTMLElement {
  const blocks = joinResults(a, b, names);
  const heading = freshId("title");
  const alike = same(a, b);
  return h("article", { id, class: "pair", "aria-labelledby": heading },
    h("header", {}, h("div", { class: "command" }, `tare ${printable(a.document.command)}`),
      h("h2", { id: heading }, `${printable(names[0])} and ${printable(names[1])} side by side`)),
    h("div", { class: "finding" }, h("p", {}, alike ? "The two results are identical." : printable(joinSentence(blocks)))),
    h("div", { class: "sides" }, texts(a, names[0]), texts(b, names[1])),
    ...(alike ? [] : blocks.map((block) => blockView(block, id))),
    blocks.length === 0 ? h("p", {}, "The two results have no table or plot in common.") : null);
}
