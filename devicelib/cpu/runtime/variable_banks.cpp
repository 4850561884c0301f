#include "variable_banks.h"

#include "registry.h"

#include <algorithm>
#include <cstring>

namespace cupr::cpu {

void VariableBanks::use(int device) {
  findVariables();
  if (device == holder_)
    return;
  for (Variable &variable : variables_) {
    auto *const place = static_cast<unsigned char *>(variable.place->address);
    variable.values.resize(static_cast<std::size_t>(deviceCount()));
    variable.values[static_cast<std::size_t>(holder_)].assign(place, place + variable.place->bytes);
    const Bytes &own = variable.values[static_cast<std::size_t>(device)];
    std::memcpy(place, own.empty() ? variable.initial.data() : own.data(), variable.place->bytes);
  }
  holder_ = device;
}

/// Variables of modules that have been registered since the last look still have their initial values.
void VariableBanks::findVariables() {
  for (const abi::CpuVariable *place : Registry::instance().ownVariables()) {
    if (std::any_of(variables_.begin(), variables_.end(),
                    [&](const Variable &known) { return known.place == place; }))
      continue;
    const auto *const bytes = static_cast<const unsigned char *>(place->address);
    variables_.push_back({place, Bytes(bytes, bytes + place->bytes), {}});
  }
}

} // namespace cupr::cpu
