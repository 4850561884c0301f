/// Before and after, on top of the page: sums, findings, kernels and lines.
import { bytesOf, type Earlier, type Finding, type Results } from "../data.ts";
import { dataTable, type Column } from "../data_table.ts";
import { element, type Child } from "../dom.ts";
import { bytes, fileName, grouped, percent } from "../format.ts";
import { amount } from "../sections/findings.ts";
import { placeLink } from "../sections/place.ts";
import { bytesMoved, excess, perRequest, useful, type Cost } from "../source/cost.ts";
import { termButton } from "../terms.ts";
import { compare, type ComparedLine, type Pair } from "./comparison.ts";

/** "-45.2 %" of what was before. */
export function change(before: number, after: number): string {
  if (before === after) return "0";
  if (before === 0) return "new";
  return `${after < before ? "−" : "+"}${percent(Math.abs(after - before) / before)}`;
}

function sums(before: Earlier, after: Results, totals: { before: Cost; after: Cost }): HTMLElement {
  const of = (name: Child, old: number, now: number, show: (n: number) => string, how = change(old, now)) =>
    element("tr", {}, element("th", { scope: "row" }, name),
      ...[old, now].map((n) => element("td", { class: "number", title: grouped(n) }, show(n))), element("td", { class: "number" }, how));
  const cost = (name: Child, value: (c: Cost) => number, show = grouped) => of(name, value(totals.before), value(totals.after), show);
  const points = 100 * (useful(totals.after) - useful(totals.before));
  return element("div", { class: "table card", tabindex: 0, role: "group", "aria-label": "Before and after", id: "compared-sums" }, element("table", {},
    element("caption", { class: "hidden" }, "The program before and after"),
    element("thead", {}, element("tr", {}, element("td"),
      ...["Before", "After", "Change"].map((title) => element("th", { scope: "col", class: "number" }, title)))),
    element("tbody", {},
      cost(termButton("sector", "Sectors"), (c) => c.sectors),
      cost("Bytes moved", bytesMoved, bytes),
      cost(termButton("excess", "Excess sectors"), excess),
      of(termButton("of use", "Of use"), useful(totals.before), useful(totals.after), percent,
        points === 0 ? "0" : `${points < 0 ? "−" : "+"}${Math.abs(points).toFixed(1)} points`),
      cost(termButton("request", "Requests"), (c) => c.requests),
      cost(termButton("sectors per request", "Sectors per request"), perRequest, (n) => n.toFixed(2)),
      cost(termButton("access", "Accesses"), (c) => c.accesses),
      of("Bytes by threads", bytesOf(before.volume), bytesOf(after.volume), bytes),
      of("Findings", before.findings.length, after.findings.length, grouped))));
}

function place(results: Results, f: Finding, isAfter: boolean): Child {
  if (!f.file) return f.kernel;
  return isAfter ? placeLink(results, f.file, f.line) : element("span", { title: f.file }, `${fileName(f.file)}:${f.line}`);
}

const total = (list: Finding[]) => list.reduce((sum, f) => sum + f.amount, 0);

function findingList(title: string, kind: string, items: HTMLElement[]): HTMLElement {
  return element("div", { class: `card ${kind}` }, element("h3", {}, `${title}: ${grouped(items.length)} ${items.length === 1 ? "finding" : "findings"}`),
    items.length ? element("ul", {}, ...items) : element("p", { class: "soft" }, "None."));
}

const sectorsOf = (pair: Pair<Cost>, side: keyof Pair<Cost>) => pair[side]?.sectors ?? 0;

/** Columns of what has costs on both sides. */
const costs = <Row extends Pair<Cost>>(): Column<Row>[] => [
  { title: "Sectors before", value: (r) => sectorsOf(r, "before") },
  { title: "Sectors after", value: (r) => sectorsOf(r, "after") },
  { title: "Change", hint: "of sectors; sorts by their number", value: (r) => Math.abs(sectorsOf(r, "after") - sectorsOf(r, "before")),
    show: (r) => (r.after ? change(sectorsOf(r, "before"), sectorsOf(r, "after")) : "gone") },
  { title: "Excess before", value: (r) => (r.before ? excess(r.before) : 0) },
  { title: "Excess after", value: (r) => (r.after ? excess(r.after) : 0) },
  { title: "Of use before", value: (r) => (r.before ? useful(r.before) : 0), show: (r) => (r.before ? percent(useful(r.before)) : "-") },
  { title: "Of use after", value: (r) => (r.after ? useful(r.after) : 0), show: (r) => (r.after ? percent(useful(r.after)) : "-") },
];

export function comparisonSection(before: Earlier, after: Results): HTMLElement[] {
  const found = compare(before, after);
  const listed = (list: Finding[], isAfter: boolean) =>
    list.map((f) => element("li", {}, place(after, f, isAfter), `: ${f.title}, ${amount(f)}`));
  return [
    element("p", { class: "note" }, "A line is the same where its file's name, its function and its text are, wherever it stands."),
    sums(before, after, found.totals),
    element("div", { class: "cards three" },
      findingList("Gone", "gone", listed(found.gone, false)),
      findingList("New", "fresh", listed(found.fresh, true)),
      findingList("Remaining", "remaining", found.remaining.map(({ before: old, after: now }) => element("li", {},
        place(after, now[0]!, true), `: ${now[0]!.title}, ${change(total(old), total(now)).replace(/^0$/, "as before")}`)))),
    element("div", { class: "card", id: "compared-kernels" }, element("h3", {}, "By kernel"), dataTable(found.kernels, [
      { title: "Kernel", value: (k) => k.name }, ...costs<(typeof found.kernels)[number]>()], { caption: "Kernels before and after", sortBy: 3 })),
    element("div", { class: "card", id: "compared-lines" }, element("h3", {}, "By line"), dataTable<ComparedLine>(found.lines, [
      { title: "Place", value: (l) => `${l.file}:${l.line}`,
        show: (l) => (l.after ? placeLink(after, l.file, l.line) : element("span", { title: l.file }, `${fileName(l.file)}:${l.line}`)) },
      { title: "Function", value: (l) => l.function },
      { title: "Text", value: (l) => l.text, show: (l) => element("code", {}, l.text) },
      ...costs<ComparedLine>()], { caption: "Lines before and after", sortBy: 5 })),
  ];
}
