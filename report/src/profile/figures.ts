/// The figures of a calling context, and what the profile can be looked at by: the metrics of `cupranalyze profile`.
import { bytes, grouped, seconds } from "../format.ts";
import type { Term } from "../terms.ts";
import type { Profile } from "../data.ts";

export type Figures = Profile["profileNodes"][number]["total"];

export interface Metric {
  /** As `--metric` of `cupranalyze profile` has it. */
  name: string;
  title: string;
  term?: Term;
  of: (figures: Figures) => number;
  show: (n: number) => string;
  exactly: (n: number) => string;
  /** Stands in the table even if it isn't the one that is looked at. */
  isBeside?: boolean;
}

export const time = (ns: number) => seconds(ns / 1e9);
const times = { show: time, exactly: (n: number) => `${grouped(n)} ns` }, sizes = { show: bytes, exactly: (n: number) => `${grouped(n)} B` };
const counts = { show: grouped, exactly: grouped };

export const metrics: readonly Metric[] = [
  { name: "host", title: "Host time", term: "host time", of: (f) => f.hostTime, ...times, isBeside: true },
  { name: "cpu", title: "Processor", term: "processor time", of: (f) => f.processorTime, ...times, isBeside: true },
  { name: "calls", title: "Calls", term: "calls", of: (f) => f.calls, ...counts, isBeside: true },
  { name: "call-time", title: "In calls", term: "time in calls", of: (f) => f.callTime, ...times, isBeside: true },
  { name: "wait", title: "Waiting", term: "waiting", of: (f) => f.waitTime, ...times, isBeside: true },
  { name: "api", title: "On the API", term: "on the API", of: (f) => f.apiTime, ...times },
  { name: "launches", title: "Launches", of: (f) => f.launches, ...counts },
  { name: "device", title: "Device", term: "device time", of: (f) => f.deviceTime, ...times, isBeside: true },
  { name: "copied", title: "Copied", of: (f) => f.copiedBytes, ...sizes, isBeside: true },
  { name: "allocated", title: "Allocated", of: (f) => f.allocatedBytes, ...sizes },
  { name: "accesses", title: "Accesses", term: "access", of: (f) => f.accesses, ...counts, isBeside: true },
  { name: "bytes", title: "Bytes accessed", of: (f) => f.accessBytes, ...sizes },
  { name: "sectors", title: "Sectors", term: "sector", of: (f) => f.sectors, ...counts, isBeside: true },
  { name: "excess", title: "Excess sectors", term: "excess", of: (f) => f.sectors - f.leastSectors, ...counts },
  { name: "instructions", title: "Instructions", term: "instruction", of: (f) => f.instructions, ...counts, isBeside: true },
  { name: "thread-instructions", title: "By threads", term: "instructions by threads", of: (f) => f.threadInstructions, ...counts },
];

/** Those that tell what a thread of the host does. */
export const metricsOfThreads = metrics.slice(0, 5);

const named = (name: string) => metrics.find((m) => m.name === name)!;
export const hostTime = named("host");
const device = named("device"), accesses = named("accesses");

/** Those of which there is any. */
export const metricsOf = (all: Figures) => metrics.filter((m) => m.of(all) !== 0);
/** The one to begin with: time on the host, else on the device, else accesses. */
export const mainMetric = (all: Figures): Metric =>
  [hostTime, device, accesses].find((m) => m.of(all) !== 0) ?? named("launches");

/**
 * By what a context is weighed. The host's time says nothing of what it has the device do: there the device's time decides, or else its
 * accesses.
 */
export const weighedBy = (metric: Metric, of: { isDevice: boolean; total: Figures }): Metric =>
  metric !== hostTime || !of.isDevice ? metric : device.of(of.total) !== 0 ? device : accesses;

export const noFigures = (like: Figures) => Object.fromEntries(Object.keys(like).map((name) => [name, 0])) as unknown as Figures;

/** Those that are not 0: few of most contexts' own. */
export type Parts = [keyof Figures, number][];
export const partsOf = (figures: Figures) => (Object.entries(figures) as Parts).filter(([, n]) => n !== 0);

/** The sum. Time on the API is no sum of that of parts: of launches it is the device's time only where any is known. */
export function sumOf(list: readonly Parts[], none: Figures): Figures {
  const sum = { ...none };
  for (const parts of list) for (const [name, n] of parts) sum[name] += n;
  sum.apiTime = sum.callTime - sum.launchTime + (sum.deviceTime || sum.launchTime);
  return sum;
}
