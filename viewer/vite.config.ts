// One file comes out, dist/viewer.html: script, style and the reader stand in the page, and the page's own policy lets it run these and
// load nothing.
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { defineConfig, type Plugin } from "vite";

const reader = "../build/viewer/reader.wasm", built = "dist/viewer.html";
const elementOf = (id: string) => new RegExp(`<script [^>]*id="${id}"[^>]*>[^<]*</script>`);

/** What is compiled into the reader, beside what the project has itself. */
const compiled = ["Cap'n Proto 0.9.2 (MIT)", "Zstandard 1.5.4 (BSD-3-Clause)", "xxHash 0.8 (BSD-2-Clause)", "fmt 9 (MIT)",
  "libc++ and libc++abi (Apache-2.0 WITH LLVM-exception)", "wasi-libc (Apache-2.0 WITH LLVM-exception, MIT)"];

function libraries(): string[] {
  const about = JSON.parse(readFileSync("node_modules/@bjorn3/browser_wasi_shim/package.json", "utf8"));
  return [`${about.name} ${about.version} (${about.license})`, ...compiled];
}

/** What the page is made of, as one number: test/viewer/sources_test.py compares it with the sources that are there. */
function sourceDigest(): string {
  const files = ["src", "reader", "../report/src"].flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`));
  const digest = createHash("sha256");
  for (const file of [...files, "index.html", "package-lock.json", "vite.config.ts"].sort()) {
    const text = readFileSync(file);
    digest.update(`${file} ${text.length}\n`).update(text);
  }
  return digest.digest("hex");
}

/** The reader, built now or the last time: who changes the page alone needs no compiler for WebAssembly. */
function readerElement(): string {
  if (existsSync(reader))
    return `<script type="application/octet-stream" id="reader">${gzipSync(readFileSync(reader), { level: 9 }).toString("base64")}</script>`;
  const before = readFileSync(built, "utf8").match(elementOf("reader"));
  if (!before) throw new Error(`neither ${reader} nor a reader in ${built}`);
  return before[0];
}

function singleFile(): Plugin {
  let readerText = "";
  return {
    name: "single-file",
    enforce: "post",
    buildStart() {
      readerText = readerElement(); // before the folder is emptied
    },
    generateBundle(_, bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no page");
      let script = "", style = "";
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === "chunk") script += item.code;
        else if (name.endsWith(".css")) style += item.source;
        delete bundle[name];
      }
      // What would end the element is written otherwise; inside a string or a regular expression it means the same.
      script = `\n/* Contains ${libraries().join("; ")} */\n` +
        script.replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3c!--").trim() + "\n";
      const hash = createHash("sha256").update(script).digest("base64");
      const policy = `default-src 'none'; script-src 'sha256-${hash}' 'wasm-unsafe-eval'; worker-src blob: data:; style-src 'unsafe-inline'; img-src data:`;
      const source = String(page.source)
        .replace(/<script type="module".*?<\/script>\s*|<link rel="stylesheet"[^>]*>\s*/gs, "")
        .replace('Content-Security-Policy" content=""', () => `Content-Security-Policy" content="${policy}"`)
        .replace("</head>", () => `<meta name="sources" content="${sourceDigest()}">\n<style>\n${style.trim()}\n</style>\n</head>`)
        .replace("</body>", () => `${readerText}\n<script type="module">${script}</script>\n</body>`);
      this.emitFile({ type: "asset", fileName: "viewer.html", source });
    },
  };
}

export default defineConfig({
  define: { __LIBRARIES__: JSON.stringify(libraries()) },
  worker: { format: "iife" },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: false, cssMinify: true, reportCompressedSize: false, emptyOutDir: false },
  plugins: [singleFile()],
});
