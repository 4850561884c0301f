/// The first view of several traces: their sums, how evenly they share the work, and a line for each, which opens it.
import { fragment, traceFragment } from "../address.ts";
import type { Traces } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { element, type Child } from "../dom.ts";
import { bytes, fileName, grouped, percent, seconds, short } from "../format.ts";
import { functionName } from "../names.ts";
import { tile } from "../sections/overview.ts";
import { explanations, termButton } from "../terms.ts";
import { themeSwitch } from "../theme.ts";
import { footer } from "../footer.ts";
import { imbalance, imbalanceFigure, moved } from "./imbalance.ts";
import { traceLabels } from "./labels.ts";
import { skipLink } from "../skip_link.ts";

type Trace = Traces["traces"][number];

const sectorBytes = 32;
const total = ({ traces }: Traces, of: (trace: Trace) => number) => traces.reduce((sum, trace) => sum + of(trace), 0);
const share = (part: number, whole: number) => (whole ? percent(part / whole) : "-");

function sums(all: Traces): HTMLElement {
  const labels = traceLabels(all), uneven = imbalance(moved, all);
  const sectors = total(all, (t) => t.sectors), least = total(all, (t) => t.leastSectors);
  const written = total(all, (t) => t.writtenBytes), communicated = total(all, (t) => t.communicatedBytes);
  return element("dl", { class: "tiles" },
    tile(grouped(all.traces.length), "Traces", `${grouped(total(all, (t) => t.launches))} launches, ${short(total(all, (t) => t.loads + t.stores + t.atomics))} accesses`),
    tile(bytes(sectorBytes * sectors), termButton("sector", "Sectors moved"), `${short(sectors)} of 32 bytes, in all traces`),
    tile(share(least, sectors), termButton("of use", "Of use"), `${short(sectors - least)} sectors are more than the requests need`),
    tile(seconds(total(all, (t) => t.excessSeconds)), "Estimated waste", "that these take at the bandwidth of the device's memory, trace after trace"),
    tile(`${uneven.factor.toFixed(2)} ×`, "Imbalance", `${labels[uneven.at]} moves most: so many times the mean`),
    tile(share(communicated, written), termButton("communicated", "Communicated"), `${bytes(communicated)} of ${bytes(written)} written are read by a later launch of the same trace`));
}

/** Of traces that are not whole, as a reader must know. */
function notices(all: Traces): HTMLElement | null {
  const labels = traceLabels(all);
  const list = all.traces.flatMap((t, i) => [
    t.truncated ? `${labels[i]}: the trace stops early, or was repaired; figures cover what is there.` : "",
    t.incompleteLaunches ? `${labels[i]}: ${grouped(t.incompleteLaunches)} launches are not traced or incomplete.` : "",
  ]).filter((text) => text !== "");
  return list.length ? element("section", { class: "notices", "aria-label": "Notes" }, element("ul", {}, ...list.map((text) => element("li", {}, text)))) : null;
}

/** "step.cu:31 load". */
const worstAccess = (t: Trace) => (t.worstOperation === "" ? "-" : `${t.worstFile ? `${fileName(t.worstFile)}:${t.worstLine} ` : ""}${t.worstOperation}`);

/** Where all were checked: how many faults they have; null: none, or it was not asked for. */
function faultLine(all: Traces): HTMLElement | null {
  const faulty = all.traces.filter((t) => t.faults), count = total(all, (t) => t.faults ?? 0);
  return count === 0 ? null : element("p", { class: "faults-found error" }, element("a", { href: fragment("traces-list") },
    `${grouped(count)} ${count === 1 ? "fault" : "faults"} found in ${grouped(faulty.length)} of ${grouped(all.traces.length)} traces`));
}

function traceTable(all: Traces): HTMLElement {
  const labels = traceLabels(all), rows = all.traces.map((trace, number) => ({ ...trace, number, label: labels[number]! }));
  const programs = new Set(rows.map((r) => r.program)), isTimed = rows.some((r) => r.deviceTime !== null);
  const isChecked = rows.some((r) => r.faults !== null);
  return dataTable(rows, [
    { title: "Trace", value: (r) => r.label, show: (r) => element("a", { href: traceFragment(r.number), title: r.trace }, r.label.replaceAll(" ", "\u00a0")) },
    ...(programs.size > 1 ? [{ title: "Program", value: (r: Trace) => fileName(r.program) }] : []),
    { title: "Launches", value: (r) => r.launches },
    ...(isChecked ? [{ title: "Faults", hint: "That the check found", value: (r: Trace) => r.faults ?? 0 }] : []),
    { title: "Bytes moved", hint: "32 for each sector", value: (r) => sectorBytes * r.sectors, show: (r) => bytes(sectorBytes * r.sectors) },
    { title: "Of use", value: (r) => (r.sectors ? r.leastSectors / r.sectors : 1), show: (r) => share(r.leastSectors, r.sectors) },
    { title: "Estimated waste", hint: "That excess sectors take at the bandwidth of the device's memory", value: (r) => r.excessSeconds, show: (r) => seconds(r.excessSeconds) },
    { title: "Worst kernel", hint: "With most excess sectors", value: (r) => r.worstKernel || "-", show: (r) => (r.worstKernel ? functionName(r.worstKernel) : "-") },
    { title: "Its excess", hint: "Sectors", value: (r) => r.worstKernelExcessSectors },
    { title: "Its worst access", hint: "With most excess sectors", value: worstAccess },
    { title: "Of its excess", value: (r) => (r.worstKernelExcessSectors ? r.worstExcessSectors / r.worstKernelExcessSectors : 0),
      show: (r) => share(r.worstExcessSectors, r.worstKernelExcessSectors) },
    { title: "Communicated", value: (r) => r.communicatedBytes, show: (r) => bytes(r.communicatedBytes) },
    { title: "Of writes", value: (r) => (r.writtenBytes ? r.communicatedBytes / r.writtenBytes : 0), show: (r) => share(r.communicatedBytes, r.writtenBytes) },
    { title: "To the host", value: (r) => r.toHostBytes, show: (r) => bytes(r.toHostBytes) },
    { title: "From the host", value: (r) => r.fromHostBytes, show: (r) => bytes(r.fromHostBytes) },
    ...(isTimed ? [{ title: "Time on the device", hint: "With tracing", value: (r: Trace) => r.deviceTime ?? -1,
      show: (r: Trace) => (r.deviceTime === null ? "-" : seconds(r.deviceTime / 1e9)) }] : []),
  ], { caption: "Traces" });
}

function head(all: Traces): HTMLElement {
  const programs = [...new Set(all.traces.map((t) => fileName(t.program)))], devices = [...new Set(all.traces.map((t) => t.device))];
  return element("header", {},
    element("div", {},
      element("p", { class: "eyebrow" }, "Memory report"),
      element("h1", {}, `${programs.length === 1 ? programs[0] || "a program" : `${grouped(programs.length)} programs`}: ${grouped(all.traces.length)} traces`),
      element("p", { class: "soft" }, `on ${devices.join(", ")}`)),
    element("div", { class: "controls" }, themeSwitch()));
}

export function severalView(all: Traces): HTMLElement[] {
  const header = head(all); // first: it chooses the theme
  const parts: [id: string, title: string, content: Child[]][] = [
    ["sums", "All traces", [sums(all), element("p", { class: "note" }, "Each trace is a process of its own: what they send each other is not in these figures.")]],
    ["balance", "Between traces", [imbalanceFigure(all)]],
    ["traces-list", "Trace by trace", [element("p", { class: "note" }, "A trace's name opens its page."), element("div", { class: "card" }, traceTable(all))]],
  ];
  return [
    skipLink(),
    header,
    element("nav", { "aria-label": "Sections" }, ...parts.map(([id, title]) => element("a", { href: fragment(id) }, title))),
    element("main", { id: "main", tabindex: -1 }, faultLine(all), notices(all), ...parts.map(([id, title, content]) =>
      element("section", { id, "aria-labelledby": `${id}-title` }, element("h2", { id: `${id}-title` }, title), ...content)), explanations),
    footer(),
  ];
}
