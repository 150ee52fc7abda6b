// memory.ts: what the reader chose in each view, so that a live update does not undo it.

const kept = new Map<string, object>();

// The state of the view with that key, which the view changes in place.
export function memory<T extends object>(key: string, initial: T): T {
  const known = kept.get(key);
  if (known !== undefined) return known as T;
  kept.set(key, initial);
  return initial;
}

// A part that the reader may open; it stays open.
export function remembered(key: string, details: HTMLDetailsElement, initially = false): HTMLDetailsElement {
  const state = memory(`${key}/open`, { open: initially });
  details.open = state.open;
  details.addEventListener("toggle", () => { state.open = details.open; });
  return details;
}

// Views that change for paper; all are told before and after printing.
export const printed = new Set<(onPaper: boolean) => void>();

// Distinguishes views of the same title in several results, for screen readers.
export function resultWords(scope: string): string {
  const numbers = (scope.split("/")[0].match(/\d+/g) ?? []).map((n) => Number(n) + 1);
  if (scope.startsWith("pair")) return `, results ${numbers.join(" and ")}`;
  return (numbers[0] ?? 1) > 1 ? `, result ${numbers[0]}` : "";
}
