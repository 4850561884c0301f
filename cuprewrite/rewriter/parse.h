/// Runs clang over the translation units, once per side, and gathers the facts.
///
/// A unit has a host side, and a device side for each architecture. All sides of all units share nothing, so
/// they are parsed in parallel; what they say is brought together in the order of the units, so that the
/// result does not depend on the number of threads. Of a side that is done nothing is kept but its facts.
#ifndef CUPR_REWRITE_PARSE_H
#define CUPR_REWRITE_PARSE_H

#include "facts.h"
#include "flags.h"
#include "unit.h"

#include <functional>

namespace cupr::rewrite {

struct ParseUnit {
  Unit unit;
  ParseFlags flags;
};

struct ParseRequest {
  std::vector<ParseUnit> units;
  std::string root;     ///< absolute, without links
  std::string cudaPath; ///< the CUDA toolkit
  std::string plugin;   ///< what this program teaches clang, for a clang that is another process
  unsigned jobs = 1;    ///< sides that are parsed at a time
  /// Called when a unit is done, from any thread, but by one at a time.
  std::function<void(std::size_t done, const Unit &unit)> progress;
};

/// Adds what is found in all sides to `facts`. False when clang found errors: they are added to `messages`,
/// and the facts know of a side with errors no more than its files.
bool parse(const ParseRequest &request, Facts &facts, std::string &messages);

} // namespace cupr::rewrite

#endif
