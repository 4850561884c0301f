/* Made of docs/traces.schema.json by npm run types. */

export interface WhatThePageOfSeveralTracesBeginsWith {
  version: 1;
  /**
   * One of several traces: what its launches did, in sums.
   */
  traces: {
    /**
     * path of the file
     */
    trace: string;
    /**
     * of an MPI program, as the file's name says it; null: it says nothing
     */
    rank: number | null;
    /**
     * path of the executable
     */
    program: string;
    /**
     * as the CUDA runtime calls it
     */
    device: string;
    /**
     * that are shown
     */
    launches: number;
    /**
     * of these: not traced, or not completely
     */
    incompleteLaunches: number;
    /**
     * the trace stops early, or was repaired: figures cover what is there
     */
    truncated: boolean;
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
     * sum of the launches', with tracing; null: of none is it known
     */
    deviceTime: number | null;
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
     * that the excess sectors take at the bandwidth of the device's memory
     */
    excessSeconds: number;
    /**
     * distinct bytes per launch, summed, and what copies wrote for launches
     */
    writtenBytes: number;
    /**
     * of written_bytes: a later launch read them
     */
    communicatedBytes: number;
    /**
     * of communicated_bytes: to another CTA or another kernel
     */
    handedOnBytes: number;
    /**
     * of written_bytes: the host read them
     */
    toHostBytes: number;
    /**
     * distinct bytes per launch that the host had written
     */
    fromHostBytes: number;
    /**
     * with most excess sectors; empty: no access has any
     */
    worstKernel: string;
    /**
     * of all its accesses
     */
    worstKernelExcessSectors: number;
    /**
     * of its access with most excess sectors; empty: unknown
     */
    worstFile: string;
    /**
     * 0: unknown
     */
    worstLine: number;
    /**
     * "load", "store", "atomic add" ...; empty: no access has any
     */
    worstOperation: string;
    /**
     * of this access
     */
    worstExcessSectors: number;
    /**
     * that the check found; null: it was not asked for
     */
    faults: number | null;
  }[];
}
