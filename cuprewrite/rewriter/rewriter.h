/// The rewriter as a library: files in, augmented copies out.
#ifndef CUPR_REWRITE_REWRITER_H
#define CUPR_REWRITE_REWRITER_H

#include "unit.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cupr::rewrite {

/// What becomes of the copies.
enum class Output { Copies, Diff, Nothing };

/// What is told of the decisions (decision.h).
enum class Listing {
  None,      ///< warnings, and remarks if wanted
  Text,      ///< all, as a table
  Json,      ///< all, as JSON
  LeftAlone, ///< a table of what is not traced
};

struct Request {
  std::vector<Unit> units;
  Output output = Output::Copies;
  Listing listing = Listing::None;
  std::string outputFolder;        ///< for Output::Copies
  std::optional<std::string> root; ///< none: see defaultRoot
  std::string cudaPath = "/usr/local/cuda";
  std::string
      plugin; ///< clang's plugin of cuprewrite/language, which is linked into this program, too; empty: it is not there
  std::optional<std::string> overlayFile; ///< write a VFS overlay here
  bool remarks = false;                   ///< tell also what keeps its signature, and why
  /// The copies' device code is linked by cupr++, where files need not agree on the signature of a
  /// device function (pass/thunks.h).
  bool deviceLinked = false;
  /// A regular expression (ECMAScript): kernels and device functions whose name with its scopes it
  /// matches as a whole keep their signatures. Empty: none.
  std::string keepSignature;
  unsigned jobs = 1;                                                       ///< parses at a time
  std::function<void(std::size_t done, const std::string &file)> progress; ///< called when a unit is parsed
};

struct Result {
  bool ok = false;
  std::string summary;                                      ///< one line: what was done
  std::string messages;                                     ///< diagnostics, clang's too
  std::string listing;                                      ///< as requested
  std::string diff;                                         ///< for Output::Diff
  unsigned leftAlone = 0;                                   ///< how much is not traced
  std::vector<std::pair<std::string, std::string>> outputs; ///< original, copy
  std::vector<std::string> includeFlags; ///< -I flags, to put before the user's own when building the copies
};

/// Rewrites all inputs, or nothing.
Result rewrite(const Request &request);

} // namespace cupr::rewrite

#endif
