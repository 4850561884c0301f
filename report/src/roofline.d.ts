/* Made of docs/roofline.schema.json by npm run types. */

export interface WhatCupranalyzeRooflineJsonPrints {
  version: 1;
  /**
   * the GPU whose caches are modelled
   */
  device: string;
  /**
   * the GPU whose ceilings were measured; empty: none are given
   */
  ceilings: string;
  /**
   * What bounds the time of each kernel: its operations and the bytes that it moves.
   */
  rooflineKernels: {
    /**
     * kernels.name
     */
    kernel: string;
    /**
     * executed by warps
     */
    instructions: number;
    /**
     * the same, by the threads that were active
     */
    threadInstructions: number;
    /**
     * of floating-point numbers, a multiply-add being two
     */
    fp64Operations: number;
    /**
     * likewise
     */
    fp32Operations: number;
    /**
     * likewise, of half precision and bfloat16
     */
    fp16Operations: number;
    /**
     * likewise, of tensor cores
     */
    tensorOperations: number;
    /**
     * likewise, of whole numbers; addresses are none
     */
    integerOperations: number;
    /**
     * moved by threads to and from shared memory
     */
    sharedBytes: number;
    /**
     * sectors of global memory that L1 was asked for
     */
    l1Bytes: number;
    /**
     * likewise L2, by the model of caches
     */
    l2Bytes: number;
    /**
     * that L2 reads from memory and writes there, by the model of caches
     */
    memoryBytes: number;
    /**
     * what bounds the time from below: dram, l2, l1, shared, or a precision; null: no ceilings are known
     */
    limit: string | null;
    /**
     * that the limit alone takes
     */
    leastTime: number | null;
    /**
     * warps that are on a multiprocessor at a time, of as many as it can have
     */
    occupancy: number;
    /**
     * that have blocks, if all blocks take the same time
     */
    activeMultiprocessors: number;
    /**
     * of the kernel's launches, untraced; null: not known
     */
    time: number | null;
    /**
     * instructions of a warp scheduler in each cycle; null: not known
     */
    issueRate: number | null;
  }[];
  /**
   * Likewise of each line, by the calls that led there.
   */
  rooflineLines: {
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
     * executed by warps
     */
    instructions: number;
    /**
     * the same, by the threads that were active
     */
    threadInstructions: number;
    /**
     * of floating-point numbers, a multiply-add being two
     */
    fp64Operations: number;
    /**
     * likewise
     */
    fp32Operations: number;
    /**
     * likewise, of half precision and bfloat16
     */
    fp16Operations: number;
    /**
     * likewise, of tensor cores
     */
    tensorOperations: number;
    /**
     * likewise, of whole numbers; addresses are none
     */
    integerOperations: number;
    /**
     * moved by threads to and from shared memory
     */
    sharedBytes: number;
    /**
     * sectors of global memory that L1 was asked for
     */
    l1Bytes: number;
    /**
     * likewise L2, by the model of caches
     */
    l2Bytes: number;
    /**
     * that L2 reads from memory and writes there, by the model of caches
     */
    memoryBytes: number;
    /**
     * what bounds the time from below: dram, l2, l1, shared, or a precision; null: no ceilings are known
     */
    limit: string | null;
    /**
     * that the limit alone takes
     */
    leastTime: number | null;
  }[];
  /**
   * What the GPU can do at most, as it was measured.
   */
  rooflineCeilings: {
    /**
     * a level of memory (dram, l2, l1, shared), or a precision
     */
    limit: string;
    /**
     * of what
     */
    unit: "bytes" | "operations";
    /**
     * so many in each second
     */
    rate: number;
  }[];
}
