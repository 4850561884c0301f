/// A flame graph of any tree, in rows: each frame stands below the one that it is a part of, and is as wide as its part.
///
/// A press, or Enter, shows a frame alone; arrow keys go from frame to frame. A tree may have very many: only frames that are at least
/// a pixel wide, in rows that are in sight, are in the document.
import { button, element, present, type Child } from "./dom.ts";
import { grouped, percent } from "./format.ts";
import { floatingTip } from "./tip.ts";

export interface FlameTree<Node> {
  readonly root: Node;
  /** Without a width nothing is drawn. */
  readonly hasWidth: boolean;
  /** How deep the search looks below the root. */
  readonly searchDepth: number;
  above(node: Node): Node | null;
  /** What stands below a node, with its part of the node's width: the widest first, none without one. */
  below(node: Node): { node: Node; part: number }[];
  /** On the frame, and in full. */
  name(node: Node): string;
  fullName(node: Node): string;
  /** What follows the name in words. */
  words(node: Node): string;
  /** Behind these, below the drawing. */
  more(node: Node): Child[];
  /** Beside the mouse and at the focus; null: the words are enough. */
  facts(node: Node): Element | null;
  /** From 0 to 1. */
  warmth(node: Node): number;
  classes(node: Node): string;
}

interface Placed<Node> {
  node: Node;
  row: number;
  left: number;
  width: number;
}

const rowHeight = 26;
/** Rows that are drawn above and below those in sight. */
const margin = 4;
/** Of a name that is narrower nothing could be read. */
const narrowestName = 14;

const drawn = new Set<FlameGraph<any>>();
const inPage = () => [...drawn].filter((graph) => graph.node.isConnected || !drawn.delete(graph));
addEventListener("beforeprint", () => inPage().forEach((graph) => graph.drawAllRows()));
addEventListener("afterprint", () => inPage().forEach((graph) => graph.drawRows()));

/** What the search is typed into, and what it found. */
export const searchField = ({ search, found }: Pick<FlameGraph<object>, "search" | "found">) =>
  element("div", { class: "search" }, element("label", { class: "choice" }, element("span", {}, "Search"), search), found);

export class FlameGraph<Node extends object> {
  readonly search = element("input", { type: "search" });
  readonly found = element("output", { class: "soft" });
  readonly said = element("output", { class: "note" });
  readonly node: HTMLElement;
  private readonly rows = element("div", {
    class: "flame", role: "group", "aria-label": "Flame graph. Arrow keys go from frame to frame, Enter shows one alone, Escape all.",
  });
  private readonly box = element("div", { class: "flame-box" }, this.rows);
  private readonly tip = floatingTip();
  private placed = new Map<Node, Placed<Node>>();
  private nodes = new Map<Node, HTMLButtonElement>();
  private matches: { nodes: Node[]; test: (node: Node) => boolean } | null = null;
  private match = -1;
  private focus: Node;
  private pixels = 0;

  constructor(private tree: FlameTree<Node>) {
    this.focus = tree.root;
    this.node = element("div", {}, this.box, this.tip.node, this.said);
    this.rows.addEventListener("keydown", (event) => this.key(event));
    this.rows.addEventListener("pointerleave", this.tip.hide);
    this.rows.addEventListener("focusout", this.tip.hide);
    this.box.addEventListener("scroll", () => this.drawRows());
    this.search.addEventListener("input", () => this.find());
    this.search.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !this.matches?.nodes.length) return;
      this.match = (this.match + 1) % this.matches.nodes.length;
      this.show(this.matches.nodes[this.match]!);
      event.preventDefault();
    });
    new ResizeObserver(() => {
      if (this.rows.clientWidth === 0 || this.rows.clientWidth === this.pixels) return;
      this.pixels = this.rows.clientWidth;
      drawn.add(this);
      this.draw();
      this.rows.dataset["drawn"] = "yes";
    }).observe(this.rows);
  }

  /** Another tree in place of this one, or the same by another measure. */
  become(tree: FlameTree<Node>) {
    this.tree = tree;
    this.focus = tree.root;
    this.find();
  }

  /** Shows a frame alone, below those that it is a part of. */
  show(to: Node) {
    this.focus = to;
    this.draw();
  }

  private zoom(to: Node) {
    this.show(to);
    this.go(to);
  }

  /** Brings a frame into sight, and the focus to it. */
  private go(to: Node) {
    const at = this.placed.get(to);
    if (!at) return;
    const top = at.row * rowHeight;
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (top + rowHeight > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = top + rowHeight - this.box.clientHeight;
    this.drawRows();
    this.nodes.get(to)?.focus();
  }

  private find() {
    const text = this.search.value.trim().toLowerCase();
    const test = (node: Node) => this.tree.fullName(node).toLowerCase().includes(text);
    this.match = -1;
    this.matches = null;
    this.found.textContent = "";
    if (text !== "") {
      const found: { node: Node; width: number }[] = [];
      let share = 0;
      const left = this.tree.hasWidth ? [{ node: this.tree.root, width: 1, depth: 0, isWithin: false }] : [];
      for (let at = left.pop(); at; at = left.pop()) {
        const { node, width, depth, isWithin } = at, isMatch = test(node);
        if (isMatch) found.push({ node, width });
        if (isMatch && !isWithin) share += width;
        if (depth < this.tree.searchDepth)
          for (const { node: next, part } of this.tree.below(node))
            left.push({ node: next, width: width * part, depth: depth + 1, isWithin: isWithin || isMatch });
      }
      this.matches = { test, nodes: found.sort((a, b) => b.width - a.width).map((f) => f.node) };
      this.found.textContent = found.length === 0 ? "No frame has that in its name."
        : `${grouped(found.length)} ${found.length === 1 ? "frame" : "frames"}, ${percent(Math.min(1, share))} of the width. Enter shows the next one.`;
    }
    this.draw();
  }

  private draw() {
    this.placed = new Map();
    const above: Node[] = [];
    for (let at = this.tree.above(this.focus); at; at = this.tree.above(at)) above.push(at);
    above.reverse();
    if (this.tree.hasWidth) {
      above.forEach((node, row) => this.placed.set(node, { node, row, left: 0, width: 1 }));
      this.spread({ node: this.focus, row: above.length, left: 0, width: 1 });
    }
    const rows = [...this.placed.values()].reduce((most, at) => Math.max(most, at.row + 1), 0);
    this.rows.style.setProperty("--rows", String(rows));
    this.nodes = new Map();
    this.rows.replaceChildren();
    this.drawRows();
    this.describe(this.focus);
  }

  /** Places a frame and all below it. Paths are thousands of functions deep: the way back is a list, not the script's stack. */
  private spread(frame: Placed<Node>) {
    const open = [frame];
    for (let at = open.pop(); at; at = open.pop()) {
      if (at.width * this.pixels < 1) continue;
      this.placed.set(at.node, at);
      const below: Placed<Node>[] = [];
      let { left } = at;
      for (const { node, part } of this.tree.below(at.node)) {
        below.push({ node, row: at.row + 1, left, width: at.width * part });
        left += at.width * part;
      }
      open.push(...below.reverse());
    }
  }

  /** Those in sight; what stays keeps its element, and with it the focus. */
  drawRows() {
    const first = this.box.scrollTop / rowHeight - margin, end = (this.box.scrollTop + this.box.clientHeight) / rowHeight + margin;
    this.put((at) => at.row >= first && at.row < end);
  }

  drawAllRows() {
    this.put(() => true);
  }

  private put(isShown: (at: Placed<Node>) => boolean) {
    const nodes = new Map<Node, HTMLButtonElement>(), fresh: HTMLButtonElement[] = [];
    for (const at of this.placed.values()) {
      if (!isShown(at)) continue;
      const known = this.nodes.get(at.node), node = known ?? this.frame(at);
      if (!known) fresh.push(node);
      this.nodes.delete(at.node);
      nodes.set(at.node, node);
    }
    for (const node of this.nodes.values()) node.remove();
    this.nodes = nodes;
    this.rows.append(...fresh);
  }

  private frame({ node: of, row, left, width }: Placed<Node>): HTMLButtonElement {
    const { tree } = this, words = tree.words(of), facts = tree.facts(of) !== null;
    const isNarrow = width * this.pixels < narrowestName;
    const classes = [tree.classes(of), isNarrow && "narrow", this.matches && (this.matches.test(of) ? "found" : "other")].filter(Boolean).join(" ");
    const node = button(isNarrow ? "" : tree.name(of), () => this.zoom(of), {
      class: classes || null, tabindex: of === this.focus ? 0 : -1, title: facts ? null : `${tree.fullName(of)}: ${words}`,
      "aria-label": `${tree.name(of)}: ${words}`,
      style: `left:${100 * left}%;width:${100 * width}%;--row:${row};--weight:${Math.round(100 * tree.warmth(of))}%`,
    });
    node.addEventListener("focus", () => {
      const { left, bottom } = node.getBoundingClientRect();
      this.describe(of);
      if (node.matches(":focus-visible")) this.point(of, { clientX: left, clientY: bottom - 10 });
    });
    node.addEventListener("pointerenter", (event) => {
      this.describe(of);
      this.point(of, event);
    });
    node.addEventListener("pointermove", (event) => this.point(of, event));
    return node;
  }

  private point(of: Node, at: { clientX: number; clientY: number }) {
    const facts = this.tree.facts(of);
    if (facts) this.tip.show(at, facts);
  }

  private describe(of: Node) {
    this.said.replaceChildren(`${this.tree.fullName(of)}: ${this.tree.words(of)}`, ...present(this.tree.more(of)));
  }

  private key(event: KeyboardEvent) {
    const [at] = [...this.nodes].find(([, node]) => node === document.activeElement) ?? [];
    if (!at) return;
    const drawn = (node: Node) => this.tree.below(node).map((b) => b.node).filter((next) => this.placed.has(next));
    const above = this.tree.above(at), beside = above ? drawn(above) : [at];
    const next = {
      ArrowUp: above, ArrowDown: drawn(at)[0], ArrowLeft: beside[beside.indexOf(at) - 1], ArrowRight: beside[beside.indexOf(at) + 1],
    }[event.key];
    if (next) this.go(next);
    else if (event.key === "Escape") {
      this.zoom(this.tree.root);
      this.tip.hide();
    }
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }
}
