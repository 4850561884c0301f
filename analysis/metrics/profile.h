/// Where the time of a program went, and who asked for what the device did: one tree of the calling contexts of host and device.
///
/// From the outside to the inside a path of the tree is: functions of the host, a call of the CUDA API, the kernels that it launched, the
/// functions in these (inlined or called), and their accesses; what instructions are executed is the functions' own. Between a function or kernel and what it calls or accesses stand the loops of
/// its source in which it does that (analysis/model/source_loops.h). Every figure stands at the node that it is of, its *own*;
/// the *total* of a node is what is below it, too. So samples of a function in its loops are the loops' own in the tree; the *procedure* has
/// them, too.
///
/// - A call has a kind (CallKind), by the acts that it made, else by its name.
/// - *Processor time* is that of samples: time that a thread used, which is less than what passed where it slept. Of it, that *in calls* was
///   used while the thread was in a call of the API, as to wait by turning.
/// - A call *waits* where it does not return before a launch is over that was called before it, and is itself no call that
///   synchronises: from its beginning until the device has done that launch. Where the device's times are not known, nothing is claimed.
/// - The *time on the API* of a kind (slides 15 and 16 of Zhou and Mellor-Crummey, "Optimizing GPU-accelerated Applications with HPCToolkit") is that of
///   the launches on the device, where it is known, and of all other calls the time that they took.
#ifndef CUPR_ANALYSIS_PROFILE_H
#define CUPR_ANALYSIS_PROFILE_H

#include "analysis/model/launch_selection.h"
#include "analysis/model/model.h"
#include "instruction_mix.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace cupr::analysis {

enum class CallKind : std::uint8_t { Launch, Copy, Set, Synchronisation, Allocation, Free, Other };
inline constexpr std::size_t kCallKinds = 7;
const char *callKindName(CallKind kind);

struct CallFigures {
  std::uint64_t calls = 0;
  std::uint64_t time = 0; ///< ns
  friend bool operator==(const CallFigures &, const CallFigures &) = default;
};

/// Times are nanoseconds.
struct ProfileFigures {
  std::array<CallFigures, kCallKinds> byKind{}; ///< by CallKind
  std::uint64_t waitTime = 0;                   ///< of calls that wait, and do not synchronise
  std::uint64_t launches = 0, deviceTime = 0;
  std::uint64_t copyBytes = 0, setBytes = 0, allocatedBytes = 0;
  std::uint64_t accesses = 0, accessBytes = 0;               ///< by threads, of traced launches
  std::uint64_t requests = 0, sectors = 0, leastSectors = 0; ///< of global memory
  ExecutedCount executed; ///< of programs that record it (instruction_mix.h)
  std::uint64_t samples = 0, processorTime = 0, processorTimeInCalls = 0;

  const CallFigures &of(CallKind kind) const { return byKind[static_cast<std::size_t>(kind)]; }
  std::uint64_t calls() const;
  std::uint64_t callTime() const;
  /// Of the threads: in calls, and at work outside of them.
  std::uint64_t hostTime() const { return callTime() + (processorTime - processorTimeInCalls); }
  std::uint64_t apiTime(CallKind kind) const;
  std::uint64_t apiTime() const;
  ProfileFigures &operator+=(const ProfileFigures &other);
  friend bool operator==(const ProfileFigures &, const ProfileFigures &) = default;
};

enum class ContextKind : std::uint8_t {
  Program,
  Function,
  Signal,
  UnknownCode,
  Cut,
  Call,
  Kernel,
  DeviceFunction,
  Access,
  Loop
};
const char *contextKindName(ContextKind kind);

struct ProfileNode {
  ContextKind kind = ContextKind::Program;
  std::uint32_t parent = 0; ///< an earlier node; of the first one, the program, itself
  std::uint32_t depth = 0;
  std::string
      name; ///< of a function, kernel or call; of an access its operation; of a loop abi::loopKindName
  std::string file;         ///< of a call, an access and a loop: where it stands; empty: not known
  std::uint32_t line = 0;   ///< likewise; 0: not known
  std::uint32_t column = 0; ///< of a loop
  std::string object;       ///< of a function of the host: the path of its ELF file
  ProfileFigures own, total;
};

struct ProfileThread {
  std::uint64_t id = 0;
  std::string name;
  ProfileFigures figures; ///< of its calls and samples, without what launches did
};

struct Profile {
  std::vector<ProfileNode> nodes; ///< parents before their children
  std::vector<ProfileThread> threads;
  std::vector<trace::HostSampling> samplings;
  std::uint64_t executionTime = 0; ///< ns from the process's start time to the last thing that is known

  const ProfileFigures &all() const { return nodes.front().total; }
  /// Time on the API of a kind, of that of all kinds; nothing: no time went there.
  std::optional<double> apiImportance(CallKind kind) const;
  std::optional<double> apiImportance(const ProfileFigures &figures) const;
  /// What of the execution time is a procedure's processor time, by the share of it that is not time on the API; 0 where more went to that.
  double cpuImportance(const ProfileFigures &total) const;
};

enum class ProfileDevice {
  Accesses, ///< with the accesses of kernels, for which records are read
  Launches, ///< launches alone
};
/// Of some launches the profile has what they did on the device, and the calls that made them: neither other calls nor samples.
/// Throws BadTrace, trace::TooMuch, and what LaunchFilter does.
Profile profileOf(const Model &model, ProfileDevice device = ProfileDevice::Accesses,
                  const LaunchSelection &selection = {});

/// From the inside to the outside: below the program stand the procedures (functions, calls, kernels, accesses) that have figures of their own, below each one who called it, and in
/// which loop. Own figures of loops are their function's.
/// `total` of a node are the figures of the procedure at the top, by that way; only the program and the procedures have `own`.
Profile bottomUp(const Model &model, const Profile &topDown);

/// A procedure, wherever it is called.
struct Procedure {
  ContextKind kind = ContextKind::Function;
  std::string name, object;
  std::string file;                   ///< of a loop, as in its node
  std::uint32_t line = 0, column = 0; ///< likewise
  ProfileFigures own;
  ProfileFigures total; ///< what a call of itself did counts once
};
/// The name of a function, kernel or call; "load a.cu:10"; "loop at solver.cpp:30".
std::string placedName(ContextKind kind, const std::string &name, const std::string &file,
                       std::uint32_t line);
/// All of the functions, calls, kernels and loops. What is a loop's own is its function's, too.
std::vector<Procedure> proceduresOf(const Model &model, const Profile &topDown);

} // namespace cupr::analysis

#endif
