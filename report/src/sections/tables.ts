/// What is best read as a table: dependences, allocations and launches.
import { accessesOf, type Results } from "../data.ts";
import { dataTable } from "../data_table.ts";
import { element } from "../dom.ts";
import { dimensions, seconds, shortName } from "../format.ts";
import { placeLink } from "./place.ts";

type Dependence = Results["dependences"][number];

const orders: Record<Dependence["order"], string> = {
  ordered: "guaranteed", concurrent: "concurrent launches", insideLaunch: "inside a launch",
};

/** Dependences between sites, joined to those between lines: one line may load five times. */
function byLines(dependences: readonly Dependence[]): Dependence[] {
  const joined = new Map<string, Dependence>();
  for (const d of dependences) {
    const key = JSON.stringify([d.kind, d.order, d.first, d.second]);
    const sum = joined.get(key);
    joined.set(key, sum ? {
      ...sum, bytes: sum.bytes + d.bytes, sameIndexBytes: sum.sameIndexBytes + d.sameIndexBytes,
      otherIndexBytes: sum.otherIndexBytes + d.otherIndexBytes,
    } : d);
  }
  return [...joined.values()];
}

export const dependenceTable = (results: Results) =>
  dataTable(byLines(results.dependences), [
    { title: "Kind", value: (d) => d.kind },
    { title: "Order", value: (d) => orders[d.order],
      show: (d) => element("span", { class: d.guaranteed ? "tag good" : "tag warn" }, orders[d.order]) },
    ...(["first", "second"] as const).flatMap((side) => [
      { title: side === "first" ? "First" : "Then", value: (d: Dependence) => `${shortName(d[side].kernel)} ${d[side].operation}` },
      { title: "Place", value: (d: Dependence) => `${d[side].file}:${d[side].line}`,
        show: (d: Dependence) => placeLink(results, d[side].file, d[side].line) },
    ]),
    { title: "Bytes", value: (d) => d.bytes },
    { title: "Same CTA index", value: (d) => d.sameIndexBytes },
    { title: "Other CTA index", value: (d) => d.otherIndexBytes },
  ], { caption: "Dependences between lines", sortBy: 6 });

export const allocationTable = (results: Results) =>
  dataTable(results.allocations, [
    { title: "Number", value: (a) => a.ordinal ?? -1, show: (a) => (a.ordinal === null ? "outside of all" : String(a.ordinal)) },
    { title: "Name", value: (a) => a.name || "-" },
    { title: "Type", value: (a) => a.elementType || "-" },
    { title: "Place", value: (a) => (a.line ? `${a.file}:${a.line}` : "-"),
      show: (a) => (a.line ? placeLink(results, a.file, a.line) : "-") },
    { title: "Call", value: (a) => a.call || "-" },
    { title: "Address", value: (a) => a.address || "-" },
    { title: "Bytes", value: (a) => a.bytes },
    { title: "Loads", value: (a) => a.loads },
    { title: "Stores", value: (a) => a.stores },
    { title: "Atomics", value: (a) => a.atomics },
    { title: "Distinct read", value: (a) => a.uniqueReadBytes },
    { title: "Distinct written", value: (a) => a.uniqueWrittenBytes },
    { title: "Communicated", value: (a) => a.communicatedBytes },
    { title: "Freed", value: (a) => (a.freed ? "yes" : "no") },
  ], { caption: "Allocations" });

export const otherMemoryTable = (results: Results) =>
  dataTable(results.otherMemory, [
    { title: "Memory", value: (m) => m.space },
    { title: "Loads", value: (m) => m.loads },
    { title: "Stores", value: (m) => m.stores },
    { title: "Atomics", value: (m) => m.atomics },
    { title: "Loaded bytes", value: (m) => m.loadBytes },
    { title: "Stored bytes", value: (m) => m.storeBytes },
    { title: "Bytes of atomics", value: (m) => m.atomicBytes },
  ], { caption: "Other memory" });

export const launchTable = (results: Results) =>
  dataTable(results.launches, [
    { title: "Id", value: (l) => l.id },
    { title: "Kernel", value: (l) => shortName(l.kernel), show: (l) => element("span", { title: l.kernel }, shortName(l.kernel)) },
    { title: "Superstep", value: (l) => l.superstep },
    { title: "Grid", value: (l) => dimensions(l.grid) },
    { title: "Block", value: (l) => dimensions(l.block) },
    { title: "Stream", value: (l) => l.stream },
    { title: "Accesses", value: accessesOf },
    { title: "Distinct read", value: (l) => l.uniqueReadBytes },
    { title: "Distinct written", value: (l) => l.uniqueWrittenBytes },
    { title: "Read of launches", value: (l) => l.readFromLaunchesBytes },
    { title: "Read by launches", value: (l) => l.readByLaunchesBytes },
    { title: "Launch", hint: "Its number in the program: phases of one share it", value: (l) => l.number },
    { title: "Phase", hint: "Between barriers of the grid, from 0", value: (l) => l.phase },
    { title: "Time on the device", hint: "With tracing", value: (l) => l.deviceTime ?? -1,
      show: (l) => (l.deviceTime === null ? "-" : seconds(l.deviceTime / 1e9)) },
    { title: "State", value: (l) => l.reason || (l.complete ? "complete" : "incomplete") },
  ], { caption: "Launches" });
