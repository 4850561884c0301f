/// The sources with the costs of each line before it, where no long line hides them. Lines far from any access are
/// folded away.
import { accessesOf, bytesOf, type Line, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { button, element } from "../dom.ts";
import { bytes, grouped, short, shortName } from "../format.ts";
import { byPlace, entryId } from "./findings.ts";
import { linesOf, placeLink } from "./place.ts";

const context = 4;
/** Of the listing, beside number and text. */
const heads = [
  { title: "Accesses", show: short }, { title: "Bytes", show: bytes }, { title: "Sectors", show: short }, { title: "Excess sectors", show: short },
  { title: "Communi\u00adcated", show: bytes },
];

/** Entries of the findings, by their line in `file`. */
function findingsIn(results: Results, file: string): Map<number, [index: number, title: string]> {
  return new Map(byPlace(results.findings).flatMap(([f], i) =>
    f && f.line && f.file === file ? [[f.line, [i, f.title]]] : []));
}

function codeRow(
  id: string, number: number, text: string, cost: Line | undefined, most: number, finding: [number, string] | undefined,
): HTMLElement {
  const costs = cost ? [accessesOf(cost), bytesOf(cost), cost.sectors, cost.excessSectors, cost.communicatedBytes + cost.readCommunicatedBytes] : [];
  const weight = cost ? Math.round((100 * bytesOf(cost)) / most) : 0;
  return element("tr", { id, class: cost ? "cost" : null },
    ...heads.map(({ show }, i) => cost
      ? element("td", { class: "number", title: grouped(costs[i]!), style: i === 1 ? `--weight:${weight}%` : null }, show(costs[i]!))
      : element("td")),
    element("th", { scope: "row" }, String(number)),
    element("td", { class: "code" }, element("code", {}, text || " "),
      finding ? element("a", { class: "tag warn", href: `#${entryId(finding[0])}`, title: finding[1] }, `finding ${finding[0] + 1}`) : null));
}

const byLine = (lines: Line[]) => new Map(lines.map((l) => [l.line, l]));

function listing(results: Results, index: number): HTMLElement {
  const source = results.sources[index]!;
  const { path } = source;
  const costs = byLine(results.lines.filter((l) => l.file === path));
  const most = Math.max(1, ...[...costs.values()].map(bytesOf));
  const code = linesOf(source);
  const body = element("tbody");
  const found = findingsIn(results, path);
  const row = (i: number) => codeRow(`line-${index}-${i + 1}`, i + 1, code[i]!, costs.get(i + 1), most, found.get(i + 1));
  const near = (i: number) => {
    for (let d = -context; d <= context; ++d) if (costs.has(i + 1 + d)) return true;
    return false;
  };
  const gap = (from: number, to: number) => {
    const folded = element("tr", { class: "gap" }, ...heads.map(() => element("td")), element("td"), element("td", { class: "code" },
      button(`${grouped(to - from)} lines without accesses`, () =>
        folded.replaceWith(...Array.from({ length: to - from }, (_, k) => row(from + k))))));
    return folded;
  };
  for (let i = 0; i < code.length; ) {
    let end = i;
    while (end < code.length && !near(end)) ++end;
    if (end - i > 2) body.append(gap(i, end));
    else for (let k = i; k < end; ++k) body.append(row(k));
    for (i = end; i < code.length && near(i); ++i) body.append(row(i));
  }
  return element("div", { class: "table", tabindex: 0, role: "group", "aria-label": path },
    element("table", { class: "source" },
      element("caption", { class: "hidden" }, `${path}, with the costs of each line`),
      element("thead", {}, element("tr", {},
        ...heads.map((h) => element("th", { scope: "col", class: "number" }, h.title)),
        element("th", { scope: "col", class: "number" }, "Line"), element("th", { scope: "col", class: "code" }, "Text"))),
      body));
}

export function sourceSection(results: Results): HTMLElement[] {
  const files = results.sources.map((s, i) =>
    element("details", { class: "card file", open: i === 0 }, element("summary", {}, s.path), listing(results, i)));
  return [...files, element("div", { class: "card" }, element("h3", {}, "All lines with accesses"), lineTable(results))];
}

const lineTable = (results: Results) =>
  dataTable(results.lines, [
    { title: "Place", value: (l) => `${l.file}:${l.line}`, show: (l) => placeLink(results, l.file, l.line) },
    { title: "Function", value: (l) => l.functions.map(shortName).join(", ") },
    { title: "Loads", value: (l) => l.loads },
    { title: "Stores", value: (l) => l.stores },
    { title: "Atomics", value: (l) => l.atomics },
    { title: "Bytes", value: bytesOf },
    { title: "Requests", value: (l) => l.requests, hint: "accesses by warps" },
    { title: "Sectors", value: (l) => l.sectors, hint: "32-byte sectors, request by request" },
    { title: "Excess sectors", value: (l) => l.excessSectors, hint: "sectors that another layout would save" },
    { title: "Written and read later", value: (l) => l.communicatedBytes },
    { title: "Read of earlier launches", value: (l) => l.readCommunicatedBytes },
  ], { caption: "Lines with accesses", sortBy: 5 });
