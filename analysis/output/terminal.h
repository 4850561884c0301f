/// What stdout is shown on: how wide it is, and whether it has colours. A file or a pipe has no width and no colours.
#ifndef CUPR_ANALYSIS_TERMINAL_H
#define CUPR_ANALYSIS_TERMINAL_H

#include <cstddef>
#include <cstdint>
#include <fmt/color.h>
#include <string>

namespace cupr::analysis {

enum class Colours { Auto, Always, Never };

/// Set once, before anything is written.
struct TerminalChoices {
  Colours colours = Colours::Auto;
  bool fullNames = false; ///< lines may be wider than the terminal
};
void choose(const TerminalChoices &choices);

/// Columns of the terminal (of $COLUMNS, if it is set); SIZE_MAX: it is none, or names are to be whole.
std::size_t lineWidth();

/// `text` in this style where there are colours: on a terminal, unless $NO_COLOR is set (no-color.org) or $TERM is "dumb".
std::string coloured(const std::string &text, const fmt::text_style &style);

} // namespace cupr::analysis

#endif
