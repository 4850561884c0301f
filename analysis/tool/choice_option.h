/// Options whose value is one of a few words.
#ifndef CUPR_ANALYSIS_CHOICE_OPTION_H
#define CUPR_ANALYSIS_CHOICE_OPTION_H

#include <CLI/CLI.hpp>
#include <map>
#include <string>

namespace cupr::analysis {

/// An option whose value is one of `choices`, which outlive the command. (CLI11's transformers would take
/// and show the enumerators' numbers, too.)
template <typename T>
CLI::Option *addChoice(CLI::App &command, const std::string &name, T &value,
                       const std::map<std::string, T> &choices, const std::string &what) {
  return command
      .add_option_function<std::string>(
          name, [&value, &choices](const std::string &text) { value = choices.at(text); }, what)
      ->check(CLI::IsMember(choices));
}

} // namespace cupr::analysis

#endif
