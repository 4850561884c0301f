/* Gives a program its own records while it runs; no trace file is written then:
 *
 *     #include <cupr/record.h>
 *     #include <cupr/records.h>
 *
 *     static void take(void *sum, unsigned long long launch, unsigned channel, const void *words, size_t count)
 * { cupr::abi::WarpAccess access; uint32_t size; for (const char *at = (const char *)words; count != 0; at +=
 * 16 * size, count -= size) { cupr::abi::decodeRecord(at, count, access, size);
 *         *(std::atomic<uint64_t> *)sum += cupr::abi::activeLanes(access.laneMask);
 *       }
 *     }
 *     ...
 *     cuprSetRecordsFunction(take, &sum);       before the first CUDA call
 *
 * `words` are `count` words of 16 bytes, whole records as <cupr/record.h> (C++) defines them, valid during
 * the call. The function is called by the threads that deliver records, several at once, and holds the
 * program up for as long as it takes; records of one launch and channel (where they are delivered) come in their
 * order. It must neither throw nor call CUDA. All records of a launch have come when a synchronisation behind
 * it, or the program's exit, has delivered them: on the CPU device when the launch returns, on a GPU at the
 * exit at the latest.
 *
 * Returns 1; 0 when it is too late, or when the program is not linked with cuprewrite's runtime. C and C++.
 */
#ifndef CUPR_RECORDS_H
#define CUPR_RECORDS_H

#include "version.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef void (*CuprRecordsFunction)(void *user, unsigned long long launch, unsigned channel,
                                    const void *words, size_t count);

int CUPR_VERSIONED(cuprSetRecordsFunction_v)(CuprRecordsFunction function, void *user) __attribute__((weak));

static inline int cuprSetRecordsFunction(CuprRecordsFunction function, void *user) {
  return CUPR_VERSIONED(cuprSetRecordsFunction_v) ? CUPR_VERSIONED(cuprSetRecordsFunction_v)(function, user)
                                                  : 0;
}

#ifdef __cplusplus
}
#endif

#endif
