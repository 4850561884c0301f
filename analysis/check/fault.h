/// What is wrong with a program's use of memory, and where.
#ifndef CUPR_ANALYSIS_FAULT_H
#define CUPR_ANALYSIS_FAULT_H

#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace cupr::analysis {

enum class FaultRule : std::uint8_t {
#define CUPR_FAULT_RULE(enumerator, id, what, fails) enumerator,
#include "fault_rules.def"
};

inline constexpr std::array kFaultRules = {
#define CUPR_FAULT_RULE(enumerator, id, what, fails) FaultRule::enumerator,
#include "fault_rules.def"
};

const char *idOf(FaultRule rule);
const char *meaningOf(FaultRule rule);
/// Whether a program with such a fault is wrong: `check` then says so by its exit code.
bool failsBy(FaultRule rule);
/// The same as SARIF calls it: "error" or "warning".
inline const char *levelOf(FaultRule rule) { return failsBy(rule) ? "error" : "warning"; }
inline bool isRace(FaultRule rule) { return rule <= FaultRule::RaceHost; }

/// Why a kernel ended with an error, as its launch's end has it; empty: it did not. A GPU's stop ends all launches that were on their way.
std::string_view failureOf(const LaunchInfo &launch);

/// Whether the process was ended while the kernel ran, and all is there that it had recorded by then.
bool isCutOff(const LaunchInfo &launch);

/// Why nothing orders the two accesses of a race.
enum class RaceCause : std::uint8_t {
  Nothing,        ///< nothing stands between them
  OneInstruction, ///< lanes of a warp write in one instruction
  OneIsPlain,     ///< one is atomic or volatile, the other is not
  NarrowScope,    ///< both are atomic, and the scope of one doesn't hold the other's thread
  NoRelease,      ///< the one that looks has its fence, but the one that writes has none that reaches it
  NoAcquire,      ///< the one that writes has its fence, but the one that looks has none behind its look
  CopyNotWaited,  ///< one is an asynchronous copy, which had not been waited for when what orders them came
  LockNoRelease, ///< both have the same lock, but the first has no fence before it gives it back that reaches the other
  LockNoAcquire, ///< both have the same lock, but the second has no fence behind taking it that reaches the other
  BehindLock     ///< the first has given back the lock by then that the second takes
};

/// One of the accesses of a fault; or an act of the host.
struct FaultPlace {
  static constexpr std::uint32_t kNoSite = 0xffffffffu;
  LaunchIndex launch = kHost; ///< kHost: a copy, a set or an allocation; with kNoAct: code of the host
  Act act = kNoAct;
  /// Of the launch's module; kNoSite: the launch as a whole. Of code of the host: which of its accesses is the first that is made there.
  std::uint32_t site = 0;
  std::uint64_t block = 0;
  std::uint32_t thread = 0; ///< in the block, linear
  friend auto operator<=>(const FaultPlace &, const FaultPlace &) = default;
};

/// All accesses of one rule, of the same kernels and places of the source.
struct Fault {
  FaultRule rule{};
  RaceCause cause = RaceCause::Nothing;
  abi::MemorySpace space = abi::MemorySpace::Global;
  bool isSilent = false;   ///< of races: all store what the other one stores
  std::uint64_t count = 0; ///< accesses of threads that met the other one, or were wrong by themselves
  // Of the first of them, by launch and address.
  std::uint64_t address = 0; ///< as records have it; of masks: the mask
  std::uint32_t bytes = 0;
  std::uint64_t array = 0; ///< of arrays in local memory: where it begins
  FaultPlace place;        ///< the later one of a race
  /// Of races: the one before; of divergent barriers and masks: where others wait.
  std::optional<FaultPlace> other;
  /// Of frees: which of Model::strayFrees(); of unchecked errors: of the host's failures; of races with code of the host: of its accesses.
  std::size_t call = 0;
  std::optional<std::uint32_t> allocation; ///< that it is about: which it lies in, or behind, or lay in
};

} // namespace cupr::analysis

#endif
