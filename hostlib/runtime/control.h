/* Switches recording on and off from the program's own code, for the launches that follow, in all threads:
 *
 *     #include <cupr/control.h>
 *     cuprStart();            with CUPR_START=off nothing is recorded before this
 *     step<<<grid, block>>>(...);
 *     cuprStop();
 *     cuprFlush();            waits until the records of all launches so far are in the trace
 *
 * In a program that is not linked with cuprewrite's runtime all do nothing. C and C++. */
#ifndef CUPR_CONTROL_H
#define CUPR_CONTROL_H

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

void CUPR_VERSIONED(cuprStartRecording_v)(void) __attribute__((weak));
void CUPR_VERSIONED(cuprStopRecording_v)(void) __attribute__((weak));
void CUPR_VERSIONED(cuprFlushRecords_v)(void) __attribute__((weak));

static inline void cuprStart(void) {
  if (CUPR_VERSIONED(cuprStartRecording_v))
    CUPR_VERSIONED(cuprStartRecording_v)();
}

static inline void cuprStop(void) {
  if (CUPR_VERSIONED(cuprStopRecording_v))
    CUPR_VERSIONED(cuprStopRecording_v)();
}

static inline void cuprFlush(void) {
  if (CUPR_VERSIONED(cuprFlushRecords_v))
    CUPR_VERSIONED(cuprFlushRecords_v)();
}

#ifdef __cplusplus
}
#endif

#endif
