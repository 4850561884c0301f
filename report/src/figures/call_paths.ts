/// A flame graph: bytes that requests move, by kernel, the functions that led there by calls, inlined or not, and line. Each frame
/// is as wide as its part, stands below its caller, and is the warmer the less of it is of use.
import { frame } from "../chart.ts";
import type { Access, Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { button, choice, element } from "../dom.ts";
import { bytes, fileName, percent, shortName } from "../format.ts";
import { placeLink } from "../sections/place.ts";
import { addTo, bytesMoved, costOf, excessBytes, useful, type Cost } from "../source/cost.ts";

/** Frames that are narrower, in parts of the drawing, are left out; all are in the table. */
const narrowest = 1 / 1000;

interface Step {
  name: string;
  full: string;
  /** Of a line: one of its accesses. */
  access?: Access;
}
interface Frame extends Step {
  cost: Cost;
  above: Frame | null;
  below: Map<string, Frame>;
}

const measures = [
  { title: "bytes moved", of: bytesMoved },
  { title: "bytes of excess sectors", of: excessBytes },
];

/** Outermost first: kernel, functions, line. A kernel's own code stands right below it. */
function pathOf(access: Access): Step[] {
  const functions = [...[...access.callers].reverse(), access.function];
  if (functions[0] === access.kernel) functions.shift();
  return [
    ...[access.kernel, ...functions].map((name) => ({ name: shortName(name), full: name })),
    { name: `${access.operation} ${fileName(access.file) || "unknown"}:${access.line}`, full: `${access.operation} ${access.file}:${access.line}`, access },
  ];
}

function treeOf(accesses: readonly Access[]): Frame {
  const root: Frame = { name: "all", full: "all that is shown", cost: costOf(accesses), above: null, below: new Map() };
  for (const access of accesses) {
    let at = root;
    for (const step of pathOf(access)) {
      const next: Frame = at.below.get(step.full) ?? { ...step, cost: costOf([]), above: at, below: new Map() };
      at.below.set(step.full, next);
      addTo(next.cost, access);
      at = next;
    }
  }
  return root;
}

class FlameGraph {
  readonly node = element("div", { class: "flame", role: "group", "aria-label": "Flame graph. Arrow keys go from frame to frame, Enter shows one alone, Escape all." });
  readonly said = element("output", { class: "note" });
  private readonly nodes = new Map<Frame, HTMLButtonElement>();
  private readonly root: Frame;
  private focus: Frame;
  private measure = measures[0]!;

  constructor(private readonly results: Results) {
    this.root = treeOf(results.accesses);
    this.focus = this.root;
    this.draw();
    this.node.addEventListener("keydown", (event) => this.key(event));
  }

  show(measure: (typeof measures)[number]) {
    this.measure = measure;
    this.zoom(this.root);
  }

  zoom(to: Frame) {
    this.focus = to;
    this.draw();
    this.nodes.get(to)?.focus();
  }

  private size(frame: Frame) {
    return this.measure.of(frame.cost);
  }

  private draw() {
    this.nodes.clear();
    const above: Frame[] = [];
    for (let at = this.focus.above; at; at = at.above) above.unshift(at);
    above.forEach((frame, depth) => this.place(frame, depth, 0, 1));
    const depth = this.size(this.focus) > 0 ? this.spread(this.focus, above.length, 0, 1) : above.length;
    this.node.style.setProperty("--rows", String(depth));
    this.node.replaceChildren(...this.nodes.values());
    this.describe(this.focus);
  }

  /** Places a frame and all below it; how many rows there are then. */
  private spread(frame: Frame, depth: number, left: number, width: number): number {
    if (width < narrowest) return depth;
    this.place(frame, depth, left, width);
    let rows = depth + 1, at = left;
    for (const next of [...frame.below.values()].sort((a, b) => this.size(b) - this.size(a))) {
      const part = (width * this.size(next)) / this.size(frame);
      rows = Math.max(rows, this.spread(next, depth + 1, at, part));
      at += part;
    }
    return rows;
  }

  private place(frame: Frame, depth: number, left: number, width: number) {
    const node = button(frame.name, () => this.zoom(frame), {
      tabindex: frame === this.focus ? 0 : -1, title: this.words(frame), "aria-label": this.words(frame, frame.name),
      style: `left:${100 * left}%;width:${100 * width}%;--row:${depth};--weight:${Math.round(100 * (1 - useful(frame.cost)))}%`,
    });
    node.addEventListener("focus", () => this.describe(frame));
    node.addEventListener("pointerenter", () => this.describe(frame));
    this.nodes.set(frame, node);
  }

  private words(frame: Frame, name = frame.full): string {
    const all = this.size(this.root);
    return `${name}: ${bytes(this.size(frame))}, ${percent(all ? this.size(frame) / all : 0)} of ${this.measure.title}, ${percent(useful(frame.cost))} of use`;
  }

  private describe(frame: Frame) {
    this.said.replaceChildren(this.words(frame),
      ...(frame.access ? [". Its line: ", placeLink(this.results, frame.access.file, frame.access.line)] : []));
  }

  private key(event: KeyboardEvent) {
    const [at] = [...this.nodes].find(([, node]) => node === document.activeElement) ?? [];
    if (!at) return;
    const drawn = (frames: Iterable<Frame>) => [...frames].filter((frame) => this.nodes.has(frame));
    const beside = at.above ? drawn(at.above.below.values()).sort((a, b) => this.size(b) - this.size(a)) : [at];
    const next = {
      ArrowUp: at.above, ArrowDown: drawn(at.below.values()).sort((a, b) => this.size(b) - this.size(a))[0],
      ArrowLeft: beside[beside.indexOf(at) - 1], ArrowRight: beside[beside.indexOf(at) + 1],
    }[event.key];
    if (next) this.nodes.get(next)?.focus();
    else if (event.key === "Escape") this.zoom(this.root);
    else if (!event.key.startsWith("Arrow")) return;
    event.preventDefault();
  }
}

export function callPathFigure(results: Results): HTMLElement {
  const flame = new FlameGraph(results);
  const measure = choice("Width", measures.map((m) => m.title), (i) => flame.show(measures[i]!));
  return frame({
    title: "Bytes by call path", wide: true,
    note: "Bytes of sectors by kernel, the functions that led there by calls, inlined or not, and line, each below its caller. The warmer a frame, the less of it is of use. A press shows a frame alone.",
    table: () => dataTable(results.accesses.map((access) => ({ access, cost: costOf([access]) })), [
      { title: "Call path", value: ({ access }) => pathOf(access).map((step) => step.name).join(" › ") },
      { title: "Bytes moved", value: ({ cost }) => bytesMoved(cost) },
      { title: "Bytes of excess sectors", value: ({ cost }) => excessBytes(cost) },
      { title: "Of use", value: ({ cost }) => useful(cost), show: ({ cost }) => percent(useful(cost)) },
    ], { caption: "Call paths", sortBy: 1 }),
  }, [], element("div", { class: "controls" }, measure), flame.node, flame.said);
}
