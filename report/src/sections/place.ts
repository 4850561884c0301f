/// Places in the source: a line, and the way to it.
import { fragment } from "../address.ts";
import type { Results } from "../data.ts";
import { element } from "../dom.ts";
import { fileName } from "../format.ts";

/** The id of a line's row in the listing; null if its text isn't in the page. */
const anchor = (results: Results, file: string, line: number) => {
  const index = results.sources.findIndex((s) => s.path === file);
  return index < 0 || line === 0 ? null : `line-${index}-${line}`;
};

/** "step.cu:31", leading to the line if its text is in the page. */
export function placeLink(results: Results, file: string, line: number): Node {
  const text = file ? `${fileName(file)}${line ? `:${line}` : ""}` : "-";
  const id = anchor(results, file, line);
  return id ? element("a", { href: fragment(id), title: file }, text) : element("span", { title: file }, text);
}

const split = new WeakMap<Results["sources"][number], string[]>();

/** The lines of a source. */
export function linesOf(source: Results["sources"][number]): string[] {
  const lines = split.get(source) ?? source.text.replace(/\n$/, "").split("\n");
  split.set(source, lines);
  return lines;
}

/** The text of a line without the space around it; null if it isn't in the page. */
export function lineText(results: Pick<Results, "sources">, file: string, line: number): string | null {
  const source = line > 0 ? results.sources.find((s) => s.path === file) : undefined;
  return (source && linesOf(source)[line - 1]?.trim()) || null;
}
