/// One access: what it is, its lanes, and the map of what it and the pinned ones touch.
import { button, element } from "../../../report/src/dom.ts";
import { bytes, grouped } from "../../../report/src/format.ts";
import { functionName } from "../../../report/src/names.ts";
import { lineName, operationClasses, type Site } from "../trace.ts";
import { AddressMap, sectorsOf } from "./address_map.ts";
import { BankPicture, type BanksOf } from "./bank_picture.ts";
import { LaneGrid } from "./lane_grid.ts";
import { whoAccesses, type ShownAccess } from "./shown_access.ts";

/** Lines around a place in the source, from the number `first` on. */
export interface Excerpt {
  first: number;
  text: string[];
}

export interface PaneOptions {
  /** Null: the trace has not got the source. */
  excerpt: Excerpt | null;
  banksOf: BanksOf;
  onPin: (access: ShownAccess) => void;
  onShow: (access: ShownAccess) => void;
  onWarp: (access: ShownAccess) => void;
}

const counted = (n: number, what: string) => `${grouped(n)} ${what}${n === 1 ? "" : "s"}`;

const excerpt = ({ first, text }: Excerpt, site: Site) =>
  element("div", { class: "excerpt" }, element("pre", { tabindex: 0, role: "group", "aria-label": `${lineName(site)} and the lines around it` },
    ...text.map((line, n) => element("code", { class: first + n === site.line ? "here" : null }, `${String(first + n).padStart(4)}  ${line}\n`))));

export function accessPane(access: ShownAccess, pinned: readonly ShownAccess[], options: PaneOptions): HTMLElement {
  const { site, lanes } = access, each = [...new Set(access.active.map((lane) => lanes.sizes[lane]!))];
  const size = each.length === 1 ? ` of ${grouped(Number(each[0]))} B` : `, ${bytes(lanes.bytes)} in all`;
  const map = new AddressMap(access, pinned, (of) => grid.mark(of));
  const banks = site.space === "shared" ? new BankPicture(access, options.banksOf, (of) => grid.mark(of)) : null;
  const grid = new LaneGrid(access, (lane) => {
    map.mark(lane);
    banks?.mark(lane);
  });
  const callers = site.inlinedAt.flatMap((place) => [", called at ", element("span", { title: place.file }, lineName(place)), " in ", functionName(place.function)]);
  return element("div", { class: "card access" },
    element("div", { class: "head" },
      element("h3", {}, element("span", { class: `dot ${operationClasses[site.kind]}`, "aria-hidden": "true" }),
        `${access.letter ? `${access.letter}: ` : ""}${site.operation}${size}${site.sourceType && ` (${site.sourceType})`} in ${site.space} memory`),
      element("div", { class: "tools" },
        button(access.letter ? `Unpin ${access.letter}` : "Pin", () => options.onPin(access)),
        button("All of this warp", () => options.onWarp(access)))),
    element("p", { class: "where" }, `${lineName(site)}, of `, functionName(site.function), ...callers),
    element("p", { class: "note" }, `${whoAccesses(access)}; ${grouped(access.active.length)} of 32 lanes, ${counted(sectorsOf(access), "sector")} of 32 bytes`),
    options.excerpt && excerpt(options.excerpt, site), grid.node,
    pinned.length > 0 && element("p", { class: "pinned" }, "Pinned: ", ...pinned.map((p) =>
      element("span", { class: "chip" },
        button(`${p.letter}: ${p.site.operation}, ${lineName(p.site)}, ${whoAccesses(p)}`, () => options.onShow(p), {}, p.letter),
        button(`Unpin ${p.letter}`, () => options.onPin(p), {}, "×")))),
    banks?.node, map.node);
}
