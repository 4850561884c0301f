/* Made of docs/profile.schema.json by npm run types. */

export interface WhatCupranalyzeProfileJsonPrints {
  version: 1;
  /**
   * of profileNodes: top-down or bottom-up
   */
  view: string;
  /**
   * nanoseconds from the process's start to the last thing that is known of it
   */
  executionTime: number;
  /**
   * A calling context of host and device, with figures of its own, and of all below it. Parents come first.
   */
  profileNodes: {
    /**
     * from 0, the program
     */
    id: number;
    /**
     * profile_nodes.id; null: it is the program
     */
    parent: number | null;
    /**
     * of the program 0
     */
    depth: number;
    /**
     * what it is
     */
    kind:
      | "program"
      | "function"
      | "signal"
      | "unknown code"
      | "cut"
      | "call"
      | "kernel"
      | "device function"
      | "access"
      | "loop";
    /**
     * of a function, kernel or call; of an access its operation; of a loop its kind: for, while, do or range-for
     */
    name: string;
    /**
     * of a call, an access and a loop; empty: not known
     */
    file: string;
    /**
     * likewise; 0: not known
     */
    line: number;
    /**
     * of a function of the host: the ELF file that holds it
     */
    object: string;
    own: {
      /**
       * in calls, and processor time outside of them
       */
      hostTime: number;
      /**
       * of the CUDA API
       */
      calls: number;
      /**
       * that these took
       */
      callTime: number;
      /**
       * calls of that kind
       */
      launchCalls: number;
      /**
       * that these took
       */
      launchTime: number;
      /**
       * calls of that kind
       */
      copyCalls: number;
      /**
       * that these took
       */
      copyTime: number;
      /**
       * calls of that kind
       */
      setCalls: number;
      /**
       * that these took
       */
      setTime: number;
      /**
       * calls of that kind
       */
      synchronisationCalls: number;
      /**
       * that these took
       */
      synchronisationTime: number;
      /**
       * calls of that kind
       */
      allocationCalls: number;
      /**
       * that these took
       */
      allocationTime: number;
      /**
       * calls of that kind
       */
      freeCalls: number;
      /**
       * that these took
       */
      freeTime: number;
      /**
       * calls of that kind
       */
      otherCalls: number;
      /**
       * that these took
       */
      otherTime: number;
      /**
       * of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
       */
      waitTime: number;
      /**
       * of launches on the device, where that is known, and of other calls
       */
      apiTime: number;
      /**
       * of kernels
       */
      launches: number;
      /**
       * of launches, where it is known
       */
      deviceTime: number;
      /**
       * by copies
       */
      copiedBytes: number;
      /**
       * by sets
       */
      setBytes: number;
      /**
       * by allocations
       */
      allocatedBytes: number;
      /**
       * by threads of the device
       */
      accesses: number;
      /**
       * of these
       */
      accessBytes: number;
      /**
       * of warps, to global memory
       */
      requests: number;
      /**
       * of these
       */
      sectors: number;
      /**
       * sectors if each request's bytes lay side by side
       */
      leastSectors: number;
      /**
       * of threads of the host
       */
      samples: number;
      /**
       * that these stand for
       */
      processorTime: number;
      /**
       * of processor_time: used in calls
       */
      processorTimeInCalls: number;
      /**
       * executed by warps of the device, where the program was built to record it
       */
      instructions: number;
      /**
       * the same, by the threads that were active
       */
      threadInstructions: number;
    };
    total: {
      /**
       * in calls, and processor time outside of them
       */
      hostTime: number;
      /**
       * of the CUDA API
       */
      calls: number;
      /**
       * that these took
       */
      callTime: number;
      /**
       * calls of that kind
       */
      launchCalls: number;
      /**
       * that these took
       */
      launchTime: number;
      /**
       * calls of that kind
       */
      copyCalls: number;
      /**
       * that these took
       */
      copyTime: number;
      /**
       * calls of that kind
       */
      setCalls: number;
      /**
       * that these took
       */
      setTime: number;
      /**
       * calls of that kind
       */
      synchronisationCalls: number;
      /**
       * that these took
       */
      synchronisationTime: number;
      /**
       * calls of that kind
       */
      allocationCalls: number;
      /**
       * that these took
       */
      allocationTime: number;
      /**
       * calls of that kind
       */
      freeCalls: number;
      /**
       * that these took
       */
      freeTime: number;
      /**
       * calls of that kind
       */
      otherCalls: number;
      /**
       * that these took
       */
      otherTime: number;
      /**
       * of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
       */
      waitTime: number;
      /**
       * of launches on the device, where that is known, and of other calls
       */
      apiTime: number;
      /**
       * of kernels
       */
      launches: number;
      /**
       * of launches, where it is known
       */
      deviceTime: number;
      /**
       * by copies
       */
      copiedBytes: number;
      /**
       * by sets
       */
      setBytes: number;
      /**
       * by allocations
       */
      allocatedBytes: number;
      /**
       * by threads of the device
       */
      accesses: number;
      /**
       * of these
       */
      accessBytes: number;
      /**
       * of warps, to global memory
       */
      requests: number;
      /**
       * of these
       */
      sectors: number;
      /**
       * sectors if each request's bytes lay side by side
       */
      leastSectors: number;
      /**
       * of threads of the host
       */
      samples: number;
      /**
       * that these stand for
       */
      processorTime: number;
      /**
       * of processor_time: used in calls
       */
      processorTimeInCalls: number;
      /**
       * executed by warps of the device, where the program was built to record it
       */
      instructions: number;
      /**
       * the same, by the threads that were active
       */
      threadInstructions: number;
    };
    /**
     * of a loop; 0: it is none
     */
    column: number;
  }[];
  /**
   * A function, call or kernel, wherever it is called; what a call of itself did counts once in its total.
   */
  profileProcedures: {
    /**
     * what it is
     */
    kind: "function" | "signal" | "unknown code" | "cut" | "call" | "kernel" | "device function" | "loop";
    /**
     * as in profile_nodes
     */
    name: string;
    /**
     * likewise
     */
    object: string;
    /**
     * its processor time less its api_time, of the execution time
     */
    cpuImportance: number;
    /**
     * its api_time, of the program's; null: there is none
     */
    apiImportance: number | null;
    own: {
      /**
       * in calls, and processor time outside of them
       */
      hostTime: number;
      /**
       * of the CUDA API
       */
      calls: number;
      /**
       * that these took
       */
      callTime: number;
      /**
       * calls of that kind
       */
      launchCalls: number;
      /**
       * that these took
       */
      launchTime: number;
      /**
       * calls of that kind
       */
      copyCalls: number;
      /**
       * that these took
       */
      copyTime: number;
      /**
       * calls of that kind
       */
      setCalls: number;
      /**
       * that these took
       */
      setTime: number;
      /**
       * calls of that kind
       */
      synchronisationCalls: number;
      /**
       * that these took
       */
      synchronisationTime: number;
      /**
       * calls of that kind
       */
      allocationCalls: number;
      /**
       * that these took
       */
      allocationTime: number;
      /**
       * calls of that kind
       */
      freeCalls: number;
      /**
       * that these took
       */
      freeTime: number;
      /**
       * calls of that kind
       */
      otherCalls: number;
      /**
       * that these took
       */
      otherTime: number;
      /**
       * of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
       */
      waitTime: number;
      /**
       * of launches on the device, where that is known, and of other calls
       */
      apiTime: number;
      /**
       * of kernels
       */
      launches: number;
      /**
       * of launches, where it is known
       */
      deviceTime: number;
      /**
       * by copies
       */
      copiedBytes: number;
      /**
       * by sets
       */
      setBytes: number;
      /**
       * by allocations
       */
      allocatedBytes: number;
      /**
       * by threads of the device
       */
      accesses: number;
      /**
       * of these
       */
      accessBytes: number;
      /**
       * of warps, to global memory
       */
      requests: number;
      /**
       * of these
       */
      sectors: number;
      /**
       * sectors if each request's bytes lay side by side
       */
      leastSectors: number;
      /**
       * of threads of the host
       */
      samples: number;
      /**
       * that these stand for
       */
      processorTime: number;
      /**
       * of processor_time: used in calls
       */
      processorTimeInCalls: number;
      /**
       * executed by warps of the device, where the program was built to record it
       */
      instructions: number;
      /**
       * the same, by the threads that were active
       */
      threadInstructions: number;
    };
    total: {
      /**
       * in calls, and processor time outside of them
       */
      hostTime: number;
      /**
       * of the CUDA API
       */
      calls: number;
      /**
       * that these took
       */
      callTime: number;
      /**
       * calls of that kind
       */
      launchCalls: number;
      /**
       * that these took
       */
      launchTime: number;
      /**
       * calls of that kind
       */
      copyCalls: number;
      /**
       * that these took
       */
      copyTime: number;
      /**
       * calls of that kind
       */
      setCalls: number;
      /**
       * that these took
       */
      setTime: number;
      /**
       * calls of that kind
       */
      synchronisationCalls: number;
      /**
       * that these took
       */
      synchronisationTime: number;
      /**
       * calls of that kind
       */
      allocationCalls: number;
      /**
       * that these took
       */
      allocationTime: number;
      /**
       * calls of that kind
       */
      freeCalls: number;
      /**
       * that these took
       */
      freeTime: number;
      /**
       * calls of that kind
       */
      otherCalls: number;
      /**
       * that these took
       */
      otherTime: number;
      /**
       * of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
       */
      waitTime: number;
      /**
       * of launches on the device, where that is known, and of other calls
       */
      apiTime: number;
      /**
       * of kernels
       */
      launches: number;
      /**
       * of launches, where it is known
       */
      deviceTime: number;
      /**
       * by copies
       */
      copiedBytes: number;
      /**
       * by sets
       */
      setBytes: number;
      /**
       * by allocations
       */
      allocatedBytes: number;
      /**
       * by threads of the device
       */
      accesses: number;
      /**
       * of these
       */
      accessBytes: number;
      /**
       * of warps, to global memory
       */
      requests: number;
      /**
       * of these
       */
      sectors: number;
      /**
       * sectors if each request's bytes lay side by side
       */
      leastSectors: number;
      /**
       * of threads of the host
       */
      samples: number;
      /**
       * that these stand for
       */
      processorTime: number;
      /**
       * of processor_time: used in calls
       */
      processorTimeInCalls: number;
      /**
       * executed by warps of the device, where the program was built to record it
       */
      instructions: number;
      /**
       * the same, by the threads that were active
       */
      threadInstructions: number;
    };
    /**
     * of a loop, as in profile_nodes; empty: it is none
     */
    file: string;
    /**
     * likewise; 0: it is none
     */
    line: number;
    /**
     * likewise
     */
    column: number;
  }[];
  /**
   * Calls of one kind, and how much of the time on the API is theirs.
   */
  profileKinds: {
    /**
     * of calls
     */
    kind: "launch" | "copy" | "set" | "synchronisation" | "allocation" | "free" | "other";
    /**
     * of that kind
     */
    calls: number;
    /**
     * that these took
     */
    callTime: number;
    /**
     * of launches on the device, where that is known; of others call_time
     */
    apiTime: number;
    /**
     * api_time of that of all kinds; null: there is none
     */
    apiImportance: number | null;
  }[];
  /**
   * A thread of the host: its calls and samples.
   */
  profileThreads: {
    /**
     * the kernel's
     */
    id: number;
    /**
     * empty: none
     */
    name: string;
    /**
     * in calls, and processor time outside of them
     */
    hostTime: number;
    /**
     * of the CUDA API
     */
    calls: number;
    /**
     * that these took
     */
    callTime: number;
    /**
     * calls of that kind
     */
    launchCalls: number;
    /**
     * that these took
     */
    launchTime: number;
    /**
     * calls of that kind
     */
    copyCalls: number;
    /**
     * that these took
     */
    copyTime: number;
    /**
     * calls of that kind
     */
    setCalls: number;
    /**
     * that these took
     */
    setTime: number;
    /**
     * calls of that kind
     */
    synchronisationCalls: number;
    /**
     * that these took
     */
    synchronisationTime: number;
    /**
     * calls of that kind
     */
    allocationCalls: number;
    /**
     * that these took
     */
    allocationTime: number;
    /**
     * calls of that kind
     */
    freeCalls: number;
    /**
     * that these took
     */
    freeTime: number;
    /**
     * calls of that kind
     */
    otherCalls: number;
    /**
     * that these took
     */
    otherTime: number;
    /**
     * of call_time: until earlier launches were over, in calls that returned only then and do not synchronise
     */
    waitTime: number;
    /**
     * of launches on the device, where that is known, and of other calls
     */
    apiTime: number;
    /**
     * of kernels
     */
    launches: number;
    /**
     * of launches, where it is known
     */
    deviceTime: number;
    /**
     * by copies
     */
    copiedBytes: number;
    /**
     * by sets
     */
    setBytes: number;
    /**
     * by allocations
     */
    allocatedBytes: number;
    /**
     * by threads of the device
     */
    accesses: number;
    /**
     * of these
     */
    accessBytes: number;
    /**
     * of warps, to global memory
     */
    requests: number;
    /**
     * of these
     */
    sectors: number;
    /**
     * sectors if each request's bytes lay side by side
     */
    leastSectors: number;
    /**
     * of threads of the host
     */
    samples: number;
    /**
     * that these stand for
     */
    processorTime: number;
    /**
     * of processor_time: used in calls
     */
    processorTimeInCalls: number;
    /**
     * executed by warps of the device, where the program was built to record it
     */
    instructions: number;
    /**
     * the same, by the threads that were active
     */
    threadInstructions: number;
  }[];
  /**
   * How samples were taken.
   */
  profileSamplings: {
    /**
     * "perf_event_open" or "timer"
     */
    source: string;
    /**
     * of processor time between samples, as asked for
     */
    period: number;
    /**
     * samples
     */
    delivered: number;
    /**
     * samples
     */
    lost: number;
  }[];
}
