/// Two traces side by side: what a change of the program has done. Lines move and files change their folders, so a
/// line is known by its file's name, its function and its text; a kernel by its name without parameters, where that
/// is one kernel's.
import type { Access, Earlier, Finding, Results } from "../data.ts";
import { fileName, shortName } from "../format.ts";
import { lineText } from "../sections/place.ts";
import { costOf, type Cost } from "../source/cost.ts";

type Side = Earlier | Results;

/** Null: it isn't on this side. */
export interface Pair<T> {
  before: T | null;
  after: T | null;
}
export interface ComparedLine extends Pair<Cost> {
  file: string;
  /** On the side after, or else before. */
  line: number;
  function: string;
  text: string;
}

/** `f<float>` and `f<double>` are instances of one function. */
const functionOf = (name: string) => shortName(name).replace(/<.*/s, "");

function byKey<T>(before: readonly T[], after: readonly T[], key: (item: T, side: keyof Pair<T>) => string): Pair<T[]>[] {
  const pairs = new Map<string, Pair<T[]>>();
  for (const [side, items] of [["before", before], ["after", after]] as const)
    for (const item of items) {
      const at = key(item, side), pair = pairs.get(at) ?? { before: null, after: null };
      (pair[side] ??= []).push(item);
      pairs.set(at, pair);
    }
  return [...pairs.values()];
}

/** Names of kernels on both sides: the full one where several have the same short one. */
function kernelNames(before: Side, after: Side): (kernel: string) => string {
  const unclear = new Set<string>();
  for (const { kernels } of [before, after]) {
    const seen = new Set<string>();
    for (const name of kernels.map((k) => shortName(k.name))) seen.has(name) ? unclear.add(name) : seen.add(name);
  }
  return (kernel) => (unclear.has(shortName(kernel)) ? kernel : shortName(kernel));
}

/** What stands in a line; without its text, its number. */
const wordsOf = (side: Side, file: string, line: number) => lineText(side, file, line) ?? `line ${line}`;

const summed = (list: Access[] | null) => (list ? costOf(list) : null);

export function compare(before: Earlier, after: Results) {
  const sides = { before, after }, kernelName = kernelNames(before, after);
  const kernels = byKey<Access>(before.accesses, after.accesses, (a) => kernelName(a.kernel))
    .map((pair) => ({ name: kernelName((pair.after ?? pair.before)![0]!.kernel), before: summed(pair.before), after: summed(pair.after) }));
  const lines = byKey<Access>(before.accesses, after.accesses, (a, side) =>
    JSON.stringify([fileName(a.file), functionOf(a.function), wordsOf(sides[side], a.file, a.line)]))
    .map((pair): ComparedLine => {
      const side = pair.after ? "after" : "before", first = pair[side]![0]!;
      return { file: first.file, line: first.line, function: functionOf(first.function), text: wordsOf(sides[side], first.file, first.line),
               before: summed(pair.before), after: summed(pair.after) };
    });
  const findings = byKey<Finding>(before.findings, after.findings, (f, side) =>
    JSON.stringify([f.id, f.operation, f.kernel && kernelName(f.kernel), fileName(f.file), f.line ? wordsOf(sides[side], f.file, f.line) : ""]));
  return {
    totals: { before: costOf(before.accesses), after: costOf(after.accesses) }, kernels, lines,
    gone: findings.flatMap((pair) => (pair.after ? [] : pair.before!)),
    fresh: findings.flatMap((pair) => (pair.before ? [] : pair.after!)),
    remaining: findings.filter((pair): pair is { before: Finding[]; after: Finding[] } => Boolean(pair.before && pair.after)),
  };
}
