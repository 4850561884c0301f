/// Which addresses the accesses that are listed have, from the first to the last: a picture in the colours of loads, stores and atomics.
import { choice, element } from "../../report/src/dom.ts";
import { grouped, niceStep } from "../../report/src/format.ts";
import { colour, onTheme } from "../../report/src/theme.ts";
import type { DensityBounds } from "./reader/protocol.ts";
import { accessClasses, allocationName, hex, isOfAllocations, spaces, type LiveAllocation } from "./trace.ts";

const margin = { left: 92, bottom: 22 }, height = 260, pixelsPerCell = 2;

/** Addresses that can be looked at. */
interface Range {
  name: string;
  first: bigint;
  last: bigint;
  space: number;
}

/** What the launch touches: allocations in their spaces, and memory of other kinds as a whole. */
export function rangesOf(bounds: readonly ([bigint, bigint] | null)[], live: readonly LiveAllocation[]): Range[] {
  return spaces.flatMap((name, space): Range[] => {
    const touched = bounds[space];
    if (!touched) return [];
    const [first, last] = touched;
    const inside = isOfAllocations(name) ? live.filter((a) => a.bytes > 0 && a.first <= last && a.first + BigInt(a.bytes) > first) : [];
    return [
      ...inside.map((a) => ({ name: allocationName(a), first: a.first, last: a.first + BigInt(a.bytes) - 1n, space })),
      ...(inside.length === 1 ? [] : [{ name: inside.length ? `all ${name} memory` : `${name} memory`, first, last, space }]),
    ];
  });
}

export class OverTime {
  readonly node: HTMLElement;
  private readonly canvas = element("canvas", { class: "over-time", role: "img", tabindex: 0 });
  private readonly status = element("p", { class: "note", role: "status" });
  private readonly tools = element("div", { class: "controls" });
  private range: Range | null = null;
  private records = 0;
  private cells: { of: Uint32Array; columns: number; rows: number } | null = null;

  constructor(private readonly density: (bounds: DensityBounds) => Promise<Uint32Array | null>) {
    const key = element("div", { class: "controls" }, ...accessClasses.map((name) =>
      element("span", {}, element("span", { class: `dot ${name}`, "aria-hidden": "true" }), `${name}s`)));
    this.node = element("div", { class: "card" }, this.tools, key, this.canvas, this.status);
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    onTheme(this.canvas, () => this.draw());
  }

  /** Another selection is looked at, or none yet. */
  clear(text: string) {
    this.range = this.cells = null;
    this.tools.replaceChildren();
    this.status.textContent = text;
    delete this.canvas.dataset["drawn"];
    this.draw();
  }

  /** `prefer`: the address whose range is shown first. `records`: of the launch. */
  show(ranges: Range[], records: number, prefer: bigint | null) {
    if (ranges.length === 0 || records === 0) return this.clear("There are no accesses.");
    this.records = records;
    const at = Math.max(0, ranges.findIndex((r) => prefer !== null && r.first <= prefer && prefer <= r.last));
    const list = choice("Memory", ranges.map((r) => r.name), (index) => void this.load(ranges[index]!));
    list.querySelector("select")!.selectedIndex = at;
    this.tools.replaceChildren(list);
    void this.load(ranges[at]!);
  }

  private async load(range: Range) {
    this.range = range;
    this.cells = null;
    this.status.textContent = "Reading …";
    delete this.canvas.dataset["drawn"];
    const columns = Math.max(16, Math.floor((this.canvas.clientWidth - margin.left) / pixelsPerCell));
    const rows = Math.floor((height - margin.bottom) / pixelsPerCell);
    const cells = await this.density({
      firstAddress: range.first, lastAddress: range.last, firstRecord: 0, endRecord: this.records, columns, rows, space: range.space,
    }).catch((error: unknown) => {
      this.status.textContent = error instanceof Error ? error.message : String(error);
      return null;
    });
    if (!cells || this.range !== range) return;
    this.cells = { of: cells, columns, rows };
    const sum = cells.reduce((a, b) => a + b, 0);
    this.status.textContent = `${grouped(sum)} accesses of threads; across: accesses of warps in the file's order, upward: addresses from ${hex(range.first)} to ${hex(range.last)}.`;
    this.canvas.setAttribute("aria-label", `Addresses over time, ${range.name}: ${this.status.textContent}`);
    this.draw();
  }

  private draw() {
    const { canvas } = this, ratio = devicePixelRatio || 1, width = canvas.clientWidth;
    if (width === 0) return;
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
    canvas.style.height = `${height}px`;
    const pen = canvas.getContext("2d")!;
    pen.scale(ratio, ratio);
    pen.fillStyle = colour("paper");
    pen.fillRect(margin.left, 0, width - margin.left, height - margin.bottom);
    if (this.cells && this.range) {
      pen.imageSmoothingEnabled = false;
      pen.drawImage(this.picture(this.cells), margin.left, 0, width - margin.left, height - margin.bottom);
      this.axes(pen, width);
      canvas.dataset["drawn"] = "yes";
    }
    if (!canvas.getAttribute("aria-label")) canvas.setAttribute("aria-label", "Addresses over time");
  }

  /** Counts span orders of magnitude: how strong a cell is follows their logarithm. */
  private picture({ of, columns, rows }: { of: Uint32Array; columns: number; rows: number }): HTMLCanvasElement {
    const picture = element("canvas", { width: columns, height: rows }), pen = picture.getContext("2d")!;
    const image = pen.createImageData(columns, rows), plane = columns * rows;
    const inks = accessClasses.map((name) => rgb(pen, colour(name)));
    const most = Math.log1p(of.reduce((a, b) => Math.max(a, b), 1));
    for (let row = 0; row < rows; ++row)
      for (let column = 0; column < columns; ++column) {
        const cell = row * columns + column, counts = inks.map((_, kind) => of[kind * plane + cell]!), sum = counts[0]! + counts[1]! + counts[2]!;
        if (sum === 0) continue;
        const at = 4 * ((rows - 1 - row) * columns + column);
        for (let part = 0; part < 3; ++part) image.data[at + part] = inks.reduce((all, ink, kind) => all + (ink[part]! * counts[kind]!) / sum, 0);
        image.data[at + 3] = 90 + (165 * Math.log1p(sum)) / Math.max(most, Math.log1p(sum));
      }
    pen.putImageData(image, 0, 0);
    return picture;
  }

  private axes(pen: CanvasRenderingContext2D, width: number) {
    const { first, last } = this.range!, bytes = Number(last - first) + 1, inner = height - margin.bottom;
    pen.fillStyle = colour("soft");
    pen.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    pen.textAlign = "right";
    for (const part of [0, 0.5, 1])
      pen.fillText(`+${hex(BigInt(Math.floor((bytes - 1) * part)))}`, margin.left - 6, Math.min(inner, Math.max(12, inner * (1 - part) + 4)));
    const step = niceStep(this.records / Math.max(2, (width - margin.left) / 90));
    pen.textAlign = "left";
    for (let at = 0; at < this.records; at += step) {
      const x = margin.left + (at / this.records) * (width - margin.left);
      if (x < width - 60) pen.fillText(grouped(at), x, height - 5);
    }
  }
}

function rgb(pen: CanvasRenderingContext2D, plain: string): [number, number, number] {
  pen.fillStyle = plain;
  const text = String(pen.fillStyle); // #rrggbb
  return [1, 3, 5].map((from) => parseInt(text.slice(from, from + 2), 16)) as [number, number, number];
}
