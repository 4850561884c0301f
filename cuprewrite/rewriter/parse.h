/// Runs clang over a file, once per side, and gathers the facts.
#ifndef CUPR_REWRITE_PARSE_H
#define CUPR_REWRITE_PARSE_H

#include "facts.h"
#include "flags.h"

namespace cupr::rewrite {

struct ParseRequest {
  std::string input;    ///< as spelled by the user
  std::string root;     ///< absolute, without links
  std::string cudaPath; ///< the CUDA toolkit
  ParseFlags flags;
};

/// Parses the host side and the device side (one per architecture) and adds what
/// is found to `facts`. False when clang found errors: they are added to
/// `messages`, and the facts know no more than the files.
bool parse(const ParseRequest &request, Facts &facts, std::string &messages);

} // namespace cupr::rewrite

#endif
