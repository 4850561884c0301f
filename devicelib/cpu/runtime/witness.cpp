#include "witness.h"

#include "lane_state.h"

#include "devicelib/abi/standard_error.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <string>

namespace cupr::cpu {

Witness &Witness::instance() {
  // Never destroyed: programs launch from destructors of static objects. What is still in the file's buffer
  // is written when the process exits.
  static Witness *witness = new Witness;
  return *witness;
}

Witness::Witness() {
  const char *const path = ::secure_getenv("CUPR_CPU_ACCESS_LOG");
  if (!path || !*path)
    return;
  file_ = std::fopen(path, "w");
  if (!file_) {
    abi::say("cuprewrite: CUPR_CPU_ACCESS_LOG: can't write the list of accesses to '%s': %s\n", path,
             std::strerror(errno));
    std::abort(); // a test that compares with nothing must not pass
  }
}

void Witness::global(const void *address, std::size_t bytes) {
  if (!file_ || !bytes)
    return;
  std::lock_guard lock(mutex_);
  const std::uint64_t first = reinterpret_cast<std::uint64_t>(address);
  ranges_[first] = first + bytes;
}

void Witness::forget(const void *address) {
  if (!file_)
    return;
  std::lock_guard lock(mutex_);
  ranges_.erase(reinterpret_cast<std::uint64_t>(address));
}

template <typename Write> void Witness::line(const void *address, std::size_t bytes, Write write) {
  if (!file_ || !bytes)
    return;
  std::lock_guard lock(mutex_);
  const std::uint64_t at = reinterpret_cast<std::uint64_t>(address);
  const auto after = ranges_.upper_bound(at);
  if (after == ranges_.begin() || at >= std::prev(after)->second)
    return;
  const LaneState &lane = __cupr_cpu_lane;
  const std::uint64_t block =
      lane.ctaid[0] +
      std::uint64_t{lane.nctaid[0]} * (lane.ctaid[1] + std::uint64_t{lane.nctaid[1]} * lane.ctaid[2]);
  std::fprintf(file_, "%" PRIu64 " %" PRIu64 " %u ", launch_, block, lane.warp * 32 + lane.position.lane);
  write(at);
  std::fputc('\n', file_);
}

void Witness::access(abi::Operation operation, const void *address, std::size_t bytes) {
  line(address, bytes, [&](std::uint64_t at) {
    std::string name = abi::operationName(operation);
    std::replace(name.begin(), name.end(), ' ', '_');
    std::fprintf(file_, "%s %#" PRIx64 " %zu", name.c_str(), at, bytes);
  });
}

void Witness::value(bool isBehind, const void *address, std::size_t bytes) {
  line(address, bytes, [&](std::uint64_t at) {
    std::fprintf(file_, "%s %#" PRIx64 " ", isBehind ? "after" : "before", at);
    for (std::size_t i = 0; i < bytes; ++i)
      std::fprintf(file_, "%02x", static_cast<const unsigned char *>(address)[i]);
  });
}

} // namespace cupr::cpu
