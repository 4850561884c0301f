/// The memory that accesses touch: lines of 128 bytes, each of 4 sectors of 32 bytes, in cells of 4 bytes. A cell that is pointed at marks
/// the lanes that access it.
import { element } from "../../../report/src/dom.ts";
import { grouped } from "../../../report/src/format.ts";
import { addressName, operationClasses } from "../trace.ts";
import type { ShownAccess } from "./shown_access.ts";

const cellBytes = 4n, sectorBytes = 32n, lineBytes = 128n;
const sectorCells = Number(sectorBytes / cellBytes), lineCells = Number(lineBytes / cellBytes);
/** A bulk copy of one lane may touch millions. */
const mostLines = 64;
const hint = "Point at a cell to see who accesses it: each is 4 bytes, 8 make a sector.";

/** Of one space: addresses of several have nothing to do with each other. */
interface Cell {
  node: HTMLElement;
  /** Lanes of the access that is looked at, and of those that are pinned. */
  lanes: Set<number>;
  pinned: { letter: string; lanes: number[] }[];
  name: string;
}

/** First and last address of what a lane accesses. */
const rangeOf = (access: ShownAccess, lane: number): [bigint, bigint] => {
  const first = access.lanes.addresses[lane]!, size = access.lanes.sizes[lane]!;
  return [first, first + (size > 0n ? size - 1n : 0n)];
};

/** The lines that an access touches, at most so many, lowest first, and whether there are more. */
function linesOf(access: ShownAccess): { lines: Set<bigint>; isCut: boolean } {
  const lines = new Set<bigint>();
  for (const lane of access.active) {
    const [first, last] = rangeOf(access, lane);
    for (let line = first / lineBytes; line <= last / lineBytes; ++line) {
      if (lines.size >= mostLines && !lines.has(line)) return { lines, isCut: true };
      lines.add(line);
    }
  }
  return { lines, isCut: false };
}

/** How many sectors an access touches. */
export function sectorsOf(access: ShownAccess): number {
  const ranges = access.active.map((lane) => rangeOf(access, lane)).sort((a, b) => (a[0] < b[0] ? -1 : 1));
  let sectors = 0n, done = -1n;
  for (const [first, last] of ranges) {
    const from = first / sectorBytes > done ? first / sectorBytes : done + 1n, to = last / sectorBytes;
    if (to >= from) sectors += to - from + 1n;
    if (to > done) done = to;
  }
  return Number(sectors);
}

export class AddressMap {
  readonly node: HTMLElement;
  private readonly cells = new Map<bigint, Cell>();
  private readonly order: Cell[] = [];
  private cursor = -1;
  private readonly said = element("p", { class: "note", role: "status" }, hint);

  /** `onPoint` gets the lanes of `current` that access the cell that is pointed at. */
  constructor(current: ShownAccess, pinned: readonly ShownAccess[], private readonly onPoint: (lanes: ReadonlySet<number>) => void) {
    const others = pinned.filter((p) => p.site.space === current.site.space);
    const all = [current, ...others].map(linesOf);
    const lines = [...new Set(all.flatMap(({ lines }) => [...lines]))].sort((a, b) => (a < b ? -1 : 1)).slice(0, mostLines);
    const isCut = all.some((a) => a.isCut) || new Set(all.flatMap(({ lines }) => [...lines])).size > mostLines;
    // Allocations are those of the launch whose access touches the line.
    const rows = lines.map((line, n) => this.row([current, ...others][all.findIndex((a) => a.lines.has(line))]!, line, n > 0 && line !== lines[n - 1]! + 1n));
    this.fill(current, (cell, lane) => void cell.lanes.add(lane));
    for (const pin of others)
      this.fill(pin, (cell, lane) => {
        const known = cell.pinned.find((p) => p.letter === pin.letter);
        if (known) known.lanes.push(lane);
        else cell.pinned.push({ letter: pin.letter, lanes: [lane] });
      });
    for (const cell of this.order) this.dress(cell, current);
    const map = element("div", { class: others.length ? "map pins" : "map", tabindex: 0, role: "group", "aria-label": "Map of the addresses. Arrow keys go from cell to cell." }, ...rows);
    map.addEventListener("pointerover", (event) => this.point(this.order.findIndex((c) => c.node === event.target)));
    map.addEventListener("pointerleave", () => this.point(-1));
    map.addEventListener("blur", () => this.point(-1));
    map.addEventListener("keydown", (event) => this.key(event));
    const left = pinned.length - others.length;
    this.node = element("div", {}, map, this.said,
      isCut && element("p", { class: "note" }, `The first ${mostLines} lines of 128 bytes; there are more.`),
      left > 0 && element("p", { class: "note" }, `${grouped(left)} pinned accesses are of another kind of memory.`));
  }

  /** Marks the cells of a lane; null: none. */
  mark(lane: number | null) {
    for (const cell of this.order) cell.node.classList.toggle("marked", lane !== null && cell.lanes.has(lane));
  }

  private row(access: ShownAccess, line: bigint, hasGap: boolean): HTMLElement {
    const name = (address: bigint) => addressName(access.allocations, access.site.space, address);
    return element("div", { class: hasGap ? "line gap" : "line" },
      element("span", { class: "line-name" }, name(line * lineBytes)),
      ...Array.from({ length: lineCells / sectorCells }, (_, sector) =>
        element("span", { class: "sector" }, ...Array.from({ length: sectorCells }, (_, n) => {
          const address = line * lineBytes + BigInt(sector) * sectorBytes + BigInt(n) * cellBytes;
          const cell: Cell = { node: element("i"), lanes: new Set(), pinned: [], name: name(address) };
          this.cells.set(address / cellBytes, cell);
          this.order.push(cell);
          return cell.node;
        }))));
  }

  private fill(access: ShownAccess, put: (cell: Cell, lane: number) => void) {
    for (const lane of access.active) {
      const [first, last] = rangeOf(access, lane);
      if (last - first < lineBytes * BigInt(mostLines))
        for (let n = first / cellBytes; n <= last / cellBytes; ++n) {
          const cell = this.cells.get(n);
          if (cell) put(cell, lane);
        }
      else // longer than the map
        for (const [n, cell] of this.cells) if (n >= first / cellBytes && n <= last / cellBytes) put(cell, lane);
    }
  }

  private dress(cell: Cell, current: ShownAccess) {
    const { node, lanes, pinned } = cell;
    if (lanes.size) {
      node.className = `touched ${operationClasses[current.site.kind]}`;
      node.textContent = lanes.size === 1 ? String([...lanes][0]) : `${lanes.size}×`;
      node.parentElement!.classList.add("moved");
    }
    if (pinned.length) {
      node.dataset["pins"] = pinned.map((p) => p.letter).join("");
      node.parentElement!.classList.add("moved");
    }
  }

  private point(index: number) {
    if (index >= 0 && index === this.cursor) return;
    this.order[this.cursor]?.node.classList.remove("pointed");
    this.cursor = index;
    const cell = this.order[index];
    cell?.node.classList.add("pointed");
    this.onPoint(cell?.lanes ?? new Set());
    this.said.textContent = cell ? `${cell.name}: ${this.who(cell)}` : hint;
  }

  private who(cell: Cell): string {
    const list = (lanes: number[]) => `${lanes.length === 1 ? "lane" : "lanes"} ${lanes.join(", ")}`;
    const parts = [...(cell.lanes.size ? [list([...cell.lanes])] : []), ...cell.pinned.map((p) => `${p.letter} ${list(p.lanes)}`)];
    return parts.length ? parts.join("; ") : "no lane";
  }

  private key(event: KeyboardEvent) {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -lineCells, ArrowDown: lineCells };
    const step = steps[event.key];
    if (step === undefined) return;
    const next = this.cursor < 0 ? 0 : this.cursor + step;
    if (next >= 0 && next < this.order.length) {
      this.point(next);
      this.order[next]!.node.scrollIntoView({ block: "nearest" });
    }
    event.preventDefault();
  }
}
