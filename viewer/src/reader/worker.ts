/// Reads the trace beside the page, which never waits for it. What takes long goes chunk by chunk, and calls are heard in between.
import { spaces, type Trace } from "../trace.ts";
import type { Answer, Calls, DensityBounds, Filter, Progress, Request } from "./protocol.ts";
import { Reader } from "./reader.ts";
import type { AccessRow } from "./rows.ts";

/** Milliseconds until others have their turn, and between two reports of what has been counted. */
const turn = 10, reports = 100;
const all: Filter = { block: [null, null, null], warp: null, sites: null };

let reader: Reader, trace: Trace;

/** The launch that is looked at, and how many of each chunk's accesses pass. */
class Selection {
  private readonly counts: Uint32Array;
  private readonly recordsBefore: Float64Array;
  private counted = 0;
  private found = 0;
  private waiting: (() => void)[] = [];

  constructor(readonly number: number, readonly launch: number, readonly filter: Filter) {
    const { chunks } = trace.launches[launch]!;
    this.counts = new Uint32Array(chunks);
    this.recordsBefore = new Float64Array(chunks + 1);
  }

  get isCurrent() {
    return selection === this;
  }
  private get isDone() {
    return this.counted === this.counts.length;
  }
  private progress = (error?: string): Progress => ({
    selection: this.number, found: this.found, records: this.recordsBefore[this.counted]!, chunks: this.counted, done: this.isDone,
    ...(error === undefined ? {} : { error }),
  });

  /** The reader's calls are about this from now on. */
  use() {
    if (used === this) return;
    reader.choose(this.launch, this.filter);
    used = this;
  }

  async count() {
    let reported = performance.now();
    try {
      while (!this.isDone && this.isCurrent) {
        this.use();
        for (const end = performance.now() + turn; !this.isDone && performance.now() < end; ++this.counted) {
          const count = reader.count(this.counted);
          this.counts[this.counted] = count;
          this.found += count;
          this.recordsBefore[this.counted + 1] = this.recordsBefore[this.counted]! + reader.records(this.counted);
        }
        const now = performance.now();
        if (!this.isDone && now - reported > reports) {
          post({ progress: this.progress() });
          reported = now;
        }
        await others();
      }
      if (this.isCurrent) post({ progress: this.progress() });
    } catch (error) {
      if (this.isCurrent) post({ progress: this.progress(reason(error)) });
    }
    for (const go of this.waiting) go();
  }

  rows(first: number, most: number): AccessRow[] {
    this.use();
    const rows: AccessRow[] = [];
    let before = 0;
    for (let chunk = 0; chunk < this.counted && rows.length < most; ++chunk) {
      const count = this.counts[chunk]!;
      const from = Math.max(0, first - before);
      if (from < count) rows.push(...reader.rows(chunk, from, Math.min(most - rows.length, count - from)));
      before += count;
    }
    return rows;
  }

  async density(bounds: DensityBounds): Promise<Uint32Array | null> {
    if (!this.isDone) await new Promise<void>((go) => this.waiting.push(go));
    if (!this.isDone || !this.isCurrent) return null;
    const mine = ++densities;
    this.use();
    reader.beginDensity(bounds);
    for (let chunk = 0; chunk < this.counts.length; ) {
      this.use();
      for (const end = performance.now() + turn; chunk < this.counts.length && performance.now() < end; ++chunk)
        if (this.counts[chunk] && this.recordsBefore[chunk + 1]! > bounds.firstRecord) reader.addToDensity(chunk, this.recordsBefore[chunk]!);
      await others();
      if (!this.isCurrent || mine !== densities) return null;
    }
    return reader.density();
  }
}

let selection: Selection | null = null, used: Selection | null = null, selections = 0, densities = 0;

const post = (answer: Answer) => postMessage(answer);
const reason = (error: unknown) =>
  error instanceof WebAssembly.RuntimeError || error instanceof RangeError ? `the reader has failed: ${error.message}` : error instanceof Error ? error.message : String(error);

/** Lets calls be heard that have come meanwhile; a timer would wait for milliseconds. */
const turns = new MessageChannel();
const resting: (() => void)[] = [];
turns.port2.onmessage = () => resting.shift()?.();
const others = () => new Promise<void>((go) => {
  resting.push(go);
  turns.port1.postMessage(0);
});

/** Turns the reader's calls to this launch; whether it has such a chunk. */
function goTo(launch: number, chunk: number): boolean {
  if (used?.launch !== launch) {
    reader.choose(launch, all);
    used = null;
  }
  return chunk < trace.launches[launch]!.chunks;
}

const calls: { [Name in keyof Calls]: (...given: Parameters<Calls[Name]>) => ReturnType<Calls[Name]> | Promise<ReturnType<Calls[Name]>> } = {
  async open(code, file, name) {
    selection = used = null;
    let turned = performance.now(), reported = turned;
    ({ reader, trace } = await Reader.open(code, file, name, async (bytesRead) => {
      const now = performance.now();
      if (now - turned < turn) return;
      if (now - reported > reports) {
        post({ bytesRead });
        reported = now;
      }
      await others();
      turned = performance.now();
    }));
    return trace;
  },
  source: (module, source) => reader.source(module, source),
  select(launch, filter) {
    selection = new Selection(++selections, launch, filter);
    void selection.count();
  },
  rows: (first, most) => selection?.rows(first, most) ?? [],
  access: (launch, chunk, index) => (goTo(launch, chunk) ? reader.access(chunk, index) : null),
  banks: (launch, chunk, index, width) => (goTo(launch, chunk) ? reader.banks(chunk, index, width) : null),
  addressBounds() {
    selection?.use();
    return spaces.map((_, space) => reader.addressBounds(space));
  },
  density: (bounds) => selection?.density(bounds) ?? null,
};

addEventListener("message", async ({ data }: MessageEvent<Request>) => {
  try {
    const call = calls[data.call] as (...given: unknown[]) => unknown;
    post({ id: data.id, result: await call(...data.given) });
  } catch (error) {
    post({ id: data.id, error: reason(error) });
  }
});
