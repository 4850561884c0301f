/// The accesses that pass, in the order of the file, as rows. Only those in sight are there, and asked for: there may be billions.
import { button, element } from "../../report/src/dom.ts";
import { grouped } from "../../report/src/format.ts";
import type { AccessRow } from "./reader/rows.ts";

const rowHeight = 30;
/** Browsers draw no boxes much higher; a longer list moves by more than a pixel for each. */
const mostPixels = 6_000_000;
const titles = ["", "Block", "Warp", "Operation", "Place", "Address", "Lanes"] as const, timedTitles = [...titles, "Clock", "Cycles"] as const;

/** What the cells of a row hold, after the first one. */
export type Cells = (row: AccessRow) => (Node | string)[];

export interface ListOptions {
  rows: (first: number, most: number) => Promise<AccessRow[]>;
  cells: Cells;
  isCurrent: (row: AccessRow) => boolean;
  /** Empty: it is not pinned. */
  letter: (row: AccessRow) => string;
  onChoose: (row: AccessRow) => void;
  onPin: (row: AccessRow) => void;
}

export class AccessList {
  readonly node: HTMLElement;
  private readonly body = element("div", { class: "rows", role: "rowgroup" });
  private readonly head = element("div", { class: "row head-row", role: "row" });
  private readonly box: HTMLElement;
  private readonly room = element("div", { class: "room", role: "presentation" });
  private count = 0;
  /** Number of the row that the keys act on. */
  private cursor = 0;
  /** The cursor's row is chosen as soon as it is there. */
  private isWanted = false;
  private shown: { first: number; rows: AccessRow[] } = { first: 0, rows: [] };
  private wanted = 0;

  constructor(private readonly options: ListOptions) {
    this.box = element("div", { class: "scroll" }, this.room, this.body);
    this.node = element("div", {
      class: "accesses", role: "grid", tabindex: 0, "aria-label": "Accesses of warps. Arrow keys choose one, P pins it.",
    }, element("div", { role: "rowgroup" }, this.head), this.box);
    this.title(titles);
    this.box.addEventListener("scroll", () => void this.show());
    this.node.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => void this.show()).observe(this.box);
  }

  private get visible() {
    return Math.max(1, Math.ceil(this.box.clientHeight / rowHeight));
  }
  private get pixels() {
    return Math.min(this.count * rowHeight, mostPixels);
  }

  /** How many there are so far. */
  setCount(count: number) {
    const grows = count !== this.count;
    this.count = count;
    this.room.style.height = `${this.pixels}px`;
    this.node.setAttribute("aria-rowcount", String(count + 1));
    if (grows && this.shown.first + this.shown.rows.length < Math.min(count, this.shown.first + this.visible + 1)) void this.show();
  }

  private title(names: readonly string[]) {
    this.node.classList.toggle("timed", names === timedTitles);
    this.head.replaceChildren(...names.map((title, n) =>
      element("span", { role: "columnheader", class: `c${n}` }, title || element("span", { class: "hidden" }, "Pin"))));
  }

  /** Another selection: from its beginning. `isTimed`: cells end with clock and cycles. */
  restart(isTimed: boolean) {
    this.title(isTimed ? timedTitles : titles);
    this.count = this.cursor = 0;
    this.isWanted = false;
    this.shown = { first: 0, rows: [] };
    this.box.scrollTop = 0;
    this.body.replaceChildren();
    this.room.style.height = "0";
  }

  /** What is chosen or pinned has changed. */
  refresh() {
    this.draw();
  }

  private firstVisible(): number {
    const most = Math.max(0, this.count - this.visible + 1);
    if (this.count * rowHeight <= mostPixels) return Math.min(most, Math.floor(this.box.scrollTop / rowHeight));
    const range = this.pixels - this.box.clientHeight;
    return Math.min(most, Math.round((this.box.scrollTop / Math.max(1, range)) * most));
  }

  private scrollTo(row: number) {
    const first = this.firstVisible(), fit = Math.max(1, Math.floor(this.box.clientHeight / rowHeight));
    if (row >= first && row < first + fit) return;
    const target = row < first ? row : row - fit + 1;
    if (this.count * rowHeight <= mostPixels) this.box.scrollTop = target * rowHeight;
    else this.box.scrollTop = (target / Math.max(1, this.count - this.visible + 1)) * (this.pixels - this.box.clientHeight);
  }

  private async show() {
    const first = this.firstVisible(), most = Math.min(this.visible + 1, this.count - first);
    const mine = ++this.wanted;
    if (most <= 0) return;
    const rows = await this.options.rows(first, most);
    if (mine !== this.wanted) return; // it has moved on
    this.shown = { first, rows };
    this.draw();
    if (this.isWanted) this.withCursor((row) => {
      this.isWanted = false;
      this.options.onChoose(row);
    });
  }

  private draw() {
    const { first, rows } = this.shown;
    const long = this.count * rowHeight > mostPixels;
    this.body.style.transform = `translateY(${long ? this.box.scrollTop : first * rowHeight}px)`;
    this.body.replaceChildren(...rows.map((row, n) => this.rowNode(row, first + n)));
    this.node.setAttribute("aria-activedescendant", this.cursor >= first && this.cursor < first + rows.length ? `row-${this.cursor}` : "");
    if (!this.node.getAttribute("aria-activedescendant")) this.node.removeAttribute("aria-activedescendant");
    this.node.dataset["first"] = String(first);
  }

  private rowNode(row: AccessRow, number: number): HTMLElement {
    const { options } = this, letter = options.letter(row), isCurrent = options.isCurrent(row);
    const pin = button(letter ? `Unpin ${letter}` : "Pin this access", () => options.onPin(row),
      { class: letter ? "pin set" : "pin", tabindex: -1, "aria-pressed": letter !== "" }, letter || "+");
    pin.addEventListener("click", (event) => event.stopPropagation());
    const node = element("div", {
      class: isCurrent ? "row current" : "row", role: "row", id: `row-${number}`, "aria-rowindex": number + 2, "aria-selected": String(isCurrent),
    }, ...[pin, ...options.cells(row)].map((content, n) => element("span", { role: "gridcell", class: `c${n}` }, content)));
    node.title = `Access ${grouped(number)}`;
    node.addEventListener("click", () => {
      this.cursor = number;
      options.onChoose(row);
    });
    return node;
  }

  private key(event: KeyboardEvent) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / rowHeight) - 1);
    const moves: Record<string, number> = {
      ArrowDown: this.cursor + 1, ArrowUp: this.cursor - 1, PageDown: this.cursor + page, PageUp: this.cursor - page, Home: 0, End: this.count - 1,
    };
    if (event.ctrlKey || event.metaKey || event.altKey || this.count === 0) return;
    const to = moves[event.key];
    if (to !== undefined) this.moveTo(Math.min(this.count - 1, Math.max(0, to)));
    else if (event.key === "Enter" || event.key === " ") this.withCursor(this.options.onChoose);
    else if (event.key === "p" || event.key === "P") this.withCursor(this.options.onPin);
    else return;
    event.preventDefault();
  }

  private withCursor(act: (row: AccessRow) => void) {
    const row = this.shown.rows[this.cursor - this.shown.first];
    if (row) act(row);
  }

  private moveTo(row: number) {
    this.cursor = row;
    this.isWanted = true;
    this.scrollTo(row);
    void this.show();
  }
}
