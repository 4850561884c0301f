/// Sums and shares of a profile's figures, and what its kinds are called.
#include "profile.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

constexpr const char *kCallKindNames[kCallKinds] = {"launch",     "copy", "set",  "synchronisation",
                                                    "allocation", "free", "other"};
constexpr const char *kContextKindNames[] = {"program", "function", "signal", "unknown code",
                                             "cut",     "call",     "kernel", "device function",
                                             "access",  "loop"};

} // namespace

const char *callKindName(CallKind kind) { return kCallKindNames[static_cast<std::size_t>(kind)]; }
const char *contextKindName(ContextKind kind) { return kContextKindNames[static_cast<std::size_t>(kind)]; }

std::string placedName(ContextKind kind, const std::string &name, const std::string &file,
                       std::uint32_t line) {
  if (line == 0)
    return name;
  return fmt::format("{} {}:{}", kind == ContextKind::Loop ? "loop at" : name,
                     file.substr(file.rfind('/') + 1), line);
}

std::uint64_t ProfileFigures::calls() const {
  std::uint64_t all = 0;
  for (const CallFigures &of : byKind)
    all += of.calls;
  return all;
}

std::uint64_t ProfileFigures::callTime() const {
  std::uint64_t all = 0;
  for (const CallFigures &of : byKind)
    all += of.time;
  return all;
}

std::uint64_t ProfileFigures::apiTime(CallKind kind) const {
  return kind == CallKind::Launch && deviceTime != 0 ? deviceTime : of(kind).time;
}

std::uint64_t ProfileFigures::apiTime() const {
  std::uint64_t all = 0;
  for (std::size_t kind = 0; kind < kCallKinds; ++kind)
    all += apiTime(static_cast<CallKind>(kind));
  return all;
}

ProfileFigures &ProfileFigures::operator+=(const ProfileFigures &other) {
  for (std::size_t kind = 0; kind < kCallKinds; ++kind) {
    byKind[kind].calls += other.byKind[kind].calls;
    byKind[kind].time += other.byKind[kind].time;
  }
  for (std::uint64_t ProfileFigures::*figure :
       {&ProfileFigures::waitTime, &ProfileFigures::launches, &ProfileFigures::deviceTime,
        &ProfileFigures::copyBytes, &ProfileFigures::setBytes, &ProfileFigures::allocatedBytes,
        &ProfileFigures::accesses, &ProfileFigures::accessBytes, &ProfileFigures::requests,
        &ProfileFigures::sectors, &ProfileFigures::leastSectors, &ProfileFigures::samples,
        &ProfileFigures::processorTime, &ProfileFigures::processorTimeInCalls})
    this->*figure += other.*figure;
  executed += other.executed;
  return *this;
}

std::optional<double> Profile::apiImportance(CallKind kind) const {
  const std::uint64_t all = this->all().apiTime();
  return all == 0 ? std::nullopt
                  : std::optional(static_cast<double>(this->all().apiTime(kind)) / static_cast<double>(all));
}

std::optional<double> Profile::apiImportance(const ProfileFigures &figures) const {
  const std::uint64_t all = this->all().apiTime();
  return all == 0 ? std::nullopt
                  : std::optional(static_cast<double>(figures.apiTime()) / static_cast<double>(all));
}

double Profile::cpuImportance(const ProfileFigures &total) const {
  const std::uint64_t api = total.apiTime();
  if (total.processorTime <= api || executionTime == 0)
    return 0;
  // (CPU time - time on the API) / CPU time * CPU time / execution time.
  return static_cast<double>(total.processorTime - api) / static_cast<double>(executionTime);
}

} // namespace cupr::analysis
