// One file comes out, dist/viewer.html: script, style and the reader stand in the page, and the page's own policy lets it run these and
// load nothing.
import { existsSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { defineConfig } from "vite";
import { singleFile } from "../report/single_file";

const reader = "../build/viewer/reader.wasm", built = "dist/viewer.html";
const elementOf = (id: string) => new RegExp(`<script [^>]*id="${id}"[^>]*>[^<]*</script>`);

/** What is compiled into the reader, beside what the project has itself. */
const compiled = ["Cap'n Proto 0.9.2 (MIT)", "Zstandard 1.5.4 (BSD-3-Clause)", "zlib 1.2.13 (Zlib)", "JSON for Modern C++ 3.11.2 (MIT)", "protozero 1.7.1 (BSD-2-Clause)",
  "xxHash 0.8 (BSD-2-Clause)", "fmt 9 (MIT)",
  "libc++ and libc++abi (Apache-2.0 WITH LLVM-exception)", "wasi-libc (Apache-2.0 WITH LLVM-exception, MIT)"];

function libraries(): string[] {
  const about = JSON.parse(readFileSync("node_modules/@bjorn3/browser_wasi_shim/package.json", "utf8"));
  return [`${about.name} ${about.version} (${about.license})`, ...compiled];
}

/** The reader, built now or the last time: who changes the page alone needs no compiler for WebAssembly. */
function readerElement(): string {
  if (existsSync(reader))
    return `<script type="application/octet-stream" id="reader">${gzipSync(readFileSync(reader), { level: 9 }).toString("base64")}</script>`;
  const before = readFileSync(built, "utf8").match(elementOf("reader"));
  if (!before) throw new Error(`neither ${reader} nor a reader in ${built}`);
  return before[0];
}

export default defineConfig({
  define: { __LIBRARIES__: JSON.stringify(libraries()) },
  worker: { format: "iife" },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: false, cssMinify: true, reportCompressedSize: false, emptyOutDir: false },
  plugins: [singleFile({
    fileName: "viewer.html",
    folders: ["src", "reader", "../report/src"],
    files: ["../report/single_file.ts", "index.html", "package-lock.json", "vite.config.ts"],
    notices: libraries().join("; "),
    scripts: " 'wasm-unsafe-eval'",
    policies: " worker-src blob: data:;",
    before: readerElement,
  })],
});
