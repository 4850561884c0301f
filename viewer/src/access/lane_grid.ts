/// The 32 lanes of an access. A lane that is pointed at, or has the focus, marks its cells in the map.
import { element } from "../../../report/src/dom.ts";
import { grouped } from "../../../report/src/format.ts";
import { addressName, hasAddresses, hex, insteadOfAddress, laneCount, operationClasses } from "../trace.ts";
import { hasThread, threadOf, valueOf, type ShownAccess } from "./shown_access.ts";

const columns = 8;

/** ", read 3, written 4"; empty: no value was recorded. */
const valuesText = (access: ShownAccess, lane: number) =>
  Object.entries(access.lanes.values).map(([role, texts]) => (texts[lane] != null ? `, ${role} ${texts[lane]}` : "")).join("");

export class LaneGrid {
  readonly node: HTMLElement;
  private readonly cells: HTMLElement[];

  /** `onPoint` gets the lane that is pointed at; null: none. */
  constructor(access: ShownAccess, private readonly onPoint: (lane: number | null) => void) {
    const lowest = hasAddresses(access.site) ? access.active.map((lane) => access.lanes.addresses[lane]!).reduce((a, b) => (b < a ? b : a)) : null;
    this.cells = Array.from({ length: laneCount }, (_, lane) => this.cell(access, lane, lowest));
    this.cells[access.active[0]!]!.tabIndex = 0;
    this.node = element("div", { class: `lanes ${operationClasses[access.site.kind]}`, role: "grid", "aria-label": "Lanes" },
      ...Array.from({ length: laneCount / columns }, (_, row) =>
        element("div", { role: "row" }, ...this.cells.slice(row * columns, (row + 1) * columns))));
    this.node.addEventListener("keydown", (event) => this.key(event));
    this.node.addEventListener("pointerleave", () => onPoint(null));
  }

  mark(lanes: ReadonlySet<number>) {
    this.cells.forEach((cell, lane) => cell.classList.toggle("marked", lanes.has(lane)));
  }

  /** `lowest`: of the addresses; null: there are none. */
  private cell(access: ShownAccess, lane: number, lowest: bigint | null): HTMLElement {
    const isActive = access.active.includes(lane), address = access.lanes.addresses[lane]!;
    const value = isActive ? valueOf(access, lane) : null;
    const place = lowest === null
      ? insteadOfAddress(access.site, address) : `${addressName(access.allocations, access.site.space, address)}, ${grouped(Number(access.lanes.sizes[lane]!))} B`;
    const label = isActive
      ? `Lane ${lane}: ${place}${place && ", "}thread ${threadOf(access, lane)}${valuesText(access, lane)}`
      : hasThread(access, lane) ? `Lane ${lane}: thread ${threadOf(access, lane)} ${lowest === null ? "takes no part" : "makes no access"}` : `Lane ${lane}: the block has no such thread`;
    const cell = element("span", { role: "gridcell", tabindex: -1, class: isActive ? "lane active" : "lane", title: `${label}${isActive && lowest !== null ? `\n${hex(address)}` : ""}` },
      element("span", { class: "hidden" }, label), element("b", { "aria-hidden": "true" }, String(lane)),
      element("span", { "aria-hidden": "true" }, !isActive ? "·" : lowest === null ? "✓" : `+${hex(address - lowest).slice(2)}`),
      value !== null && element("span", { class: "value", "aria-hidden": "true" }, value));
    const point = () => this.onPoint(isActive ? lane : null);
    cell.addEventListener("pointerenter", point);
    cell.addEventListener("focus", point);
    cell.addEventListener("blur", () => this.onPoint(null));
    return cell;
  }

  private key(event: KeyboardEvent) {
    const steps: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -columns, ArrowDown: columns };
    const step = steps[event.key], now = this.cells.indexOf(document.activeElement as HTMLElement);
    const next = step === undefined ? undefined : this.cells[now + step];
    if (now < 0 || !next) return;
    this.cells[now]!.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
    event.preventDefault();
  }
}
