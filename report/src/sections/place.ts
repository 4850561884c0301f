/// Places in the source: a line, and the way to it.
import { fragment } from "../address.ts";
import type { Results } from "../data.ts";
import { element } from "../dom.ts";
import { fileName } from "../format.ts";

/**
 * Which source has the text of a file: the one of this path, or the only one whose path ends in it, for the host's debug information may name
 * files as seen from the folder of the build. -1: none has.
 */
export function sourceIndex({ sources }: Pick<Results, "sources">, file: string): number {
  const index = sources.findIndex((s) => s.path === file);
  if (index >= 0 || file === "" || file.startsWith("/")) return index;
  const [first, ...others] = sources.flatMap((s, i) => (s.path.endsWith(`/${file}`) ? [i] : []));
  return first === undefined || others.length ? -1 : first;
}

/** The id of a line's row in the listing; null if its text isn't in the page. */
const anchor = (results: Results, file: string, line: number) => {
  const index = sourceIndex(results, file);
  return index < 0 || line === 0 ? null : `line-${index}-${line}`;
};

/** "step.cu:31", or with its column "step.cu:31:7", leading to the line if its text is in the page. */
export function placeLink(results: Results, file: string, line: number, column = 0): Node {
  const text = file ? `${fileName(file)}${line ? `:${line}${column ? `:${column}` : ""}` : ""}` : "-";
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
  const source = line > 0 ? results.sources[sourceIndex(results, file)] : undefined;
  return (source && linesOf(source)[line - 1]?.trim()) || null;
}
