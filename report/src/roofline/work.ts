/// What a kernel or a line does, in the figures of a roofline: operations, the bytes that move at each level of memory, and what they bound.
import type { Roofline } from "../data.ts";

export type Kernel = Roofline["rooflineKernels"][number];
export type Line = Roofline["rooflineLines"][number];
type Work = Pick<Line, "fp64Operations" | "fp32Operations" | "fp16Operations" | "tensorOperations" | "sharedBytes" | "l1Bytes" | "l2Bytes" | "memoryBytes">;
export type Ceiling = Roofline["rooflineCeilings"][number];

/** Where bytes move, the farthest first, as ceilings are named. */
export interface Level {
  limit: string;
  title: string;
  bytes: (work: Work) => number;
}
export const levels: readonly Level[] = [
  { limit: "dram", title: "memory", bytes: (w) => w.memoryBytes },
  { limit: "l2", title: "L2", bytes: (w) => w.l2Bytes },
  { limit: "l1", title: "L1", bytes: (w) => w.l1Bytes },
];
const shared: Level = { limit: "shared", title: "shared memory", bytes: (w) => w.sharedBytes };

/** Of floating-point numbers, tensor cores among them. */
export const flop = (w: Work) => w.fp64Operations + w.fp32Operations + w.fp16Operations + w.tensorOperations;

/** Operations for each byte; null: no byte moves there. */
export const intensity = (w: Work, level: Level): number | null => (level.bytes(w) === 0 ? null : flop(w) / level.bytes(w));

/** In seconds: as long as it was measured to take, or else as its limit takes at least; null: neither is known. */
export const timeOf = (kernel: Kernel): number | null => (kernel.time ? kernel.time / 1e9 : kernel.leastTime || null);

/** How much of a kernel's time its limit explains; null: not known. */
export const explained = (kernel: Kernel): number | null => (kernel.time && kernel.leastTime !== null ? (kernel.leastTime * 1e9) / kernel.time : null);

/** "memory", "L2", or a precision as it is. */
export const limitTitle = (limit: string) => [...levels, shared].find((l) => l.limit === limit)?.title ?? limit;

/** The precision of a ceiling of operations, of which the kernels have any. */
export function isUsed(ceiling: Ceiling, kernels: readonly Work[]): boolean {
  const of = (w: Work) =>
    ceiling.limit.startsWith("tensor") ? w.tensorOperations
    : ceiling.limit === "fp64" ? w.fp64Operations
    : ceiling.limit === "fp32" ? w.fp32Operations
    : ceiling.limit === "fp16" || ceiling.limit === "bf16" ? w.fp16Operations : 0;
  return kernels.some((k) => of(k) > 0);
}
