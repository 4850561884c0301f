#include "call_places.h"

namespace cupr::analysis {

std::optional<std::uint32_t> CallPlaces::nodeOf(Act act) {
  const trace::HostBatch &host = model_.host();
  if (!paths_ || calls_ != host.calls.size()) {
    paths_.emplace(model_);
    calls_ = host.calls.size();
  }
  const std::optional<std::uint64_t> call = paths_->callOf(ordering_.callOrderOf(act));
  if (!call || host.calls[*call].node == trace::kNoHostIndex)
    return std::nullopt;
  return host.calls[*call].node;
}

} // namespace cupr::analysis
