// payload.ts: unpacks the data of a page: gzip of a length, JSON, and the columns of long lines.
// docs/formats/page.md describes it; src/report/page_payload.cc writes it.
import type { Line, Result, Series } from "./document";

interface StoredColumn {
  result: number;
  block: number;
  line: number;
  field: "x" | "y" | "low" | "high";
  encoding: "whole" | "real" | "short_real";
  count: number;
  offset: number;
  bytes: number;
}

interface Stored {
  page: number;
  results: Result[];
  columns: StoredColumn[];
}

export const pageFormat = 1;

export async function gunzip(bytes: Uint8Array): Promise<Uint8Array> {
  const stream = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export function fromBase64(text: string): Uint8Array {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; ++i) bytes[i] = raw.charCodeAt(i);
  return bytes;
}

// Differences as zigzag variable-length integers.
export function decodeWhole(bytes: Uint8Array, count: number): Float64Array {
  const values = new Float64Array(count);
  let place = 0;
  let last = 0;
  for (let i = 0; i < count; ++i) {
    let number = 0;
    let scale = 1;
    for (;;) {
      if (place >= bytes.length) throw new Error("the page's data are damaged");
      const byte = bytes[place++];
      number += (byte & 0x7f) * scale;
      if (byte < 0x80) break;
      scale *= 128;
    }
    last += number % 2 === 0 ? number / 2 : -(number + 1) / 2;
    values[i] = last;
  }
  return values;
}

// Numbers with their bytes grouped by significance, the lowest first.
export function decodeReal(bytes: Uint8Array, count: number, width: 4 | 8): Float64Array {
  if (bytes.length !== count * width) throw new Error("the page's data are damaged");
  const joined = new Uint8Array(count * width);
  for (let plane = 0; plane < width; ++plane) {
    for (let i = 0; i < count; ++i) joined[i * width + plane] = bytes[plane * count + i];
  }
  const view = new DataView(joined.buffer);
  const values = new Float64Array(count);
  for (let i = 0; i < count; ++i) {
    values[i] = width === 8 ? view.getFloat64(i * 8, true) : view.getFloat32(i * 4, true);
  }
  return values;
}

function decode(column: StoredColumn, bytes: Uint8Array): Float64Array {
  if (column.encoding === "whole") return decodeWhole(bytes, column.count);
  return decodeReal(bytes, column.count, column.encoding === "real" ? 8 : 4);
}

// Whole numbers beyond 2^53 become bigint where the browser gives the number's own text.
function keepWhole(this: unknown, _key: string, value: unknown, context?: { source?: string }) {
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value;
  const source = context?.source;
  return source !== undefined && /^-?\d+$/.test(source) ? BigInt(source) : value;
}

function parse(text: string): Stored {
  if (!/\d{16}/.test(text)) return JSON.parse(text) as Stored;
  return JSON.parse(text, keepWhole as (key: string, value: unknown) => unknown) as Stored;
}

export function decodePayload(bytes: Uint8Array): Result[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(0, true);
  const stored = parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  if (stored.page !== pageFormat) {
    throw new Error(`the data have page format ${stored.page}, this page reads ${pageFormat}`);
  }
  const start = 4 + length;
  const decoded = new Map<number, Float64Array>(); // lines often share their x
  for (const column of stored.columns) {
    let values = decoded.get(column.offset);
    if (values === undefined) {
      const from = start + column.offset;
      values = decode(column, bytes.subarray(from, from + column.bytes));
      decoded.set(column.offset, values);
    }
    const series = stored.results[column.result].document.blocks[column.block] as Series;
    const line: Line = series.lines[column.line];
    line[column.field] = values;
  }
  return stored.results;
}

export async function readPayload(base64: string): Promise<Result[]> {
  return decodePayload(await gunzip(fromBase64(base64)));
}
