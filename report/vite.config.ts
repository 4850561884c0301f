// One file comes out, dist/report.html: script and style stand in the page, and the page's own policy lets
// it run that script and load nothing.
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { defineConfig, type Plugin } from "vite";

const libraries = ["echarts", "zrender"];

/** Names, versions and licences of what is in the bundle, as a comment before the script. */
function notices(): string {
  const lines = libraries.map((name) => {
    const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    return `${name} ${about.version}, ${about.license}, ${about.homepage ?? about.repository?.url}`;
  });
  return `/* Contains ${lines.join("; ")} */\n`;
}

/** What the page is made of, as one number: test/report/sources_test.py compares it with the sources that are there. */
function sourceDigest(): string {
  const files = readdirSync("src", { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile()).map((entry) => `${entry.parentPath}/${entry.name}`);
  const digest = createHash("sha256");
  for (const file of [...files, "../docs/results.schema.json", "index.html", "package-lock.json", "vite.config.ts"].sort()) {
    const text = readFileSync(file);
    digest.update(`${file} ${text.length}\n`).update(text);
  }
  return digest.digest("hex");
}

function singleFile(): Plugin {
  return {
    name: "single-file",
    enforce: "post",
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
      script = "\n" + notices() + script.replaceAll("</script", "<\\/script").replaceAll("<!--", "\\x3c!--").trim() + "\n";
      const hash = createHash("sha256").update(script).digest("base64");
      const policy = `default-src 'none'; script-src 'sha256-${hash}'; style-src 'unsafe-inline'; img-src data:`;
      const source = String(page.source)
        .replace(/<script type="module".*?<\/script>\s*|<link rel="stylesheet"[^>]*>\s*/gs, "")
        .replace('Content-Security-Policy" content=""', () => `Content-Security-Policy" content="${policy}"`)
        .replace("</head>", () => `<meta name="sources" content="${sourceDigest()}">\n</head>`)
        .replace("</head>", () => `<style>\n${style.trim()}\n</style>\n</head>`)
        .replace("</body>", () => `<script type="module">${script}</script>\n</body>`);
      this.emitFile({ type: "asset", fileName: "report.html", source });
    },
  };
}

export default defineConfig({
  define: {
    __LIBRARIES__: JSON.stringify(
      libraries.map((name) => {
        const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
        return `${name} ${about.version} (${about.license})`;
      }),
    ),
  },
  build: { target: "es2022", assetsInlineLimit: 0, modulePreload: false, cssMinify: true, reportCompressedSize: false },
  plugins: [singleFile()],
});
