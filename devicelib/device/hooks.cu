/// The hooks that instrumented code calls in front of each access, or behind it where it has values
/// (abi/hooks.def), compiled to bitcode and linked into the user's module.
///
/// A hook finds out who arrives together, and where the access is, counts it if that is asked for, and leaves a record
/// (group_records.cuh, group_values.cuh). Inlined hooks have the lanes of one place; in those that are called, lanes of several
/// meet, and go apart by their site. So they do in inlined ones of functions that are called from several places (`apart`).
#include "address_space.cuh"
#include "staged_records.cuh"

#include "devicelib/abi/begun_blocks.h"
#include "devicelib/abi/hooks.h"
#include "devicelib/abi/selected_blocks.h"

namespace cupr {
namespace device {
namespace {

__device__ __noinline__ bool isSelected(const Trace &trace) { return abi::isSelected(trace, linearCta()); }

/// Counts an access of each active lane at each of the sites (Trace::tally), by what is active now: that
/// the records agree with these counts says something about all that comes behind.
template <u32 count> __device__ inline void countHere(const Trace &trace, const u32 (&sites)[count]) {
  const u32 active = __activemask();
  if (laneId() == static_cast<u32>(__ffs(active) - 1)) {
#pragma unroll
    for (u32 i = 0; i < count; ++i)
      if (sites[i] < trace.tallyWords)
        atomicAdd(&trace.tally[sites[i]], static_cast<u64>(__popc(active)));
  }
  __syncwarp(active);
}

/// The same where active lanes may be at different sites, and those with `wanted` false make no access.
__device__ __noinline__ void countApart(const Trace &trace, bool wanted, u32 site) {
  const u32 active = __activemask();
  const u32 group = __match_any_sync(active, wanted ? site : ~0u);
  if (wanted && site < trace.tallyWords && laneId() == static_cast<u32>(__ffs(group) - 1))
    atomicAdd(&trace.tally[site], static_cast<u64>(__popc(group)));
  __syncwarp(active);
}
__device__ inline void countEach(const Trace &trace, bool wanted, u32 site) {
  if (trace.special & argument::kTraceCounts)
    countApart(trace, wanted, site);
}

/// Lanes that come from different places run through this together, and each place's go on by themselves.
template <Full full> __device__ __noinline__ void recordApart(const Trace &trace, u32 site, u64 address) {
  record<full>(trace, site, address, __match_any_sync(__activemask(), site));
}

/// What a hook does that is called: lanes that come from different places run through it together. Mostly
/// all come from one. Lanes with `wanted` false only come along.
template <u32 count>
__device__ __attribute__((always_inline)) inline void
recordCalled(const Trace &trace, bool wanted, const u32 (&sites)[count], const u64 (&addresses)[count]) {
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    countEach(trace, wanted, sites[i]);
  const bool drops = trace.special & argument::kTraceDrops;
  const u32 active = __activemask(), first = __ffs(active) - 1;
  bool isAlike = wanted && !drops;
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    isAlike &= __shfl_sync(active, sites[i], first) == sites[i];
  if (__all_sync(active, isAlike)) {
    recordTogether(trace, sites, addresses, active);
    return;
  }
  if (!wanted)
    return;
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    if (drops)
      recordApart<Full::Drops>(trace, sites[i], addresses[i]);
    else
      recordApart<Full::Waits>(trace, sites[i], addresses[i]);
}
__device__ __noinline__ void recordCalled(const Trace &trace, bool wanted, u32 site, u64 address) {
  recordCalled<1>(trace, wanted, {site}, {address});
}

/// What an inlined hook has no room for, in front of it: accesses are counted, and recorded by calls where
/// records may be dropped. True: they are recorded already.
template <u32 count>
__device__ __attribute__((always_inline)) inline bool
recordSpecially(const Trace &trace, const u32 (&sites)[count], const u64 (&addresses)[count]) {
  if (__builtin_expect(trace.special == 0, 1))
    return false;
  if (trace.special & argument::kTraceCounts)
    countHere(trace, sites);
  if (!(trace.special & argument::kTraceDrops))
    return false;
#pragma unroll
  for (u32 i = 0; i < count; ++i)
    recordApart<Full::Drops>(trace, sites[i], addresses[i]);
  return true;
}

/// One access, of an inlined hook.
__device__ __attribute__((always_inline)) inline void recordHere(const Trace &trace, u32 site, u64 address) {
  const u32 sites[] = {site};
  const u64 addresses[] = {address};
  if (!recordSpecially(trace, sites, addresses))
    recordTogether(trace, sites, addresses, __activemask());
}

/// Accesses of an inlined hook in a function that several chains of calls lead to: its lanes mostly came by one of them. All their
/// sites are alike if the first one is. What is frequent makes no call: it would cost registers.
template <u32 count>
__device__ __attribute__((always_inline)) inline void recordMet(const Trace &trace, const u32 (&sites)[count],
                                                                const u64 (&addresses)[count]) {
  if (__builtin_expect(trace.special != 0, 0)) {
#pragma unroll
    for (u32 i = 0; i < count; ++i)
      countEach(trace, true, sites[i]);
    if (trace.special & argument::kTraceDrops) {
#pragma unroll
      for (u32 i = 0; i < count; ++i)
        recordApart<Full::Drops>(trace, sites[i], addresses[i]);
      return;
    }
  }
  recordTogether(trace, sites, addresses, __match_any_sync(__activemask(), sites[0]));
}

template <u32 room>
__device__ __attribute__((always_inline)) inline void recordValuesIn(const Trace &trace, u32 site,
                                                                     const void *address, u32 spaces,
                                                                     u32 packed, const u64 (&pieces)[room]) {
  const abi::HookValues values = abi::unpackValues(packed);
  u32 space = __ffs(spaces) - 1;
  const bool wanted = !values.isDecided || decideSpace(address, spaces, site, space);
  countEach(trace, wanted, site);
  if (wanted)
    recordValues(trace, site, recordedAddress(address, space), values.shape, pieces);
}

/// By value, so that they need no memory before they are handed on.
template <u32 room> struct Pieces {
  u64 of[room];
};

/// How far apart the addresses of neighbours mostly are: those of textures are the texture's.
__device__ inline u32 strideIn(u32 space, const abi::ValueShape &shape) {
  return shape.parts || space == static_cast<u32>(abi::MemorySpace::Texture) ? 0 : shape.bytes;
}

/// What a hook of timed accesses comes to where stageWarp has not done it; `why`: of Full, `spaces` is the one that all addresses are in.
template <u32 room>
__device__ __noinline__ void recordOtherwise(const Trace &trace, Staged why, u32 site, const void *address,
                                             u32 stage, u32 spaces, u32 packed, Pieces<room> pieces) {
  if (stage == abi::kNotStaged)
    return recordValuesIn(trace, site, address, spaces, packed, pieces.of);
  u32 space = __ffs(spaces) - 1;
  const abi::HookValues values = abi::unpackValues(packed);
  const Stage own(trace, stage);
  if (why == Staged::Full) {
    moveWarp(trace, own);
    if (stageWarp(own, site, /*isOneSite=*/true, /*isThere=*/true, recordedAddress(address, space),
                  strideIn(space, values.shape), values.shape, pieces.of) == Staged::Done)
      return;
  } else if (values.isDecided && !decideSpace(address, spaces, site, space)) {
    return;
  }
  stageGroup(trace, own, site, recordedAddress(address, space), values.shape, pieces.of);
}

/// `isInlined`: where it is called, and not in a function that lanes of several places may run through together.
template <u32 room>
__device__ __attribute__((always_inline)) inline void
recordTimed(const Trace &trace, u32 site, const void *address, u32 stage, u32 spaces, u32 packed,
            const Pieces<room> &pieces, bool isInlined) {
  const abi::HookValues values = abi::unpackValues(packed);
  Staged staged = Staged::Unlike;
  if (stage > abi::kNotStaged) {
    // Of pointers to any memory nearly all are to global memory; the others are sorted by recordOtherwise.
    constexpr u32 global = static_cast<u32>(abi::MemorySpace::Global);
    const u32 space = values.isDecided ? global : __ffs(spaces) - 1;
    const bool isThere = !values.isDecided || ((spaces >> global & 1) && spaceIndex(address) == global);
    const u32 siteThere = values.isDecided ? site + __popc(spaces & ((1u << global) - 1)) : site;
    staged =
        stageWarp(Stage(trace, stage), siteThere, isInlined && values.isOneSite, isThere,
                  recordedAddress(address, space), strideIn(space, values.shape), values.shape, pieces.of);
    if (staged == Staged::Full) {
      site = siteThere;
      spaces = 1u << space;
    }
  }
  if (__builtin_expect(staged == Staged::Done, 1))
    return;
  // Through a pointer: ptxas gives a function that it knows the registers of its caller, and keeps in local memory what lives across the call, wherever
  // it is used. A function that it does not know saves what it takes.
  void (*otherwise)(const Trace &, Staged, u32, const void *, u32, u32, u32, Pieces<room>) =
      recordOtherwise<room>;
  asm volatile("" : "+l"(otherwise));
  otherwise(trace, staged, site, address, stage, spaces, packed, pieces);
}

} // namespace
} // namespace device
} // namespace cupr

/// Every thread of a traced kernel asks once, when it begins. The first thread of block 0, which the hardware
/// starts among the first, leaves the time for the launch's end.
extern "C" __device__ __attribute__((always_inline)) bool
CUPR_HOOK_SYMBOL(recording)(const cupr::Trace *trace) {
  if (trace->launch && (blockIdx.x | blockIdx.y | blockIdx.z | threadIdx.x | threadIdx.y | threadIdx.z) == 0)
    trace->link->begins[trace->launch % cupr::abi::kWaitCounts] = cupr::device::globalTime();
  return trace->launch && (trace->ctaPeriod == 0 || cupr::device::isSelected(*trace));
}

/// For one thread. Kernels that call this call no other hook, and are to be as fast as the plain one: it needs next to
/// no registers, and waits for nothing.
extern "C" __device__ __attribute__((always_inline)) void CUPR_HOOK_SYMBOL(block)(const cupr::Trace *trace) {
  if (CUPR_HOOK_SYMBOL(recording)(trace))
    reinterpret_cast<cupr::abi::BlockWord *>(trace->tally)[cupr::device::linearCta()] =
        cupr::abi::begunOn(cupr::device::smId());
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_HOOK_SYMBOL(place)(const cupr::Trace *trace, unsigned place, const void *variable) {
  if (trace->launch && cupr::abi::isFirstSelected(*trace, cupr::device::linearCta()))
    trace->tally[cupr::abi::tallyOfPlace(trace->tallyWords, place)] =
        1 + cupr::device::recordedAddress(variable, static_cast<unsigned>(cupr::abi::MemorySpace::Shared));
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_HOOK_SYMBOL(access)(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (!recording)
    return;
  cupr::device::recordHere(*trace, site, reinterpret_cast<cupr::device::u64>(address));
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_HOOK_SYMBOL(access_generic)(const cupr::Trace *trace, unsigned site, const void *address,
                                 bool recording) {
  if (!recording || !cupr::device::isGlobal(address))
    return;
  cupr::device::recordHere(*trace, site, reinterpret_cast<cupr::device::u64>(address));
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_HOOK_SYMBOL(access_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                            unsigned spaces) {
  if (!recording)
    return;
  cupr::device::recordCalled(*trace, true, site, cupr::device::recordedAddress(address, __ffs(spaces) - 1));
}

// Of functions that are called from several places: the site is no constant.

extern "C" __device__ __attribute__((always_inline)) void
CUPR_APART_SYMBOL(access)(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (recording)
    cupr::device::recordMet<1>(*trace, {site}, {reinterpret_cast<cupr::device::u64>(address)});
}

extern "C" __device__ __attribute__((always_inline)) void
CUPR_APART_SYMBOL(access_generic)(const cupr::Trace *trace, unsigned site, const void *address,
                                  bool recording) {
  if (recording && cupr::device::isGlobal(address))
    cupr::device::recordMet<1>(*trace, {site}, {reinterpret_cast<cupr::device::u64>(address)});
}

// Several accesses at once (pass/group_hooks.h).

#define CUPR_ACCESS(n) unsigned site##n, const void *address##n
#define CUPR_SITES_2 site0, site1
#define CUPR_SITES_3 CUPR_SITES_2, site2
#define CUPR_SITES_4 CUPR_SITES_3, site3
#define CUPR_SITES_6 CUPR_SITES_4, site4, site5
#define CUPR_ADDRESS(n) reinterpret_cast<cupr::device::u64>(address##n)
#define CUPR_ADDRESSES_2 CUPR_ADDRESS(0), CUPR_ADDRESS(1)
#define CUPR_ADDRESSES_3 CUPR_ADDRESSES_2, CUPR_ADDRESS(2)
#define CUPR_ADDRESSES_4 CUPR_ADDRESSES_3, CUPR_ADDRESS(3)
#define CUPR_ADDRESSES_6 CUPR_ADDRESSES_4, CUPR_ADDRESS(4), CUPR_ADDRESS(5)
#define CUPR_ACCESSES_2 CUPR_ACCESS(0), CUPR_ACCESS(1)
#define CUPR_ACCESSES_3 CUPR_ACCESSES_2, CUPR_ACCESS(2)
#define CUPR_ACCESSES_4 CUPR_ACCESSES_3, CUPR_ACCESS(3)
#define CUPR_ACCESSES_6 CUPR_ACCESSES_4, CUPR_ACCESS(4), CUPR_ACCESS(5)

#define CUPR_TOGETHER(count)                                                                                 \
  extern "C" __device__ __attribute__((always_inline)) void CUPR_HOOK_SYMBOL(accesses_##count)(              \
      const cupr::Trace *trace, bool recording, CUPR_ACCESSES_##count) {                                     \
    if (!recording)                                                                                          \
      return;                                                                                                \
    const cupr::device::u32 sites[] = {CUPR_SITES_##count};                                                  \
    const cupr::device::u64 addresses[] = {CUPR_ADDRESSES_##count};                                          \
    if (!cupr::device::recordSpecially(*trace, sites, addresses))                                            \
      cupr::device::recordTogether(*trace, sites, addresses, __activemask());                                \
  }                                                                                                          \
  extern "C" __device__ __attribute__((always_inline)) void CUPR_APART_SYMBOL(accesses_##count)(             \
      const cupr::Trace *trace, bool recording, CUPR_ACCESSES_##count) {                                     \
    if (!recording)                                                                                          \
      return;                                                                                                \
    const cupr::device::u32 sites[] = {CUPR_SITES_##count};                                                  \
    const cupr::device::u64 addresses[] = {CUPR_ADDRESSES_##count};                                          \
    cupr::device::recordMet(*trace, sites, addresses);                                                       \
  }                                                                                                          \
  extern "C" __device__ __attribute__((noinline)) void CUPR_CALLED_SYMBOL(accesses_##count)(                 \
      const cupr::Trace *trace, bool recording, CUPR_ACCESSES_##count) {                                     \
    if (!recording)                                                                                          \
      return;                                                                                                \
    const cupr::device::u32 sites[] = {CUPR_SITES_##count};                                                  \
    const cupr::device::u64 addresses[] = {CUPR_ADDRESSES_##count};                                          \
    cupr::device::recordCalled(*trace, true, sites, addresses);                                              \
  }
CUPR_TOGETHER(2)
CUPR_TOGETHER(3)
CUPR_TOGETHER(4)
CUPR_TOGETHER(6)

// The same as functions, which modules with many accesses call (pass/link_hooks.h). Lanes that come from
// different places run through a function together: then what is active is not the lanes of one site.

extern "C" __device__ __attribute__((noinline)) void
CUPR_CALLED_SYMBOL(access)(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (recording)
    cupr::device::recordCalled<1>(*trace, true, {site}, {reinterpret_cast<cupr::device::u64>(address)});
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_CALLED_SYMBOL(access_generic)(const cupr::Trace *trace, unsigned site, const void *address,
                                   bool recording) {
  if (recording)
    cupr::device::recordCalled(*trace, cupr::device::isGlobal(address), site,
                               reinterpret_cast<cupr::device::u64>(address));
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_CALLED_SYMBOL(access_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                              unsigned spaces) {
  if (recording)
    cupr::device::recordCalled(*trace, true, site, cupr::device::recordedAddress(address, __ffs(spaces) - 1));
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(access_among)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                               unsigned spaces) {
  if (!recording)
    return;
  unsigned space;
  const bool wanted = cupr::device::decideSpace(address, spaces, site, space);
  cupr::device::recordCalled(*trace, wanted, site, cupr::device::recordedAddress(address, space));
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(range_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                           unsigned spaces, unsigned long long bytes) {
  if (!recording)
    return;
  const unsigned space = __ffs(spaces) - 1;
  cupr::device::countEach(*trace, bytes != 0, site);
  if (bytes != 0)
    cupr::device::recordRange(*trace, site, cupr::device::recordedAddress(address, space), bytes);
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(range_among)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                              unsigned spaces, unsigned long long bytes) {
  if (!recording)
    return;
  unsigned space;
  const bool wanted = cupr::device::decideSpace(address, spaces, site, space) && bytes != 0;
  cupr::device::countEach(*trace, wanted, site);
  if (wanted)
    cupr::device::recordRange(*trace, site, cupr::device::recordedAddress(address, space), bytes);
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(range_clock_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                                 unsigned spaces, unsigned long long bytes, unsigned long long clock) {
  if (!recording)
    return;
  const unsigned space = __ffs(spaces) - 1;
  cupr::device::countEach(*trace, bytes != 0, site);
  if (bytes != 0)
    cupr::device::recordTimedRange(*trace, site, cupr::device::recordedAddress(address, space), bytes, clock);
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(range_clock_among)(const cupr::Trace *trace, unsigned site, const void *address,
                                    bool recording, unsigned spaces, unsigned long long bytes,
                                    unsigned long long clock) {
  if (!recording)
    return;
  unsigned space;
  const bool wanted = cupr::device::decideSpace(address, spaces, site, space) && bytes != 0;
  cupr::device::countEach(*trace, wanted, site);
  if (wanted)
    cupr::device::recordTimedRange(*trace, site, cupr::device::recordedAddress(address, space), bytes, clock);
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(box_in)(const cupr::Trace *trace, unsigned site, const void *address, bool recording,
                         unsigned spaces, const void *map, int c0, int c1, int c2, int c3, int c4,
                         unsigned offsets, unsigned blocks) {
  if (!recording)
    return;
  const unsigned space = __ffs(spaces) - 1;
  cupr::device::countEach(*trace, true, site);
  const cupr::device::u32 coordinates[] = {
      static_cast<cupr::device::u32>(c0), static_cast<cupr::device::u32>(c1),
      static_cast<cupr::device::u32>(c2), static_cast<cupr::device::u32>(c3),
      static_cast<cupr::device::u32>(c4)};
  cupr::device::recordBox(
      *trace, site, map, coordinates, offsets,
      space == static_cast<unsigned>(cupr::abi::MemorySpace::Shared)
          ? cupr::abi::kOfShared |
                (blocks ? blocks | cupr::device::clusterRank() << cupr::abi::kOwnRankShift : 0)
          : 0,
      cupr::device::recordedAddress(address, space));
}

extern "C" __device__ __attribute__((noinline)) void
CUPR_HOOK_SYMBOL(variable)(const cupr::Trace *trace, unsigned site, const void *address, bool recording) {
  if (recording && cupr::abi::isFirstSelected(*trace, cupr::device::linearCta()))
    cupr::device::recordCalled(
        *trace, true, site,
        cupr::device::recordedAddress(address, static_cast<unsigned>(cupr::abi::MemorySpace::Shared)));
}

extern "C" __device__ __attribute__((always_inline)) unsigned
CUPR_HOOK_SYMBOL(stage)(const cupr::Trace *trace, bool recording, bool begins) {
  return recording ? cupr::device::stageHandle(*trace, begins) : +cupr::abi::kNotRecorded;
}

extern "C" __device__ __attribute__((always_inline)) void CUPR_HOOK_SYMBOL(unstage)(const cupr::Trace *trace,
                                                                                    bool recording) {
  if (recording && trace->mark) {
    void (*end)(const cupr::Trace &, unsigned) = cupr::device::endStage;
    asm volatile("" : "+l"(end));
    end(*trace, __activemask());
  }
}

#define CUPR_VALUES(room)                                                                                    \
  extern "C" __device__ __attribute__((noinline)) void CUPR_HOOK_SYMBOL(values_##room)(                      \
      const cupr::Trace *trace, unsigned site, const void *address, bool recording, unsigned spaces,         \
      unsigned values, CUPR_PIECES_##room) {                                                                 \
    if (!recording)                                                                                          \
      return;                                                                                                \
    const cupr::device::u64 pieces[] = {CUPR_PIECE_NAMES_##room};                                            \
    cupr::device::recordValuesIn(*trace, site, address, spaces, values, pieces);                             \
  }
CUPR_VALUES(1)
CUPR_VALUES(2)
CUPR_VALUES(4)
CUPR_VALUES(8)

/// Of timed kernels: as above where nothing is staged.
#define CUPR_TIMED_AS(symbol, attribute, room, isInlined)                                                    \
  extern "C" __device__ __attribute__((attribute)) void symbol(                                              \
      const cupr::Trace *trace, unsigned site, const void *address, unsigned stage, unsigned spaces,         \
      unsigned values, CUPR_PIECES_##room) {                                                                 \
    if (stage != cupr::abi::kNotRecorded)                                                                    \
      cupr::device::recordTimed(*trace, site, address, stage, spaces, values,                                \
                                cupr::device::Pieces<room>{{CUPR_PIECE_NAMES_##room}}, isInlined);           \
  }
#define CUPR_TIMED(room)                                                                                     \
  CUPR_TIMED_AS(CUPR_HOOK_SYMBOL(timed_##room), always_inline, room, true)                                   \
  CUPR_TIMED_AS(CUPR_CALLED_SYMBOL(timed_##room), noinline, room, false)
CUPR_TIMED(2)
CUPR_TIMED(4)
CUPR_TIMED(8)

// All that the list names are here.
#define CUPR_HERE(symbol) static_assert(sizeof(&symbol) != 0, #symbol);
#define CUPR_TWIN_Inlined(stem) CUPR_HERE(CUPR_CALLED_SYMBOL(stem))
#define CUPR_TWIN_InlinedAtOneSite(stem) CUPR_TWIN_Inlined(stem) CUPR_HERE(CUPR_APART_SYMBOL(stem))
#define CUPR_TWIN_Called(stem)
#define CUPR_HOOK(identifier, stem, how) CUPR_HERE(CUPR_HOOK_SYMBOL(stem)) CUPR_TWIN_##how(stem)
#define CUPR_GROUP_HOOK(count, stem) CUPR_HERE(CUPR_HOOK_SYMBOL(stem)) CUPR_TWIN_InlinedAtOneSite(stem)
#include "devicelib/abi/hooks.def"
