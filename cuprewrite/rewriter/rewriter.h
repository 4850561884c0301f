/// The rewriter as a library: files in, augmented copies out.
#ifndef CUPR_REWRITE_REWRITER_H
#define CUPR_REWRITE_REWRITER_H

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cupr::rewrite {

struct Request {
  std::vector<std::string> inputs; ///< as the user spells them
  std::string outputFolder;
  std::optional<std::string> root; ///< none: see defaultRoot
  std::vector<std::string> flags;  ///< the user's compiler flags, nvcc's or clang's
  std::string cudaPath = "/usr/local/cuda";
  std::optional<std::string> overlayFile; ///< write a VFS overlay here
  bool remarks = false;                   ///< tell also what is left alone for good reasons
  /// The copies' device code is linked by cupr++, where files need not agree on the signature of a
  /// device function (pass/bridges.h).
  bool deviceLinked = false;
};

struct Result {
  bool ok = false;
  std::string summary;                                      ///< one line: what was done
  std::string messages;                                     ///< diagnostics, clang's too
  std::vector<std::pair<std::string, std::string>> outputs; ///< original, copy
  std::vector<std::string> includeFlags; ///< -I flags, to put before the user's own when building the copies
};

/// Rewrites all inputs, or nothing.
Result rewrite(const Request &request);

} // namespace cupr::rewrite

#endif
