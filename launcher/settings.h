/// The settings of a traced program: what each is called on cupr-run's command line and in the environment.
///
/// The runtime in the program reads the environment and nothing else; this table is where a person finds what
/// there is. A test compares it with the variables that the runtime reads and with the table in
/// docs/recording.md, which `cupr-run --list-settings=markdown` prints.
#ifndef CUPR_LAUNCHER_SETTINGS_H
#define CUPR_LAUNCHER_SETTINGS_H

#include <span>
#include <string>

namespace cupr::launcher {

/// What stands behind an option.
enum class Value {
  Own,      ///< the option means more than the variable's text: see command_line.cpp
  NoOption, ///< cupr-run sets the variable itself
  Text,
  Choice,  ///< one of the words of `values`, which has | between them
  Number,  ///< at least 1
  Number0, ///< at least 0
  Bytes,   ///< with K, M or G behind it
  Regex,
  Blocks, ///< FIRST-LAST or FIRST-
};

/// What a setting is about.
inline constexpr const char *kTraceGroup = "Trace", *kRecordedGroup = "What is recorded",
                            *kTransportGroup = "How records travel", *kCpuGroup = "CPU device";

struct Setting {
  const char *group;
  const char *variable;
  const char *option; ///< as CLI11 takes it; empty: none
  Value value;
  const char *values;   ///< what may stand there, for the help
  const char *fallback; ///< what holds when it is not set
  const char *help;     ///< one sentence without a full stop
};

/// In the order in which they are shown.
std::span<const Setting> settings();

/// Says what is wrong with the text as a value of the setting; empty: nothing.
std::string problemWith(const Setting &setting, const std::string &text);

/// The table for docs/recording.md.
std::string settingsMarkdown();
/// The table for a terminal, with what the environment says now.
std::string settingsText();

} // namespace cupr::launcher

#endif
