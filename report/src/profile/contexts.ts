/// The tree of calling contexts of host and device, from either end.
///
/// What `cupranalyze` found are contexts from the program inwards, with figures of their own and of all below them. From the other end, bottom-up,
/// stand the procedures that have figures of their own, below each one who called it; that is made as far as somebody looks, for
/// there each context stands once for each of its callers.
import { grouping, type Profile } from "../data.ts";
import { fileName, shortName } from "../format.ts";
import { sumOf, type Figures } from "./figures.ts";

type Row = Profile["profileNodes"][number];

export interface Context {
  kind: string;
  name: string;
  file: string;
  line: number;
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
  readonly object: string;
  readonly isDevice: boolean;
  readonly own: Figures;
  total: Figures;
  readonly depth: number;
  readonly below: TopDown[] = [];

  constructor(row: Row, readonly above: TopDown | null, program: string) {
    ({ kind: this.kind, file: this.file, line: this.line, object: this.object, own: this.own, total: this.total, depth: this.depth } = row);
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
  const none = sumOf([], rows[0]!.own), ids: number[] = [], kept: Row[] = [];
  rows.forEach((row, i) => {
    if (!isKept[i] && row.parent !== null) return;
    ids[i] = kept.length;
    kept.push({ ...row, id: kept.length, parent: row.parent === null ? null : ids[row.parent]!, own: isOf[i] || isCaller[i] ? row.own : none });
  });
  const parts = kept.map((row) => [row.own]);
  for (let i = kept.length - 1; i >= 0; --i) {
    kept[i]!.total = sumOf(parts[i]!, none);
    if (i > 0) parts[kept[i]!.parent!]!.push(kept[i]!.total);
  }
  return { ...profile, profileNodes: kept };
}

/** Figures of `from`, on their way outwards: so far they have come to `at`. */
interface Step {
  from: Context;
  at: Context;
}

class BottomUp implements Context {
  readonly kind: string;
  readonly name: string;
  readonly object: string;
  readonly file: string;
  readonly line: number;
  readonly isDevice: boolean;
  readonly own: Figures;
  readonly total: Figures;
  readonly depth: number;
  private known: BottomUp[] | null = null;

  /** `steps` are at contexts that are one here. */
  constructor(private readonly steps: readonly Step[], readonly above: Context, private readonly like: Figures) {
    const { at } = steps[0]!, isProcedure = above.above === null;
    ({ kind: this.kind, name: this.name, object: this.object, isDevice: this.isDevice } = at);
    // Of callers the places are not told apart.
    this.file = isProcedure ? at.file : "";
    this.line = isProcedure ? at.line : 0;
    this.total = sumOf(steps.map((s) => s.from.own), like);
    this.own = isProcedure ? this.total : sumOf([], like);
    this.depth = above.depth + 1;
  }

  get below(): readonly BottomUp[] {
    return (this.known ??= callersOf(this.steps.map(({ from, at }) => ({ from, at: at.above! })), this, this.like));
  }
}

function callersOf(steps: Step[], above: Context, like: Figures): BottomUp[] {
  const isProcedure = above.above === null;
  const groups = grouping(steps.filter((s) => s.at.above !== null), ({ at }) =>
    JSON.stringify([at.kind, at.name, at.object, isProcedure && at.file, isProcedure && at.line]));
  return [...groups.values()].map((group) => new BottomUp(group, above, like));
}

export function bottomUp(program: Context): Context {
  const steps: Step[] = [];
  const walk = (context: Context) => {
    if (Object.values(context.own).some((n) => n !== 0)) steps.push({ from: context, at: context });
    context.below.forEach(walk);
  };
  walk(program);
  const below: Context[] = [], root: Context = {
    kind: program.kind, name: program.name, file: "", line: 0, object: "", isDevice: false, own: program.total, total: program.total,
    above: null, depth: 0, below,
  };
  below.push(...callersOf(steps, root, program.own));
  return root;
}

/** "cudaMemcpy a.cu:12": with the place of a call and an access. */
const placed = (context: Context, name: string, file: string) => (context.line > 0 ? `${name} ${file}:${context.line}` : name);
export const fullName = (context: Context) => placed(context, context.name, context.file);
export const shortOf = (context: Context) =>
  placed(context, context.above === null ? fileName(context.name) || "program" : shortName(context.name), fileName(context.file));
