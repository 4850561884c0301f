/// The hooks, and the functions of runtime_calls.def that have no better place, over the running Block.
#include "block.h"
#include "log_key.h"
#include "witness.h"

#include "devicelib/abi/begun_blocks.h"
#include "devicelib/abi/box_record.h"
#include "devicelib/abi/cluster_address.h"
#include "devicelib/abi/hooks.h"
#include "devicelib/abi/memory_space.h"
#include "devicelib/abi/selected_blocks.h"
#include "devicelib/abi/source_name.h"
#include "devicelib/abi/stage.h"
#include "devicelib/abi/trace_argument.h"

#include <bit>
#include <cfenv>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

// The bounds of kConstantSection; null in a program without constant variables.
extern "C" const unsigned char __start_cupr_constant[] __attribute__((weak, visibility("hidden")));
extern "C" const unsigned char __stop_cupr_constant[] __attribute__((weak, visibility("hidden")));

namespace cupr::cpu {

namespace {

Block &block() { return *Block::running(); }

inline bool isOwnShared(const LaneState &state, const unsigned char *address) {
  return address >= state.shared && address < state.dynamicShared + state.dynamicSharedBytes;
}

/// Whether the address lies in the window of a block of the cluster, or where one would be that the cluster does not have.
inline bool isInCluster(const LaneState &state, const unsigned char *address) {
  return state.clusterFrames && static_cast<std::uint64_t>(address - state.clusterFrames) <
                                    (state.clusterBlocks + 1) * kSharedWindow;
}

/// The space of a generic address; Global is what is none of the others. Parameters lie on the lane's stack
/// as local variables do.
inline abi::MemorySpace spaceOf(const LaneState &state, const void *address) {
  const unsigned char *p = static_cast<const unsigned char *>(address);
  if (isOwnShared(state, p) || isInCluster(state, p))
    return abi::MemorySpace::Shared;
  if (p >= state.stackLow && p < state.stackHigh)
    return abi::MemorySpace::Local;
  if (p >= __start_cupr_constant && p < __stop_cupr_constant)
    return abi::MemorySpace::Constant;
  return abi::MemorySpace::Global;
}

inline bool isGlobal(const LaneState &state, const void *address) {
  return spaceOf(state, address) == abi::MemorySpace::Global;
}

/// The address that a record gives (memory_space.h).
std::uint64_t recordedAddress(const LaneState &state, const void *address, abi::MemorySpace space) {
  switch (space) {
  case abi::MemorySpace::Shared: {
    const auto *const place = static_cast<const unsigned char *>(address);
    if (!isInCluster(state, place))
      return static_cast<std::uint64_t>(place - state.shared);
    const auto from = static_cast<std::uint64_t>(place - state.clusterFrames);
    const auto rank = static_cast<std::uint32_t>(from / kSharedWindow);
    return rank == state.clusterRank ? from % kSharedWindow : abi::sharedOfRank(rank, from % kSharedWindow);
  }
  case abi::MemorySpace::Local:
    return block().placeInStack(address);
  default:
    return reinterpret_cast<std::uint64_t>(address);
  }
}

/// Returns the row, or null when nothing is recorded.
inline LogRow *record(const Trace *trace, std::uint32_t key, std::uint64_t address) {
  LaneState &state = __cupr_cpu_lane;
  if (state.row == state.rowEnd && !block().makeRoom())
    return nullptr;
  if (state.launch != trace->launch) {
    state.launch = trace->launch;
    block().noteLaunch(trace->launch);
  }
  LogRow *row = state.row++;
  row->address[state.position.lane] = address;
  row->key[state.position.lane] = key;
  return row;
}

/// Where an access is recorded that may be in any space of a set.
struct Placed {
  bool wanted;
  std::uint32_t site;
  std::uint64_t address;
  abi::MemorySpace space;
};

Placed placeIn(abi::MemorySpace space, std::uint32_t site, const void *address, abi::SpaceSet spaces) {
  if (!abi::holds(spaces, space))
    return {false, 0, 0, space};
  return {true, site + abi::placeIn(spaces, space), recordedAddress(__cupr_cpu_lane, address, space), space};
}

/// In the set's only space.
Placed placeKnown(std::uint32_t site, const void *address, abi::SpaceSet spaces) {
  return placeIn(static_cast<abi::MemorySpace>(std::countr_zero(spaces)), site, address, spaces);
}

Placed placeFound(std::uint32_t site, const void *address, abi::SpaceSet spaces) {
  return placeIn(spaceOf(__cupr_cpu_lane, address), site, address, spaces);
}

/// Comes before the log knows anything of the access.
inline void count(const Trace *trace, std::uint32_t site) {
  if (trace->tallyWords)
    block().count(*trace, site);
}

void recordAccess(const Trace *trace, const Placed &placed) {
  if (!placed.wanted)
    return;
  count(trace, placed.site);
  record(trace, accessKey(placed.site), placed.address);
}

/// `clock`: null: it has none.
void recordRange(const Trace *trace, const Placed &placed, std::uint64_t bytes,
                 const std::uint64_t *clock = nullptr) {
  if (!placed.wanted || !bytes)
    return;
  count(trace, placed.site);
  const bool isTimed = clock && !(trace->special & argument::kTraceNoValues);
  const LogRow *row =
      record(trace, isTimed ? rangeValuesKey(placed.site) : rangeKey(placed.site), placed.address);
  if (!row)
    return;
  block().noteBytes(row, bytes);
  if (isTimed)
    block().noteValues(row,
                       abi::packValues({{0, 0, /*hasClock=*/true, /*hasDuration=*/false},
                                        /*isDecided=*/false,
                                        abi::LatencyScheme::None,
                                        /*isOneSite=*/false}),
                       clock);
}

void recordValues(const Trace *trace, std::uint32_t site, const void *address, abi::SpaceSet spaces,
                  std::uint32_t packed, const std::uint64_t *pieces) {
  const abi::HookValues what = abi::unpackValues(packed);
  const Placed placed =
      what.isDecided ? placeFound(site, address, spaces) : placeKnown(site, address, spaces);
  if (!placed.wanted)
    return;
  count(trace, placed.site);
  if (trace->special & argument::kTraceNoValues)
    record(trace, accessKey(placed.site), placed.address);
  else if (const LogRow *row = record(trace, valuesKey(placed.site), placed.address)) {
    block().noteValues(row, packed, pieces);
    if (what.shape.hasDuration)
      block().noteSpace(row, placed.space);
  }
}

/// Runs `compute` under a rounding mode of the device.
template <typename F> auto rounded(std::uint32_t rounding, F compute) {
  static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};
  const int before = std::fegetround();
  std::fesetround(modes[rounding % 4]);
  auto result = compute();
  std::fesetround(before);
  return result;
}

// Keeps the compiler from computing on the far side of a change of rounding mode.
template <typename T> T opaque(T value) {
  asm volatile("" : "+x"(value)::"memory");
  return value;
}

} // namespace

namespace calls {

void Mark(Ptr trace, U32 key, Ptr, U32 recording) {
  if (recording)
    record(static_cast<const Trace *>(trace), key, 0);
}

void Count(Ptr trace, U32 site) { block().count(*static_cast<const Trace *>(trace), site); }

void Spin(Place place) {
  // A few tries are cheaper than a switch when the value comes from another host thread.
  constexpr std::uint32_t kTries = 16;
  if (++__cupr_cpu_lane.spins % kTries == 0)
    block().at(place).yield();
}
void Exit() { block().exitLane(); }
void Trap(Place place) {
  block().fail(Failure::Trap,
               std::string("the program executed a trap") + (place ? ", " : "") + (place ? place : ""));
}
void Unsupported(Ptr text, Ptr where, U32 line) {
  block().fail(Failure::Unsupported, std::string("the CPU device can't run ") +
                                         static_cast<const char *>(text) + ", in " +
                                         abi::sourceName(static_cast<const char *>(where)) +
                                         (line ? ", line " + std::to_string(line) : std::string()));
}

U32 IsSpace(U32 space, Ptr address) {
  const LaneState &state = __cupr_cpu_lane;
  const auto *const place = static_cast<const unsigned char *>(address);
  const abi::MemorySpace found = spaceOf(state, address);
  if (found != abi::MemorySpace::Shared)
    return space == static_cast<U32>(found);
  // `shared` alone is the block's own.
  const bool isOwn = isOwnShared(state, place) ||
                     (isInCluster(state, place) && calls::SharedRank(address) == state.clusterRank);
  return space == kSpaceCluster || (space == static_cast<U32>(found) && isOwn);
}

U64 Nanoseconds() {
  return static_cast<U64>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                              std::chrono::system_clock::now().time_since_epoch())
                              .count());
}

Ptr Allocate(U64 bytes) {
  const Ptr memory = std::malloc(bytes ? bytes : 1);
  Witness::instance().global(memory, bytes);
  return memory;
}
void Free(Ptr memory) {
  Witness::instance().forget(memory);
  std::free(memory);
}

void WitnessAccess(U32 operation, Ptr address, U64 bytes) {
  Witness::instance().access(static_cast<abi::Operation>(operation), address, bytes);
}
void WitnessValue(U32 isBehind, Ptr address, U64 bytes) {
  Witness::instance().value(isBehind != 0, address, bytes);
}
void WitnessGlobal(Ptr address, U64 bytes) { Witness::instance().global(address, bytes); }

void AssertFail(Ptr condition, Ptr file, U32 line, Ptr function, U64) {
  block().fail(Failure::Assert, std::string("assertion `") + static_cast<const char *>(condition) +
                                    "' failed at " + static_cast<const char *>(file) + ":" +
                                    std::to_string(line) + ", in " + static_cast<const char *>(function));
}

U32 FmaFloat(U32 rounding, U32 a, U32 b, U32 c) {
  return std::bit_cast<U32>(rounded(rounding, [&] {
    return opaque(
        std::fma(opaque(std::bit_cast<float>(a)), std::bit_cast<float>(b), std::bit_cast<float>(c)));
  }));
}
U64 FmaDouble(U32 rounding, U64 a, U64 b, U64 c) {
  return std::bit_cast<U64>(rounded(rounding, [&] {
    return opaque(
        std::fma(opaque(std::bit_cast<double>(a)), std::bit_cast<double>(b), std::bit_cast<double>(c)));
  }));
}
U32 DivideFloat(U32 rounding, U32 a, U32 b) {
  return std::bit_cast<U32>(
      rounded(rounding, [&] { return opaque(opaque(std::bit_cast<float>(a)) / std::bit_cast<float>(b)); }));
}
U64 DivideDouble(U32 rounding, U64 a, U64 b) {
  return std::bit_cast<U64>(
      rounded(rounding, [&] { return opaque(opaque(std::bit_cast<double>(a)) / std::bit_cast<double>(b)); }));
}
U32 SqrtFloat(U32 rounding, U32 a) {
  return std::bit_cast<U32>(
      rounded(rounding, [&] { return opaque(std::sqrt(opaque(std::bit_cast<float>(a)))); }));
}
U64 SqrtDouble(U32 rounding, U64 a) {
  return std::bit_cast<U64>(
      rounded(rounding, [&] { return opaque(std::sqrt(opaque(std::bit_cast<double>(a)))); }));
}

U32 Permute(U32 mode, U32 a, U32 b, U32 selector) {
  // PTX ISA, "prmt": a selector of four nibbles, or one of six patterns by its low two bits.
  static const std::uint16_t patterns[7][4] = {
      {},
      {0x3210, 0x4321, 0x5432, 0x6543}, // f4e
      {0x5670, 0x6701, 0x7012, 0x0123}, // b4e
      {0x0000, 0x1111, 0x2222, 0x3333}, // rc8
      {0x3210, 0x3211, 0x3222, 0x3333}, // ecl
      {0x0000, 0x1110, 0x2210, 0x3210}, // ecr
      {0x1010, 0x3232, 0x1010, 0x3232}, // rc16
  };
  if (mode != kPermuteIndex)
    selector = patterns[mode % 7][selector & 3];
  const U64 pool = a | static_cast<U64>(b) << 32;
  U32 result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const unsigned nibble = selector >> (4 * i) & 15;
    U32 byte = static_cast<U32>(pool >> (8 * (nibble & 7))) & 0xff;
    if (nibble & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

U32 FindNthSet(U32 mask, U32 base, U32 offset) {
  // PTX ISA, "fns".
  int n = static_cast<int>(offset);
  if (n == 0)
    return mask >> (base & 31) & 1 ? base : 0xffffffffu;
  const int step = n > 0 ? 1 : -1;
  int left = n > 0 ? n : -n;
  for (int i = static_cast<int>(base); i >= 0 && i < 32; i += step)
    if ((mask >> i & 1) && --left == 0)
      return static_cast<U32>(i);
  return 0xffffffffu;
}

} // namespace calls

} // namespace cupr::cpu

extern "C" {

using cupr::cpu::placeFound;
using cupr::cpu::placeKnown;

bool CUPR_HOOK_SYMBOL(recording)(const cupr::Trace *trace) {
  return trace->launch && cupr::abi::isSelected(*trace, cupr::cpu::block().cta());
}

void CUPR_HOOK_SYMBOL(block)(const cupr::Trace *trace) {
  if (CUPR_HOOK_SYMBOL(recording)(trace))
    reinterpret_cast<cupr::abi::BlockWord *>(trace->tally)[cupr::cpu::block().cta()] =
        cupr::abi::begunOn(__cupr_cpu_lane.sm);
}

void CUPR_HOOK_SYMBOL(place)(const cupr::Trace *trace, std::uint32_t place, const void *variable) {
  if (trace->launch && cupr::abi::isFirstSelected(*trace, cupr::cpu::block().cta()))
    trace->tally[cupr::abi::tallyOfPlace(trace->tallyWords, place)] =
        1 + placeKnown(0, variable, cupr::abi::spaceBit(cupr::abi::MemorySpace::Shared)).address;
}

/// Retargeted code has counted the access (retarget/hooks.cpp).
void CUPR_HOOK_SYMBOL(access)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                              bool recording) {
  if (recording)
    cupr::cpu::record(trace, cupr::cpu::accessKey(site), reinterpret_cast<std::uint64_t>(address));
}

void CUPR_HOOK_SYMBOL(access_generic)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                      bool recording) {
  if (!recording || !cupr::cpu::isGlobal(__cupr_cpu_lane, address))
    return;
  cupr::cpu::count(trace, site);
  cupr::cpu::record(trace, cupr::cpu::accessKey(site), reinterpret_cast<std::uint64_t>(address));
}

void CUPR_HOOK_SYMBOL(access_in)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                 bool recording, std::uint32_t spaces) {
  if (recording)
    cupr::cpu::recordAccess(trace, placeKnown(site, address, spaces));
}

void CUPR_HOOK_SYMBOL(access_among)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                    bool recording, std::uint32_t spaces) {
  if (recording)
    cupr::cpu::recordAccess(trace, placeFound(site, address, spaces));
}

void CUPR_HOOK_SYMBOL(range_in)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                bool recording, std::uint32_t spaces, std::uint64_t bytes) {
  if (recording)
    cupr::cpu::recordRange(trace, placeKnown(site, address, spaces), bytes);
}

void CUPR_HOOK_SYMBOL(range_among)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                   bool recording, std::uint32_t spaces, std::uint64_t bytes) {
  if (recording)
    cupr::cpu::recordRange(trace, placeFound(site, address, spaces), bytes);
}

void CUPR_HOOK_SYMBOL(range_clock_in)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                      bool recording, std::uint32_t spaces, std::uint64_t bytes,
                                      std::uint64_t clock) {
  if (recording)
    cupr::cpu::recordRange(trace, placeKnown(site, address, spaces), bytes, &clock);
}

void CUPR_HOOK_SYMBOL(range_clock_among)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                         bool recording, std::uint32_t spaces, std::uint64_t bytes,
                                         std::uint64_t clock) {
  if (recording)
    cupr::cpu::recordRange(trace, placeFound(site, address, spaces), bytes, &clock);
}

void CUPR_HOOK_SYMBOL(box_in)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                              bool recording, std::uint32_t spaces, const void *map, std::int32_t c0,
                              std::int32_t c1, std::int32_t c2, std::int32_t c3, std::int32_t c4,
                              std::uint32_t offsets, std::uint32_t blocks) {
  if (!recording)
    return;
  namespace abi = cupr::abi;
  const cupr::cpu::Placed box = placeKnown(site, address, spaces);
  const bool isShared = box.space == abi::MemorySpace::Shared;
  if (isShared)
    blocks |= abi::kOfShared | (blocks ? __cupr_cpu_lane.clusterRank << abi::kOwnRankShift : 0);
  abi::forEachRecordedRange(*static_cast<const abi::TensorMap *>(map), {{c0, c1, c2, c3, c4}, offsets},
                            isShared ? blocks : 0, box.address,
                            [&](std::uint64_t begin, std::uint64_t bytes) {
                              cupr::cpu::recordRange(trace, {true, site, begin, box.space}, bytes);
                            });
}

void CUPR_HOOK_SYMBOL(variable)(const cupr::Trace *trace, std::uint32_t site, const void *address,
                                bool recording) {
  if (recording && cupr::abi::isFirstSelected(*trace, cupr::cpu::block().cta()))
    cupr::cpu::recordAccess(trace,
                            placeKnown(site, address, cupr::abi::spaceBit(cupr::abi::MemorySpace::Shared)));
}

/// There are no stages here: records are in each lane's log.
std::uint32_t CUPR_HOOK_SYMBOL(stage)(const cupr::Trace *, bool recording, bool) {
  return recording ? cupr::abi::kNotStaged : cupr::abi::kNotRecorded;
}
void CUPR_HOOK_SYMBOL(unstage)(const cupr::Trace *, bool) {}

#define CUPR_VALUES(stem, Recording, room)                                                                   \
  void CUPR_HOOK_SYMBOL(stem##room)(const cupr::Trace *trace, std::uint32_t site, const void *address,       \
                                    Recording recording, std::uint32_t spaces, std::uint32_t values,         \
                                    CUPR_PIECES_##room) {                                                    \
    const std::uint64_t pieces[] = {CUPR_PIECE_NAMES_##room};                                                \
    if (recording)                                                                                           \
      cupr::cpu::recordValues(trace, site, address, spaces, values, pieces);                                 \
  }
CUPR_VALUES(values_, bool, 1)
CUPR_VALUES(values_, bool, 2)
CUPR_VALUES(values_, bool, 4)
CUPR_VALUES(values_, bool, 8)
CUPR_VALUES(timed_, std::uint32_t, 2)
CUPR_VALUES(timed_, std::uint32_t, 4)
CUPR_VALUES(timed_, std::uint32_t, 8)

} // extern "C"

// All that the list names are here; the grouped ones are the GPU's.
#define CUPR_HOOK(identifier, stem, how) static_assert(sizeof(&CUPR_HOOK_SYMBOL(stem)) != 0);
#include "devicelib/abi/hooks.def"
