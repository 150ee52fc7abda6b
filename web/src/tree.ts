// tree.ts: trees as icicle or flame graph, and as a table whose rows open.
import { choice, h, printable } from "./dom";
import { isMeasured, numberOf, type Tree, type TreeNode } from "./document";
import { remembered, resultWords } from "./memory";
import { columnUnit, withUnit } from "./numbers";
import { fillColour, hashOf } from "./palette";
import { numberNode } from "./table";
import { hideTip, withTip } from "./tooltip";
import { explain } from "./verdict";

const rowHeight = 20;
const maxBoxes = 4000;
const minShare = 0.0007;

// The column whose numbers are the widths: the first with a number that parents share out.
function widthColumn(tree: Tree): number {
  for (let c = 0; c < tree.columns.length; ++c) {
    if (tree.roots.some((root) => (numberOf(root.cells[c]) ?? 0) > 0)) return c;
  }
  return -1;
}

interface Sized {
  node: TreeNode;
  value: number;
  children: Sized[];
  depth: number;
}

function size(node: TreeNode, column: number): Sized {
  const children = node.children.map((child) => size(child, column));
  const sum = children.reduce((total, child) => total + child.value, 0);
  const own = Math.max(0, numberOf(node.cells[column]) ?? 0);
  return { node, value: Math.max(own, sum), children, depth: 1 + Math.max(0, ...children.map((c) => c.depth)) };
}

function graph(tree: Tree, column: number): HTMLElement {
  const unit = tree.columns[column].unit;
  const roots = tree.roots.map((root) => size(root, column));
  const whole: Sized = { node: { label: "all", cells: [], children: [] }, value: roots.reduce((t, r) => t + r.value, 0), children: roots, depth: 1 + Math.max(0, ...roots.map((r) => r.depth)) };
  const area = h("div", { class: "icicle", role: "group", "aria-label": `Graph of ${printable(tree.title)}; the table has the same numbers` });
  const path = h("div", { class: "icicle-path", role: "status" });
  let flame = false;
  let top: Sized[] = [whole]; // from the root to the box that fills the width

  const draw = () => {
    hideTip();
    const focus = top[top.length - 1];
    const boxes: HTMLElement[] = [];
    let deepest = 0;
    const place = (sized: Sized, trail: Sized[], left: number, width: number, depth: number) => {
      if (width < minShare || boxes.length >= maxBoxes) return;
      deepest = Math.max(deepest, depth);
      const [background, ink] = fillColour(hashOf(sized.node.label));
      const share = whole.value > 0 ? (sized.value / whole.value) * 100 : 0;
      const name = sized === whole ? "all" : printable(sized.node.label);
      const box = h("button", { type: "button", class: "box", tabindex: width > 0.02 ? "0" : "-1", "aria-label": `${name}, ${share.toFixed(1)} %`,
        click: () => { top = [...trail, sized]; draw(); } }, width > 0.015 ? name : "");
      box.style.left = `${left * 100}%`;
      box.style.width = `${width * 100}%`;
      box.dataset.depth = String(depth);
      box.style.backgroundColor = sized === whole ? "var(--soft)" : background;
      box.style.color = sized === whole ? "var(--ink)" : ink;
      withTip(box, () => {
        const cell = sized.node.cells[column];
        const tip = isMeasured(cell) ? explain(cell, unit, sized.node.label, tree.source) : h("div", {}, h("div", { class: "tip-title" }, name), withUnit(sized.value, unit));
        tip.append(h("div", {}, `${share.toFixed(2)} % of all`));
        return tip;
      });
      boxes.push(box);
      const within = Math.max(sized.value, 1e-300);
      let at = left;
      for (const child of sized.children) {
        const part = (child.value / within) * width;
        place(child, [...trail, sized], at, part, depth + 1);
        at += part;
      }
    };
    // The callers of the focus keep the whole width, so that one can go back.
    top.slice(0, -1).forEach((caller, depth) => {
      const box = h("button", { type: "button", class: "box caller", click: () => { top = top.slice(0, depth + 1); draw(); } }, depth === 0 ? "all" : printable(caller.node.label));
      box.style.left = "0";
      box.style.width = "100%";
      box.dataset.depth = String(depth);
      boxes.push(box);
    });
    place(focus, top.slice(0, -1), 0, 1, top.length - 1);
    for (const box of boxes) {
      const depth = Number(box.dataset.depth);
      box.style.top = `${(flame ? deepest - depth : depth) * rowHeight}px`;
    }
    area.style.height = `${(deepest + 1) * rowHeight}px`;
    area.replaceChildren(...boxes);
    path.textContent = focus === whole ? "" : `${printable(focus.node.label)}: ${withUnit(focus.value, unit)}, ${((focus.value / whole.value) * 100).toFixed(2)} % of all`;
  };
  draw();
  return h("div", {}, h("div", { class: "tools" }, choice("Root", ["Root on top", "Root below"], (index) => { flame = index === 1; draw(); })), area, path);
}

function rows(tree: Tree, scope: string): HTMLElement {
  const numbers = tree.columns.map((column, c) => {
    const values: number[] = [];
    const collect = (node: TreeNode) => {
      const value = numberOf(node.cells[c]);
      if (value !== null) values.push(value);
      node.children.forEach(collect);
    };
    tree.roots.forEach(collect);
    return { scale: columnUnit(values, column.unit), unit: column.unit };
  });
  const body = h("tbody");
  const make = (node: TreeNode, level: number): HTMLTableRowElement => {
    let made: HTMLTableRowElement[] | null = null;
    const name = h("td");
    name.style.paddingLeft = `${0.5 + level * 1.1}rem`;
    const row = h("tr", { "data-level": level }, name, ...node.cells.map((cell, c) => typeof cell === "string" ? h("td", {}, printable(cell)) : h("td", { class: "numeric" }, cell === null ? null : numberNode(cell, numbers[c], node.label, tree.columns[c].source ?? tree.source))));
    if (node.children.length === 0) {
      name.append(h("span", { class: "leaf" }), printable(node.label));
      return row;
    }
    const hide = (target: HTMLTableRowElement) => {
      let next = target.nextElementSibling as HTMLTableRowElement | null;
      while (next !== null && Number(next.dataset.level) > Number(target.dataset.level)) {
        const after = next.nextElementSibling as HTMLTableRowElement | null;
        next.remove();
        next = after;
      }
    };
    const toggle = h("button", { type: "button", class: "twig", "aria-expanded": "false", click: () => {
      const open = toggle.getAttribute("aria-expanded") === "true";
      toggle.setAttribute("aria-expanded", open ? "false" : "true");
      if (open) return hide(row);
      made = node.children.map((child) => make(child, level + 1));
      row.after(...made);
    } }, printable(node.label));
    name.append(toggle);
    return row;
  };
  body.append(...tree.roots.map((root) => make(root, 0)));
  // Opens the heaviest path of a few levels.
  let opened = 0;
  for (let row = body.firstElementChild; row !== null && opened < 6; row = row.nextElementSibling, ++opened) {
    row.querySelector<HTMLButtonElement>(".twig")?.click();
  }
  const heads = ["", ...tree.columns.map((column, c) => {
    const unit = numbers[c].scale?.unit ?? "";
    return printable(column.name.replace(/_/g, " ")) + (unit === "" ? "" : ` (${unit})`);
  })].map((name, c) => h("th", { scope: "col", class: c === 0 ? null : "numeric" }, name === "" ? "name" : name));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": printable((tree.title || "Tree") + resultWords(scope)) },
    h("table", { class: "tree" }, h("thead", {}, h("tr", {}, ...heads)), body));
}

export function treeView(tree: Tree, scope = ""): HTMLElement {
  const column = widthColumn(tree);
  const table = rows(tree, scope);
  if (column < 0) return h("div", { class: "tree-view" }, table);
  const drawn = graph(tree, column);
  return h("div", { class: "tree-view" }, drawn, remembered(`${scope}/${tree.id}`, h("details", { class: "data" }, h("summary", {}, "Table"), table), true));
}
