// dom.ts: makes elements. Text from outside becomes text nodes only, never markup.

type Child = Node | string | null | undefined;
type Attributes = Record<string, string | number | boolean | null | ((event: never) => void)>;

function fill(element: Element, attributes: Attributes, children: Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    if (child !== null && child !== undefined) element.append(child);
  }
}

export function h<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  name: K, attributes: Attributes = {}, ...children: Child[]): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  fill(element, attributes, children);
  return element;
}

// Control characters would be invisible or reorder the text around them. The same characters as in
// printable.cc, except line ends.
const acting = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

export function printable(text: string): string {
  return text.replace(acting, (c) => (c === "\t" ? " " : `\\u{${c.codePointAt(0)?.toString(16)}}`));
}

// A name that may be broken after each of its parts, not within them.
export function name(text: string): Node[] {
  return printable(text).split(/(?<=[_:./,-])(?=\w)/).flatMap((part, i) => i === 0 ? [document.createTextNode(part)] : [h("wbr"), document.createTextNode(part)]);
}

// A sentence, in which options such as --budget are not broken.
export function sentence(text: string): Node[] {
  return printable(text).split(/(?<![\w-])(--?[a-z][\w-]{0,24}(?![\w-]))/).map((part, i) => i % 2 === 1 ? h("span", { class: "option" }, part) : document.createTextNode(part));
}

let ids = 0;
export function freshId(prefix: string): string {
  ids += 1;
  return `${prefix}-${ids}`;
}

// A row of buttons of which one is pressed.
export function choice(label: string, names: string[], pick: (index: number) => void, pressed = 0): HTMLElement {
  const buttons = names.map((name, index) =>
    h("button", { type: "button", "aria-pressed": index === pressed ? "true" : "false", click: () => {
      buttons.forEach((b, i) => b.setAttribute("aria-pressed", i === index ? "true" : "false"));
      pick(index);
    } }, name));
  return h("div", { class: "choice", role: "group", "aria-label": label }, ...buttons);
}
