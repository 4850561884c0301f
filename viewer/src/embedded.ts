/// What the page has in it: the reader, and, if cupranalyze view has put one there, a trace.

async function unpacked(id: string): Promise<Uint8Array<ArrayBuffer> | null> {
  const text = document.getElementById(id)?.textContent?.trim() ?? "";
  if (text === "" || text.startsWith("@")) return null; // "@": the page as it is built
  return Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
}

/** Gzip in base64 (vite.config.ts). */
export async function readerCode(): Promise<WebAssembly.Module> {
  const packed = await unpacked("reader");
  if (!packed) throw new Error("the page has no reader");
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return WebAssembly.compile(await new Response(stream).arrayBuffer());
}

/** A file that was chosen by who made the page; null: none. */
export async function embeddedTrace(): Promise<File | null> {
  const bytes = await unpacked("trace");
  return bytes && new File([bytes], document.getElementById("trace")!.dataset["name"] ?? "trace");
}
