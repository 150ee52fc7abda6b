// page.ts: the report page: contents, theme, results, and live updates from a server.
import { h, printable, sentence } from "./dom";
import type { Result } from "./document";
import { printed } from "./memory";
import { decodePayload, gunzip, readPayload } from "./payload";
import { forgetPlots, redrawPlots } from "./plot";
import { pairView, resultView } from "./result";
import { forgetTimelines, redrawTimelines } from "./timeline";
import { verdictMark } from "./verdict";

const main = document.getElementById("report") as HTMLElement;
const contents = document.getElementById("contents") as HTMLElement;

// Names that tell the results apart: their files, or titles with a number.
export function labels(results: Result[]): string[] {
  const bases = results.map((result) => result.name.split("/").pop() || result.document.title);
  return bases.map((name, i) => bases.indexOf(name) !== bases.lastIndexOf(name) ? `${name} (${bases.slice(0, i + 1).filter((n) => n === name).length})` : name);
}

interface Entry {
  id: string;
  label: string;
  make: () => HTMLElement;
}

function entriesOf(results: Result[]): Entry[] {
  const names = labels(results);
  const entries: Entry[] = [];
  const byCommand = new Map<string, number[]>();
  results.forEach((result, i) => byCommand.set(result.document.command, [...(byCommand.get(result.document.command) ?? []), i]));
  for (const same of byCommand.values()) {
    // Each later result beside the first of its command.
    for (const other of same.slice(1)) {
      const pair: [string, string] = [names[same[0]], names[other]];
      entries.push({ id: `pair-${same[0]}-${other}`, label: `${pair[0]} and ${pair[1]}`, make: () => pairView(results[same[0]], results[other], pair, `pair-${same[0]}-${other}`) });
    }
  }
  results.forEach((result, i) => entries.push({ id: `result-${i}`, label: results.length > 1 ? `${names[i]}: ${result.document.title}` : result.document.title, make: () => resultView(result, `result-${i}`) }));
  return entries;
}

function show(results: Result[]): void {
  forgetPlots();
  forgetTimelines();
  printed.clear();
  const focused = focusPlace();
  const entries = entriesOf(results);
  main.replaceChildren(...entries.map((entry) => entry.make()));
  const links = entries.length > 1
    ? entries.map((entry) => h("li", {}, h("a", { href: `#${entry.id}` }, printable(entry.label))))
    : [...main.querySelectorAll<HTMLElement>("section.block > h3")].map((heading, i) => {
      heading.id = `block-${i}`;
      return h("li", {}, h("a", { href: `#block-${i}` }, ...sentence(heading.textContent ?? "")));
    });
  contents.replaceChildren(h("h2", {}, "Contents"), h("ol", {}, ...links));
  contents.hidden = links.length < 2;
  contents.classList.toggle("minor", entries.length < 2);
  if (results.length > 0) document.title = `${entries.length > 1 ? `${results.length} results` : results[0].document.title} - tare`;
  (document.getElementById("legend") as HTMLElement).replaceChildren(
    ...(["valid", "doubtful", "refused"] as const).map((verdict) => h("span", { class: `verdict ${verdict}` }, verdictMark(verdict), ` ${verdict}`)));
  focused?.();
}

const reacting = "button, input, select, summary, [tabindex]";

// Gives the focus back to what had it before a live update.
function focusPlace(): (() => void) | null {
  const active = document.activeElement;
  const block = active?.closest("[data-block]");
  if (!(active instanceof HTMLElement) || block === null || block === undefined || !main.contains(active)) return null;
  const article = active.closest("article")?.id ?? "";
  const name = block.getAttribute("data-block") ?? "";
  const at = [...block.querySelectorAll(reacting)].indexOf(active);
  const caret = active instanceof HTMLInputElement ? active.selectionStart : null;
  return () => {
    const again = document.getElementById(article)?.querySelector(`[data-block="${CSS.escape(name)}"]`);
    const next = again?.querySelectorAll<HTMLElement>(reacting)[at];
    next?.focus({ preventScroll: true });
    if (next instanceof HTMLInputElement && caret !== null) next.setSelectionRange(caret, caret);
  };
}

function setTheme(theme: string): void {
  document.documentElement.dataset.theme = theme;
  redrawPlots();
  redrawTimelines();
}

function prepareTheme(): void {
  const button = document.getElementById("theme") as HTMLButtonElement;
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (dark.matches ? "dark" : "light")) === "dark";
  const name = () => { button.textContent = isDark() ? "Light" : "Dark"; };
  button.addEventListener("click", () => { setTheme(isDark() ? "light" : "dark"); name(); });
  dark.addEventListener("change", () => { name(); redrawPlots(); redrawTimelines(); });
  // Paper is white.
  let before: string | undefined;
  window.addEventListener("beforeprint", () => { before = document.documentElement.dataset.theme; setTheme("light"); printed.forEach((tell) => tell(true)); });
  window.addEventListener("afterprint", () => {
    if (before === undefined) delete document.documentElement.dataset.theme; else setTheme(before);
    redrawPlots();
    printed.forEach((tell) => tell(false));
  });
  name();
}

function status(text: string): void {
  (document.getElementById("status") as HTMLElement).textContent = text;
}

// Asks the server for new data; each answer has a version, and 204 means that nothing changed.
async function follow(): Promise<void> {
  let version = "";
  let scroll = 0;
  for (;;) {
    try {
      const answer = await fetch(`data?after=${version}`, { cache: "no-store" });
      if (answer.status === 200) {
        const results = decodePayload(await gunzip(new Uint8Array(await answer.arrayBuffer())));
        version = answer.headers.get("X-Tare-Version") ?? "";
        scroll = window.scrollY;
        show(results);
        window.scrollTo(0, scroll);
        main.dataset.version = version;
        status(answer.headers.get("X-Tare-Waiting") ?? "");
      } else if (answer.status !== 204) {
        status(`The server answered ${answer.status}.`);
      }
    } catch {
      status("The server has ended; this is the last state.");
    }
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
}

async function start(): Promise<void> {
  prepareTheme();
  const data = document.getElementById("data");
  if (data === null || data.dataset.live !== undefined) return follow();
  try {
    show(await readPayload(data.textContent ?? ""));
    main.dataset.ready = String(Math.round(performance.now()));
  } catch (error) {
    console.error(error);
    main.replaceChildren(h("p", { class: "failure" }, `The report cannot be shown: ${error instanceof Error ? error.message : String(error)}`));
  }
}

void start();
