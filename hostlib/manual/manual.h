/// The project's command lines, described for others than `--help`'s reader: pages for man, and completions for shells. Made of the
/// options themselves, so they say what --help says.
#ifndef CUPR_MANUAL_H
#define CUPR_MANUAL_H

#include <CLI/CLI.hpp>
#include <string>

namespace cupr::manual {

/// In roff, with the macros of man(7), section 1.
std::string manualPage(const CLI::App &app);

/// To be sourced by bash; zsh reads it after `bashcompinit`.
std::string bashCompletion(const CLI::App &app);

/// The same of a command whose options no CLI::App knows, made of what its --help prints: `NAME: what it does`, usage and more, and options
/// that begin their lines.
std::string manualPage(const std::string &help);
std::string bashCompletion(const std::string &help);

/// Adds --manual and --completion, which print these and end, as --version does.
void addManual(CLI::App &app);

} // namespace cupr::manual

#endif
