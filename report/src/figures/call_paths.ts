/// A flame graph: bytes that requests move, by kernel, the functions that led there by calls, inlined or not, and line. The
/// warmer a frame, the less of it is of use.
import { frame } from "../chart.ts";
import type { Access, Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { choice, element } from "../dom.ts";
import { FlameGraph, searchField, type FlameTree } from "../flame_graph.ts";
import { bytes, fileName, percent, shortName } from "../format.ts";
import { foldedCalls } from "../names.ts";
import { placeLink } from "../sections/place.ts";
import { addTo, bytesMoved, costOf, excessBytes, useful, type Cost } from "../source/cost.ts";

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

class CallPaths implements FlameTree<Frame> {
  readonly root: Frame;
  readonly hasWidth: boolean;
  readonly searchDepth = Infinity;

  constructor(private readonly results: Results, private readonly measure: (typeof measures)[number]) {
    this.root = treeOf(results.accesses);
    this.hasWidth = this.size(this.root) > 0;
  }

  private size(frame: Frame) {
    return this.measure.of(frame.cost);
  }

  above(frame: Frame) {
    return frame.above;
  }
  below(frame: Frame) {
    return [...frame.below.values()].filter((next) => this.size(next) > 0).sort((a, b) => this.size(b) - this.size(a))
      .map((node) => ({ node, part: this.size(node) / this.size(frame) }));
  }
  name(frame: Frame) {
    return frame.name;
  }
  fullName(frame: Frame) {
    return frame.full;
  }
  words(frame: Frame) {
    const all = this.size(this.root);
    return `${bytes(this.size(frame))}, ${percent(all ? this.size(frame) / all : 0)} of ${this.measure.title}, ${percent(useful(frame.cost))} of use`;
  }
  more(frame: Frame) {
    const folded = foldedCalls(frame.full);
    return [
      folded && `. ${folded}`,
      ...(frame.access ? [". Its line: ", placeLink(this.results, frame.access.file, frame.access.line)] : []),
    ];
  }
  facts() {
    return null;
  }
  warmth(frame: Frame) {
    return 1 - useful(frame.cost);
  }
  classes(frame: Frame) {
    return foldedCalls(frame.full) ? "folded" : "";
  }
}

export function callPathFigure(results: Results): HTMLElement {
  const flame = new FlameGraph(new CallPaths(results, measures[0]!));
  const measure = choice("Width", measures.map((m) => m.title), (i) => flame.become(new CallPaths(results, measures[i]!)));
  return frame({
    title: "Bytes by call path", wide: true,
    note: "Bytes of sectors by kernel, the functions that led there by calls, inlined or not, and line, each below its caller. The warmer a frame, the less of it is of use. A press shows a frame alone. Dashed: calls that are folded.",
    table: () => dataTable(results.accesses.map((access) => ({ access, cost: costOf([access]) })), [
      { title: "Call path", value: ({ access }) => pathOf(access).map((step) => step.name).join(" › ") },
      { title: "Bytes moved", value: ({ cost }) => bytesMoved(cost) },
      { title: "Bytes of excess sectors", value: ({ cost }) => excessBytes(cost) },
      { title: "Of use", value: ({ cost }) => useful(cost), show: ({ cost }) => percent(useful(cost)) },
    ], { caption: "Call paths", sortBy: 1 }),
  }, [], element("div", { class: "controls" }, measure, searchField(flame)), flame.node);
}
