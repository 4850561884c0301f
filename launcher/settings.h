/// The settings of a traced program (devicelib/abi/settings.def), as people see them.
///
/// The runtime in the program reads the environment and nothing else. The table in docs/recording.md is what
/// `cupr-run --list-settings=markdown` prints; a test compares the two.
#ifndef CUPR_LAUNCHER_SETTINGS_H
#define CUPR_LAUNCHER_SETTINGS_H

#include "devicelib/abi/setting.h"

#include <string>

namespace cupr::launcher {

/// The options of cupr-run for the setting, with commas between; empty: cupr-run sets the variable itself.
std::string optionsOf(const abi::Setting &setting);

/// Says what is wrong with the text as a value of the setting; empty: nothing.
std::string problemWith(const abi::Setting &setting, const std::string &text);

/// The table for docs/recording.md.
std::string settingsMarkdown();
/// The table for a terminal, with what the environment says now.
std::string settingsText();

} // namespace cupr::launcher

#endif
