/// The results that cupranalyze put into the page, and how parts of them are found.
import type { WhatCupranalyzeCheckJsonPrints as Check } from "./check.d.ts";
import type { WhatCupranalyzeProfileJsonPrints as Profile } from "./profile.d.ts";
import type { WhatCupranalyzeRooflineJsonPrints as Roofline } from "./roofline.d.ts";
import type { ResultsOfCupranalyzeCommJson as Results } from "./results.d.ts";
import type { WhatThePageOfSeveralTracesBeginsWith as Traces } from "./traces.d.ts";

export type { Check, Profile, Results, Roofline, Traces };
/** What of an earlier trace's results is compared. */
export type Earlier = Pick<Results, "shown" | "volume" | "kernels" | "accesses" | "sources" | "findings">;
export type Launch = Results["launches"][number];
export type Access = Results["accesses"][number];
export type Finding = Results["findings"][number];
export type Fault = Check["faults"][number];
export type FaultAccess = Fault["accesses"][number];
export type Line = Results["lines"][number];
export type TimedLine = Results["latencyLines"][number];
/** With its place in the list, by which others name it. */
export type TimedAccess = Results["latencyAccesses"][number] & { number: number };
export type Excerpt = Results["latencyExcerpts"][number];
export type DensityMap = Results["density"]["maps"][number];
export type Level = DensityMap["levels"][number];
export type Counts = Pick<Line, "loads" | "stores" | "atomics" | "loadBytes" | "storeBytes" | "atomicBytes">;

/**
 * Reads the element `id`: JSON, or what gzip and then base64 made of it, which large results are. Null: it is empty.
 * Throws if it is neither.
 */
async function read(id: string) {
  const text = document.getElementById(id)?.textContent?.trim() ?? "";
  if (text === "") return null;
  if (text.startsWith("{")) return JSON.parse(text);
  const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

/** Null: the page is of one trace. */
export const readTraces = (): Promise<Traces | null> => read("traces");

const elementOf = (name: string, trace: number | null) => (trace === null ? name : `${name}-${trace}`);

/** `trace`: of several; null: of the only one. */
export const readResults = (trace: number | null): Promise<Results | null> => read(elementOf("results", trace));

/** What stands in the page beside the results; null: it doesn't. */
export interface Beside {
  earlier: Earlier | null;
  profile: Profile | null;
  roofline: Roofline | null;
  check: Check | null;
}

export async function readBeside(trace: number | null): Promise<Beside> {
  const of = (name: string) => read(elementOf(name, trace));
  const [earlier, profile, roofline, check] = await Promise.all([read("earlier"), of("profile"), of("roofline"), of("check")]);
  return { earlier, profile, roofline, check };
}

/** Of lists that may be longer than a function takes arguments: a program may have very many supersteps. */
export const largest = (list: readonly number[]) => list.reduce((a, b) => Math.max(a, b), -Infinity);

export const bytesOf = (c: Counts) => c.loadBytes + c.storeBytes + c.atomicBytes;
export const accessesOf = (c: Counts) => c.loads + c.stores + c.atomics;

/** Those of the kernels that are shown. */
export function timedAccesses(results: Results): TimedAccess[] {
  const kernels = new Set(results.latencyKernels.map((k) => k.kernel));
  return results.latencyAccesses.map((access, number) => ({ ...access, number })).filter((a) => kernels.has(a.kernel));
}
/** Cycles are a model's, not a machine's. */
export const isModelled = (results: Results) => results.device.kind === "cpu";

/** The grid of every launch, if they all have the same; it turns a CTA's number into coordinates. */
export function commonGrid(results: Results): [number, number, number] | null {
  const grids = new Set(results.launches.map((l) => l.grid.join()));
  return grids.size === 1 ? results.launches[0]!.grid : null;
}

/** Items by a key, in the order of the first of each. */
export function grouping<Key, Item>(items: Iterable<Item>, key: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const at = key(item), group = groups.get(at);
    if (group) group.push(item);
    else groups.set(at, [item]);
  }
  return groups;
}
