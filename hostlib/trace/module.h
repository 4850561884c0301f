/// A device module as the trace holds it: the sites that records name, the calls
/// that led there, and the text of the sources.
///
/// Strings are indices in `strings`, whose element 0 is the empty string.
/// Invariant of a Module that parseSiteTable or Reader made: every string, frame, frame's kind and
/// operation is in range, and no chain of frames is endless.
#ifndef CUPR_TRACE_MODULE_H
#define CUPR_TRACE_MODULE_H

#include "devicelib/abi/operation.h"
#include "devicelib/abi/site_table.h"
#include "events.h"
#include "slice.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cupr::trace {

// The fields of what follows are in events.def, with their meaning.
#define CUPR_FIELD(type, member, initial, ...) type member = initial;

/// A place in the source that accesses memory. Fields marked "string" are indices in Module::strings.
struct Site {
#define CUPR_SITE_OWN CUPR_FIELD
#include "events.def"
  friend bool operator==(const Site &, const Site &) = default;
};

/// Whether records of the site are of accesses. Else they say that a block began, where a variable lies or what is executed, or are
/// of synchronisation.
inline bool isAccess(const Site &site) {
  return (site.flags & abi::kSiteBlock) == 0 && abi::isAccess(site.operation);
}

/// A call that led to a site, inlined or not.
struct Frame {
#define CUPR_FRAME_OWN CUPR_FIELD
#include "events.def"
  friend bool operator==(const Frame &, const Frame &) = default;
};

#undef CUPR_FIELD

struct Source {
  std::uint32_t path = 0;
  std::uint32_t textBytes = 0;
  std::string packed; ///< zstd; empty: the text could not be read
  friend bool operator==(const Source &, const Source &) = default;

  /// What it takes to unpack it, in steps of WorkLimit.
  std::uint64_t steps() const { return std::uint64_t{2} * textBytes; }
  /// The text; nothing if it is missing or doesn't unpack to `textBytes` bytes.
  std::optional<std::string> text() const;
};

struct Module {
  ModuleId id{};
  std::vector<Site> sites;
  std::vector<Frame> frames;
  std::vector<Source> sources;
  std::vector<std::string> strings;
  std::vector<Slice> slices;  ///< of kernels that are determined by their launches
  std::uint16_t recorded = 0; ///< abi::kRecords...: what it was built to record; 0: not known
  friend bool operator==(const Module &, const Module &) = default;
};

/// The module that a launch or a kernel names, of those before it; null: none of them.
inline const Module *moduleOf(std::span<const Module> modules, ModuleId id) {
  const auto index = static_cast<std::size_t>(id);
  return index < modules.size() ? &modules[index] : nullptr;
}

/// Largest source text that a trace may hold, in bytes.
inline constexpr std::uint32_t kMaxSourceBytes = 1u << 28;

/// Takes apart the blob of abi/site_table.h. Nothing if it breaks the layout's
/// rules; `error` then says which.
std::optional<Module> parseSiteTable(std::span<const std::byte> blob, std::string &error);

/// The rule of the invariant above that `module` breaks; empty: none.
std::string brokenModuleRule(const Module &module);

} // namespace cupr::trace

#endif
