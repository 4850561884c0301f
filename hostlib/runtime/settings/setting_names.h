/// Variables of the environment that look like settings and are none: a misspelt filter chooses everything, without
/// a word.
#ifndef CUPR_RUNTIME_SETTING_NAMES_H
#define CUPR_RUNTIME_SETTING_NAMES_H

#include <string>
#include <string_view>

namespace cupr::host {

/// The setting whose name takes the fewest changes of letters to become `name`.
std::string_view nearestSetting(std::string_view name);

/// Names the variables that begin with CUPR_ and are no settings, each with the nearest one, in one line; empty:
/// there are none. `environment` is as environ.
std::string misspeltSettings(const char *const *environment);

} // namespace cupr::host

#endif
