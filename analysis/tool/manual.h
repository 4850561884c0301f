/// The command line, described for others than `--help`'s reader: a page for man, and completions for shells. Made of the options
/// themselves, so they say what --help says.
#ifndef CUPR_ANALYSIS_MANUAL_H
#define CUPR_ANALYSIS_MANUAL_H

#include <CLI/CLI.hpp>
#include <string>

namespace cupr::analysis {

/// In roff, with the macros of man(7), section 1.
std::string manualPage(const CLI::App &app);
/// To be sourced by bash; zsh reads it after `bashcompinit`.
std::string bashCompletion(const CLI::App &app);

} // namespace cupr::analysis

#endif
