/// How long the accesses of a line, or an access, took in timed launches; and the columns that show it.
import { grouping, timedAccesses, type Access, type Results, type TimedAccess } from "../data.ts";
import { fileName, grouped, percent, shortName } from "../format.ts";
import type { Cost, CostColumn, Operation } from "./cost.ts";

export interface Durations {
  samples: number;
  cycles: number;
  /** Null: they are those of several lists of samples, whose percentiles don't add up. */
  p50: number | null;
  p99: number | null;
  /** Of the cycles of all that was timed. */
  share: number;
}
type Row = Pick<TimedAccess, "samples" | "cycles" | "p50" | "p99">;

const lineKey = (of: { file: string; line: number }) => `${of.file}:${of.line}`;
const accessKey = (a: Access, space: string) =>
  JSON.stringify([a.kernel, a.file, a.line, a.column, a.operation, a.function, a.callSites, a.bytes, space]);

export class TimedPlaces {
  private readonly lines: Map<string, Row[]>;
  private readonly accesses: Map<string, TimedAccess>;
  private readonly all: number;
  /** Those of memory whose sectors nobody counts, by line. */
  readonly others: Map<string, TimedAccess[]>;

  /** `operation`: null: all. */
  constructor(results: Results, operation: Operation | null) {
    const chosen = timedAccesses(results).filter((a) => operation === null || a.operation.split(" ")[0] === operation);
    this.lines = grouping<string, Row & { file: string; line: number }>(operation === null ? results.latencyLines : chosen, lineKey);
    this.accesses = new Map(chosen.map((a) => [accessKey(asAccess(a), a.space), a]));
    this.others = grouping(chosen.filter((a) => a.space !== "global"), lineKey);
    this.all = results.latencyKernels.reduce((sum, k) => sum + k.cycles, 0);
  }

  /** Lines of the file that were timed. */
  linesOf(file: string): number[] {
    return [...this.lines.keys()].flatMap((key) => (key.startsWith(`${file}:`) ? [Number(key.slice(file.length + 1))] : [])).filter((line) => line > 0);
  }
  ofLine(file: string, line: number): Durations | null {
    return this.joined(this.lines.get(lineKey({ file, line })) ?? []);
  }
  of(accesses: readonly Access[]): Durations | null {
    return this.joined(accesses.flatMap((a) => this.numbered(a) ?? []));
  }
  numbered(access: Access): TimedAccess | undefined {
    return this.accesses.get(accessKey(access, spaceOf(access)));
  }

  private joined(rows: readonly Row[]): Durations | null {
    if (rows.length === 0) return null;
    const sum = (of: "samples" | "cycles") => rows.reduce((all, row) => all + row[of], 0), cycles = sum("cycles");
    const [p50, p99] = rows.length === 1 ? [rows[0]!.p50, rows[0]!.p99] : [null, null];
    return { samples: sum("samples"), cycles, p50, p99, share: this.all ? cycles / this.all : 0 };
  }
}

const spaces = new WeakMap<Access, string>();
/** "global", or what a timed access of other memory has. */
export const spaceOf = (access: Access) => spaces.get(access) ?? "global";

/** As the listing shows accesses: of other memory nothing is counted. */
export function asAccess(timed: TimedAccess): Access {
  const { kernel, file, line, column, operation, function: name, callers, callSites, bytes } = timed;
  const access = { kernel, file, line, column, operation, function: name, callers, callSites, bytes, accesses: 0, requests: 0, sectors: 0, leastSectors: 0 };
  spaces.set(access, timed.space);
  return access;
}

/** "load step.cu:12:20, shared". */
export const timedName = (a: TimedAccess) =>
  `${a.operation} ${fileName(a.file) || "unknown"}:${a.line}:${a.column}${a.space === "global" ? "" : `, ${a.space}`}` +
  (a.callers.length ? ` in ${shortName(a.callers.at(-1)!)}` : "");

const ofDurations = (value: (d: Durations) => number | null) => (c: Cost) => (c.durations ? value(c.durations) : null);
const exactly = (n: number) => n.toFixed(3), rounded = (n: number) => (n < 100 ? n.toFixed(1) : grouped(n));

export const durationColumns: readonly CostColumn[] = [
  { title: "Mean cycles", term: "mean cycles", value: ofDurations((d) => d.cycles / d.samples), show: rounded, exactly },
  { title: "p50, cycles", term: "p50", value: ofDurations((d) => d.p50), show: grouped, exactly: grouped },
  { title: "p99, cycles", term: "p99", value: ofDurations((d) => d.p99), show: grouped, exactly: grouped },
  { title: "Of memory time", term: "memory time", value: ofDurations((d) => d.share), show: percent, exactly: percent },
];

/** What must be known of all cycles of the page; null: nothing was timed. */
export function cyclesNote(results: Results, isModel: boolean): string | null {
  if (results.latencyKernels.length === 0) return null;
  const schemes = [...new Set(results.latencyKernels.map((k) => k.scheme))].join(", ");
  return `Cycles are those of timed launches, measured by the scheme ${schemes}. ` + (isModel
    ? "They are modelled: the program ran on the CPU device, whose durations are those of a model."
    : "Accesses of kernels with many warps wait for the hooks' own traffic, too: compare them with each other.");
}
