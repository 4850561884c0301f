/// The head of the page: what ran, what a reader must know, and the figures that say most.
import type { Results } from "../data.ts";
import { element, type Child } from "../dom.ts";
import { bytes, fileName, grouped, percent, short } from "../format.ts";
import { functionName } from "../names.ts";
import { kernelShares } from "../selection.ts";
import { bytesMoved, costOf, excess, useful } from "../source/cost.ts";
import { termButton } from "../terms.ts";
import { themeSwitch } from "../theme.ts";
import { placeLink } from "./place.ts";

const kinds: Record<string, string> = { gpu: "GPU", cpu: "CPU device", "": "" };

/** `choices`: of what the page is. */
export function pageHead(results: Results, choices: (HTMLElement | null)[]): HTMLElement {
  const { kind, name } = results.device;
  const kindName = kinds[kind] ?? "";
  const device = name.startsWith(kindName) ? name : `${kindName} ${name}`.trim();
  return element("header", {},
    element("div", {},
      element("p", { class: "eyebrow" }, "Memory report"),
      element("h1", {}, fileName(results.program) || "a program"),
      element("p", { class: "command" }, results.arguments.join(" ")),
      device && element("p", { class: "soft" }, `on ${device}`),
      results.shown.what !== null && element("p", { class: "shown" }, "Shown: ", element("code", {}, results.shown.what),
        `, ${grouped(results.shown.launches)} of ${grouped(results.shown.of)} launches. Memory was followed for all of them.`)),
    element("div", { class: "controls" }, ...choices, themeSwitch()));
}

/** The sentences that a reader must know, first of all that something is missing. */
export function notices(results: Results): HTMLElement | null {
  const list = [...results.notes];
  if (results.truncated && list.length === 0) list.push("The trace stops early: the figures cover what is there.");
  if (results.incompleteLaunches && list.length === 0) list.push(`${grouped(results.incompleteLaunches)} launches are incomplete.`);
  if (list.length === 0) return null;
  return element("section", { class: "notices", "aria-label": "Notes" },
    element("ul", {}, ...list.map((text) => element("li", {}, text))));
}

export const tile = (value: string, name: Child, more: Child) =>
  element("div", { class: "tile" }, element("dt", {}, name), element("dd", {}, element("b", {}, value), element("span", {}, more)));

/** Behind a figure that launches which were not seen may have touched: a note says how. */
const doubt = (overwritten: number) => (overwritten ? " *" : "");

/** The kernel whose requests move most. */
function dearestKernel(results: Results): HTMLElement | null {
  const [first, ...others] = kernelShares(results);
  return first && others.length ? tile(percent(first.share), "Dearest kernel", element("span", {}, "of all sectors: ", functionName(first.kernel))) : null;
}

/** What costs most: what moves, how much of it is of use, and the dearest access. */
export function overview(results: Results): HTMLElement {
  const { volume: v } = results;
  const accesses = v.loads + v.stores + v.atomics;
  const cost = costOf(results.accesses), { sectors, requests } = cost;
  const dearest = results.findings.find((f) => f.severity === "cost" && f.line);
  const wrong = results.findings.filter((f) => f.severity === "correctness").length;
  return element("dl", { class: "tiles" },
    tile(bytes(bytesMoved(cost)), termButton("sector", "Sectors moved"), `${short(sectors)} of 32 bytes, ${requests ? (sectors / requests).toFixed(1) : 0} in each request of a warp`),
    tile(sectors ? percent(useful(cost)) : "-", termButton("of use", "Of use"), `${short(excess(cost))} sectors are more than the requests need`),
    tile(dearest ? percent(dearest.share) : "none", "Dearest access",
      dearest ? element("span", {}, `of all ${dearest.unit}: ${dearest.id}, `, placeLink(results, dearest.file, dearest.line)) : "no access wastes more than borders of arrays do"),
    dearestKernel(results),
    wrong ? tile(grouped(wrong), "Without an order", "accesses of the same bytes: see the findings") : null,
    tile(short(accesses), "Accesses", `by threads, in ${grouped(results.launches.filter((l) => l.phase === 0).length)} launches`),
    tile(bytes(v.loadBytes), "Loaded", `${bytes(v.uniqueReadBytes)} distinct by launch`),
    tile(bytes(v.storeBytes), "Stored", `${bytes(v.uniqueWrittenBytes)} distinct by launch`));
}

export function communicationTiles(results: Results): HTMLElement {
  const { volume: v, communicated: c } = results;
  return element("dl", { class: "tiles" },
    tile(percent(c.handedOnBytes / v.uniqueWrittenBytes), "Handed on", `${bytes(c.handedOnBytes)} of writes are read by another CTA or kernel`),
    tile(percent(c.share) + doubt(c.possiblyOverwrittenBytes), termButton("communicated", "Communicated"), `${bytes(c.bytes)} of writes are read later, own data included`),
    tile(bytes(c.otherIndexBytes), "Go to another CTA", `${bytes(c.sameIndexBytes)} to the CTA of the same index`),
    tile(bytes(c.toHostBytes) + doubt(c.toHostPossiblyOverwrittenBytes + c.fromHostPossiblyOverwrittenBytes), "To the host",
      `${bytes(c.fromHostBytes)} read that the host wrote`));
}
