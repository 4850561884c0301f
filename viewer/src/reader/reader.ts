/// The reader, compiled to WebAssembly (viewer/reader/exports.cpp), with one trace open.
import { WASI } from "@bjorn3/browser_wasi_shim";
import { traceOf, type Trace } from "../trace.ts";
import { filesOf } from "./files.ts";
import type { DensityBounds, Filter } from "./protocol.ts";
import { lanesOf, rowsOf, type BankTable, type BankWidth } from "./rows.ts";

interface Exports {
  memory: WebAssembly.Memory;
  resultAddress(): number;
  resultBytes(): number;
  room(bytes: number): number;
  beginImport(): number;
  continueImport(): number;
  openTrace(): number;
  sourceText(module: number, source: number): number;
  choose(launch: number, x: number, y: number, z: number, warp: number): number;
  countChunk(chunk: number): number;
  recordsOfChunk(chunk: number): number;
  rows(chunk: number, first: number, most: number): number;
  lanesAndValues(chunk: number, index: number): number;
  banks(chunk: number, index: number, bytes: number): number;
  addressBounds(space: number): number;
  beginDensity(firstAddress: bigint, lastAddress: bigint, firstRecord: bigint, endRecord: bigint, columns: number, rows: number, space: number): number;
  addChunkToDensity(chunk: number, before: bigint): number;
  densityCells(): number;
}

const failed = 0xffffffff;

/** Whether the file says that it is a trace; one that is empty is none of anything. Others may be exports of one. */
async function isTrace(file: Blob): Promise<boolean> {
  return file.size === 0 || (await file.slice(0, 4).text()) === "CUPR";
}

/** Calls throw an Error with the reader's own words. */
export class Reader {
  private constructor(private readonly calls: Exports) {}

  /** `turn`: what an export takes to be read is done in parts; it hears how many bytes have been read, and may let others do what they have to. */
  static async open(code: WebAssembly.Module, file: Blob, name: string, turn: (bytesRead: number) => Promise<void>): Promise<{ reader: Reader; trace: Trace }> {
    const system = new WASI([], [], filesOf(name, file));
    const instance = await WebAssembly.instantiate(code, { wasi_snapshot_preview1: system.wasiImport as WebAssembly.ModuleImports });
    const calls = instance.exports as unknown as Exports;
    system.initialize({ exports: { memory: calls.memory, _initialize: instance.exports["_initialize"] as () => unknown } });
    const reader = new Reader(calls);
    reader.give(new TextEncoder().encode(name));
    if (!(await isTrace(file))) {
      reader.checked(calls.beginImport());
      while (reader.checked(calls.continueImport())) await turn(new Float64Array(reader.result().buffer)[0]!);
    }
    reader.checked(calls.openTrace());
    return { reader, trace: traceOf(reader.text()) };
  }

  private give(bytes: Uint8Array) {
    const at = this.calls.room(bytes.length);
    new Uint8Array(this.calls.memory.buffer, at, bytes.length).set(bytes);
  }
  /** A copy: the next call may move what is there. */
  private result = (): Uint8Array =>
    new Uint8Array(this.calls.memory.buffer, this.calls.resultAddress(), this.calls.resultBytes()).slice();
  private text = () => new TextDecoder().decode(this.result());
  private checked(answer: number): number {
    if (answer >>> 0 === failed) throw new Error(this.text());
    return answer >>> 0;
  }

  source = (module: number, source: number): string | null => (this.checked(this.calls.sourceText(module, source)) ? this.text() : null);

  choose(launch: number, filter: Filter) {
    const [x, y, z] = filter.block;
    this.give(Uint8Array.from(filter.sites ?? [], Number));
    this.checked(this.calls.choose(launch, x ?? -1, y ?? -1, z ?? -1, filter.warp ?? -1));
  }
  count = (chunk: number) => this.checked(this.calls.countChunk(chunk));
  records = (chunk: number) => this.checked(this.calls.recordsOfChunk(chunk));
  rows(chunk: number, first: number, most: number) {
    this.checked(this.calls.rows(chunk, first, most));
    return rowsOf(this.result(), chunk);
  }
  access = (chunk: number, index: number) => (this.checked(this.calls.lanesAndValues(chunk, index)) ? lanesOf(this.result(), chunk) : null);
  banks = (chunk: number, index: number, width: BankWidth): BankTable | null =>
    this.checked(this.calls.banks(chunk, index, width)) ? (JSON.parse(this.text()) as BankTable) : null;

  /** First and last. */
  addressBounds(space: number): [bigint, bigint] | null {
    if (!this.checked(this.calls.addressBounds(space))) return null;
    const [first, last] = new BigUint64Array(this.result().buffer);
    return [first!, last!];
  }

  beginDensity(b: DensityBounds) {
    this.checked(this.calls.beginDensity(b.firstAddress, b.lastAddress, BigInt(b.firstRecord), BigInt(b.endRecord), b.columns, b.rows, b.space));
  }
  addToDensity(chunk: number, before: number) {
    this.checked(this.calls.addChunkToDensity(chunk, BigInt(before)));
  }
  density(): Uint32Array {
    this.checked(this.calls.densityCells());
    return new Uint32Array(this.result().buffer);
  }
}
