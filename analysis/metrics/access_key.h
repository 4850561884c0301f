/// What accesses of the source have in common that count as one.
#ifndef CUPR_ANALYSIS_ACCESS_KEY_H
#define CUPR_ANALYSIS_ACCESS_KEY_H

#include "analysis/model/model.h"
#include "analysis/model/ordering.h"

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

namespace cupr::analysis {

/// Copies that a loop's unrolling made have the same one.
struct AccessKey {
  LaunchIndex kernel = 0; ///< its first launch
  std::string file;       ///< empty: unknown
  std::uint32_t line = 0, column = 0;
  abi::Operation operation = abi::Operation::Load;
  std::string function; ///< that holds it in the source, as the user knows it
  std::vector<std::string>
      callers; ///< functions that led there by calls, inlined or not, innermost first (call_frame.h)
  /// In each of them, of the call.
  std::vector<std::string> callSites;
  std::uint32_t bytes = 0; ///< of each thread; 0: they differ
  friend auto operator<=>(const AccessKey &, const AccessKey &) = default;
};

/// Throws trace::TooMuch where call chains ask for too much.
AccessKey accessKeyOf(const Model &model, LaunchIndex kernel, const trace::Module &module,
                      const trace::Site &site);

} // namespace cupr::analysis

#endif
