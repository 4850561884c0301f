/// Accesses of warps as the reader gives them: AccessRow and AccessLanes of viewer/reader/trace_view.h.
import { laneCount } from "../trace.ts";

export const rowBytes = 56;

export interface AccessRow {
  /** Where it is: chunk of the launch, and number in the chunk. */
  chunk: number;
  index: number;
  address: bigint;
  cta: number;
  site: number;
  mask: number;
  warp: number;
  sm: number;
  /** Of all lanes together. */
  bytes: number;
  /** When it began, by its multiprocessor's clock, and how many cycles it took; null: that was not measured. */
  times: { start: bigint; duration: number } | null;
}
export interface AccessLanes extends AccessRow {
  /** By lane; of those that are not active 0. */
  addresses: BigUint64Array;
  sizes: BigUint64Array;
  /** Texts by lane; null: the lane is not active, or none was recorded. Empty: no values were. */
  values: Partial<Record<ValueRole, (string | null)[]>>;
}
/** As `cupranalyze dump` names them. */
export type ValueRole = "read" | "written" | "compared" | "coordinates" | "clock" | "duration";

/** Bytes of a bank's word. */
export type BankWidth = 4 | 8;
/** What the banks of shared memory make of an access (analysis/engine/bank_json.h), and what lies there. */
export interface BankTable {
  /** 0: the rules for requests say nothing of such an access. */
  requests: number;
  wavefronts: number;
  idealWavefronts: number;
  phases: { wavefronts: number; banks: BankUse[] }[];
  /** Names of the variables that it accesses. */
  variables: string[];
  /** By lane, "tile[2][5]"; null: not active, or the trace does not say. */
  places: (string | null)[];
}
export interface BankUse {
  bank: number;
  /** How often it has to give or take a word; more than 1 is a conflict. */
  turns: number;
  words: { word: number; threads: number[] }[];
}

function rowAt(bytes: Uint8Array, offset: number, chunk: number): AccessRow {
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, rowBytes);
  const word = (n: number) => view.getUint32(24 + 4 * n, true);
  return {
    chunk, index: word(0), address: view.getBigUint64(0, true), cta: Number(view.getBigUint64(8, true)),
    site: word(1), mask: word(2), warp: word(3), sm: word(4), bytes: word(5),
    times: word(7) ? { start: view.getBigUint64(16, true), duration: word(6) } : null,
  };
}

export const rowsOf = (bytes: Uint8Array, chunk: number): AccessRow[] =>
  Array.from({ length: bytes.length / rowBytes }, (_, n) => rowAt(bytes, n * rowBytes, chunk));

export function lanesOf(bytes: Uint8Array, chunk: number): AccessLanes {
  const numbers = (offset: number) => new BigUint64Array(bytes.slice(offset, offset + 8 * laneCount).buffer);
  return { ...rowAt(bytes, 0, chunk), addresses: numbers(rowBytes), sizes: numbers(rowBytes + 8 * laneCount),
    values: JSON.parse(new TextDecoder().decode(bytes.subarray(rowBytes + 16 * laneCount))) };
}
