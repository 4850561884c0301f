// A plugin for Vite that makes one file of a page: script and style stand in it, and the page's own policy lets it run that
// script and load nothing. The viewer's page is made so, too. Knows Vite by the shape of what it hands over, since either page may be
// built where the other's modules are not installed.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

export interface PageParts {
  fileName: string;
  /** What it is made of: folders with all their files, and other files, as seen from its own folder. */
  folders: string[];
  files: string[];
  /** What it contains of others, for a comment in the script. */
  notices: string;
  /** Added to the policy's `script-src`, and other sources that it allows. */
  scripts?: string;
  policies?: string;
  /** What stands before the script; asked for before the folder is emptied. */
  before?: () => string;
}

interface Bundle {
  [name: string]: { type: "asset"; source: string | Uint8Array } | { type: "chunk"; code: string };
}
interface Emitter {
  emitFile(file: { type: "asset"; fileName: string; source: string }): string;
}

/** What the page is made of, as one number: test/report/sources_test.py compares it with the sources that are there. */
function sourceDigest({ folders, files }: PageParts): string {
  const all = folders.flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`));
  const digest = createHash("sha256");
  for (const file of [...all, ...files].sort()) {
    const text = readFileSync(file);
    digest.update(`${file} ${text.length}\n`).update(text);
  }
  return digest.digest("hex");
}

export function singleFile(parts: PageParts) {
  let before = "";
  return {
    name: "single-file",
    enforce: "post" as const,
    buildStart() {
      before = parts.before ? parts.before() + "\n" : "";
    },
    generateBundle(this: Emitter, _: unknown, bundle: Bundle) {
      const page = bundle["index.html"];
      if (page?.type !== "asset") throw new Error("no page");
      let script = "", style = "";
      for (const [name, item] of Object.entries(bundle)) {
        if (item.type === "chunk") script += item.code;
        else if (name.endsWith(".css")) style += item.source;
        delete bundle[name];
      }
      // What would end the element is written otherwise; inside a string or a regular expression it means the same.
      script = `\n/* Contains ${parts.notices} */\n` +
        script.replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3c!--").trim() + "\n";
      const hash = createHash("sha256").update(script).digest("base64");
      const policy = `default-src 'none'; script-src 'sha256-${hash}'${parts.scripts ?? ""};${parts.policies ?? ""} style-src 'unsafe-inline'; img-src data:`;
      const source = String(page.source)
        .replace(/<script type="module".*?<\/script>\s*|<link rel="stylesheet"[^>]*>\s*/gs, "")
        .replace('Content-Security-Policy" content=""', () => `Content-Security-Policy" content="${policy}"`)
        .replace("</head>", () => `<meta name="sources" content="${sourceDigest(parts)}">\n<style>\n${style.trim()}\n</style>\n</head>`)
        .replace("</body>", () => `${before}<script type="module">${script}</script>\n</body>`);
      this.emitFile({ type: "asset", fileName: parts.fileName, source });
    },
  };
}
