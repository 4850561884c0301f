/// What a program is built to record.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace cupr::tool {

/// As the command line of cupr++, or of cuprewrite --cxxflags, asks for it.
struct Recording {
  std::string spaces;           ///< --spaces=LIST: memory to trace accesses of; empty: the pass's default
  std::string values;           ///< --values[=LIST]: accesses whose values are recorded; empty: none
  bool clock = false;           ///< --clock: when accesses are made
  bool synchronisation = false; ///< --synchronisation: barriers, fences and the like
  bool instructions = false;    ///< --instructions: what is executed, by class
  std::optional<unsigned>
      contextSites; ///< --context-sites=N: sites above which calls share theirs; none: the pass's default

  bool hostAccesses = false; ///< --host-accesses: what the host accesses while the device is at it

  /// The same for the plugin of clang that reads sources of the host: clang's options, a word each.
  std::vector<std::string> languageOptions() const;
  /// The same for the pass: its options, a word each.
  std::vector<std::string> passOptions() const;
};

} // namespace cupr::tool
