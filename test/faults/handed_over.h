/// What programs with planted faults in queues and locks share: atomic objects, and cases of kernels that blocks hand things over in.
#ifndef CUPR_TEST_FAULTS_HANDED_OVER_H
#define CUPR_TEST_FAULTS_HANDED_OVER_H

#include "cases.h"

#include <cuda/atomic>

constexpr int kBlocks = 4, kThreads = 32, kItems = 12, kRoom = kItems * kThreads;

using DeviceRef = cuda::atomic_ref<int, cuda::thread_scope_device>;
constexpr auto kRelaxed = cuda::memory_order_relaxed, kAcquire = cuda::memory_order_acquire,
               kRelease = cuda::memory_order_release;

#define QUEUE_CASE(KERNEL, BLOCKS, THREADS)                                                                  \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> cells(kRoom), ends(kThreads), out(kRoom);                                        \
     KERNEL<<<BLOCKS, THREADS>>>(cells, ends, out, fixed);                                                   \
   }}
#define LIST_CASE(KERNEL, BLOCKS)                                                                            \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> items(kRoom), size(kRoom), flags(kRoom), out(kRoom);                             \
     KERNEL<<<BLOCKS, kThreads>>>(items, size, flags, out, fixed);                                           \
   }}
#define CHOSEN_CASE(NAME, KERNEL, KIND, FAULT, FIRST, ...)                                                   \
  {NAME, [](bool fixed) {                                                                                    \
     const DeviceArray<int> cells(kRoom), marks(FIRST), ends(kThreads), out(kRoom);                          \
     if (fixed)                                                                                              \
       KERNEL<KIND::Right><<<kBlocks, kThreads>>>(cells, marks, ends, out __VA_ARGS__);                      \
     else                                                                                                    \
       KERNEL<KIND::FAULT><<<kBlocks, kThreads>>>(cells, marks, ends, out __VA_ARGS__);                      \
   }}

#endif
