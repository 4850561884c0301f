// One file comes out, dist/report.html: script and style stand in the page, and the page's own policy lets
// it run that script and load nothing.
import { readFileSync } from "node:fs";
import { defineConfig } from "vite";
import { singleFile } from "./single_file";

const libraries = ["echarts", "zrender"];

/** Names, versions and licences of what is in the bundle. */
function notices(): string {
  const lines = libraries.map((name) => {
    const about = JSON.parse(readFileSync(`node_modules/${name}/package.json`, "utf8"));
    return `${name} ${about.version}, ${about.license}, ${about.homepage ?? about.repository?.url}`;
  });
  return lines.join("; ");
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
  plugins: [singleFile({
    fileName: "report.html",
    folders: ["src"],
    files: ["../docs/check.schema.json", "../docs/profile.schema.json", "../docs/results.schema.json", "../docs/roofline.schema.json", "../docs/traces.schema.json", "index.html", "package-lock.json", "single_file.ts", "vite.config.ts"],
    notices: notices(),
  })],
});
