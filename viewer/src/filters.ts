/// What of a launch is listed: block, warp, operation, space, line of the source and site.
import { button, element } from "../../report/src/dom.ts";
import type { Filter } from "./reader/protocol.ts";
import { everything, type Choice } from "./state.ts";
import { lineName, operationClasses, operationName, sitesOf, type Launch, type Site, type Trace } from "./trace.ts";

/** What the reader is asked for. */
export function filterOf(trace: Trace, launch: Launch, choice: Choice): Filter {
  const passes = (site: Site, number: number) =>
    (choice.operation === "" || operationClasses[site.kind] === choice.operation) && (choice.space === "" || site.space === choice.space) &&
    (choice.line === "" || lineName(site) === choice.line) && (choice.site === null || number === choice.site);
  const isOfSites = choice.operation !== "" || choice.space !== "" || choice.line !== "" || choice.site !== null;
  return { block: choice.block, warp: choice.warp, sites: isOfSites ? sitesOf(trace, launch).map(passes) : null };
}

const distinct = (texts: string[]) => [...new Set(texts)];
const natural = new Intl.Collator("en", { numeric: true }).compare;

export const siteName = (site: Site, number: number) =>
  `${number}: ${operationName(site)}${site.bytes ? ` of ${site.bytes} B` : ""}, ${lineName(site)}${site.column ? `:${site.column}` : ""}`;

function options(label: string, values: [value: string, text: string][], now: string, onChange: (value: string) => void): HTMLElement {
  const known = values.some(([value]) => value === now);
  const list = element("select", {}, element("option", { value: "" }, "all"), ...values.map(([value, text]) => element("option", { value }, text)));
  list.value = known ? now : "";
  list.addEventListener("change", () => onChange(list.value));
  return element("label", { class: "choice" }, element("span", {}, label), list);
}

function numberField(label: string, sizes: number, now: number | null, onChange: (value: number | null) => void): HTMLElement {
  const field = element("input", { type: "number", min: 0, max: sizes - 1, placeholder: "all", value: now ?? "" });
  field.addEventListener("change", () => onChange(field.value !== "" && field.validity.valid ? Number(field.value) : null));
  return element("label", { class: "choice" }, element("span", {}, label), field);
}

export function filterForm(trace: Trace, launch: Launch, choice: Choice, onChange: (choice: Choice) => void): HTMLElement {
  const sites = sitesOf(trace, launch), shown = sites.map((site, number) => ({ site, number })).filter(({ site }) => !site.isBlock);
  const named = (texts: string[]): [string, string][] => distinct(texts).sort(natural).map((text) => [text, text]);
  const change = (part: Partial<Choice>) => onChange({ ...choice, ...part });
  const blocks = (["x", "y", "z"] as const).map((name, axis) => launch.grid[axis]! > 1 || choice.block[axis] !== null
    ? numberField(`Block ${name}`, launch.grid[axis]!, choice.block[axis]!, (value) => {
      const block: Choice["block"] = [...choice.block];
      block[axis] = value;
      change({ block });
    }) : null);
  const warps = Math.ceil((launch.block[0] * launch.block[1] * launch.block[2]) / 32);
  return element("div", { class: "controls filters", role: "group", "aria-label": "Filter" },
    ...blocks.filter((b) => b !== null),
    numberField("Warp", warps, choice.warp, (warp) => change({ warp })),
    options("Operation", named(shown.map(({ site }) => operationClasses[site.kind] ?? "")), choice.operation, (operation) => change({ operation })),
    options("Space", named(shown.map(({ site }) => site.space)), choice.space, (space) => change({ space })),
    options("Line", named(shown.map(({ site }) => lineName(site))), choice.line, (line) => change({ line })),
    options("Site", shown.map(({ site, number }) => [String(number), siteName(site, number)]), choice.site === null ? "" : String(choice.site),
      (value) => change({ site: value === "" ? null : Number(value) })),
    button("Clear", () => onChange(everything)));
}
