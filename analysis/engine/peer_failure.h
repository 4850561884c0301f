/// News that a process failed. The others would wait for it forever.
#ifndef CUPR_ANALYSIS_PEER_FAILURE_H
#define CUPR_ANALYSIS_PEER_FAILURE_H

#include "peer_message.h"

#include <exception>
#include <stdexcept>
#include <string>

namespace cupr::analysis {

/// One of the processes failed; all of them throw this.
struct PeerFailure : std::runtime_error {
  PeerFailure(const std::string &what, bool isBadTrace) : std::runtime_error(what), isBadTrace(isBadTrace) {}
  bool isBadTrace; ///< the trace is at fault
};

/// At the start of a message: `failure`, or that there is none.
void putFailure(Bytes &message, const std::exception_ptr &failure);
/// Throws PeerFailure if the message starts with one.
void takeFailure(RestOfMessage &message);

/// Meets the peers: throws PeerFailure in all if one has a failure; without peers, `failure` itself.
void agree(Peers &peers, const std::exception_ptr &failure);

/// Calls `work`; returns what it throws.
template <typename Work> std::exception_ptr failureOf(Work work) {
  try {
    work();
  } catch (...) {
    return std::current_exception();
  }
  return nullptr;
}

} // namespace cupr::analysis

#endif
