#include "call_times.h"

#include "advice_limits.h"
#include "latency_samples.h"

#include <algorithm>
#include <unordered_set>

namespace cupr::analysis {

namespace {

constexpr double kNanosecond = 1e-9;
constexpr std::uint64_t kStepsPerCall = 200, kBytesPerCall = 32;

} // namespace

CallTimes::CallTimes(const Model &model, const HostPaths &paths)
    : model_(model), paths_(paths), isOfGpu_(!isModelled(model)), ends_(model) {
  const trace::HostBatch &host = model.host();
  model.limit().keep(host.calls.size() * kBytesPerCall, [] { return std::string("times of calls"); });
  model.limit().spend(host.calls.size() * kStepsPerCall, [] { return std::string("times of calls"); });
  actsOf_.resize(host.calls.size());
  for (const trace::HostAct &act : host.acts)
    ++actsOf_[act.call];
  // Calls that the host goes on behind while the device works.
  std::unordered_set<std::uint64_t> goesOn;
  const auto add = [&](std::uint64_t order) {
    if (const std::optional<std::uint64_t> call = paths.callOf(order))
      goesOn.insert(*call);
  };
  for (const LaunchInfo &launch : model.launches())
    add(launch.launch.order);
  for (const trace::Copy &copy : model.copies())
    if (copy.asynchronous)
      add(copy.order);
  for (const trace::Set &set : model.sets())
    add(set.order);
  std::vector<std::vector<std::uint64_t>> byThread(host.threads.size());
  for (std::uint64_t call = 0; call < host.calls.size(); ++call)
    byThread[host.calls[call].thread].push_back(call);
  workBehind_.resize(host.calls.size());
  for (std::vector<std::uint64_t> &calls : byThread) {
    std::ranges::sort(calls, {}, [&](std::uint64_t call) { return host.calls[call].began; });
    // From the last one on: `work` is what lies between the call and the next one that it may not go beyond.
    double work = 0;
    bool isBounded = false;
    for (std::size_t i = calls.size(); i-- > 0;) {
      const trace::HostCall &call = host.calls[calls[i]];
      if (i + 1 < calls.size()) {
        const std::uint64_t next = host.calls[calls[i + 1]].began;
        work += next > call.ended ? kNanosecond * static_cast<double>(next - call.ended) : 0;
      }
      workBehind_[calls[i]] = isBounded && work >= kLeastWork ? work : 0;
      if (!goesOn.contains(calls[i])) {
        work = 0;
        isBounded = true;
      }
    }
  }
}

std::optional<std::uint64_t> CallTimes::onlyCallOf(std::uint64_t order) const {
  const std::optional<std::uint64_t> call = paths_.callOf(order);
  return call && actsOf_[*call] == 1 ? call : std::nullopt;
}

std::optional<double> CallTimes::took(std::uint64_t order) const {
  const std::optional<std::uint64_t> call = isOfGpu_ ? onlyCallOf(order) : std::nullopt;
  if (!call)
    return std::nullopt;
  const trace::HostCall &of = model_.host().calls[*call];
  return kNanosecond * static_cast<double>(of.ended - of.began);
}

std::optional<double> CallTimes::tookItself(std::uint64_t order) const {
  const std::optional<double> all = took(order);
  if (!all || !ends_.areAllKnownBefore(order))
    return std::nullopt;
  const trace::HostCall &of = model_.host().calls[*onlyCallOf(order)];
  const std::uint64_t from = std::clamp(ends_.doneBefore(order), of.began, of.ended);
  return kNanosecond * static_cast<double>(of.ended - from);
}

double CallTimes::workBehind(std::uint64_t order) const {
  const std::optional<std::uint64_t> call = paths_.callOf(order);
  return call ? workBehind_[*call] : 0;
}

} // namespace cupr::analysis
