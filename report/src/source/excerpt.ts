/// A few lines of a source around one of them, whose words are marked.
import { element, type Child } from "../dom.ts";
import { fileName, grouped } from "../format.ts";

/** Lines in front of it, and as many behind it. */
const around = 3;

/** Where a line is, and what in it is meant. Columns count bytes, from 1. */
export interface Marked {
  line: number;
  /** Of the place; 0: not known. */
  column: number;
  /** What stands at `wordsColumn`, if that is not 0; else the word at the place's column is meant. */
  words: string;
  wordsColumn: number;
}

/** The place of a byte among the characters. */
const characterAt = (text: string, column: number) => new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, column - 1)).length;

/** From where to where; null: it is not known, or not there. */
export function markedRange(text: string, { column, words, wordsColumn }: Marked): [begin: number, end: number] | null {
  if (wordsColumn > 0 && words !== "") {
    const begin = characterAt(text, wordsColumn);
    if (text.startsWith(words, begin)) return [begin, begin + words.length];
  }
  if (column === 0) return null;
  const begin = characterAt(text, column), [word] = /^(?:[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_])/u.exec(text.slice(begin)) ?? [];
  return word === undefined ? null : [begin, begin + word.length];
}

function codeOf(text: string, range: [number, number] | null): Child[] {
  if (range === null) return [text || " "];
  const [begin, end] = range;
  return [text.slice(0, begin), element("mark", {}, text.slice(begin, end)), text.slice(end)];
}

/** Null: the source has no such line. */
export function excerpt(path: string, lines: readonly string[], marked: Marked): HTMLElement | null {
  if (marked.line < 1 || marked.line > lines.length) return null;
  const first = Math.max(1, marked.line - around), last = Math.min(lines.length, marked.line + around);
  const what = `${fileName(path)}, lines ${grouped(first)} to ${grouped(last)}`;
  const row = (line: number) => {
    const text = lines[line - 1]!, isMarked = line === marked.line;
    return element("tr", { class: isMarked ? "marked" : null, "aria-current": isMarked ? "location" : null },
      element("th", { scope: "row" }, String(line)),
      element("td", {}, element("code", {}, ...codeOf(text, isMarked ? markedRange(text, marked) : null))));
  };
  return element("table", { class: "excerpt" }, element("caption", { class: "hidden" }, what),
    element("tbody", {}, ...Array.from({ length: last - first + 1 }, (_, i) => row(first + i))));
}
