/// What the check found, where the page has it: each fault with its accesses, the two of a race side by side, and what could not be looked for.
import { fragment } from "../address.ts";
import { grouping, type Check, type Fault, type FaultAccess, type Results } from "../data.ts";
import { element, type Child } from "../dom.ts";
import { fileName, grouped } from "../format.ts";
import { functionName } from "../names.ts";
import { excerpt } from "../source/excerpt.ts";
import { linesOf, placeLink, sourceIndex } from "./place.ts";

type Rule = Fault["rule"];

/** With its number among all faults, from 1, by which it is linked to. */
export interface NumberedFault {
  number: number;
  fault: Fault;
}

const mostEntries = 12;

/** One of them, and several. */
const kinds: Record<Rule, readonly [one: string, several: string]> = {
  "race-lanes": ["race", "races"], "race-warps": ["race", "races"], "race-blocks": ["race", "races"], "race-launches": ["race", "races"],
  "race-host": ["race", "races"],
  "uninitialised-read": ["uninitialised read", "uninitialised reads"], "out-of-bounds": ["out of bounds", "out of bounds"],
  "block-ended": ["ended block", "ended blocks"],
  "use-after-free": ["use after free", "uses after free"], misaligned: ["misaligned", "misaligned"],
  "divergent-barrier": ["divergent barrier", "divergent barriers"], "warp-mask": ["wrong mask", "wrong masks"],
  "failed-kernel": ["failed kernel", "failed kernels"], "double-free": ["double free", "double frees"], "invalid-free": ["invalid free", "invalid frees"],
  "unchecked-error": ["unchecked error", "unchecked errors"], leak: ["leak", "leaks"],
};

/** Those that have an access of the kernel that is shown; all, where it is none. */
export function faultsOf(check: Check, shown: Results, all: Results): NumberedFault[] {
  const kernels = new Set(shown.kernels.map((k) => k.name));
  return check.faults.map((fault, i) => ({ number: i + 1, fault }))
    .filter(({ fault }) => shown === all || fault.accesses.some((a) => a.kernel !== undefined && kernels.has(a.kernel)));
}

/** Where a fault's entry is. */
export const faultId = (number: number) => `fault-${number}`;

const plural = (count: number, one: string, several = `${one}s`) => `${grouped(count)} ${count === 1 ? one : several}`;

const isError = (check: Check, { fault }: NumberedFault) => check.rules.find((r) => r.id === fault.rule)?.severity !== "warning";

/** "3 faults found: 2 races, 1 out of bounds". */
export function faultSummary(faults: readonly NumberedFault[]): string {
  const parts = [...grouping(faults, ({ fault }) => kinds[fault.rule][0])].map(([one, list]) => plural(list.length, one, kinds[list[0]!.fault.rule][1]));
  return `${plural(faults.length, "fault")} found: ${parts.join(", ")}`;
}

/** The line in the page's first screen; null: none is there. */
export function faultLine(check: Check, faults: readonly NumberedFault[]): HTMLElement | null {
  if (faults.length === 0) return null;
  return element("p", { class: `faults-found${faults.some((f) => isError(check, f)) ? " error" : ""}` },
    element("a", { href: fragment("faults") }, faultSummary(faults)));
}

const ruleList = (rules: readonly Rule[]) => rules.join(", ");

const position = (at: readonly number[]) => `(${at.join(",")})`;

/** "app.cu:10:31", as a link. */
function callSite(results: Results, place: string): Node {
  const [, file, line, column] = /^(.*?):(\d+)(?::(\d+))?$/.exec(place) ?? [];
  return file === undefined ? element("span", {}, place) : placeLink(results, file, Number(line), Number(column ?? 0));
}

/** The lines around an access; null: nobody knows where it is. */
function codeOf(results: Results, access: FaultAccess): HTMLElement | null {
  if (access.file === "" || access.line === 0) return null;
  const source = results.sources[sourceIndex(results, access.file)];
  return (source && excerpt(source.path, linesOf(source),
    { line: access.line, column: access.column, words: access.expression, wordsColumn: access.expression_column }))
    ?? element("p", { class: "note" }, `The trace has no text of ${fileName(access.file)}.`);
}

/** "Thread (0,0,0) of block (1,0,0), launch 2 of step"; null: it is the host's. */
function threadOf({ block, thread, kernel, launch }: FaultAccess): HTMLElement | null {
  if (!launch || !kernel) return null;
  return element("p", { class: "where" }, thread && block ? `Thread ${position(thread)} of block ${position(block)}, ` : null,
    `launch ${grouped(launch)} of `, functionName(kernel));
}

/** One of the accesses. `which`: of two. */
function side(results: Results, access: FaultAccess, which: string): HTMLElement {
  const calls = access.callers.flatMap(({ function: caller, place }): Child[] =>
    [", called by ", functionName(caller), place ? " at " : null, place ? callSite(results, place) : null]);
  return element("div", { class: "side" },
    element("h4", {}, which ? `${which}: ` : null, access.operation, access.expression ? " of " : null, access.expression ? element("code", {}, access.expression) : null),
    element("p", { class: "where" }, access.file ? placeLink(results, access.file, access.line, access.column) : "Its place is not known",
      access.function ? " in " : null, access.function ? functionName(access.function) : null, ...calls),
    codeOf(results, access),
    threadOf(access),
    access.host_thread ? element("p", { class: "where" }, `Host thread ${access.host_thread}`) : null,
    access.host_path ? element("p", { class: "where" }, "From ", element("code", {}, access.host_path)) : null);
}

/** What lies there, how much of it was accessed, and where it was allocated. */
function memoryOf(results: Results, fault: Fault): HTMLElement | null {
  if (fault.memory === "") return null;
  if (fault.rule === "warp-mask") return element("p", { class: "where" }, "The mask: ", element("code", {}, fault.address));
  const allocation = results.allocations.find((a) => a.ordinal !== null && a.ordinal === fault.allocation);
  // What leaked has its place below.
  const place = fault.rule !== "leak" && allocation && allocation.line > 0 && sourceIndex(results, allocation.file) >= 0 &&
    placeLink(results, allocation.file, allocation.line);
  return element("p", { class: "where" }, "Memory: ", element("code", {}, fault.memory),
    fault.bytes ? `, ${plural(fault.bytes, "byte")} of ${fault.space} memory` : null,
    `, ${fault.space === "global" ? "at" : "offset"} ${fault.address}`,
    place && ", allocated at ", place);
}

function entry(results: Results, check: Check, numbered: NumberedFault): HTMLElement {
  const { number, fault } = numbered, rule = check.rules.find((r) => r.id === fault.rule), error = isError(check, numbered);
  const names = fault.accesses.length > 1 ? ["One", "The other"] : [""];
  return element("li", { class: `card ${error ? "error" : "warning"}`, id: faultId(number) },
    element("div", { class: "head" }, element("h3", {}, fault.title),
      element("div", { class: "tags" }, element("span", { class: `tag ${error ? "bad" : "warn"}` }, error ? "error" : "warning"),
        element("span", { class: "tag" }, fault.count === 1 ? "once" : `${grouped(fault.count)} times`))),
    element("p", { class: "note" }, element("code", {}, fault.rule), rule ? `: ${rule.meaning}.` : null),
    element("p", {}, fault.advice),
    memoryOf(results, fault),
    element("div", { class: "sides" }, ...fault.accesses.map((access, i) => side(results, access, names[i] ?? ""))));
}

/** What could not be looked for, as a reader must know of what was not found. */
const unchecked = (check: Check) => (check.unchecked.length === 0 ? null : element("div", { class: "notices" },
  element("ul", {}, ...check.unchecked.map(({ rules, why }) => element("li", {}, `Not checked: ${ruleList(rules)}: ${why}`)))));

/** `shown`: of the kernel. */
export function faultsSection(check: Check, shown: Results, all: Results): Child[] {
  const faults = faultsOf(check, shown, all), others = check.faults.length - faults.length;
  const found = check.faults.length === 0 ? "Nothing found" : plural(check.faults.length, "fault");
  const list = (part: readonly NumberedFault[]) => element("ol", { class: "faults" }, ...part.map((f) => entry(all, check, f)));
  const rest = faults.slice(mostEntries);
  return [
    element("p", { class: check.faults.length ? "lead" : "soft" },
      `${found} in ${plural(check.accesses, "access", "accesses")} of ${plural(check.launches, "launch", "launches")}; looked for: ${ruleList(check.checked)}.`),
    all.shown.what !== null && element("p", { class: "note" }, "Faults of what is shown; all launches were checked."),
    unchecked(check),
    others > 0 && element("p", { class: "note" }, `Faults with an access of this kernel; ${grouped(others)} of others, or of no kernel, are left out.`),
    faults.length > 0 && list(faults.slice(0, mostEntries)),
    rest.length > 0 && element("details", {}, element("summary", {}, `${grouped(rest.length)} more`), list(rest)),
  ];
}
