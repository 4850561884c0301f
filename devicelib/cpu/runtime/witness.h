/// The witness: a list of all accesses to global memory, made below the
/// instrumentation, for tests that compare a trace with it.
///
/// Code retargeted with `-cupr-log-accesses` reports each access of memory here,
/// whatever the instrumentation thinks of it. The witness keeps those whose address
/// lies in global memory, which it knows from those who own it: the arena, the
/// module's variables, the device's heap. (The check at run time of instrumented code
/// goes the other way: what is neither shared nor local.)
///
/// It writes to the file that CUPR_CPU_ACCESS_LOG names, one line per access, a
/// thread's accesses in their order:
///
///     launch block thread operation address bytes
///
/// With `-cupr-log-accesses=values` there are lines in front of accesses that read, and behind those that write, with what
/// memory holds there, byte by byte:
///
///     launch block thread before|after address hexadecimal
///
/// Launches count from 1, block and thread are linear, the operation is spelt as in
/// abi/operation.def, with `_` for a space.
#ifndef CUPR_CPU_WITNESS_H
#define CUPR_CPU_WITNESS_H

#include "devicelib/abi/operation.h"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <mutex>

namespace cupr::cpu {

class Witness {
public:
  static Witness &instance();

  /// These bytes are global memory, until they are forgotten.
  void global(const void *address, std::size_t bytes);
  void forget(const void *address);
  /// The accesses that follow belong to the next launch. Launches don't overlap.
  void nextLaunch() { ++launch_; }
  /// The running lane makes this access.
  void access(abi::Operation operation, const void *address, std::size_t bytes);
  /// What memory holds in front of, or behind, an access of the running lane.
  void value(bool isBehind, const void *address, std::size_t bytes);

private:
  Witness();

  /// A line about global memory: launch, block and thread, and what `write(address)` writes.
  template <typename Write> void line(const void *address, std::size_t bytes, Write write);

  std::FILE *file_ = nullptr; ///< null: nobody asked
  std::uint64_t launch_ = 0;
  std::mutex mutex_;
  std::map<std::uint64_t, std::uint64_t> ranges_; ///< first address -> address behind the last
};

} // namespace cupr::cpu

#endif
