/// The functions that retargeted device code calls, and the values of their
/// mode parameters.
#ifndef CUPR_CPU_RUNTIME_CALLS_H
#define CUPR_CPU_RUNTIME_CALLS_H

#include <cstdint>

namespace cupr::cpu {

enum Shuffle : std::uint32_t { kShuffleUp, kShuffleDown, kShuffleButterfly, kShuffleIndex };
enum Vote : std::uint32_t { kVoteAll, kVoteAny, kVoteUni, kVoteBallot };
enum Reduction : std::uint32_t {
  kReduceAdd,
  kReduceMin,
  kReduceMax,
  kReduceUmin,
  kReduceUmax,
  kReduceAnd,
  kReduceOr,
  kReduceXor
};
enum BarrierReduction : std::uint32_t { kBarrierPopc, kBarrierAnd, kBarrierOr };
/// Aligned: all threads of a warp have to execute the same instruction.
enum BarrierKind : std::uint32_t { kBarrierUnaligned, kBarrierAligned };
/// What IsSpace is asked for beside the kinds of abi::MemorySpace: the memory of parameters, where nothing is.
constexpr std::uint32_t kSpaceParameter = 255;
/// ... and shared memory of any block of the cluster.
constexpr std::uint32_t kSpaceCluster = 254;
enum Rounding : std::uint32_t { kRoundNearest, kRoundZero, kRoundDown, kRoundUp };
enum PermuteMode : std::uint32_t {
  kPermuteIndex,
  kPermuteF4e,
  kPermuteB4e,
  kPermuteRc8,
  kPermuteEcl,
  kPermuteEcr,
  kPermuteRc16
};

enum SmallFloat : std::uint32_t { kE4M3, kE5M2 };

/// How an instruction looks at an image: dimensions, and flags. Coordinates are: the layer if there are
/// layers, then one for each dimension; for a cube, three that make a direction.
enum ImageShape : std::uint32_t {
  kShapeDimensions = 3,
  kShapeLayered = 4,
  kShapeCube = 8,     ///< with two dimensions; textures only
  kShapeInteger = 16, ///< coordinates are integers; else floats
  kShapeTrap = 32,    ///< beyond the border of a surface: an error, ...
  kShapeClamp = 64    ///< ... or its nearest element; with neither, 0
};
constexpr unsigned coordinateCount(std::uint32_t shape) {
  return (shape & kShapeDimensions) + (shape & kShapeLayered ? 1 : 0) + (shape & kShapeCube ? 1 : 0);
}

using Void = void;
using U32 = std::uint32_t;
using U64 = std::uint64_t;
using Ptr = void *;
using Place = const char *;

} // namespace cupr::cpu

namespace cupr::cpu::calls {
// The symbol is an assembler name: C++ refers to the function as calls::identifier.
extern "C++" {
#define CUPR_CPU_CALL(identifier, symbol, result, ...) result identifier(__VA_ARGS__) __asm__(symbol);
#include "runtime_calls.def"
}
} // namespace cupr::cpu::calls

#endif
