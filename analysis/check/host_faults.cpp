#include "host_faults.h"

#include "analysis/model/host_paths.h"

#include <fmt/format.h>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace cupr::analysis {

namespace {

/// Whether the call is one for memory of this kind.
bool isFreedBy(trace::MemoryKind kind, const std::string &call) {
  using enum trace::MemoryKind;
  return kind != Symbol && (kind == Host) == (call.find("Host") != std::string::npos) &&
         (kind == Array) == (call.find("Array") != std::string::npos);
}

} // namespace

void tellFrees(const Model &model, const MemoryLifetimes &lifetimes, std::size_t first,
               std::vector<Fault> &faults) {
  for (std::size_t i = first; i < model.strayFrees().size(); ++i) {
    const trace::Free &free = model.strayFrees()[i];
    Fault fault;
    fault.count = 1;
    fault.call = i;
    fault.address = free.address;
    fault.allocation = lifetimes.holds(free.address, free.order);
    if (!fault.allocation)
      fault.allocation = lifetimes.freed(free.address, free.order);
    const AllocationInfo *const memory = fault.allocation ? &model.allocations()[*fault.allocation] : nullptr;
    const bool wasFreed = memory && memory->freedOrder < free.order &&
                          memory->allocation.address == free.address &&
                          isFreedBy(memory->allocation.kind, free.call);
    fault.rule = wasFreed ? FaultRule::DoubleFree : FaultRule::InvalidFree;
    faults.push_back(fault);
  }
}

void tellErrors(const Model &model, std::vector<Fault> &faults) {
  const std::vector<trace::HostFailure> &failures = model.host().failures;
  if (failures.empty())
    return;
  const HostPaths paths(model);
  std::map<std::vector<std::string>, Fault> told;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const trace::HostFailure &failure = failures[i];
    std::vector<std::string> key{failure.call, failure.error};
    std::vector<PathFrame> path = paths.pathTo(failure.node);
    key.push_back(takeLaunchStub(path).value_or(""));
    if (!path.empty())
      key.push_back(fmt::format("{}:{}:{} {}", path.back().file, path.back().line, path.back().column,
                                path.back().function));
    const auto [found, isNew] = told.try_emplace(std::move(key));
    Fault &fault = found->second;
    if (isNew) {
      fault.rule = FaultRule::UncheckedError;
      fault.call = i;
    }
    fault.count += failure.count;
  }
  for (const auto &[place, fault] : told)
    faults.push_back(fault);
}

void tellLeaks(const Model &model, std::vector<Fault> &faults) {
  if (!model.truncation().empty() || std::ranges::any_of(model.launches(), isCutOff))
    return; // it did not come to its end
  for (const AllocationInfo &info : model.allocations()) {
    using enum trace::MemoryKind;
    const trace::Allocation &memory = info.allocation;
    const bool isVariable =
        memory.kind == Symbol || memory.call == "__managed__"; // stays as long as its program
    const bool isFreed = isVariable || info.freedOrder != UINT64_MAX || memory.call == "found";
    const bool isOfProgram = memory.call.starts_with("cuda") || !memory.file.empty();
    if (isFreed || !isOfProgram || memory.call.find("Import") != std::string::npos ||
        memory.call.find("Ipc") != std::string::npos || memory.call.find("Register") != std::string::npos)
      continue;
    Fault fault;
    fault.rule = FaultRule::Leak;
    fault.count = 1;
    fault.address = memory.address;
    fault.allocation = info.ordinal;
    faults.push_back(fault);
  }
}

} // namespace cupr::analysis
