/// Names of the kinds of things, as people and exports read them.
#ifndef CUPR_ANALYSIS_KIND_NAMES_H
#define CUPR_ANALYSIS_KIND_NAMES_H

#include "hostlib/trace/events.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>

namespace cupr::analysis {

inline constexpr const char *kMemoryKindNames[] = {"device", "managed", "host",  "pitched",
                                                   "array",  "pool",    "symbol"};
inline constexpr const char *kCopyKindNames[] = {"host to host", "host to device", "device to host",
                                                 "device to device"};
inline constexpr const char *kLatencySchemeNames[] = {
#define CUPR_LATENCY_SCHEME(enumerator, name) name,
#include "devicelib/abi/latency_scheme.def"
};
inline constexpr const char *kStreamKindNames[] = {"unknown", "legacy", "blocking", "non-blocking"};
inline constexpr const char *kSynchronisationKindNames[] = {"device", "stream", "event", "event record",
                                                            "stream wait event"};
inline constexpr const char *kImageKindNames[] = {"texture", "surface"};
inline constexpr const char *kImageResourceNames[] = {"array", "mipmapped array", "linear", "pitched"};
using KindNames = std::span<const char *const>;
constexpr KindNames namesOf(trace::MemoryKind) { return kMemoryKindNames; }
constexpr KindNames namesOf(trace::ImageKind) { return kImageKindNames; }
constexpr KindNames namesOf(trace::ImageResource) { return kImageResourceNames; }
constexpr KindNames namesOf(trace::CopyKind) { return kCopyKindNames; }
constexpr KindNames namesOf(abi::LatencyScheme) { return kLatencySchemeNames; }
constexpr KindNames namesOf(trace::StreamKind) { return kStreamKindNames; }
constexpr KindNames namesOf(trace::SynchronisationKind) { return kSynchronisationKindNames; }

/// Such a kind.
template <typename Kind>
concept Named = requires(Kind kind) { namesOf(kind); };

template <Named Kind> const char *kindName(Kind kind) {
  return namesOf(kind)[static_cast<std::size_t>(kind)];
}

/// The kind with this name; none: there is none.
template <Named Kind> std::optional<Kind> kindNamed(std::string_view name) {
  const KindNames names = namesOf(Kind{});
  const auto at = std::ranges::find(names, name);
  return at == names.end() ? std::nullopt : std::optional(static_cast<Kind>(at - names.begin()));
}

} // namespace cupr::analysis

#endif
