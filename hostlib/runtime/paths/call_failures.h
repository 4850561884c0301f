/// Calls of CUDA's runtime that have failed, and whose error the program has not looked at yet.
///
/// An error is looked at where the call's value is used, and else by a question behind it (cudaGetLastError, cudaPeekAtLastError) of
/// the same thread. CUDA keeps the last one alone: whoever asks is taken to have asked for all that were dropped before.
///
/// Some errors stay: each call returns them from then on. Such a one is noted where it is first dropped by a call that
/// neither launches nor lets go of something, and never once the program has seen it, whoever did: what comes behind that is its way out.
///
/// Threads: all members from any thread.
#ifndef CUPR_RUNTIME_CALL_FAILURES_H
#define CUPR_RUNTIME_CALL_FAILURES_H

#include "hostlib/trace/host_batch.h"

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string_view>
#include <vector>

namespace cupr::host {

/// A call that has returned an error. The texts must stay.
struct FailedCall {
  int error;
  const char *name;                  ///< of the call
  const char *errorName, *errorText; ///< as CUDA has them
};

class CallFailures {
public:
  /// The calling thread's call at `node` has failed, and the program drops the error.
  void dropped(const FailedCall &call, std::uint32_t node);
  /// A call has returned `error`, for which the program has a use.
  void used(int error);
  /// The calling thread has asked, and the answer was `error`.
  void asked(int error);

  /// Those that nobody has looked at so far.
  std::vector<trace::HostFailure> rows() const;

private:
  struct Key {
    std::uint64_t thread; ///< the kernel's number
    std::uint32_t node;
    std::string_view name;
    int error;
    friend auto operator<=>(const Key &, const Key &) = default;
  };
  struct Failure {
    FailedCall call;
    std::uint64_t count = 0;
  };

  /// Whether there may be failures: asking costs a look at it where there are none.
  std::atomic<bool> isAny_{false};
  mutable std::mutex mutex_; ///< guards what follows
  std::map<Key, Failure> failures_;
  std::set<int> seen_; ///< errors that stay
};

} // namespace cupr::host

#endif
