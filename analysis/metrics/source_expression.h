/// The words of the source that stand for an access, so far as its line and column tell.
///
/// Clang says of a load where its expression begins, or the name of its member; of an assignment, where the operator stands. So this is a
/// guess by brackets, made to be shown beside the line, and nothing follows from it.
#ifndef CUPR_ANALYSIS_SOURCE_EXPRESSION_H
#define CUPR_ANALYSIS_SOURCE_EXPRESSION_H

#include <cstdint>
#include <string>
#include <string_view>

namespace cupr::analysis {

/// Words of a line, and where they begin in it.
struct SourceExpression {
  std::string text;         ///< `in[y * width + x]`, `out[i]`, `p[i].x`; empty: not known
  std::uint32_t column = 0; ///< from 1, in bytes; 0: not known
};

/// `line` and `column` count from 1. `isLoad`: of an assignment, what is on its right side is meant.
SourceExpression expressionAt(std::string_view text, std::uint32_t line, std::uint32_t column, bool isLoad);

/// Of `x[index[i]]`: `index[i]`, what is looked up first; empty: there is nothing like it.
std::string lookedUpIn(std::string_view expression);

} // namespace cupr::analysis

#endif
