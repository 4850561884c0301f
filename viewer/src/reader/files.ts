/// The files that the reader sees: the trace, of which only what it asks for is read from disk, and those that it makes itself, in memory.
import { Fd, File, Inode, OpenFile, PreopenDirectory, wasi } from "@bjorn3/browser_wasi_shim";

/** What is read of the file, and kept, is blocks of so many bytes. */
const blockBytes = 64 << 10;
/** How many at a time, at most, where one follows the other: a browser takes a millisecond for anything. And how many are kept. */
const mostAtOnce = 128, mostBlocks = 512;
/** How much of a file that is written waits here. */
const mostWaiting = 16 << 20;

class Blocks {
  /** By number; the one that was asked for last comes last. */
  private readonly blocks = new Map<number, Uint8Array>();
  private readonly reader = new FileReaderSync();
  private atOnce = 1;

  constructor(private readonly file: Blob) {}

  read(size: number, offset: number): Uint8Array {
    const end = Math.max(offset, Math.min(offset + size, this.file.size)), last = Math.floor(Math.max(offset, end - 1) / blockBytes);
    const parts: Uint8Array[] = [];
    for (let number = Math.floor(offset / blockBytes); number <= last; ++number) {
      const begin = number * blockBytes;
      parts.push(this.block(number, last).subarray(Math.max(0, offset - begin), end - begin));
    }
    if (parts.length === 1) return parts[0]!;
    const joined = new Uint8Array(end - offset);
    let at = 0;
    for (const part of parts) {
      joined.set(part, at);
      at += part.length;
    }
    return joined;
  }

  /** All up to `last` will be asked for. */
  private block(number: number, last: number): Uint8Array {
    if (!this.blocks.has(number)) this.fetch(number, last);
    const block = this.blocks.get(number)!;
    this.blocks.delete(number);
    this.blocks.set(number, block);
    return block;
  }

  private fetch(number: number, last: number) {
    this.atOnce = Math.max(last - number + 1, this.blocks.has(number - 1) ? Math.min(mostAtOnce, 4 * this.atOnce) : 1);
    const begin = number * blockBytes;
    const bytes = new Uint8Array(this.reader.readAsArrayBuffer(this.file.slice(begin, begin + this.atOnce * blockBytes)));
    for (let n = 0; n < this.atOnce; ++n) this.blocks.set(number + n, bytes.subarray(n * blockBytes, (n + 1) * blockBytes));
    for (const oldest of this.blocks.keys()) {
      if (this.blocks.size <= Math.max(mostBlocks, this.atOnce)) break;
      this.blocks.delete(oldest);
    }
  }
}

class OpenTrace extends Fd {
  private at = 0;

  constructor(private readonly trace: TraceFile) {
    super();
  }

  override fd_fdstat_get() {
    return { ret: wasi.ERRNO_SUCCESS, fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0) };
  }
  override fd_filestat_get() {
    return { ret: wasi.ERRNO_SUCCESS, filestat: this.trace.stat() };
  }
  override fd_pread(size: number, offset: bigint) {
    try {
      return { ret: wasi.ERRNO_SUCCESS, data: this.trace.blocks.read(size, Number(offset)) };
    } catch {
      // The file has changed, or is gone: the browser gives no more of it.
      return { ret: wasi.ERRNO_IO, data: new Uint8Array() };
    }
  }
  override fd_read(size: number) {
    const { ret, data } = this.fd_pread(size, BigInt(this.at));
    this.at += data.length;
    return { ret, data };
  }
  override fd_seek(offset: bigint, whence: number) {
    const from = whence === wasi.WHENCE_SET ? 0 : whence === wasi.WHENCE_CUR ? this.at : this.trace.size;
    this.at = from + Number(offset);
    return { ret: wasi.ERRNO_SUCCESS, offset: BigInt(this.at) };
  }
  override fd_tell() {
    return { ret: wasi.ERRNO_SUCCESS, offset: BigInt(this.at) };
  }
}

class TraceFile extends Inode {
  readonly blocks: Blocks;

  constructor(private readonly file: Blob) {
    super();
    this.blocks = new Blocks(file);
  }

  path_open() {
    return { ret: wasi.ERRNO_SUCCESS, fd_obj: new OpenTrace(this) };
  }
  get size() {
    return this.file.size;
  }
  stat() {
    return new wasi.Filestat(this.ino, wasi.FILETYPE_REGULAR_FILE, BigInt(this.size));
  }
}

/** A file that is written from its beginning to its end, and then read. What is written goes to the browser, which has room for more than the reader's memory holds. */
class MadeFile extends Inode {
  private written = new Blob();
  private parts: Uint8Array<ArrayBuffer>[] = [];
  private waiting = 0;

  add(bytes: Uint8Array<ArrayBuffer>) {
    this.parts.push(bytes);
    if ((this.waiting += bytes.length) > mostWaiting) this.hand();
  }
  get size() {
    return this.written.size + this.waiting;
  }
  private hand(): Blob {
    this.written = new Blob([this.written, ...this.parts]);
    this.parts = [];
    this.waiting = 0;
    return this.written;
  }

  path_open(flags: number) {
    const isWritten = (flags & wasi.OFLAGS_CREAT) !== 0;
    return { ret: wasi.ERRNO_SUCCESS, fd_obj: isWritten ? new OpenMadeFile(this) : new OpenTrace(new TraceFile(this.hand())) };
  }
  stat() {
    return new wasi.Filestat(this.ino, wasi.FILETYPE_REGULAR_FILE, BigInt(this.size));
  }
}

class OpenMadeFile extends Fd {
  constructor(private readonly file: MadeFile) {
    super();
  }

  override fd_fdstat_get() {
    return { ret: wasi.ERRNO_SUCCESS, fdstat: new wasi.Fdstat(wasi.FILETYPE_REGULAR_FILE, 0) };
  }
  override fd_filestat_get() {
    return { ret: wasi.ERRNO_SUCCESS, filestat: this.file.stat() };
  }
  override fd_filestat_set_size(size: bigint) {
    return size === BigInt(this.file.size) ? wasi.ERRNO_SUCCESS : wasi.ERRNO_NOTSUP;
  }
  override fd_write(data: Uint8Array<ArrayBuffer>) {
    this.file.add(data);
    return { ret: wasi.ERRNO_SUCCESS, nwritten: data.length };
  }
}

/** What the reader finds: under `name` the file, the one that it may become a trace in, and a folder for files that are made. */
export const filesOf = (name: string, trace: Blob): Fd[] => [
  ...Array.from({ length: 3 }, () => new OpenFile(new File([]))), // standard input and output, which nobody looks at
  new PreopenDirectory(".", new Map([[name, new TraceFile(trace)]])),
  new PreopenDirectory("unpacked", new Map([[name, new MadeFile()]])),
  new PreopenDirectory("/tmp", new Map()),
];
