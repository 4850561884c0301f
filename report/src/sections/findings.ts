/// What costs most, the dearest first. All that was found at one line of the source is one entry: the dearest is in
/// sight, the others are its details.
import { grouping, isModelled, type Finding, type Results } from "../data.ts";
import { element, type Child } from "../dom.ts";
import { bytes, grouped, percent, seconds } from "../format.ts";
import { functionName } from "../names.ts";
import { lineText, placeLink } from "./place.ts";

const mostEntries = 12;

/** Findings by place, in the order of the first of each. Those without a line stand alone. */
export const byPlace = (findings: readonly Finding[]): Finding[][] =>
  [...grouping(findings.entries(), ([i, f]) => (f.line ? `${f.file}:${f.line}` : `#${i}`)).values()].map((group) => group.map(([, f]) => f));

/** Where a source line's entry is. */
export const entryId = (index: number) => `finding-${index + 1}`;

export const amount = (f: Finding) => (f.unit === "bytes" ? bytes(f.amount) : `${grouped(f.amount)} ${f.unit}`);

/** "229,376 ± 12 cycles lost in timed launches"; empty: not known. */
function lost(f: Finding): string {
  if (f.lostCycles === null) return "";
  const share = f.lostCyclesShare ?? 1;
  return `, ${grouped(f.lostCycles)} ± ${grouped(f.lostCyclesError ?? 0)} cycles lost in timed launches${share < 1 ? `, known of ${percent(share)} of its accesses` : ""}`;
}

/** "sectors, up to 1.2 ms, 3,584 ± 0 cycles lost in timed launches". */
const cost = (f: Finding) => `${amount(f)}${f.seconds > 0 ? `, up to ${seconds(f.seconds)}${f.measured ? " by the trace's times" : ""}` : ""}${lost(f)}`;

/** By what they are in order, where cycles are known of one. */
const order = (results: Results) => (results.findings.every((f) => f.lostCycles === null) ? []
  : [element("p", { class: "note" }, "First come those that lost cycles in timed launches, by these; then, by their time, those that no cycles are known of; " +
      `last those that were timed and are not seen to lose any.${isModelled(results) ? " Cycles are modelled: the program ran on the CPU device." : ""}`)]);

const share = (f: Finding) => element("span", { class: "tag", title: `share of all ${f.unit}` }, `${percent(f.share)} of ${f.unit}`);

/** Correctness and coverage stand out from what costs time. */
const severity = (f: Finding) => (f.severity === "cost" ? null : element("span", { class: "tag" }, f.severity));

const kernelName = (f: Finding) => (f.kernel ? functionName(f.kernel) : null);

function others(rest: Finding[], advice: string): HTMLElement {
  const said = new Set([advice]);
  return element("details", {}, element("summary", {}, `${grouped(rest.length)} more at this line`),
    element("ul", {}, ...rest.map((f) => {
      const isNew = !said.has(f.advice);
      said.add(f.advice);
      return element("li", {}, element("b", {}, f.title), ": ", kernelName(f), f.kernel ? ", " : null, f.path ? element("span", {}, "called by ", element("code", {}, f.path), ", ") : null, cost(f), share(f),
        isNew ? element("p", {}, f.advice) : null);
    })));
}

/** `index` is the place among all findings' entries, whichever of them are shown. */
function entry(results: Results, list: Finding[], index: number): HTMLElement {
  const [f, ...rest] = list as [Finding, ...Finding[]];
  const code = lineText(results, f.file, f.line);
  const where: Child[] = [kernelName(f), f.kernel && f.file ? " at " : null, f.file ? placeLink(results, f.file, f.line) : null,
    f.operation ? element("span", {}, ` (${f.operation}${f.expression ? " of " : ""}`, f.expression ? element("code", {}, f.expression) : null, ")") : null,
    f.path ? element("span", {}, " called by ", element("code", {}, f.path)) : null,
    `${f.kernel || f.file ? ": " : ""}${cost(f)}`];
  return element("li", { class: "card", id: entryId(index) },
    element("div", { class: "head" }, element("h3", {}, f.title), severity(f), share(f)),
    element("p", {}, f.advice),
    code ? element("pre", { tabindex: 0, role: "group", "aria-label": "the line" }, element("code", {}, code)) : null,
    element("p", { class: "where" }, ...where),
    rest.length ? others(rest, f.advice) : null);
}

const nothing = "Nothing was found: no access wastes more than borders of arrays do, nothing is stored or copied in vain, " +
  "nothing is accessed without an order, and copies and launches are as they should be.";
const nothingOfPart = "No access that is shown wastes more than borders of arrays do. What goes beyond a part, such as data that nothing reads, is looked for in the whole program only.";
const ofPart = "Of what is shown. Where launches were chosen, only what their single accesses waste was looked for, and shares are of all that these moved.";

/** Of `results`, with the numbers that they have among `all`. */
export function findingsSection(results: Results, all: Results): HTMLElement[] {
  const isPart = all.shown.what !== null;
  if (all.findings.length === 0) return [element("p", { class: "soft" }, isPart ? nothingOfPart : nothing)];
  const shown = new Set(results.findings);
  const entries = byPlace(all.findings).flatMap((list, i) => {
    const mine = list.filter((f) => shown.has(f));
    return mine.length ? [entry(results, mine, i)] : [];
  });
  const list = (part: HTMLElement[]) => element("ol", { class: "findings" }, ...part);
  const rest = entries.slice(mostEntries), others = all.findings.length - shown.size;
  // In the page though out of sight: a link from a line opens it.
  return [...(isPart ? [element("p", { class: "note" }, ofPart)] : []), ...(others ? [element("p", { class: "note" }, `Findings at accesses of this kernel; ${grouped(others)} of others, or of no single kernel, are left out. ` +
      "Amounts and shares are those of all kernels.")] : []), ...order(results), list(entries.slice(0, mostEntries)),
    ...(rest.length ? [element("details", {}, element("summary", {}, `${grouped(rest.length)} cheaper ones`), list(rest))] : [])];
}
