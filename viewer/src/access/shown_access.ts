/// An access of a warp with all that is said of it where it is looked at.
import type { AccessLanes } from "../reader/rows.ts";
import { allocationsAt, blockName, kernelName, laneCount, laneList, sitesOf, threadName, type Launch, type LiveAllocation, type Site, type Trace } from "../trace.ts";
import type { AccessId } from "../state.ts";

export interface ShownAccess {
  id: AccessId;
  /** Empty: it is not pinned. */
  letter: string;
  launch: Launch;
  site: Site;
  lanes: AccessLanes;
  /** Those that are active. */
  active: number[];
  allocations: LiveAllocation[];
}

/** Null: the module has no such site. */
export function shownAccess(trace: Trace, id: AccessId, lanes: AccessLanes, letter: string): ShownAccess | null {
  const launch = trace.launches[id.launch]!, site = sitesOf(trace, launch)[lanes.site];
  return site ? { id, letter, launch, site, lanes, active: laneList(lanes.mask), allocations: allocationsAt(trace, launch) } : null;
}

/** "launch 3 (step), block 1, 2, 0, warp 4" */
export const whoAccesses = (a: ShownAccess) =>
  `launch ${a.launch.id} (${kernelName(a.launch)}), block ${blockName(a.lanes.cta, a.launch.grid)}, warp ${a.lanes.warp}`;

/** Clocks may be more than a number holds. */
const clocks = new Intl.NumberFormat("en-US");
export const clockText = (clock: bigint) => clocks.format(clock);
/** The largest number stands for that many cycles or more. */
export const cyclesText = (duration: number) => `${clocks.format(duration)}${duration === 0xffffffff ? " or more" : ""}`;

/** "Began at 5,000 by the clock of multiprocessor 2, and took 612 cycles"; empty: that was not measured. */
export const timesText = ({ lanes: { times, sm } }: ShownAccess) =>
  (times ? `Began at ${clockText(times.start)} by the clock of multiprocessor ${sm}, and took ${cyclesText(times.duration)} cycles` : "");

export const threadOf = (a: ShownAccess, lane: number) => threadName(a.lanes.warp, lane, a.launch.block);

/** What a lane got of memory, or else gave it, or where in a texture it was; null: that was not recorded. */
export const valueOf = (a: ShownAccess, lane: number): string | null =>
  a.lanes.values.read?.[lane] ?? a.lanes.values.written?.[lane] ?? a.lanes.values.coordinates?.[lane] ?? null;

export const hasThread = (a: ShownAccess, lane: number) =>
  a.lanes.warp * laneCount + lane < a.launch.block[0] * a.launch.block[1] * a.launch.block[2];
