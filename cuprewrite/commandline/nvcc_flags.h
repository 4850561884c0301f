/// The flags that nvcc 13 has, and how they stand on a command line. What becomes of one is its readers'
/// affair: cupr++ builds with it (tool/driver_options.cpp), cuprewrite parses with it (rewriter/flags.cpp).
#ifndef CUPR_COMMANDLINE_NVCC_FLAGS_H
#define CUPR_COMMANDLINE_NVCC_FLAGS_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::commandline {

enum class FlagValue {
  None,
  Needed,       ///< behind `=`, or the next word
  BehindEquals, ///< behind `=` or not at all
};

struct Flag {
  std::string_view name;  ///< `--name`
  std::string_view brief; ///< `-brief`; may be empty
  FlagValue value;
};

/// A flag among the words of a command line.
struct FlagUse {
  const Flag *flag;
  std::string_view spelled; ///< its name or brief name
  std::string value;        ///< empty: none
  std::size_t next;         ///< index of the word behind the flag and its value
  bool lacksValue;          ///< the command line ends where the value should stand
};

std::span<const Flag> nvccFlags();

/// The flag that `words[at]` is, by the first of `flags` that fits.
std::optional<FlagUse> findFlag(std::span<const Flag> flags, const std::vector<std::string> &words,
                                std::size_t at);

} // namespace cupr::commandline

#endif
