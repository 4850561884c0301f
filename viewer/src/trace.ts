/// What a trace says but for its accesses, as the reader gives it (viewer/reader/trace_json.cpp), and how parts of it are found.
import { fileName, shortName } from "../../report/src/format.ts";

export interface Place {
  file: string;
  line: number;
  column: number;
  function: string;
}
/** A call that led to a site, or what stands for calls that nobody can name (devicelib/abi/frame_kind.def). */
export interface Frame extends Place {
  kind: string;
}
export interface Site extends Place {
  /** LLVM's. */
  type: string;
  /** As the program calls it; empty: not known. */
  sourceType: string;
  /** Of a shared variable; of textures and surfaces the instruction; else empty. */
  name: string;
  /** Of each thread; 0: the accesses say it. */
  bytes: number;
  operation: string;
  /** Index in `operationClasses`. */
  kind: number;
  space: string;
  /** No site of the program: its records say that blocks have begun. */
  isBlock: boolean;
  /** As PTX names them; empty: none. */
  order: string;
  scope: string;
  isVolatile: boolean;
  inlinedAt: Frame[];
}
export interface Launch {
  id: number;
  order: number;
  /** With parameters. */
  kernel: string;
  grid: [number, number, number];
  block: [number, number, number];
  stream: string;
  device: number;
  /** -1: none. */
  module: number;
  traced: boolean;
  /** Its accesses follow from the launch. */
  derived: boolean;
  /** Why it is not traced, or not complete. */
  reason: string;
  complete: boolean;
  file: string;
  line: number;
  /** Nanoseconds from the program's start: of the call, and of the device; 0: not known. */
  time: number;
  began: number;
  ended: number;
  /** Accesses of warps, and of threads. */
  records: number;
  accesses: number;
  chunks: number;
  /** How durations were measured; empty: it was not timed. */
  timed: string;
}
export interface Allocation {
  address: string;
  bytes: number;
  kind: string;
  call: string;
  /** As in the source; empty: unknown. */
  name: string;
  /** As in the source; empty: unknown. */
  elementType: string;
  /** Of the call, or of the declaration of a variable, in the source; empty and 0: unknown. */
  file: string;
  line: number;
  column: number;
  ordinal: number;
  order: number;
  freed: number | null;
}
export interface Trace {
  format: number;
  program: string;
  arguments: string[];
  deviceKind: string;
  deviceName: string;
  startTime: number;
  /** Where and why the file stops early; empty: it doesn't. */
  truncation: string;
  /** "JSON" and so on: it is an export of a trace; empty: it is none. */
  exportedAs: string;
  /** What the export says of itself, a sentence each. */
  notes: string[];
  modules: { sites: Site[]; sources: string[] }[];
  launches: Launch[];
  allocations: Allocation[];
}

/** As the reader writes it: launches as numbers, some of which are places in `texts`. */
type Written = Omit<Trace, "launches"> & { launches: number[][]; texts: string[] };

export function traceOf(json: string): Trace {
  const { texts, launches, ...rest } = JSON.parse(json) as Written;
  return {
    ...rest,
    launches: launches.map((numbers) => {
      const [id, order, kernel, gx, gy, gz, bx, by, bz, stream, device, module, flags, reason, file, line, time, began, ended, records, accesses, chunks, timed] =
        numbers as [number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number, number];
      return {
        id, order, kernel: texts[kernel]!, grid: [gx, gy, gz], block: [bx, by, bz], stream: texts[stream]!, device, module,
        traced: (flags & 1) !== 0, derived: (flags & 2) !== 0, complete: (flags & 4) !== 0, reason: texts[reason]!, file: texts[file]!, line,
        time, began, ended, records, accesses, chunks, timed: texts[timed]!,
      };
    }),
  };
}

/** Names of kernels, in the order of their first launches. */
export const kernelsOf = (trace: Trace): string[] => [...new Set(trace.launches.map((l) => l.kernel))];

/** As devicelib/abi/operation.def has them. The last three move no data: one orders what does, one says where something lies, one what is executed. */
export const operationClasses = ["load", "store", "atomic", "synchronisation", "declaration", "execution"] as const;
export const accessClasses = operationClasses.slice(0, 3) as readonly ("load" | "store" | "atomic")[];
export const isAccess = (site: Site) => site.kind < accessClasses.length;
/** Textures and surfaces have coordinates. */
export const hasAddresses = (site: Site) => isAccess(site) && site.space !== "texture";
/** "load acquire gpu" */
export const operationName = (site: Site) => [site.operation, site.order || (site.isVolatile ? "volatile" : ""), site.scope].filter((part) => part !== "").join(" ");

/** What stands in the place of an address where there is none (docs/accesses.md); empty: nothing. */
export function insteadOfAddress(site: Site, value: bigint): string {
  if (site.operation === "variable") return `${site.name}${site.sourceType && ` (${site.sourceType})`} at ${hex(value)}`;
  if (site.operation === "local variable") return `${site.name} at ${hex(value)}`;
  if (site.operation === "instructions") return site.name;
  if (isAccess(site)) return `object ${hex(value)}`;
  const low = value & 0xffffffffn, threads = value >> 32n;
  if (/^barrier/.test(site.operation))
    return `barrier ${low}${threads === 0n ? "" : threads === 0xffffffffn ? ", for a number of threads known at run time" : `, for ${threads} threads`}`;
  if (site.operation.startsWith("warp ")) return `lanes ${hex(low)}${threads > 1n ? `, ${threads} times` : ""}`;
  if (/^(copy|bulk) wait$/.test(site.operation)) return value === 0n ? "for all groups" : `for all groups but the newest ${value}`;
  return site.operation.startsWith("mbarrier") ? `${site.space} ${hex(value)}` : "";
}
/** Those with addresses, in the order of devicelib/abi/memory_space.def. */
export const spaces = ["global", "shared", "constant", "local"] as const;
export const laneCount = 32;

/** Durations are those of the CPU device's model. */
export const isModelled = (trace: Trace) => trace.deviceKind === "cpu";

export const sitesOf = (trace: Trace, launch: Launch): Site[] => trace.modules[launch.module]?.sites ?? [];
export const kernelName = (launch: Launch) => shortName(launch.kernel);

/** "step.cu:31" */
export const lineName = (place: { file: string; line: number }) =>
  place.file === "" ? "unknown" : `${fileName(place.file)}:${place.line}`;

/** The coordinates of the item with this number in a box of these sizes. */
export const coordinates = (number: number, sizes: readonly number[]): [number, number, number] =>
  [number % sizes[0]!, Math.floor(number / sizes[0]!) % sizes[1]!, Math.floor(number / sizes[0]! / sizes[1]!)];

export const hex = (n: bigint) => `0x${n.toString(16)}`;

export interface LiveAllocation extends Allocation {
  first: bigint;
}

/** The allocations that were there when a launch was called, by address. Arrays have none: theirs are handles. */
export function allocationsAt(trace: Trace, launch: Launch): LiveAllocation[] {
  return trace.allocations
    .filter((a) => a.kind !== "array" && a.order <= launch.order && (a.freed === null || a.freed > launch.order))
    .map((a) => ({ ...a, first: BigInt(a.address) }))
    .sort((a, b) => (a.first < b.first ? -1 : a.first > b.first ? 1 : 0));
}

export function allocationOf(live: readonly LiveAllocation[], address: bigint): LiveAllocation | undefined {
  let low = 0, high = live.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (live[middle]!.first <= address) low = middle + 1;
    else high = middle;
  }
  const at = live[low - 1];
  return at && address - at.first < BigInt(at.bytes) ? at : undefined;
}

/** As `cupranalyze dump` numbers them, with the variable's name, its elements' type and its place where they are known. */
export function allocationName(a: Allocation): string {
  const known = [a.elementType, a.line ? lineName(a) : ""].filter((text) => text !== "");
  return `${a.name ? `${a.name} (a${a.ordinal})` : `a${a.ordinal}`}${known.length ? `: ${known.join(", ")}` : ""}`;
}

/** Whether addresses in this space are those of the program, which allocations have. */
export const isOfAllocations = (space: string) => space === "global" || space === "constant";

/** "u + 0x40", or "shared 0x40" where no allocation is known. */
export function addressName(live: readonly LiveAllocation[], space: string, address: bigint): string {
  const at = isOfAllocations(space) ? allocationOf(live, address) : undefined;
  return at ? `${at.name || `a${at.ordinal}`} + ${hex(address - at.first)}` : `${space} ${hex(address)}`;
}

/** As many coordinates as the grid has dimensions. */
export const blockName = (cta: number, grid: readonly number[]) =>
  coordinates(cta, grid).slice(0, grid[2] !== 1 ? 3 : grid[1] !== 1 ? 2 : 1).join(", ");

/** Threads of a lane, in the block. */
export function threadName(warp: number, lane: number, block: readonly number[]): string {
  return coordinates(warp * laneCount + lane, block).join(", ");
}

export const laneList = (mask: number): number[] => Array.from({ length: laneCount }, (_, lane) => lane).filter((lane) => (mask >>> lane) & 1);
