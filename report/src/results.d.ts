/* Made of docs/results.schema.json by npm run types. */

/**
 * All accesses to global memory, per thread; distinct bytes per launch, summed over launches.
 */
export type Volume = Counts & {
  uniqueReadBytes: Bytes;
  uniqueWrittenBytes: Bytes;
  /**
   * What copies on the device wrote of what launches had written.
   */
  copiedBytes: number;
  hostWrittenBytes: Bytes;
};
export type Count = number;
export type Bytes = number;
export type Share = number;
/**
 * @minItems 3
 * @maxItems 3
 */
export type Dim3 = [number, number, number];
export type SuperstepOrHost = Count | "host";
export type DependenceKind = "RAW" | "WAR" | "WAW";
/**
 * ordered: across launches, and something orders them; concurrent: across launches that nothing orders; insideLaunch: between CTAs of one launch.
 */
export type DependenceOrder = "ordered" | "concurrent" | "insideLaunch";
/**
 * Parts in x, y and z; 1, 1, 1 for cyclic and graph.
 *
 * @minItems 3
 * @maxItems 3
 */
export type Dim31 = [number, number, number];

/**
 * Volumes are bytes, times are nanoseconds unless a name says otherwise. What each figure means, with formula and edge cases: docs/analysis.md. Fields are only added; `version` grows when one changes its meaning. A CTA is its linear number, x + gridDim.x * (y + gridDim.y * z).
 */
export interface ResultsOfCupranalyzeCommJson {
  version: 1;
  program: string;
  arguments: string[];
  device: {
    kind: "gpu" | "cpu" | "";
    name: string;
  };
  /**
   * The trace stops early, or was repaired: results cover what is there.
   */
  truncated: boolean;
  /**
   * What a reader must know, in sentences.
   */
  notes: string[];
  volume: Volume;
  communicated: Communicated;
  incompleteLaunches: Count;
  /**
   * Recorded accesses to other kinds of memory, which communicate nothing between CTAs; kinds without any are left out.
   */
  otherMemory: (Counts & {
    space: "shared" | "constant" | "local";
  })[];
  /**
   * In the order of their first launch.
   */
  kernels: (Counts &
    LaunchVolume & {
      name: string;
      launches: Count;
      /**
       * Sum of the launches' deviceTime.
       */
      time: number;
    })[];
  /**
   * In the order of the host's calls. A launch whose grid waits (grid.sync()) is one for each phase between two barriers.
   */
  launches: (Counts &
    LaunchVolume & {
      /**
       * Of phases but the first: behind the numbers of all launches.
       */
      id: number;
      /**
       * The program's; phases of one launch share it.
       */
      number: number;
      /**
       * Between barriers of the grid, from 0.
       */
      phase: number;
      kernel: string;
      grid: Dim3;
      block: Dim3;
      stream: Count;
      device: Count;
      superstep: Count;
      /**
       * Launches of its stream that were called before.
       */
      streamSuperstep: number;
      traced: boolean;
      complete: boolean;
      /**
       * Why it is not traced or not complete; else empty.
       */
      reason: string;
      /**
       * Of the call, since the start of the process.
       */
      time: number;
      /**
       * When its records had arrived; null: it has no end.
       */
      endTime: Count | null;
      /**
       * From the beginning of its first block to the end of its last, with tracing; null: not known.
       */
      deviceTime: Count | null;
    })[];
  /**
   * Entry n: the launches of superstep n.
   */
  supersteps: {
    /**
     * Ids.
     */
    launches: Count[];
    /**
     * Distinct bytes read that earlier launches wrote.
     */
    loadBytes: number;
    /**
     * Distinct bytes written that later launches read.
     */
    storeBytes: number;
    /**
     * Of all transfers to its CTAs: a byte counts once for each CTA that reads it.
     */
    transferBytes: number;
    /**
     * Of threads' reads of what earlier launches wrote.
     */
    readByThreadsBytes: number;
    /**
     * Of loadBytes.
     */
    handedOnLoadBytes: number;
    /**
     * Of storeBytes.
     */
    handedOnStoreBytes: number;
    /**
     * Of what its launches read of earlier launches and the host.
     */
    readPossiblyOverwrittenBytes: number;
    outDegree: Spread;
    inDegree: Spread;
  }[];
  /**
   * Volume by superstep distance: 0 is the next superstep. Not exclusive.
   */
  distances: {
    distance: Count;
    bytes: Bytes;
    operations: Count;
  }[];
  /**
   * How many transfers between two CTAs have which size; ascending. If not exact, `bytes` is the largest size of a class.
   */
  transferSizes: {
    transfers: Count;
    bytes: Bytes;
    exact: boolean;
    sizes: {
      bytes: Bytes;
      transfers: Count;
    }[];
  };
  /**
   * Number of CTAs (of one launch each) by their number of partners; ascending; CTAs without a partner are not counted. `other` leaves out partners with the same index, `handedOn` those with the same index and kernel.
   */
  degrees: {
    [k: string]: {
      partners: Count;
      ctas: Count;
    }[];
  };
  /**
   * Transfers over a cut through the middle of each dimension of the grids; null: no grid has more than one CTA in it.
   */
  bisection: {
    [k: string]: null | {
      bytes: Bytes;
      relative: Share;
    };
  };
  /**
   * Distances between neighbouring threads of accesses that take part in communication, by descending bytes.
   */
  strides: {
    [k: string]: Stride[];
  };
  /**
   * The same of each CTA of a launch: its loads, and its stores that later launches read. CTAs without any are left out; so is all of it in a report and with --no-transfers.
   */
  ctaStrides?: {
    /**
     * Its id.
     */
    launch: number;
    /**
     * Linear number.
     */
    cta: number;
    loads: Stride[];
    stores: Stride[];
    handedOnLoads: Stride[];
    handedOnStores: Stride[];
  }[];
  /**
   * Kernel to kernel, in total and by the superstep that reads.
   */
  kernelMatrix: {
    /**
     * The kernels; "host" first if it takes part.
     */
    names: string[];
    cells: {
      /**
       * Index in names.
       */
      source: number;
      destination: Count;
      bytes: Bytes;
      operations: Count;
      /**
       * Pairs of superstep and bytes; none for reads of the host.
       */
      supersteps: [unknown, unknown][];
    }[];
  };
  /**
   * What one launch wrote and another read; source and destination are ids of launches or "host".
   */
  pairs: {
    source: SuperstepOrHost;
    destination: SuperstepOrHost;
    bytes: Bytes;
    sameIndexBytes: Bytes;
    otherIndexBytes: Bytes;
    operations: Count;
    ctaPairs: Count;
    /**
     * Of bytes; 0 where the host read them.
     */
    possiblyOverwrittenBytes: number;
  }[];
  /**
   * What one CTA wrote and another read; left out in a report.
   */
  transfers?: {
    source: SuperstepOrHost;
    sourceCta: Count;
    destination: SuperstepOrHost;
    destinationCta: Count;
    bytes: Bytes;
    operations: Count;
  }[];
  /**
   * CTA index to CTA index over all pairs of launches, one map for each kind of dependence. Levels go from the finest to one of at most 64 x 64 cells; only cells with something in them are listed, by source and then destination.
   */
  density: {
    /**
     * 1 + the largest index that takes part.
     */
    ctas: number;
    maps: {
      kind: DependenceKind;
      order: DependenceOrder;
      /**
       * Items: Four lists of one length: cell n of the list is at (source[n], destination[n]).
       */
      levels: {
        ctasPerCell: Count;
        /**
         * In each direction.
         */
        cells: number;
        source: Count[];
        destination: Count[];
        bytes: Bytes[];
        /**
         * Pairs of a writing and a reading (launch, CTA).
         */
        transfers: Count[];
      }[];
    }[];
  };
  /**
   * Which line depends on which, by descending bytes.
   */
  dependences: {
    kind: DependenceKind;
    order: DependenceOrder;
    /**
     * The order is `ordered`.
     */
    guaranteed: boolean;
    /**
     * It is known which of the two came first.
     */
    directed: boolean;
    first: Place;
    second: Place;
    bytes: Bytes;
    sameIndexBytes: Bytes;
    otherIndexBytes: Bytes;
  }[];
  /**
   * In the order of the calls; accesses outside of all come last, with ordinal null, if there are any.
   */
  allocations: (Counts & {
    ordinal: Count | null;
    name: string;
    call: string;
    kind: string;
    address: string;
    bytes: Bytes;
    freed: boolean;
    uniqueReadBytes: Bytes;
    uniqueWrittenBytes: Bytes;
    /**
     * What copies on the device wrote into it of what launches had written.
     */
    copiedBytes: number;
    /**
     * Of uniqueWrittenBytes and copiedBytes: a later launch read the version.
     */
    communicatedBytes: number;
  })[];
  /**
   * Source lines with accesses, by file and line.
   */
  lines: (Counts & {
    file: string;
    /**
     * From 1; 0: unknown.
     */
    line: number;
    functions: string[];
    /**
     * Accesses by warps.
     */
    requests: number;
    /**
     * Distinct 32-byte sectors of each request, summed.
     */
    sectors: number;
    /**
     * What they would be if each request's distinct bytes lay side by side, from the start of a sector.
     */
    leastSectors: number;
    /**
     * sectors - leastSectors
     */
    excessSectors: number;
    /**
     * Distinct bytes written here that a later launch read.
     */
    communicatedBytes: number;
    /**
     * Bytes read here, by threads, that an earlier launch had written.
     */
    readCommunicatedBytes: number;
    strides: Stride[];
  })[];
  sources: {
    path: string;
    text: string;
  }[];
  /**
   * What costs most, dearest first.
   */
  findings: {
    id: string;
    title: string;
    advice: string;
    /**
     * Empty: it concerns no single one.
     */
    kernel: string;
    file: string;
    line: Count;
    /**
     * 0: unknown, or no access.
     */
    column: number;
    /**
     * What the access does; empty: the finding concerns no access.
     */
    operation: "" | "load" | "store" | "atomic";
    amount: Count;
    unit: "sectors" | "bytes" | "accesses" | "launches";
    /**
     * Of all of this unit in the program.
     */
    share: number;
  }[];
  /**
   * What several GPUs would have to exchange if they shared the CTAs of each launch; null: it was not asked for, or no launch has several CTAs that access memory.
   */
  advisor: null | {
    link: {
      /**
       * Of a GPU's link, in each direction.
       */
      bytesPerSecond: number;
      /**
       * Of each superstep in which something crosses.
       */
      latencySeconds: number;
      /**
       * What one device sends another of a pair of launches is rounded up to it, for the times.
       */
      packetBytes: number;
      /**
       * How devices are connected: docs/analysis.md.
       */
      topology: "switch" | "tree" | "ring";
      /**
       * Whether devices compute while they exchange.
       */
      overlaps: boolean;
    };
    /**
     * Of each GPU.
     */
    multiprocessors: number;
    /**
     * Of all kernels on one GPU, as was given; null: it was not.
     */
    kernelSeconds: number | null;
    cuts: {
      devices: number;
      cut: "x" | "y" | "z" | "block" | "cyclic" | "graph";
      tiles: Dim31;
      /**
       * Bytes that cross between devices.
       */
      crossingBytes: number;
      /**
       * Bytes that would cross if each device kept what it has read until it is written again.
       */
      crossingOnceBytes: number;
      /**
       * Bytes of dependences inside a launch between CTAs on different devices, atomics among them; not in the times.
       */
      insideLaunchesBytes: number;
      /**
       * crossingBytes, of the bytes of all transfers between CTAs.
       */
      crossingShare: number;
      /**
       * Bytes that the host wrote, once for each device that reads them, until they are written again. They are not in crossingBytes.
       */
      readFromHostBytes: number;
      /**
       * Of the device that needs most: of each allocation the bytes that its CTAs access, at the time when those that are alive are most.
       */
      memoryBytes: number;
      /**
       * Bytes accessed by the busiest device / mean over devices; 1 is even.
       */
      balance: number;
      /**
       * The same of accesses.
       */
      accessBalance: number;
      /**
       * How much faster the work would be if nothing had to cross: by the bytes of the busiest multiprocessor of the busiest device, superstep by superstep.
       */
      parallelism: number;
      /**
       * On the link, superstep by superstep.
       */
      seconds: number;
      /**
       * Over one device; null without kernelSeconds.
       */
      speedup: number | null;
      /**
       * Crossing bytes of superstep n.
       */
      supersteps: Bytes[];
      /**
       * insideLaunchesBytes by kernel, the one with most first.
       */
      inside: {
        kernel: string;
        bytes: Bytes;
      }[];
    }[];
    /**
     * For each number of devices, an index in cuts.
     */
    best: Count[];
    /**
     * Atomic accesses on bytes that several CTAs of one launch access: on several devices they must be of the whole system.
     */
    atomics: {
      kernel: string;
      file: string;
      line: Count;
      column: Count;
      /**
       * Of dependences inside a launch that it is an end of.
       */
      bytes: number;
    }[];
    /**
     * What was left out.
     */
    notes: string[];
    /**
     * What the figures take for granted, in sentences.
     */
    assumptions: string[];
    /**
     * The best cuts, in one line.
     */
    text: string;
  };
}
export interface Counts {
  loads: Count;
  stores: Count;
  atomics: Count;
  loadBytes: Bytes;
  storeBytes: Bytes;
  atomicBytes: Bytes;
}
/**
 * Versions that a later, ordered launch read. A version may be in same and in other index.
 */
export interface Communicated {
  bytes: Bytes;
  share: Share;
  sameIndexBytes: Bytes;
  otherIndexBytes: Bytes;
  /**
   * Of `bytes`: read by a CTA of another index, or by another kernel.
   */
  handedOnBytes: number;
  toHostBytes: Bytes;
  fromHostBytes: Bytes;
  /**
   * handedOnBytes, of uniqueWrittenBytes and copiedBytes.
   */
  handedOnShare: number;
  /**
   * Of `bytes`: a launch of which not all was seen, or the host without a call, may have written them between the write and each of the reads.
   */
  possiblyOverwrittenBytes: number;
  /**
   * Likewise, of toHostBytes.
   */
  toHostPossiblyOverwrittenBytes: number;
  /**
   * Likewise, of fromHostBytes.
   */
  fromHostPossiblyOverwrittenBytes: number;
  /**
   * Of pairs of launches, and of what the host read: bytes with so many producers that the last writer stands for all of them in transfers between CTAs.
   */
  ofLastProducerBytes: number;
  /**
   * Versions that a launch read although nothing orders it after the writer; not in `bytes`.
   */
  concurrentBytes: number;
}
export interface LaunchVolume {
  uniqueReadBytes: Bytes;
  uniqueWrittenBytes: Bytes;
  readFromLaunchesBytes: Bytes;
  readFromHostBytes: Bytes;
  readByLaunchesBytes: Bytes;
  readByHostBytes: Bytes;
  /**
   * Of readFromLaunchesBytes: of another CTA or another kernel.
   */
  readHandedOnBytes: number;
  /**
   * Of readByLaunchesBytes: to another CTA or another kernel.
   */
  handedOnBytes: number;
  /**
   * Of threads' reads of what earlier launches wrote.
   */
  readByThreadsBytes: number;
  /**
   * Of readFromLaunchesBytes and readFromHostBytes.
   */
  readPossiblyOverwrittenBytes: number;
  /**
   * Of readByLaunchesBytes.
   */
  possiblyOverwrittenBytes: number;
  /**
   * What copies on the device wrote of what the launch had written.
   */
  copiedBytes: number;
}
/**
 * Over the CTAs that have a partner.
 */
export interface Spread {
  ctas: Count;
  mean: number;
  deviation: number;
}
/**
 * Stride in bytes, or null for all others together.
 */
export interface Stride {
  stride: number | null;
  bytes: Bytes;
}
export interface Place {
  /**
   * "host": a copy or a set.
   */
  kernel: string;
  file: string;
  line: Count;
  column: Count;
  operation: string;
}
