/// The tree of calling contexts as a flame graph, by a metric.
import type { Results } from "../data.ts";
import { facts, type Child } from "../dom.ts";
import { percent } from "../format.ts";
import type { FlameTree } from "../flame_graph.ts";
import { foldedCalls } from "../names.ts";
import { placeLink } from "../sections/place.ts";
import { fullName, shortOf, type Context } from "./contexts.ts";
import { metrics, metricsOf, weighedBy, type Metric } from "./figures.ts";

/** "1.00 ms (own 0.50 ms)" of every metric that there is any of. */
export const allFigures = (context: Context): [string, string][] =>
  metricsOf(context.total).map((m) => {
    const own = m.of(context.own);
    return [m.title, `${m.show(m.of(context.total))}${own ? ` (own ${m.show(own)})` : ""}`];
  });

export class ContextFlame implements FlameTree<Context> {
  readonly hasWidth: boolean;

  constructor(readonly root: Context, private readonly metric: Metric, private readonly results: Results, readonly searchDepth: number) {
    this.hasWidth = metric.of(root.total) > 0;
  }

  above(context: Context) {
    return context.above;
  }

  /** By the host's time, what the device does for a call shares the call's width. */
  below(context: Context) {
    const used = new Set(context.below.map((node) => weighedBy(this.metric, node)));
    const by = metrics.find((m) => used.has(m)) ?? this.metric;
    const parts = context.below.map((node) => ({ node, part: by.of(node.total) })).filter((p) => p.part > 0).sort((a, b) => b.part - a.part);
    const whole = by === weighedBy(this.metric, context) ? by.of(context.total) : parts.reduce((sum, p) => sum + p.part, 0);
    return parts.map(({ node, part }) => ({ node, part: part / whole }));
  }

  name(context: Context) {
    return shortOf(context);
  }
  fullName(context: Context) {
    return fullName(context);
  }

  words(context: Context) {
    const by = weighedBy(this.metric, context);
    const of = by.of(context.total), own = by.of(context.own);
    return `${by.title.toLowerCase()} ${by.show(of)}, ${percent(of / by.of(this.root.total))}${own ? `, own ${by.show(own)}` : ""}`;
  }

  more(context: Context): Child[] {
    const folded = context.isDevice && foldedCalls(context.name);
    return [folded && `. ${folded}`, ...(context.line > 0 ? [". Its line: ", placeLink(this.results, context.file, context.line)] : [])];
  }

  facts(context: Context) {
    return facts(fullName(context), [["Kind", context.kind], ...allFigures(context)]);
  }

  warmth() {
    return 0;
  }

  classes(context: Context) {
    const of = context.isDevice ? "device" : context.kind === "call" ? "call" : "";
    return context.isDevice && foldedCalls(context.name) ? `${of} folded` : of;
  }
}
