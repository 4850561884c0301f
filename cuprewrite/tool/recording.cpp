#include "recording.h"

#include "devicelib/abi/access_types.h"
#include "devicelib/abi/host_access.h"

namespace cupr::tool {

std::vector<std::string> Recording::passOptions() const {
  std::vector<std::string> options;
  if (!spaces.empty())
    options.push_back("-cupr-spaces=" + spaces);
  if (!values.empty())
    options.push_back("-cupr-values=" + values);
  if (clock)
    options.emplace_back("-cupr-clock");
  if (synchronisation)
    options.emplace_back("-cupr-synchronisation");
  if (instructions)
    options.emplace_back("-cupr-instructions");
  if (contextSites)
    options.push_back("-cupr-context-sites=" + std::to_string(*contextSites));
  return options;
}

std::vector<std::string> Recording::languageOptions() const {
  if (!hostAccesses)
    return {};
  return {"-Xclang", std::string("-plugin-arg-") + abi::kAccessTypesPlugin, "-Xclang", abi::kHostAccesses};
}

} // namespace cupr::tool
