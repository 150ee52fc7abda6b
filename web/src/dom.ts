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

// Control characters would be invisible or reorder the text around them.
export function printable(text: string): string {
  return text.replace(
    /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (c) => (c === "\t" ? " " : `\\u{${c.charCodeAt(0).toString(16)}}`));
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
