/* Made of docs/check.schema.json by npm run types. */

export type Rule =
  | "race-lanes"
  | "race-warps"
  | "race-blocks"
  | "race-launches"
  | "race-host"
  | "uninitialised-read"
  | "out-of-bounds"
  | "block-ended"
  | "use-after-free"
  | "misaligned"
  | "divergent-barrier"
  | "warp-mask"
  | "failed-kernel"
  | "double-free"
  | "invalid-free"
  | "unchecked-error"
  | "leak";
/**
 * x, y, z
 *
 * @minItems 3
 * @maxItems 3
 */
export type Position = [number, number, number];

export interface WhatCupranalyzeCheckJsonPrints {
  format: "cupr-check";
  version: 1;
  /**
   * path of the executable
   */
  program: string;
  /**
   * what counts as a race: docs/check.md
   */
  model: "ptx" | "scoped";
  /**
   * that were looked at
   */
  launches: number;
  /**
   * of threads, that were looked at
   */
  accesses: number;
  /**
   * what was looked for
   */
  checked: Rule[];
  /**
   * of what was looked for, in this order: what each is
   */
  rules: {
    id: Rule;
    meaning: string;
    /**
     * "error": a program with such a fault is wrong
     */
    severity: "error" | "warning";
  }[];
  /**
   * what could not be looked for everywhere
   */
  unchecked: {
    rules: Rule[];
    /**
     * where, and what to do about it
     */
    why: string;
  }[];
  faults: {
    rule: Rule;
    title: string;
    advice: string;
    /**
     * of races: why nothing orders them
     */
    cause?:
      | "unordered"
      | "one instruction"
      | "one is plain"
      | "narrow scope"
      | "no release"
      | "no acquire"
      | "copy not waited for"
      | "lock without release"
      | "lock without acquire"
      | "behind the lock";
    /**
     * of races: both store the same value
     */
    silent?: boolean;
    space: "global" | "shared" | "local";
    /**
     * accesses of threads, alike by their places in the source
     */
    count: number;
    /**
     * of the access that is shown; 0: it is none
     */
    bytes: number;
    /**
     * of shared memory, the offset in the block's window; of local memory, in the thread's; of a mask, the mask
     */
    address: string;
    /**
     * what lies there; empty: not known
     */
    memory: string;
    /**
     * ordinal, as 'cupranalyze info' has it
     */
    allocation?: number;
    /**
     * of races two, the earlier one first; of divergent barriers, two barriers; of a mask that names a thread that waits elsewhere, where that one waits first; else one
     *
     * @minItems 1
     * @maxItems 2
     */
    accesses: [Access] | [Access, Access];
  }[];
}
export interface Access {
  act: "launch" | "copy" | "set" | "allocation" | "free" | "call" | "host";
  /**
   * "load", "barrier" ..., of the host "copy", "set" or the call itself
   */
  operation: string;
  /**
   * empty: not known
   */
  file: string;
  /**
   * 0: not known
   */
  line: number;
  /**
   * 0: not known
   */
  column: number;
  function: string;
  /**
   * the source's words; of an allocation the variable; empty: not known
   */
  expression: string;
  /**
   * where the words begin in the line, in bytes from 1; 0: they are not known to stand in it
   */
  expression_column: number;
  /**
   * functions that led there by calls, inlined or not, innermost first
   */
  callers: {
    function: string;
    place: string;
  }[];
  /**
   * number, from 1
   */
  launch?: number;
  kernel?: string;
  block?: Position;
  thread?: Position;
  /**
   * of the host's call, or of its access; empty: not known
   */
  host_path: string;
  /**
   * of the host's access: the kernel's number of the thread, and its name
   */
  host_thread?: string;
}
