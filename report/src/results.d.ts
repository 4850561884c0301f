/* Made of docs/results.schema.json by npm run types. */

export type Count = number;
export type Bytes = number;
export type Share = number;
export type DependenceKind = "RAW" | "WAR" | "WAW";
/**
 * ordered: across launches, and something orders them; concurrent: across launches that nothing orders; insideLaunch: between CTAs of one launch.
 */
export type DependenceOrder = "ordered" | "concurrent" | "insideLaunch";

/**
 * Volumes are bytes, times are nanoseconds unless a name says otherwise. What each figure means, with formula and edge cases: docs/analysis.md. Fields are only added; `version` grows when one changes its meaning. A CTA is its linear number, x + gridDim.x * (y + gridDim.y * z).
 */
export interface ResultsOfCupranalyzeCommJson {
  version: 1;
  /**
   * path of the executable
   */
  program: string;
  /**
   * of the program, its name first
   */
  arguments: string[];
  device: {
    /**
     * "gpu" or "cpu"
     */
    kind: "gpu" | "cpu" | "";
    /**
     * as the CUDA runtime calls it
     */
    name: string;
  };
  /**
   * not traced, or not completely
   */
  incompleteLaunches: number;
  volume: {
    /**
     * by threads
     */
    loads: number;
    /**
     * by threads
     */
    stores: number;
    /**
     * by threads
     */
    atomics: number;
    /**
     * by threads
     */
    loadBytes: number;
    /**
     * by threads
     */
    storeBytes: number;
    /**
     * by threads
     */
    atomicBytes: number;
    /**
     * distinct bytes per launch, summed
     */
    uniqueReadBytes: number;
    /**
     * distinct bytes per launch, summed
     */
    uniqueWrittenBytes: number;
    /**
     * by copies and sets
     */
    hostWrittenBytes: number;
    /**
     * of what launches wrote, within the device
     */
    copiedBytes: number;
  };
  communicated: {
    /**
     * of unique_written_bytes and copied_bytes: a later launch read them
     */
    bytes: number;
    /**
     * communicated_bytes / (unique_written_bytes + copied_bytes)
     */
    share: number;
    /**
     * of communicated_bytes: read by the CTA of the same index
     */
    sameIndexBytes: number;
    /**
     * of communicated_bytes: read by a CTA of another index
     */
    otherIndexBytes: number;
    /**
     * of communicated_bytes: read by a CTA of another index, or by another kernel
     */
    handedOnBytes: number;
    /**
     * read by launches that nothing orders after the writer
     */
    concurrentBytes: number;
    /**
     * of unique_written_bytes and copied_bytes: the host read them
     */
    toHostBytes: number;
    /**
     * of host_written_bytes: a launch read them
     */
    fromHostBytes: number;
    /**
     * handed_on_bytes / (unique_written_bytes + copied_bytes)
     */
    handedOnShare: number;
    /**
     * of communicated_bytes
     */
    possiblyOverwrittenBytes: number;
    /**
     * of to_host_bytes
     */
    toHostPossiblyOverwrittenBytes: number;
    /**
     * of from_host_bytes
     */
    fromHostPossiblyOverwrittenBytes: number;
    /**
     * with so many producers that the last writer stands for all
     */
    ofLastProducerBytes: number;
  };
  shown: {
    /**
     * the launches and places that were chosen, of which other tables are; null: all; figures here are of the whole program
     */
    what: string | null;
    /**
     * that were chosen
     */
    launches: number;
    /**
     * of the program
     */
    of: number;
  };
  /**
   * the trace stops early, or was repaired: results cover what is there
   */
  truncated: boolean;
  /**
   * what a reader must know, in sentences
   */
  notes: string[];
  /**
   * Recorded accesses to other kinds of memory, which communicate nothing between CTAs; kinds without any are left out.
   */
  otherMemory: {
    /**
     * kind of memory
     */
    space: "shared" | "constant" | "local" | "texture";
    /**
     * by threads
     */
    loads: number;
    /**
     * by threads
     */
    stores: number;
    /**
     * by threads
     */
    atomics: number;
    /**
     * by threads
     */
    loadBytes: number;
    /**
     * by threads
     */
    storeBytes: number;
    /**
     * by threads
     */
    atomicBytes: number;
  }[];
  /**
   * In the order of their first launch.
   */
  kernels: {
    /**
     * as in the source, with parameters
     */
    name: string;
    /**
     * of the kernel
     */
    launches: number;
    /**
     * sum of the launches' deviceTime
     */
    time: number;
    /**
     * by threads
     */
    loads: number;
    /**
     * by threads
     */
    stores: number;
    /**
     * by threads
     */
    atomics: number;
    /**
     * by threads
     */
    loadBytes: number;
    /**
     * by threads
     */
    storeBytes: number;
    /**
     * by threads
     */
    atomicBytes: number;
    /**
     * distinct bytes
     */
    uniqueReadBytes: number;
    /**
     * distinct bytes
     */
    uniqueWrittenBytes: number;
    /**
     * of unique_read_bytes
     */
    readFromLaunchesBytes: number;
    /**
     * of unique_read_bytes
     */
    readFromHostBytes: number;
    /**
     * of unique_written_bytes and copied_bytes
     */
    readByLaunchesBytes: number;
    /**
     * of unique_written_bytes and copied_bytes
     */
    readByHostBytes: number;
    /**
     * of read_from_launches_bytes
     */
    readHandedOnBytes: number;
    /**
     * of read_by_launches_bytes
     */
    handedOnBytes: number;
    /**
     * of threads' reads of what earlier launches wrote
     */
    readByThreadsBytes: number;
    /**
     * of read_from_launches_bytes and read_from_host_bytes
     */
    readPossiblyOverwrittenBytes: number;
    /**
     * of read_by_launches_bytes
     */
    possiblyOverwrittenBytes: number;
    /**
     * of what it wrote, within the device
     */
    copiedBytes: number;
  }[];
  /**
   * In the order of the host's calls. A launch whose grid waits (grid.sync()) is one for each phase between two barriers.
   */
  launches: {
    /**
     * from 1, in the order of the calls; of phases but the first: behind all launches'
     */
    id: number;
    /**
     * as in the source, with parameters
     */
    kernel: string;
    /**
     * blocks
     *
     * @minItems 3
     * @maxItems 3
     */
    grid: [number, number, number];
    /**
     * threads
     *
     * @minItems 3
     * @maxItems 3
     */
    block: [number, number, number];
    /**
     * never reused
     */
    stream: number;
    /**
     * index
     */
    device: number;
    /**
     * from 0
     */
    superstep: number;
    /**
     * its accesses are recorded
     */
    traced: boolean;
    /**
     * all of its records are there
     */
    complete: boolean;
    /**
     * of the call, nanoseconds
     */
    time: number;
    /**
     * when all records had arrived; null: no end in the trace
     */
    endTime: number | null;
    /**
     * by threads
     */
    loads: number;
    /**
     * by threads
     */
    stores: number;
    /**
     * by threads
     */
    atomics: number;
    /**
     * by threads
     */
    loadBytes: number;
    /**
     * by threads
     */
    storeBytes: number;
    /**
     * by threads
     */
    atomicBytes: number;
    /**
     * distinct bytes
     */
    uniqueReadBytes: number;
    /**
     * distinct bytes
     */
    uniqueWrittenBytes: number;
    /**
     * of unique_read_bytes
     */
    readFromLaunchesBytes: number;
    /**
     * of unique_read_bytes
     */
    readFromHostBytes: number;
    /**
     * of unique_written_bytes and copied_bytes
     */
    readByLaunchesBytes: number;
    /**
     * of unique_written_bytes and copied_bytes
     */
    readByHostBytes: number;
    /**
     * launches of its stream before it
     */
    streamSuperstep: number;
    /**
     * of read_from_launches_bytes
     */
    readHandedOnBytes: number;
    /**
     * of read_by_launches_bytes
     */
    handedOnBytes: number;
    /**
     * of threads' reads of what earlier launches wrote
     */
    readByThreadsBytes: number;
    /**
     * of read_from_launches_bytes and read_from_host_bytes
     */
    readPossiblyOverwrittenBytes: number;
    /**
     * of read_by_launches_bytes
     */
    possiblyOverwrittenBytes: number;
    /**
     * of what it wrote, within the device
     */
    copiedBytes: number;
    /**
     * the program's; phases of one launch share it
     */
    number: number;
    /**
     * between barriers of the grid, from 0
     */
    phase: number;
    /**
     * why it is not traced or not complete; else empty
     */
    reason: string;
    /**
     * from the beginning of its first block to the end of its last, with tracing; null: not known
     */
    deviceTime: number | null;
  }[];
  /**
   * Entry n: the launches of superstep n.
   */
  supersteps: {
    /**
     * distinct bytes read that earlier launches wrote
     */
    loadBytes: number;
    /**
     * distinct bytes written that later launches read
     */
    storeBytes: number;
    /**
     * of all transfers to its CTAs
     */
    transferBytes: number;
    outDegree: {
      /**
       * CTAs that others read from
       */
      ctas: number;
      /**
       * number of their readers
       */
      mean: number;
      /**
       * standard deviation
       */
      deviation: number;
    };
    inDegree: {
      /**
       * CTAs that read from others
       */
      ctas: number;
      /**
       * number of those they read from
       */
      mean: number;
      /**
       * standard deviation
       */
      deviation: number;
    };
    /**
     * of threads' reads of what earlier launches wrote
     */
    readByThreadsBytes: number;
    /**
     * of load_bytes
     */
    handedOnLoadBytes: number;
    /**
     * of store_bytes
     */
    handedOnStoreBytes: number;
    /**
     * of what its launches read of launches and the host
     */
    readPossiblyOverwrittenBytes: number;
    /**
     * its launches
     */
    launches: number[];
  }[];
  /**
   * Volume by superstep distance: 0 is the next superstep. Not exclusive.
   */
  distances: {
    /**
     * supersteps between write and read; 0: the next
     */
    distance: number;
    /**
     * distinct per pair of launches
     */
    bytes: number;
    /**
     * reads by threads
     */
    operations: number;
  }[];
  /**
   * How many transfers between two CTAs have which size; ascending. If not exact, `bytes` is the largest size of a class.
   */
  transferSizes: {
    transfers: Count;
    bytes: Bytes;
    exact: boolean;
    sizes: {
      /**
       * of one transfer
       */
      bytes: number;
      /**
       * of this size
       */
      transfers: number;
    }[];
  };
  /**
   * Number of CTAs (of one launch each) by their number of partners; ascending; CTAs without a partner are not counted. `other` leaves out partners with the same index, `handedOn` those with the same index and kernel.
   */
  degrees: {
    [k: string]: {
      /**
       * CTAs
       */
      partners: number;
      /**
       * that have so many
       */
      ctas: number;
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
    /**
     * launches.id of the writer; null: the host
     */
    source: number | "host";
    /**
     * launches.id of the reader; null: the host
     */
    destination: number | "host";
    /**
     * distinct
     */
    bytes: number;
    /**
     * read by the CTA of the writer's index
     */
    sameIndexBytes: number;
    /**
     * read by another CTA
     */
    otherIndexBytes: number;
    /**
     * reads by threads
     */
    operations: number;
    /**
     * that take part
     */
    ctaPairs: number;
    /**
     * of bytes; 0 where the host read them
     */
    possiblyOverwrittenBytes: number;
  }[];
  /**
   * What one CTA wrote and another read; left out in a report.
   */
  transfers?: {
    /**
     * launches.id of the first access; null: the host
     */
    source: number | "host";
    /**
     * linear number; 0 for the host
     */
    sourceCta: number;
    /**
     * launches.id of the second access; null: the host
     */
    destination: number | "host";
    /**
     * linear number; 0 for the host
     */
    destinationCta: number;
    /**
     * distinct
     */
    bytes: number;
    /**
     * reads by threads; 0 but for RAW
     */
    operations: number;
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
    /**
     * RAW, WAR or WAW
     */
    kind: "RAW" | "WAR" | "WAW";
    /**
     * "ordered", "concurrent" or "insideLaunch"
     */
    order: "ordered" | "concurrent" | "insideLaunch";
    first: {
      /**
       * "host": a copy or a set
       */
      kernel: string;
      /**
       * empty: unknown
       */
      file: string;
      /**
       * 0: unknown
       */
      line: number;
      /**
       * "load", "store", "atomic add" ...
       */
      operation: string;
      /**
       * 0: unknown
       */
      column: number;
    };
    second: {
      /**
       * "host": a copy or a set
       */
      kernel: string;
      /**
       * empty: unknown
       */
      file: string;
      /**
       * 0: unknown
       */
      line: number;
      /**
       * "load", "store", "atomic add" ...
       */
      operation: string;
      /**
       * 0: unknown
       */
      column: number;
    };
    /**
     * RAW: of the threads' accesses; else distinct bytes per launch
     */
    bytes: number;
    /**
     * of bytes
     */
    sameIndexBytes: number;
    /**
     * of bytes
     */
    otherIndexBytes: number;
    /**
     * the order is `ordered`
     */
    guaranteed: boolean;
    /**
     * it is known which of the two came first
     */
    directed: boolean;
  }[];
  /**
   * In the order of the calls; accesses outside of all come last, with ordinal null, if there are any.
   */
  allocations: {
    /**
     * from 0; null: memory in no known allocation
     */
    ordinal: number | null;
    /**
     * of the variable
     */
    name: string;
    /**
     * that made it
     */
    call: string;
    /**
     * of memory
     */
    kind: string;
    /**
     * first byte
     */
    address: string;
    /**
     * size
     */
    bytes: number;
    /**
     * before the program's end
     */
    freed: boolean;
    /**
     * by threads
     */
    loads: number;
    /**
     * by threads
     */
    stores: number;
    /**
     * by threads
     */
    atomics: number;
    /**
     * by threads
     */
    loadBytes: number;
    /**
     * by threads
     */
    storeBytes: number;
    /**
     * by threads
     */
    atomicBytes: number;
    /**
     * distinct bytes per launch, summed
     */
    uniqueReadBytes: number;
    /**
     * distinct bytes per launch, summed
     */
    uniqueWrittenBytes: number;
    /**
     * of unique_written_bytes and copied_bytes
     */
    communicatedBytes: number;
    /**
     * into it, of what launches wrote
     */
    copiedBytes: number;
    /**
     * as in the source
     */
    elementType: string;
    /**
     * of the call in the source
     */
    file: string;
    /**
     * of the call in the source; 0: unknown
     */
    line: number;
    /**
     * of the call in the source; 0: unknown
     */
    column: number;
  }[];
  /**
   * Source lines with accesses, by file and line.
   */
  lines: {
    /**
     * empty: unknown
     */
    file: string;
    /**
     * 0: unknown
     */
    line: number;
    /**
     * that hold the accesses
     */
    functions: string[];
    /**
     * by threads
     */
    loads: number;
    /**
     * by threads
     */
    stores: number;
    /**
     * by threads
     */
    atomics: number;
    /**
     * by threads
     */
    loadBytes: number;
    /**
     * by threads
     */
    storeBytes: number;
    /**
     * by threads
     */
    atomicBytes: number;
    /**
     * accesses of warps
     */
    requests: number;
    /**
     * of 32 bytes, distinct per request, summed
     */
    sectors: number;
    /**
     * if each request's bytes lay side by side
     */
    leastSectors: number;
    /**
     * distinct bytes written here that a later launch read
     */
    communicatedBytes: number;
    /**
     * read here by threads that an earlier launch had written
     */
    readCommunicatedBytes: number;
    /**
     * sectors / requests; 0 without requests
     */
    sectorsPerRequest: number;
    /**
     * sectors - leastSectors
     */
    excessSectors: number;
    /**
     * as the member strides
     */
    strides: Stride[];
  }[];
  /**
   * Accesses of the source by kernel, and by the calls that they were inlined through, by kernel, file, line and column. Barriers of grids, which lines count, are left out.
   */
  accesses: {
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * empty: unknown
     */
    file: string;
    /**
     * 0: unknown
     */
    line: number;
    /**
     * 0: unknown
     */
    column: number;
    /**
     * "load", "store", "atomic add" ...
     */
    operation: string;
    /**
     * that holds the access in the source
     */
    function: string;
    /**
     * functions that led there by calls, inlined or not, innermost first; in brackets what nobody can name
     */
    callers: string[];
    /**
     * file:line:column of the call in each of callers
     */
    callSites: string[];
    /**
     * of each thread; 0: they differ
     */
    bytes: number;
    /**
     * by threads
     */
    accesses: number;
    /**
     * accesses of warps
     */
    requests: number;
    /**
     * of 32 bytes, distinct per request, summed
     */
    sectors: number;
    /**
     * if each request's bytes lay side by side
     */
    leastSectors: number;
  }[];
  /**
   * What the banks of shared memory make of the accesses that were recorded (--spaces=global,shared), by kernel, and by the calls that they were inlined through.
   */
  bankAccesses: {
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * empty: unknown
     */
    file: string;
    /**
     * 0: unknown
     */
    line: number;
    /**
     * 0: unknown
     */
    column: number;
    /**
     * "load", "store", "atomic add" ...
     */
    operation: string;
    /**
     * that holds the access in the source
     */
    function: string;
    /**
     * functions that led there by calls, inlined or not, innermost first; in brackets what nobody can name
     */
    callers: string[];
    /**
     * file:line:column of the call in each of callers
     */
    callSites: string[];
    /**
     * of each thread; 0: they differ
     */
    bytes: number;
    /**
     * by threads
     */
    accesses: number;
    /**
     * accesses of warps, in parts of 16 bytes at most
     */
    requests: number;
    /**
     * that the banks need for them
     */
    wavefronts: number;
    /**
     * that they would need without conflicts
     */
    idealWavefronts: number;
    /**
     * wavefronts - ideal_wavefronts
     */
    excessWavefronts: number;
    /**
     * wavefronts, if atomics of one word went together, as those do that add 1
     */
    wordWavefronts: number;
    /**
     * requests that need more than without conflicts
     */
    conflictedRequests: number;
    /**
     * of all requests, how often one bank had to give or take a word at most; 1: no conflicts
     */
    worstConflict: number;
    /**
     * shared variables that are accessed, by name, as far as the trace says where they lie
     */
    variables: string[];
  }[];
  /**
   * The same by kernel.
   */
  bankKernels: {
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * by threads
     */
    accesses: number;
    /**
     * accesses of warps, in parts of 16 bytes at most
     */
    requests: number;
    /**
     * that the banks need for them
     */
    wavefronts: number;
    /**
     * that they would need without conflicts
     */
    idealWavefronts: number;
    /**
     * wavefronts - ideal_wavefronts
     */
    excessWavefronts: number;
    /**
     * wavefronts, if atomics of one word went together, as those do that add 1
     */
    wordWavefronts: number;
    /**
     * requests that need more than without conflicts
     */
    conflictedRequests: number;
    /**
     * of all requests, how often one bank had to give or take a word at most; 1: no conflicts
     */
    worstConflict: number;
    /**
     * shared variables that are accessed, by name, as far as the trace says where they lie
     */
    variables: string[];
  }[];
  sources: {
    path: string;
    text: string;
  }[];
  /**
   * What costs most, dearest first.
   */
  findings: {
    /**
     * of the rule
     */
    id: string;
    /**
     * what is the matter
     */
    title: string;
    /**
     * what to do
     */
    advice: string;
    /**
     * empty: no single one
     */
    kernel: string;
    /**
     * empty: none
     */
    file: string;
    /**
     * 0: none
     */
    line: number;
    /**
     * the cost
     */
    amount: number;
    /**
     * of amount
     */
    unit: "sectors" | "requests" | "wavefronts" | "bytes" | "accesses" | "copies" | "launches";
    /**
     * amount, of all of this unit in the program
     */
    share: number;
    /**
     * of the access; 0: none
     */
    column: number;
    /**
     * "load", "store" or "atomic"; empty: no single access
     */
    operation: "" | "load" | "store" | "atomic";
    /**
     * "correctness" comes first, then "cost", by cycles where launches lost them, else by its time, then "coverage": what figures lack
     */
    severity: "correctness" | "cost" | "coverage";
    /**
     * the source's words for the access, so far as its place tells; empty: not known
     */
    expression: string;
    /**
     * that the amount takes at most; 0: not known
     */
    seconds: number;
    /**
     * seconds are the trace's own times; else they follow from the device's figures
     */
    measured: boolean;
    /**
     * functions of the host that lead to the call at this place, outermost first; empty: it concerns no call, or is not known
     */
    path: string;
    /**
     * that timed launches took beyond narrower accesses of the same bytes; null: not known
     */
    lostCycles: number | null;
    /**
     * half width of the interval of 95 % around lost_cycles
     */
    lostCyclesError: number | null;
    /**
     * of the access's records that lost_cycles are known of
     */
    lostCyclesShare: number | null;
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
      /**
       * GPUs
       */
      devices: number;
      /**
       * "x", "y", "z", "block", "cyclic" or "graph"
       */
      cut: "x" | "y" | "z" | "block" | "cyclic" | "graph";
      /**
       * parts
       *
       * @minItems 3
       * @maxItems 3
       */
      tiles: [number, number, number];
      /**
       * between GPUs
       */
      crossingBytes: number;
      /**
       * if each GPU kept what it has read until it is written again
       */
      crossingOnceBytes: number;
      /**
       * of the bytes of all transfers
       */
      crossingShare: number;
      /**
       * that the host wrote: once for each GPU that reads them, until they are written again
       */
      readFromHostBytes: number;
      /**
       * of dependences inside a launch between CTAs on different GPUs
       */
      insideLaunchesBytes: number;
      /**
       * of the GPU that needs most
       */
      memoryBytes: number;
      /**
       * bytes accessed by the busiest GPU / mean
       */
      balance: number;
      /**
       * accesses of the busiest GPU / mean
       */
      accessBalance: number;
      /**
       * how much faster the work would be if nothing had to cross
       */
      parallelism: number;
      /**
       * on the link
       */
      seconds: number;
      /**
       * over one GPU; null without --kernel-time
       */
      speedup: number | null;
      /**
       * crossing bytes of superstep n
       */
      supersteps: number[];
      /**
       * insideLaunchesBytes by kernel, the one with most first
       */
      inside: {
        kernel: string;
        /**
         * of dependences inside its launches between CTAs on different GPUs
         */
        bytes: number;
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
      /**
       * empty: unknown
       */
      file: string;
      /**
       * 0: unknown
       */
      line: number;
      /**
       * 0: unknown
       */
      column: number;
      /**
       * of dependences inside a launch between CTAs that it is an end of
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
  /**
   * Kernels with timed launches, and how long their accesses took; as the other members that begin with latency empty where no launch is timed. Cycles are those of a model where device.kind is cpu.
   */
  latencyKernels: {
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * "naive", "fence", "dependency" or "use"
     */
    scheme: string;
    /**
     * that are timed
     */
    launches: number;
    /**
     * accesses of warps that nothing was measured of
     */
    untimed: number;
    /**
     * accesses of warps
     */
    samples: number;
    /**
     * that they took, summed
     */
    cycles: number;
    /**
     * cycles of a sample
     */
    mean: number;
    /**
     * half width of the interval of 95 % around mean; null: there are less than two samples
     */
    meanError: number | null;
    /**
     * cycles
     */
    min: number;
    /**
     * cycles; 4294967295: so many or more
     */
    max: number;
    /**
     * with samples
     */
    warps: number;
    /**
     * of warps, in which an access or more was under way, summed
     */
    memoryCycles: number;
    /**
     * of warps, from the first access's start to the last one's end, summed
     */
    spanCycles: number;
    /**
     * memory_cycles of span_cycles, mean of the warps; null: no warp has a span
     */
    memoryShare: number | null;
  }[];
  /**
   * The same by access, apart by the calls that it was inlined through, in all memory that was recorded.
   */
  latencyAccesses: {
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * empty: unknown
     */
    file: string;
    /**
     * 0: unknown
     */
    line: number;
    /**
     * 0: unknown
     */
    column: number;
    /**
     * "load", "store", "atomic add" ...
     */
    operation: string;
    /**
     * that holds the access in the source
     */
    function: string;
    /**
     * functions that led there by calls, inlined or not, innermost first; in brackets what nobody can name
     */
    callers: string[];
    /**
     * file:line:column of the call in each of callers
     */
    callSites: string[];
    /**
     * of each thread; 0: they differ
     */
    bytes: number;
    /**
     * "global", "shared", "constant" ...
     */
    space: string;
    /**
     * accesses of warps
     */
    samples: number;
    /**
     * that they took, summed
     */
    cycles: number;
    /**
     * cycles of a sample
     */
    mean: number;
    /**
     * half width of the interval of 95 % around mean; null: there are less than two samples
     */
    meanError: number | null;
    /**
     * cycles
     */
    min: number;
    /**
     * cycles; 4294967295: so many or more
     */
    max: number;
    /**
     * cycles that half of the samples don't exceed; at most 0.4 % too large
     */
    p50: number;
    /**
     * likewise, of 90 %
     */
    p90: number;
    /**
     * likewise, of 99 %
     */
    p99: number;
    /**
     * of the cycles of all samples
     */
    share: number;
    /**
     * accesses of threads
     */
    threads: number;
    /**
     * what widths are
     */
    widthOf: "sectors" | "wavefronts" | "";
    /**
     * sectors of global memory, or wavefronts of shared memory, of all samples
     */
    width: number;
    /**
     * width if the same bytes lay in the best order
     */
    leastWidth: number;
    /**
     * narrower accesses that it is compared with: its own, or others of the kernel; null: there are none
     */
    patternReference: ("access" | "kernel") | null;
    /**
     * that are wider than what they are compared with
     */
    patternSamples: number;
    /**
     * that these took beyond the mean of what they are compared with
     */
    patternCycles: number;
    /**
     * half width of the interval of 95 % around pattern_cycles; null: too few samples
     */
    patternError: number | null;
  }[];
  /**
   * The same by line.
   */
  latencyLines: {
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * empty: unknown
     */
    file: string;
    /**
     * 0: unknown
     */
    line: number;
    /**
     * accesses of warps
     */
    samples: number;
    /**
     * that they took, summed
     */
    cycles: number;
    /**
     * cycles of a sample
     */
    mean: number;
    /**
     * half width of the interval of 95 % around mean; null: there are less than two samples
     */
    meanError: number | null;
    /**
     * cycles
     */
    min: number;
    /**
     * cycles; 4294967295: so many or more
     */
    max: number;
    /**
     * cycles that half of the samples don't exceed; at most 0.4 % too large
     */
    p50: number;
    /**
     * likewise, of 90 %
     */
    p90: number;
    /**
     * likewise, of 99 %
     */
    p99: number;
    /**
     * of the cycles of all samples
     */
    share: number;
  }[];
  /**
   * How long each of latencyAccesses took, to be drawn: by access, ascending. 'latency --json' has all of it.
   */
  latencyClasses: {
    /**
     * its place in latencyAccesses, from 0
     */
    access: number;
    /**
     * cycles: the least of the class
     */
    first: number;
    /**
     * cycles: the most of the class
     */
    last: number;
    /**
     * in it; empty classes have no row
     */
    samples: number;
  }[];
  /**
   * What some warps of a timed launch did over time: of the first one of each kernel, eight at most. An excerpt has up to 4 multiprocessors, 16 warps of each, and all accesses of these that begin before its end.
   */
  latencyExcerpts: {
    /**
     * Its id.
     */
    launch: number;
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * Cycles: what begins later is left out; null: all that its warps did is there.
     */
    end: Count | null;
    /**
     * Accesses of warps in the launch, of which tracks have some.
     */
    samples: number;
    /**
     * Of the launch, with samples.
     */
    warps: number;
    /**
     * Likewise.
     */
    multiprocessors: number;
    /**
     * A warp each; by multiprocessor, then by the first access. Three lists of one length: access n began at starts[n].
     */
    tracks: {
      /**
       * Multiprocessor.
       */
      sm: number;
      /**
       * Its place in the grid.
       *
       * @minItems 3
       * @maxItems 3
       */
      block: [Count, Count, Count];
      /**
       * Of the block.
       */
      warp: number;
      /**
       * Cycles, from when the first access of the launch began on this multiprocessor: clocks of two have nothing to do with each other. Ascending.
       */
      starts: Count[];
      /**
       * Cycles.
       */
      durations: Count[];
      /**
       * Places in latencyAccesses.
       */
      accesses: Count[];
    }[];
  }[];
}
/**
 * Stride in bytes, or null for all others together.
 */
export interface Stride {
  stride: number | null;
  bytes: Bytes;
}
