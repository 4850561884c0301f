/// What the page asks of the worker that reads, and what it hears.
import type { AccessLanes, AccessRow, BankTable, BankWidth } from "./rows.ts";
import type { Trace } from "../trace.ts";

/** Which accesses of a launch are looked at; null: any. */
export interface Filter {
  block: [number | null, number | null, number | null];
  warp: number | null;
  /** By number of a site: whether it passes. */
  sites: boolean[] | null;
}

/** Cells of addresses by numbers of accesses; all bounds but `endRecord` are inclusive. */
export interface DensityBounds {
  firstAddress: bigint;
  lastAddress: bigint;
  firstRecord: number;
  endRecord: number;
  columns: number;
  rows: number;
  /** Index in `spaces`. */
  space: number;
}

export interface Calls {
  open(code: WebAssembly.Module, file: Blob, name: string): Trace;
  /** Null: the trace has not got the text. */
  source(module: number, source: number): string | null;
  /** From now on, `rows` are those of this launch that pass. How many there are comes as Progress. */
  select(launch: number, filter: Filter): void;
  rows(first: number, most: number): AccessRow[];
  /** Null: there is none. */
  access(launch: number, chunk: number, index: number): AccessLanes | null;
  /** Of an access of shared memory. */
  banks(launch: number, chunk: number, index: number, width: BankWidth): BankTable | null;
  /** First and last address of each space of what is selected, or null; once it has been counted. */
  addressBounds(): ([bigint, bigint] | null)[];
  /** Of what is selected, cells of loads, stores and atomics. Null: something else has been selected meanwhile. */
  density(bounds: DensityBounds): Uint32Array | null;
}

export interface Request<Name extends keyof Calls = keyof Calls> {
  id: number;
  call: Name;
  given: Parameters<Calls[Name]>;
}

/** How far a selection is counted. */
export interface Progress {
  /** Counts calls of `select`, from 1. */
  selection: number;
  found: number;
  /** Of the launch, looked at so far. */
  records: number;
  chunks: number;
  done: boolean;
  /** Why it has stopped. */
  error?: string;
}
/** `bytesRead`: of an export, which is opened. */
export type Answer = { id: number; result: unknown } | { id: number; error: string } | { progress: Progress } | { bytesRead: number };
