/// One access: what it is, its lanes, and the map of what it and the pinned ones touch.
import { button, element } from "../../../report/src/dom.ts";
import { bytes, grouped } from "../../../report/src/format.ts";
import { functionName } from "../../../report/src/names.ts";
import { hasAddresses, insteadOfAddress, isAccess, lineName, operationClasses, operationName, type Frame, type Site } from "../trace.ts";
import { AddressMap, sectorsOf } from "./address_map.ts";
import { BankPicture, type BanksOf } from "./bank_picture.ts";
import { LaneGrid } from "./lane_grid.ts";
import { timesText, whoAccesses, type ShownAccess } from "./shown_access.ts";

/** Lines around a place in the source, from the number `first` on. */
export interface Excerpt {
  first: number;
  text: string[];
}

export interface PaneOptions {
  /** Null: the trace has not got the source; a text says why. */
  excerpt: Excerpt | string | null;
  banksOf: BanksOf;
  /** Durations are those of the CPU device's model. */
  isModelled: boolean;
  onPin: (access: ShownAccess) => void;
  onShow: (access: ShownAccess) => void;
  onWarp: (access: ShownAccess) => void;
}

const counted = (n: number, what: string) => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;

const excerpt = ({ first, text }: Excerpt, site: Site) =>
  element("div", { class: "excerpt" }, element("pre", { tabindex: 0, role: "group", "aria-label": `${lineName(site)} and the lines around it` },
    ...text.map((line, n) => element("code", { class: first + n === site.line ? "here" : null }, `${String(first + n).padStart(4)}  ${line}\n`))));

/** " of 4 B in global memory"; of synchronisation ": barrier 1, for 64 threads", which says nothing where the lanes' differ. */
function whatOf({ site, lanes, active }: ShownAccess): string {
  const distinct = (of: BigUint64Array) => [...new Set(active.map((lane) => of[lane]!))];
  if (isAccess(site)) {
    const each = distinct(lanes.sizes);
    return `${each.length === 1 ? ` of ${grouped(Number(each[0]))} B` : `, ${bytes(lanes.bytes)} in all`}${site.sourceType && ` (${site.sourceType})`} in ${site.space} memory`;
  }
  const names = distinct(lanes.addresses).map((value) => insteadOfAddress(site, value));
  return names.length === 1 && names[0] !== "" ? `: ${names[0]}` : "";
}

function callerText(frame: Frame): (string | Node)[] {
  const at = element("span", { title: frame.file }, lineName(frame));
  switch (frame.kind) {
    case "recursive":
      return [", in a cycle of calls that began with ", functionName(frame.function), " (", at, ") and went round any number of times"];
    case "indirect":
      return [", called through a pointer, the trace does not say where"];
    case "merged":
      return [", called from more places than the trace tells apart"];
    default:
      return [", called at ", at, " in ", functionName(frame.function)];
  }
}

export function accessPane(access: ShownAccess, pinned: readonly ShownAccess[], options: PaneOptions): HTMLElement {
  const { site } = access;
  const map = hasAddresses(site) ? new AddressMap(access, pinned.filter((p) => hasAddresses(p.site)), (of) => grid.mark(of)) : null;
  const banks = isAccess(site) && site.space === "shared" ? new BankPicture(access, options.banksOf, (of) => grid.mark(of)) : null;
  const grid = new LaneGrid(access, (lane) => {
    map?.mark(lane);
    banks?.mark(lane);
  });
  return element("div", { class: "card access" },
    element("div", { class: "head" },
      element("h3", {}, element("span", { class: `dot ${operationClasses[site.kind]}`, "aria-hidden": "true" }),
        `${access.letter ? `${access.letter}: ` : ""}${operationName(site)}${whatOf(access)}`),
      element("div", { class: "tools" },
        button(access.letter ? `Unpin ${access.letter}` : "Pin", () => options.onPin(access)),
        button("All of this warp", () => options.onWarp(access)))),
    element("p", { class: "where" }, `${lineName(site)}, of `, functionName(site.function), ...site.inlinedAt.flatMap(callerText)),
    element("p", { class: "note" }, `${whoAccesses(access)}; ${grouped(access.active.length)} of 32 lanes${hasAddresses(site) ? `, ${counted(sectorsOf(access), "sector")} of 32 bytes` : ""}`),
    access.lanes.times && element("p", { class: "note times" }, `${timesText(access)}${options.isModelled ? " (modelled)" : ""}.`),
    typeof options.excerpt === "string" ? element("p", { class: "note" }, options.excerpt) : options.excerpt && excerpt(options.excerpt, site), grid.node,
    pinned.length > 0 && element("p", { class: "pinned" }, "Pinned: ", ...pinned.map((p) =>
      element("span", { class: "chip" },
        button(`${p.letter}: ${p.site.operation}, ${lineName(p.site)}, ${whoAccesses(p)}`, () => options.onShow(p), {}, p.letter),
        button(`Unpin ${p.letter}`, () => options.onPin(p), {}, "×")))),
    banks?.node, map?.node);
}
