/// What accesses cost, in sums: of a line, of an access, of a kernel; and the columns that show it.
import type { Access, Line, Results } from "../data.ts";
import { bytes, grouped, percent, short } from "../format.ts";
import type { Term } from "../terms.ts";
import { durationColumns, type Durations } from "./durations.ts";

export interface Cost {
  accesses: number;
  requests: number;
  sectors: number;
  leastSectors: number;
  /** Of lines, where all kernels and operations are looked at: bytes. */
  communicated: number | null;
  /** Null: not timed. */
  durations: Durations | null;
}

export const operations = ["load", "store", "atomic"] as const;
export type Operation = (typeof operations)[number];
export const operationOf = (access: Access) => access.operation.split(" ")[0] as Operation;

export function addTo(cost: Cost, access: Access) {
  cost.accesses += access.accesses;
  cost.requests += access.requests;
  cost.sectors += access.sectors;
  cost.leastSectors += access.leastSectors;
}

export function costOf(accesses: readonly Access[], line?: Line, durations: Durations | null = null): Cost {
  const cost: Cost = { accesses: 0, requests: 0, sectors: 0, leastSectors: 0,
                       communicated: line ? line.communicatedBytes + line.readCommunicatedBytes : null, durations };
  for (const access of accesses) addTo(cost, access);
  return cost;
}

const sectorBytes = 32;
export const bytesMoved = (c: Cost) => sectorBytes * c.sectors;
export const excessBytes = (c: Cost) => sectorBytes * excess(c);
export const perRequest = (c: Cost) => (c.requests ? c.sectors / c.requests : 0);
export const excess = (c: Cost) => c.sectors - c.leastSectors;
export const useful = (c: Cost) => (c.sectors ? c.leastSectors / c.sectors : 1);

export interface CostColumn {
  title: string;
  term: Term;
  /** Null: not known. */
  value: (cost: Cost) => number | null;
  show: (n: number) => string;
  exactly: (n: number) => string;
  /** What makes a line hot, if it isn't the value. */
  heat?: (cost: Cost) => number;
}

/** Of global memory. */
const sectorColumns: readonly CostColumn[] = [
  { title: "Accesses", term: "access", value: (c) => c.accesses, show: short, exactly: grouped },
  { title: "Requests", term: "request", value: (c) => c.requests, show: short, exactly: grouped },
  { title: "Sectors", term: "sector", value: (c) => c.sectors, show: short, exactly: grouped },
  { title: "Sectors per request", term: "sectors per request", value: perRequest, show: (n) => n.toFixed(1), exactly: (n) => n.toFixed(3) },
  { title: "Ideal sectors", term: "ideal sectors", value: (c) => c.leastSectors, show: short, exactly: grouped },
  { title: "Excess sectors", term: "excess", value: excess, show: short, exactly: grouped },
  { title: "Of use", term: "of use", value: useful, show: percent, exactly: percent, heat: (c) => 1 - useful(c) },
  { title: "Communi\u00adcated", term: "communicated", value: (c) => c.communicated, show: bytes, exactly: grouped },
];
const sectorColumnsOrNone = sectorColumns.map((column): CostColumn => ({ ...column, value: (c) => (c.accesses ? column.value(c) : null) }));

/** Durations stand behind sectors, where launches were timed: then a line may have accesses of other memory alone. */
export const costColumns = (results: Results): readonly CostColumn[] =>
  results.latencyKernels.length ? [...sectorColumnsOrNone, ...durationColumns] : sectorColumns;
export const heatOf = (column: CostColumn, cost: Cost) => column.heat?.(cost) ?? column.value(cost) ?? 0;

/** The column by which lines are hot at first. */
export const firstHeat = 2;
