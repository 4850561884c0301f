/// The tree of calling contexts as a table that unfolds. What costs most is open at first; every column sorts what stands below each context.
import type { Results } from "../data.ts";
import { button, element } from "../dom.ts";
import { grouped, percent } from "../format.ts";
import { foldedCalls, functionName } from "../names.ts";
import { placeLink } from "../sections/place.ts";
import { termButton } from "../terms.ts";
import { shortOf, type Context } from "./contexts.ts";
import { metricsOf, weighedBy, type Figures, type Metric } from "./figures.ts";

/** How many rows are open at first, and how many more of one context's a press shows. */
const openRows = 40, pageRows = 100;
/** What is deeper gets less room for each step. */
const deep = 12;

interface FigureColumn {
  title: string;
  of: (row: Row) => number;
  show: (row: Row) => string;
  exactly: (row: Row) => string | null;
}
/** Of a context, or a procedure. */
type Row = Pick<Context, "own" | "total">;

/** The metric, its share and what is a row's own, then others of which there is any. */
export function figureColumns(metric: Metric, all: Figures): FigureColumn[] {
  const column = (title: string, by: Metric, of: FigureColumn["of"], show = by.show): FigureColumn =>
    ({ title, of, show: (row) => (of(row) ? show(of(row)) : ""), exactly: (row) => (of(row) ? by.exactly(of(row)) : null) });
  const total = (by: Metric) => column(by.title, by, (row) => by.of(row.total));
  return [
    total(metric),
    column("Share", metric, (row) => metric.of(row.total), (n) => percent(n / metric.of(all))),
    column("Own", metric, (row) => metric.of(row.own)),
    ...metricsOf(all).filter((m) => m.isBeside && m !== metric).map(total),
  ];
}

export class TreeTable {
  readonly node: HTMLElement;
  private readonly body = element("tbody");
  private readonly columns: FigureColumn[];
  private readonly heads: HTMLElement[];
  private readonly open = new Set<Context>();
  private readonly shown = new Map<Context, number>();
  private readonly contexts = new WeakMap<HTMLTableRowElement, Context>();
  private sorted = 0;
  private isAscending = false;

  constructor(private readonly root: Context, private readonly metric: Metric, private readonly results: Results, caption: string) {
    this.columns = figureColumns(metric, root.total);
    this.heads = this.columns.map((column, i) =>
      element("th", { scope: "col", class: "number" }, button(column.title, () => this.sort(i))));
    this.openDearest();
    this.mark();
    this.fill();
    this.body.addEventListener("keydown", (event) => this.key(event));
    this.node = element("div", { class: "table", tabindex: 0, role: "group", "aria-label": caption },
      element("table", { class: "contexts" }, element("caption", { class: "hidden" }, caption),
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Calling context"), ...this.heads)), this.body));
  }

  private share(context: Context) {
    const by = weighedBy(this.metric, context);
    return by.of(context.total) / (by.of(this.root.total) || 1);
  }

  private openDearest() {
    const queue = [this.root];
    for (let rows = 1; rows < openRows && queue.length > 0; ) {
      const next = queue.splice(queue.reduce((best, c, i) => (this.share(c) > this.share(queue[best]!) ? i : best), 0), 1)[0]!;
      if (next.below.length === 0) continue;
      this.open.add(next);
      rows += Math.min(pageRows, next.below.length);
      queue.push(...next.below);
    }
  }

  private sort(column: number) {
    this.isAscending = column === this.sorted && !this.isAscending;
    this.sorted = column;
    this.mark();
    this.fill();
  }

  private mark() {
    this.heads.forEach((head, i) => {
      if (i === this.sorted) head.setAttribute("aria-sort", this.isAscending ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }

  private fill() {
    const rows: HTMLTableRowElement[] = [], left: (Context | HTMLTableRowElement)[] = [this.root];
    for (let at = left.pop(); at; at = left.pop())
      if (at instanceof HTMLTableRowElement) rows.push(at);
      else {
        rows.push(this.row(at));
        if (this.open.has(at)) left.push(...this.below(at).reverse());
      }
    this.body.replaceChildren(...rows);
  }

  /** The first column sorts by what contexts are weighed by, the others by what they show. */
  private ordered(contexts: readonly Context[]): Context[] {
    const size = this.sorted === 0 ? (c: Context) => this.share(c) : this.columns[this.sorted]!.of;
    return [...contexts].sort((a, b) => (size(b) - size(a)) * (this.isAscending ? -1 : 1));
  }

  /** What stands below a context that is open: the contexts, and a row for those that are too many. */
  private below(context: Context): (Context | HTMLTableRowElement)[] {
    const most = this.shown.get(context) ?? pageRows, left = context.below.length - most;
    return [...this.ordered(context.below).slice(0, most), ...(left > 0 ? [this.moreRow(context, most, left)] : [])];
  }

  private moreRow(context: Context, most: number, left: number) {
    return element("tr", { class: "more-rows" }, element("td", { colspan: 1 + this.columns.length, style: `--depth:${indent(context.depth + 1)}` },
      button(`Show ${grouped(Math.min(left, pageRows))} more of ${grouped(left)}`, () => {
        this.shown.set(context, most + pageRows);
        this.fill();
      })));
  }

  private row(context: Context): HTMLTableRowElement {
    const isOpen = this.open.has(context), folded = context.isDevice && foldedCalls(context.name);
    const fold = context.below.length > 0 && button(`${isOpen ? "Fold" : "Unfold"} ${shortOf(context)}`, () => this.toggle(context),
      { class: "unfold", "aria-expanded": String(isOpen) }, element("span", { "aria-hidden": "true" }, isOpen ? "▾" : "▸"));
    const row = element("tr", { class: context.isDevice ? "device" : context.kind === "call" ? "call" : null },
      element("th", { scope: "row", style: `--depth:${indent(context.depth)}` }, fold,
        element("i", { class: "kind", "aria-hidden": "true" }), this.name(context),
        ...(context.line > 0 ? [" ", placeLink(this.results, context.file, context.line)] : []),
        folded ? element("span", { class: "tag", title: folded }, "folded") : null),
      ...this.columns.map((column) => element("td", { class: "number", title: column.exactly(context) }, column.show(context))));
    this.contexts.set(row, context);
    return row;
  }

  /** What stands in front of the place. */
  private name(context: Context): HTMLElement {
    if (context.above === null) return element("code", {}, shortOf(context));
    return context.kind === "loop" && context.line > 0 ? element("code", {}, "loop at") : functionName(context.name);
  }

  private toggle(context: Context) {
    if (!this.open.delete(context)) this.open.add(context);
    this.fill();
    this.focus([...this.body.rows].findIndex((row) => this.contexts.get(row) === context));
  }

  private focus(row: number) {
    this.body.rows[row]?.querySelector<HTMLElement>(".unfold")?.focus();
  }

  /** Up and down go to the next context that unfolds; left folds, or goes outwards, right unfolds. */
  private key(event: KeyboardEvent) {
    const at = (event.target as Element).closest("tr"), context = at && this.contexts.get(at);
    if (!context || !(event.target as Element).matches(".unfold")) return;
    const rows = [...this.body.rows], unfolds = (row: HTMLTableRowElement) => row.querySelector(".unfold") !== null;
    const here = rows.indexOf(at), isOpen = this.open.has(context);
    if (event.key === "ArrowDown") this.focus(rows.findIndex((row, i) => i > here && unfolds(row)));
    else if (event.key === "ArrowUp") this.focus(rows.findLastIndex((row, i) => i < here && unfolds(row)));
    else if (event.key === "ArrowRight" && !isOpen) this.toggle(context);
    else if (event.key === "ArrowLeft" && isOpen) this.toggle(context);
    else if (event.key === "ArrowLeft") this.focus(rows.findIndex((row) => this.contexts.get(row) === context.above));
    else return;
    event.preventDefault();
  }
}

const indent = (depth: number) => Math.min(depth, deep) + Math.max(0, depth - deep) / 4;

/** A metric's name, which explains itself. */
export const metricName = (metric: Metric): Node | string => (metric.term ? termButton(metric.term, metric.title) : metric.title);
