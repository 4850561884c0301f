/// The user's compiler flags, nvcc's or clang's, as flags for a parse.
#ifndef CUPR_REWRITE_FLAGS_H
#define CUPR_REWRITE_FLAGS_H

#include <string>
#include <vector>

namespace cupr::rewrite {

struct ParseFlags {
  std::vector<std::string> clang;          ///< what matters to a parse
  std::vector<std::string> architectures;  ///< `sm_75`, in order, each once; never empty
  std::vector<std::string> includeFolders; ///< of -I, as spelled, in order
  std::vector<std::string> unknown;        ///< neither compiler's, so nobody knows what they mean
};

/// Keeps what changes the meaning of a source (macros, include paths, language)
/// and drops what doesn't (outputs, warnings, debugging, linking).
ParseFlags parseFlags(const std::vector<std::string> &userFlags);

} // namespace cupr::rewrite

#endif
