// tooltip.ts: one tooltip for the page, shown on hover and on keyboard focus.
import { h } from "./dom";

let box: HTMLElement | null = null;

function element(): HTMLElement {
  if (box === null) {
    box = h("div", { class: "tip", id: "tip", role: "tooltip", hidden: true });
    document.body.append(box);
  }
  return box;
}

export function showTip(content: Node, x: number, y: number): void {
  const tip = element();
  tip.replaceChildren(content);
  tip.hidden = false;
  const { width, height } = tip.getBoundingClientRect();
  const left = Math.min(x + 12, window.innerWidth - width - 8);
  const top = y + 16 + height > window.innerHeight ? y - height - 10 : y + 16;
  tip.style.left = `${Math.max(4, left)}px`;
  tip.style.top = `${Math.max(4, top)}px`;
}

export function hideTip(): void {
  if (box !== null) box.hidden = true;
}

export function withTip<T extends HTMLElement | SVGElement>(target: T, content: () => Node): T {
  target.addEventListener("mousemove", (event) => showTip(content(), (event as MouseEvent).clientX, (event as MouseEvent).clientY));
  target.addEventListener("mouseleave", hideTip);
  target.addEventListener("focus", () => {
    const place = target.getBoundingClientRect();
    showTip(content(), place.left, place.bottom - 12);
    target.setAttribute("aria-describedby", "tip");
  });
  target.addEventListener("blur", () => {
    hideTip();
    target.removeAttribute("aria-describedby");
  });
  return target;
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") hideTip();
});
