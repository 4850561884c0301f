/// What costs most, the dearest first. All that was found at one line of the source is one entry: the dearest is in
/// sight, the others are its details.
import type { Results } from "../data.ts";
import { element, type Child } from "../dom.ts";
import { bytes, grouped, percent, seconds, shortName } from "../format.ts";
import { lineText, placeLink } from "./place.ts";

type Finding = Results["findings"][number];

const mostEntries = 12;

/** Findings by place, in the order of the first of each. Those without a line stand alone. */
export function byPlace(findings: readonly Finding[]): Finding[][] {
  const entries = new Map<string, Finding[]>();
  findings.forEach((f, i) => {
    const place = f.line ? `${f.file}:${f.line}` : `#${i}`;
    entries.set(place, [...(entries.get(place) ?? []), f]);
  });
  return [...entries.values()];
}

/** Where a source line's entry is. */
export const entryId = (index: number) => `finding-${index + 1}`;

const amount = (f: Finding) => (f.unit === "bytes" ? bytes(f.amount) : `${grouped(f.amount)} ${f.unit}`);

/** "sectors, up to 1.2 ms". */
const cost = (f: Finding) => `${amount(f)}${f.seconds > 0 ? `, up to ${seconds(f.seconds)}` : ""}`;

const share = (f: Finding) => element("span", { class: "tag", title: `share of all ${f.unit}` }, `${percent(f.share)} of ${f.unit}`);

/** Correctness and coverage stand out from what costs time. */
const severity = (f: Finding) => (f.severity === "cost" ? null : element("span", { class: "tag" }, f.severity));

const kernelName = (f: Finding) => (f.kernel ? element("code", { title: f.kernel }, shortName(f.kernel)) : null);

function others(rest: Finding[], advice: string): HTMLElement {
  const said = new Set([advice]);
  return element("details", {}, element("summary", {}, `${grouped(rest.length)} more at this line`),
    element("ul", {}, ...rest.map((f) => {
      const isNew = !said.has(f.advice);
      said.add(f.advice);
      return element("li", {}, element("b", {}, f.title), ": ", kernelName(f), f.kernel ? ", " : null, cost(f), share(f),
        isNew ? element("p", {}, f.advice) : null);
    })));
}

function entry(results: Results, list: Finding[], index: number): HTMLElement {
  const [f, ...rest] = list as [Finding, ...Finding[]];
  const code = lineText(results, f.file, f.line);
  const where: Child[] = [kernelName(f), f.kernel && f.file ? " at " : null, f.file ? placeLink(results, f.file, f.line) : null,
    f.operation ? element("span", {}, ` (${f.operation}${f.expression ? " of " : ""}`, f.expression ? element("code", {}, f.expression) : null, ")") : null,
    `${f.kernel || f.file ? ": " : ""}${cost(f)}`];
  return element("li", { class: "card", id: entryId(index) },
    element("div", { class: "head" }, element("h3", {}, f.title), severity(f), share(f)),
    element("p", {}, f.advice),
    code ? element("pre", { tabindex: 0, role: "group", "aria-label": "the line" }, element("code", {}, code)) : null,
    element("p", { class: "where" }, ...where),
    rest.length ? others(rest, f.advice) : null);
}

export function findingsSection(results: Results): HTMLElement[] {
  if (results.findings.length === 0)
    return [element("p", { class: "soft" }, "Nothing was found: no access wastes more than borders of arrays do, nothing is stored or copied in vain, " +
      "and nothing is accessed without an order.")];
  const entries = byPlace(results.findings).map((list, i) => entry(results, list, i));
  const list = (part: HTMLElement[]) => element("ol", { class: "findings" }, ...part);
  const rest = entries.slice(mostEntries);
  // In the page though out of sight: a link from a line opens it.
  return [list(entries.slice(0, mostEntries)),
    ...(rest.length ? [element("details", {}, element("summary", {}, `${grouped(rest.length)} cheaper ones`), list(rest))] : [])];
}
