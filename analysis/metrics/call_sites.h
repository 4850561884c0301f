/// Where the program called for what the device did, as findings tell it: the call path, and the place in the user's own code.
///
/// A path of a call begins in the C library and may end in CUDA's headers, in those of a library (library_calls.h), or in the function that
/// clang makes of a launch. None of these is the user's, so a path is told from main on, and up to the user's last function.
#ifndef CUPR_ANALYSIS_CALL_SITES_H
#define CUPR_ANALYSIS_CALL_SITES_H

#include "analysis/model/host_paths.h"

#include <compare>
#include <cstdint>
#include <map>
#include <string>

namespace cupr::analysis {

struct CallSite {
  std::string path;       ///< "main > step(int) > upload(Mesh&)"; empty: not known
  std::string file;       ///< of the call in the innermost function; empty: not known
  std::uint32_t line = 0; ///< 0: not known
  friend auto operator<=>(const CallSite &, const CallSite &) = default;
};

/// The model and the paths must outlive this.
class CallSites {
public:
  CallSites(const Model &model, const HostPaths &paths) : model_(model), paths_(paths) {}

  /// Of the call that made the act of this order. It stays where it is.
  const CallSite &of(std::uint64_t order);
  /// A launch says itself where it stands, unless that is in a library.
  CallSite of(const LaunchInfo &launch);

private:
  const Model &model_;
  const HostPaths &paths_;
  std::map<std::uint32_t, CallSite> sites_; ///< by node of the host
};

} // namespace cupr::analysis

#endif
