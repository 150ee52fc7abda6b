// palette.ts: colours that people with colour blindness can tell apart (Okabe and Ito), and scales.

const light = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#56b4e9", "#6b4fbb", "#7f7f7f"];
const dark = ["#56b4e9", "#ff8c42", "#2fd3a2", "#f0a6cc", "#e6c229", "#8fd0ff", "#b5a0ff", "#b0b0b0"];

export function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  if (chosen === "dark" || chosen === "light") return chosen === "dark";
  return window.matchMedia("(prefers-color-scheme: dark)").matches;
}

export function lineColour(index: number): string {
  const colours = isDark() ? dark : light;
  return colours[index % colours.length];
}

// Lines that share a colour differ in their dashes.
export function dashes(index: number): number[] {
  return [[], [8, 4], [2, 3], [10, 3, 2, 3]][Math.floor(index / light.length) % 4];
}

// For filled areas with text in them: the same in both themes, with a contrast of at least 4.5.
const fills: [string, string][] = [
  ["#0072b2", "#ffffff"], ["#e69f00", "#000000"], ["#007a59", "#ffffff"], ["#cc79a7", "#000000"],
  ["#56b4e9", "#000000"], ["#b34700", "#ffffff"], ["#f0e442", "#000000"], ["#6e6e6e", "#ffffff"],
  ["#5a3fa8", "#ffffff"], ["#a6cee3", "#000000"],
];

export function fillColour(index: number): [string, string] {
  return fills[((index % fills.length) + fills.length) % fills.length];
}

export function hashOf(text: string): number {
  let hash = 5381;
  for (let i = 0; i < text.length; ++i) hash = (hash * 33 + text.charCodeAt(i)) & 0x7fffffff;
  return hash;
}

type Rgb = [number, number, number];
// Cividis, for values without a middle; blue to white to orange for values around one.
const sequential: Rgb[] = [[0, 34, 78], [53, 69, 108], [102, 105, 112], [148, 142, 119], [200, 184, 102], [254, 232, 56]];
const diverging: Rgb[] = [[33, 102, 172], [146, 197, 222], [247, 247, 247], [253, 184, 99], [179, 88, 6]];

function mix(scale: Rgb[], share: number): Rgb {
  const place = Math.min(Math.max(share, 0), 1) * (scale.length - 1);
  const index = Math.min(Math.floor(place), scale.length - 2);
  const rest = place - index;
  return [0, 1, 2].map((i) => Math.round(scale[index][i] * (1 - rest) + scale[index + 1][i] * rest)) as Rgb;
}

// Background and text colour of a value.
export function heatColour(value: number, low: number, high: number, log = false): [string, string] {
  const around = low < 0 && high > 0;
  const bound = Math.max(-low, high);
  const place = log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  const share = around ? (value + bound) / (2 * bound) : high > low ? place : 0.5;
  const [r, g, b] = mix(around ? diverging : sequential, share);
  const bright = 0.299 * r + 0.587 * g + 0.114 * b;
  return [`rgb(${r},${g},${b})`, bright > 125 ? "#000" : "#fff"];
}
