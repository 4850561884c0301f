/// Names of the kinds of things, as people and exports read them.
#ifndef CUPR_ANALYSIS_KIND_NAMES_H
#define CUPR_ANALYSIS_KIND_NAMES_H

#include "hostlib/trace/events.h"

namespace cupr::analysis {

inline const char *kindName(trace::MemoryKind kind) {
  static constexpr const char *kNames[] = {"device", "managed", "host", "pitched", "array", "pool", "symbol"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline const char *kindName(trace::CopyKind kind) {
  static constexpr const char *kNames[] = {"host to host", "host to device", "device to host",
                                           "device to device"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline const char *kindName(trace::StreamKind kind) {
  static constexpr const char *kNames[] = {"unknown", "legacy", "blocking", "non-blocking"};
  return kNames[static_cast<std::size_t>(kind)];
}

inline const char *kindName(trace::Synchronisation::Kind kind) {
  static constexpr const char *kNames[] = {"device", "stream", "event", "event record", "stream wait event"};
  return kNames[static_cast<std::size_t>(kind)];
}

} // namespace cupr::analysis

#endif
