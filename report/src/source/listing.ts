/// One file: each line with its costs before it, where no long line hides them, and below it its accesses. Lines far
/// from accesses are folded away, and so are all but the dearest of very many. What is folded has no rows: a file may
/// have any length.
import { grouping, type Access } from "../data.ts";
import { button, element, type Child } from "../dom.ts";
import { fileName, grouped } from "../format.ts";
import { functionName } from "../names.ts";
import { termButton } from "../terms.ts";
import { costOf, heatOf, operationOf, type Cost, type CostColumn } from "./cost.ts";
import { spaceOf, type TimedPlaces } from "./durations.ts";

const context = 4;
/** Lines that are shown at first, and by one press on what is folded. */
const mostLines = 300, step = 200;
const mostAccesses = 20;

export interface ListedLine {
  cost: Cost;
  accesses: Access[];
}
export interface Listed {
  /** Makes ids: line-INDEX-NUMBER. */
  index: number;
  path: string;
  text: readonly string[];
  lines: ReadonlyMap<number, ListedLine>;
  /** Where a line has a fault or a finding: links to them. */
  tags: (line: number) => Child[];
  /** Lines with faults, which are in sight though nothing is known of accesses there. */
  faulty: Iterable<number>;
  columns: readonly CostColumn[];
  timed: TimedPlaces;
  /** The way to how an access's durations are distributed; null: none is known. */
  histogram: (access: Access) => Child;
}

/** One entry for all kernels' accesses of one place, operation, size and chain of calls: dearest first. */
function joined(accesses: readonly Access[], timed: TimedPlaces): [Access, Cost][] {
  const same = grouping(accesses, (a) => JSON.stringify([a.column, a.operation, a.function, a.callSites, a.bytes, spaceOf(a)]));
  return [...same.values()].map((list): [Access, Cost] => [list[0]!, costOf(list, undefined, timed.of(list))]).sort((a, b) => b[1].sectors - a[1].sectors);
}

/** What an access is, in words, of which the first tell it from its neighbours: "load of 4 B, column 12, called at step.cu:12:3 in heatStep; of at". */
function accessText(access: Access, histogram: Child): Child[] {
  return [
    element("span", { class: `dot ${operationOf(access)}`, "aria-hidden": "true" }),
    `${access.operation}${access.bytes ? ` of ${access.bytes} B` : ""}${spaceOf(access) === "global" ? "" : `, ${spaceOf(access)} memory`}${access.column ? `, column ${access.column}` : ""}`,
    histogram,
    ...access.callers.flatMap((caller, i): Child[] => {
      const place = access.callSites[i];
      if (!place) return [", ", functionName(caller)];
      return [i === 0 ? ", called at " : ", at ", element("span", { title: place }, fileName(place)), " in ", functionName(caller)];
    }),
    access.callers.length ? "; of " : ", of ", functionName(access.function),
  ];
}

export class Listing {
  readonly node: HTMLElement;
  private readonly body = element("tbody");
  private readonly heads: HTMLElement[];
  private readonly costs = new Map<HTMLTableRowElement, Cost>();
  private readonly gaps = new Set<{ from: number; to: number; row: HTMLElement }>();

  /** `heat` is the index of a column, and `most` the largest heat of all files. */
  constructor(private readonly of: Listed, private heat: number, private most: number) {
    this.heads = of.columns.map((c) => element("th", { scope: "col", class: "number figure" }, termButton(c.term, c.title)));
    this.node = element("div", { class: "table", tabindex: 0, role: "group", "aria-label": of.path },
      element("table", { class: "source" },
        element("caption", { class: "hidden" }, `${of.path}, with the costs of each line`),
        element("thead", {}, element("tr", {}, ...this.heads,
          element("th", { scope: "col", class: "number" }, "Line"), element("th", { scope: "col", class: "code" }, "Text"))),
        this.body));
    const shown = this.shownAtFirst();
    for (let i = 0; i < of.text.length; ) {
      let end = i;
      while (end < of.text.length && !shown[end]) ++end;
      if (end - i > 2) this.body.append(this.gap(i, end));
      else this.body.append(...this.rows(i, end));
      for (i = end; i < of.text.length && shown[i]; ++i) this.body.append(...this.rows(i, i + 1));
    }
    this.paint(heat, most);
  }

  /** Colours by another column. */
  paint(heat: number, most: number) {
    this.heat = heat;
    this.most = most;
    this.heads.forEach((head, i) => head.classList.toggle("heat", i === heat));
    for (const row of this.body.rows) this.paintRow(row);
  }

  /** The row of a line from 1, which is unfolded with those around it; null: the file has no such line. */
  reveal(line: number): HTMLElement | null {
    for (const gap of this.gaps)
      if (gap.from < line && line <= gap.to)
        this.open(gap, Math.max(gap.from, line - step / 2), Math.min(gap.to, line + step / 2));
    return document.getElementById(`line-${this.of.index}-${line}`);
  }

  private shownAtFirst(): Uint8Array {
    const shown = new Uint8Array(this.of.text.length);
    const dearest = [...this.of.lines].sort(([, a], [, b]) => b.cost.sectors - a.cost.sectors).slice(0, mostLines);
    for (const line of [...dearest.map(([line]) => line), ...this.of.faulty]) shown.fill(1, Math.max(0, line - 1 - context), line + context);
    return shown;
  }

  /** Rows of lines from..to-1, from 0. */
  private rows(from: number, to: number): HTMLElement[] {
    return Array.from({ length: to - from }, (_, i) => this.lineRows(from + i + 1)).flat();
  }

  private lineRows(line: number): HTMLElement[] {
    const listed = this.of.lines.get(line);
    const accesses = listed ? joined(listed.accesses, this.of.timed) : [];
    const below: HTMLTableRowElement[] = [];
    const fold = accesses.length > 0 && this.fold(line, accesses, below);
    const row = element("tr", { id: `line-${this.of.index}-${line}`, class: listed ? "cost" : null },
      ...this.cells(listed?.cost), element("th", { scope: "row" }, String(line)),
      element("td", { class: "code" }, fold, element("code", {}, this.of.text[line - 1] || " "), ...this.of.tags(line)));
    if (listed) this.keep(row, listed.cost);
    // What one access does stands in the line.
    if (fold && accesses.length > 1) fold.click();
    return [row, ...below];
  }

  private fold(line: number, accesses: [Access, Cost][], below: HTMLTableRowElement[]): HTMLButtonElement {
    const kinds = [...new Set(accesses.map(([a]) => operationOf(a)))];
    const node = button(`Accesses of line ${line}`, () => {
      if (below.length === 0) {
        below.push(...accesses.slice(0, mostAccesses).map(([access, cost]) => this.accessRow(access, cost)));
        if (accesses.length > mostAccesses)
          below.push(element("tr", { class: "access" }, ...this.cells(), element("td"),
            element("td", { class: "code" }, `${grouped(accesses.length - mostAccesses)} more: see all accesses below`)));
        node.closest("tr")?.after(...below);
      }
      const opens = node.getAttribute("aria-expanded") === "false";
      node.setAttribute("aria-expanded", String(opens));
      for (const row of below) row.hidden = !opens;
    }, { class: "fold", "aria-expanded": "false" },
      ...kinds.map((kind) => element("span", { class: `dot ${kind}`, "aria-hidden": "true" })));
    node.title = kinds.join(", ");
    return node;
  }

  private accessRow(access: Access, cost: Cost): HTMLTableRowElement {
    const row = element("tr", { class: "access" }, ...this.cells(cost), element("td"),
      element("td", { class: "code" }, ...accessText(access, this.of.histogram(access))));
    this.keep(row, cost);
    return row;
  }

  private cells(cost?: Cost): HTMLElement[] {
    return this.of.columns.map((column, i) => {
      const value = cost ? column.value(cost) : null, place = i === this.heat ? "number figure heat" : "number figure";
      return value === null ? element("td", { class: place }, cost ? "-" : null)
        : element("td", { class: place, title: column.exactly(value) }, column.show(value));
    });
  }

  private keep(row: HTMLTableRowElement, cost: Cost) {
    this.costs.set(row, cost);
    this.paintRow(row);
  }

  private paintRow(row: HTMLTableRowElement) {
    this.of.columns.forEach((_, i) => row.cells[i]!.classList.toggle("heat", i === this.heat));
    const cost = this.costs.get(row);
    if (cost) row.style.setProperty("--weight", `${Math.round((100 * heatOf(this.of.columns[this.heat]!, cost)) / (this.most || 1))}%`);
  }

  private gap(from: number, to: number): HTMLElement {
    let costly = 0;
    for (const line of this.of.lines.keys()) costly += from < line && line <= to ? 1 : 0;
    const what = `${grouped(to - from)} lines ${costly ? `, ${grouped(costly)} of them with accesses` : "without accesses"}`.replace(" ,", ",");
    const gap = {
      from, to,
      row: element("tr", { class: "gap" }, ...this.cells(), element("td"), element("td", { class: "code" },
        button(to - from > step ? `Show ${step} of ${what}` : what, () => this.open(gap, from, Math.min(to, from + step))))),
    };
    this.gaps.add(gap);
    return gap.row;
  }

  private open(gap: { from: number; to: number; row: HTMLElement }, from: number, to: number) {
    this.gaps.delete(gap);
    gap.row.replaceWith(
      ...(from > gap.from ? [this.gap(gap.from, from)] : []), ...this.rows(from, to), ...(to < gap.to ? [this.gap(to, gap.to)] : []));
  }
}
