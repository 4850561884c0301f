/// The tree of calling contexts of host and device, from either end.
///
/// What `cupranalyze` found are contexts from the program inwards, with figures of their own and of all below them. From the other end, bottom-up,
/// stand the procedures that have figures of their own, below each one who called it; that is made as far as somebody looks, for
/// there each context stands once for each of its callers.
import { grouping, type Profile } from "../data.ts";
import { fileName, shortName } from "../format.ts";
import { noFigures, partsOf, sumOf, type Figures, type Parts } from "./figures.ts";

type Row = Profile["profileNodes"][number];

export interface Context {
  kind: string;
  name: string;
  file: string;
  line: number;
  /** Of a loop; 0: it is none. */
  column: number;
  object: string;
  /** It is what the device does: a kernel, or anything in one. */
  isDevice: boolean;
  own: Figures;
  total: Figures;
  above: Context | null;
  depth: number;
  readonly below: readonly Context[];
}

class TopDown implements Context {
  readonly kind: string;
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly object: string;
  readonly isDevice: boolean;
  readonly own: Figures;
  total: Figures;
  readonly depth: number;
  readonly below: TopDown[] = [];

  constructor(row: Row, readonly above: TopDown | null, program: string) {
    ({ kind: this.kind, file: this.file, line: this.line, column: this.column, object: this.object, own: this.own, total: this.total, depth: this.depth } = row);
    this.name = above ? row.name : program;
    this.isDevice = row.kind === "kernel" || (above?.isDevice ?? false);
  }
}

/** The program; what is below it comes from there. Of kinds that are not known names are shown all the same. */
export function topDown(profile: Profile, program: string): Context {
  const contexts: TopDown[] = [];
  for (const row of profile.profileNodes) {
    const above = row.parent === null ? null : contexts[row.parent]!;
    const context = new TopDown(row, above, program);
    above?.below.push(context);
    contexts.push(context);
  }
  return contexts[0]!;
}

/** Only of a kernel: what it did, and the calls that launched it. */
export function ofKernel(profile: Profile, kernel: string): Profile {
  const rows = profile.profileNodes, isOf = rows.map(() => false), isCaller = rows.map(() => false), isKept = rows.map(() => false);
  rows.forEach((row, i) => {
    isOf[i] = (row.kind === "kernel" && row.name === kernel) || (row.parent !== null && isOf[row.parent]!);
    if (!isOf[i] || isOf[row.parent!]) {
      isKept[i] = isOf[i]!;
      return;
    }
    isCaller[row.parent!] = true;
    for (let at: number | null = i; at !== null && !isKept[at]; at = rows[at]!.parent) isKept[at] = true;
  });
  const none = noFigures(rows[0]!.own), ids: number[] = [], kept: Row[] = [];
  rows.forEach((row, i) => {
    if (!isKept[i] && row.parent !== null) return;
    ids[i] = kept.length;
    kept.push({ ...row, id: kept.length, parent: row.parent === null ? null : ids[row.parent]!, own: isOf[i] || isCaller[i] ? row.own : none });
  });
  const parts = kept.map((row) => [partsOf(row.own)]);
  for (let i = kept.length - 1; i >= 0; --i) {
    kept[i]!.total = sumOf(parts[i]!, none);
    if (i > 0) parts[kept[i]!.parent!]!.push(partsOf(kept[i]!.total));
  }
  return { ...profile, profileNodes: kept };
}

/** Figures that are a context's own, on their way outwards: so far they have come to `at`. */
interface Step {
  own: Parts;
  at: Context;
}

/** What all of a tree have in common. */
interface Callers {
  none: Figures;
  /** The same number for contexts that are one where places are not told apart. */
  procedure: (context: Context) => number;
}

class BottomUp implements Context {
  readonly kind: string;
  readonly name: string;
  readonly object: string;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly isDevice: boolean;
  readonly own: Figures;
  readonly total: Figures;
  readonly depth: number;
  private known: BottomUp[] | null = null;

  /** `steps` are at contexts that are one here. */
  constructor(private readonly steps: readonly Step[], readonly above: Context, private readonly of: Callers) {
    const { at } = steps[0]!, isProcedure = above.above === null;
    ({ kind: this.kind, name: this.name, object: this.object, isDevice: this.isDevice } = at);
    // Of callers the places are not told apart; a loop is its place.
    const isPlaced = isProcedure || at.kind === "loop";
    this.file = isPlaced ? at.file : "";
    this.line = isPlaced ? at.line : 0;
    this.column = at.column;
    this.total = sumOf(steps.map((s) => s.own), of.none);
    this.own = isProcedure ? this.total : of.none;
    this.depth = above.depth + 1;
  }

  get below(): readonly BottomUp[] {
    if (this.known) return this.known;
    const outwards = this.steps.flatMap(({ own, at }) => (at.above!.above ? [{ own, at: at.above! }] : []));
    return (this.known = [...grouping(outwards, (s) => this.of.procedure(s.at)).values()].map((steps) => new BottomUp(steps, this, this.of)));
  }
}

function numbering(): Callers["procedure"] {
  const numbers = new Map<string, number>(), known = new Map<Context, number>();
  return (context) => {
    let number = known.get(context);
    if (number === undefined) {
      const key = JSON.stringify([context.kind, context.name, context.object, ...(context.kind === "loop" ? [context.file, context.line, context.column] : [])]);
      number = numbers.get(key) ?? numbers.size;
      numbers.set(key, number);
      known.set(context, number);
    }
    return number;
  };
}

/** Of a loop the function that it stands in; of all else itself. */
function procedureOf(context: Context): Context {
  let at = context;
  while (at.kind === "loop") at = at.above!;
  return at;
}

export function bottomUp(program: Context): Context {
  const steps: Step[] = [], left = [...program.below];
  for (let context = left.pop(); context; context = left.pop()) {
    const own = partsOf(context.own);
    if (own.length > 0) steps.push({ own, at: procedureOf(context) });
    left.push(...context.below);
  }
  const below: Context[] = [], root: Context = {
    kind: program.kind, name: program.name, file: "", line: 0, column: 0, object: "", isDevice: false, own: program.total, total: program.total,
    above: null, depth: 0, below,
  };
  const of = { none: noFigures(program.own), procedure: numbering() };
  const procedures = grouping(steps, ({ at }) => JSON.stringify([of.procedure(at), at.file, at.line]));
  below.push(...[...procedures.values()].map((group) => new BottomUp(group, root, of)));
  return root;
}

/** "cudaMemcpy a.cu:12", "loop at a.cu:10": with the place of a call, an access and a loop. */
const placed = ({ kind, line }: Pick<Context, "kind" | "line">, name: string, file: string) =>
  line > 0 ? `${kind === "loop" ? "loop at" : name} ${file}:${line}` : name;
export const fullName = (context: Context) => placed(context, context.name, context.file);
export const shortOf = (context: Context) =>
  placed(context, context.above === null ? fileName(context.name) || "program" : shortName(context.name), fileName(context.file));
/** Of functions in full. */
export const procedureName = (of: Pick<Context, "kind" | "line" | "name" | "file">) => placed(of, of.name, fileName(of.file));
