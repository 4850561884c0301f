/// The worker that reads, as the page sees it.
import type { Answer, Calls, Progress, Request } from "./protocol.ts";
import ReaderWorker from "./worker.ts?worker&inline";

export class ReaderClient {
  private readonly worker = new ReaderWorker();
  private readonly waiting = new Map<number, { resolve: (result: never) => void; reject: (error: Error) => void }>();
  private last = 0;

  /** `onRead` hears how many bytes of an export have been read. */
  constructor(onProgress: (progress: Progress) => void, onRead: (bytes: number) => void) {
    this.worker.addEventListener("message", ({ data }: MessageEvent<Answer>) => {
      if ("progress" in data) return onProgress(data.progress);
      if ("bytesRead" in data) return onRead(data.bytesRead);
      const caller = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("error" in data) caller?.reject(new Error(data.error));
      else caller?.resolve(data.result as never);
    });
    this.worker.addEventListener("error", (event) => {
      for (const { reject } of this.waiting.values()) reject(new Error(event.message));
      this.waiting.clear();
    });
  }

  call<Name extends keyof Calls>(call: Name, ...given: Parameters<Calls[Name]>): Promise<ReturnType<Calls[Name]>> {
    const id = ++this.last;
    const request: Request<Name> = { id, call, given };
    this.worker.postMessage(request);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  /** Of one trace: the next one has a worker of its own. */
  close() {
    this.worker.terminate();
  }
}
