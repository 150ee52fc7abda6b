// bars.ts: stacked bars on one scale, absolute or as shares.
import { choice, h, name, printable } from "./dom";
import type { Bars, Measured, Table } from "./document";
import { readableUnit, rounded } from "./numbers";
import { fillColour } from "./palette";
import { memory, remembered } from "./memory";
import { tableView } from "./table";
import { withTip } from "./tooltip";
import { explain } from "./verdict";

function length(value: Measured): number {
  const number = Number(value.value ?? 0);
  return Number.isFinite(number) && number > 0 ? number : 0;
}

function numbersOf(bars: Bars): Table {
  return {
    kind: "table", id: `${bars.id}/numbers`, title: `${bars.title}: numbers`, source: bars.source,
    columns: [{ name: "part", unit: "" }, ...bars.bars.map((bar) => ({ name: bar.name, unit: bars.unit }))],
    rows: bars.segments.map((segment, i) => [segment, ...bars.bars.map((bar) => bar.values[i])]),
  };
}

// The longest of the texts that fits into its piece.
function label(piece: HTMLElement, texts: string[]): void {
  const span = piece.firstElementChild as HTMLElement | null;
  if (span === null || piece.clientWidth === 0) return;
  for (const text of [...texts, ""]) {
    span.textContent = text;
    if (span.offsetWidth <= piece.clientWidth - 4) return;
  }
}

export function barsView(bars: Bars, scope = ""): HTMLElement {
  const totals = bars.bars.map((bar) => bar.values.reduce((sum, value) => sum + length(value), 0));
  const largest = Math.max(...totals, 0);
  const area = h("div", { class: "bars" });
  const state = memory(`${scope}/${bars.id}`, { shares: false });
  let labels: (() => void)[] = [];
  const draw = (shares: boolean) => {
    state.shares = shares;
    labels = [];
    area.replaceChildren(...bars.bars.map((bar, b) => {
      const whole = shares ? totals[b] : largest;
      const parts = bar.values.map((value, s) => {
        const part = length(value);
        const share = whole > 0 ? part / whole : 0;
        const [background, ink] = fillColour(s);
        const ofBar = totals[b] > 0 ? part / totals[b] : 0;
        const piece = h("div", { class: `piece ${value.verdict}`, tabindex: part > 0 ? "0" : null, role: "img",
          "aria-label": `${printable(bars.segments[s])}: ${rounded(ofBar * 100, 3)} %` },
          h("span", {}));
        const percent = `${rounded(ofBar * 100, 2)} %`;
        labels.push(() => label(piece, [`${printable(bars.segments[s])} ${percent}`, percent]));
        piece.style.width = `${share * 100}%`;
        piece.style.backgroundColor = background;
        piece.style.color = ink;
        return withTip(piece, () => {
          const content = explain(value, bars.unit, `${bar.name}: ${bars.segments[s]}`, bars.source);
          content.append(h("div", {}, `${rounded(ofBar * 100, 4)} % of the bar`));
          return content;
        });
      });
      const scale = readableUnit(totals[b], bars.unit);
      return h("div", { class: "bar" }, h("div", { class: "bar-name" }, ...name(bar.name)),
        h("div", { class: "bar-parts" }, ...parts),
        h("div", { class: "bar-total" }, `${rounded(totals[b] * scale.factor, 4)} ${scale.unit}`));
    }));
    labels.forEach((write) => write());
  };
  draw(state.shares);
  new ResizeObserver(() => labels.forEach((write) => write())).observe(area);
  const legend = h("ul", { class: "legend" }, ...bars.segments.map((segment, s) => {
    const swatch = h("span", { class: "swatch" });
    swatch.style.backgroundColor = fillColour(s)[0];
    return h("li", {}, swatch, printable(segment));
  }));
  const tools = h("div", { class: "tools" });
  if (bars.bars.length > 1) tools.append(choice("Scale", ["Amounts", "Shares"], (index) => draw(index === 1), state.shares ? 1 : 0));
  return h("div", { class: "bars-view" }, tools.childElementCount > 0 ? tools : null, area, legend,
    remembered(`${scope}/${bars.id}`, h("details", { class: "data" }, h("summary", {}, "Numbers"), tableView(numbersOf(bars), scope))));
}
