/// The cells of a density map. A map comes in levels, each with larger cells than the one before; only cells
/// with something in them are listed, by source and then destination. So the cells of a rectangle are found
/// by searching rows, and a view of 100,000 CTAs touches no more cells than it can show.
import type { DensityMap, Level } from "../data.ts";

export type Measure = "bytes" | "transfers";

export interface Cell {
  source: number;
  destination: number;
  bytes: number;
  transfers: number;
}

export class Cells {
  readonly ctasPerCell: number;
  readonly count: number;
  private readonly source: Uint32Array;
  private readonly destination: Uint32Array;

  constructor(private readonly level: Level) {
    this.ctasPerCell = level.ctasPerCell;
    this.count = level.source.length;
    this.source = Uint32Array.from(level.source);
    this.destination = Uint32Array.from(level.destination);
  }

  /** The largest value of a cell. */
  most(measure: Measure): number {
    return this.level[measure].reduce((a, b) => Math.max(a, b), 0);
  }

  get(n: number): Cell {
    return { source: this.source[n]!, destination: this.destination[n]!, bytes: this.level.bytes[n]!, transfers: this.level.transfers[n]! };
  }

  /** Calls `visit` for each cell with sources in [s0, s1] and destinations in [d0, d1]. */
  visit(s0: number, s1: number, d0: number, d1: number, visit: (source: number, destination: number, n: number) => void) {
    for (let n = this.firstFrom(s0, d0); n < this.count; ) {
      const source = this.source[n]!, destination = this.destination[n]!;
      if (source > s1) return;
      if (destination < d0) n = this.firstFrom(source, d0);
      else if (destination > d1) n = this.firstFrom(source + 1, d0);
      else visit(source, destination, n++);
    }
  }

  /** The cell at this place, or null if nothing is there. */
  find(source: number, destination: number): Cell | null {
    const n = this.firstFrom(source, destination);
    return this.source[n] === source && this.destination[n] === destination ? this.get(n) : null;
  }

  /** The first cell not before (source, destination). */
  private firstFrom(source: number, destination: number): number {
    let low = 0, high = this.count;
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = this.source[middle]!;
      if (at < source || (at === source && this.destination[middle]! < destination)) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The levels of one map, made ready when they are first looked at. */
export class Levels {
  private readonly ready: (Cells | undefined)[] = [];

  constructor(private readonly map: DensityMap) {}

  get finest(): Cells {
    return this.at(0);
  }

  /** The finest level whose cells are at least `least` pixels wide where a CTA is `pixels` wide, else the coarsest. */
  forScale(pixels: number, least: number): Cells {
    const fits = this.map.levels.findIndex((l) => l.ctasPerCell * pixels >= least);
    return this.at(fits < 0 ? this.map.levels.length - 1 : fits);
  }

  private at(n: number): Cells {
    return (this.ready[n] ??= new Cells(this.map.levels[n]!));
  }
}
