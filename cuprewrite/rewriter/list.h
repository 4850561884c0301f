/// `cuprewrite --list`: the decisions as a table for people and as JSON for programs.
#ifndef CUPR_REWRITE_LIST_H
#define CUPR_REWRITE_LIST_H

#include "decision.h"

namespace cupr::rewrite {

/// A line per decision, aligned.
std::string tableText(const std::vector<Decision> &decisions, const Facts &facts);

/// The same, and a line that counts them.
std::string listText(const std::vector<Decision> &decisions, const Facts &facts);

/// Described in docs/rewriter.md.
std::string listJson(const std::vector<Decision> &decisions, const Facts &facts);

} // namespace cupr::rewrite

#endif
