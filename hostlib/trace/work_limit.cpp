#include "work_limit.h"

#include <algorithm>

namespace cupr::trace {

namespace {

std::atomic<bool> isAnySizeAllowed{false};

/// Sums of what stays below this can't run over.
constexpr std::uint64_t kNoLimit = UINT64_MAX / 2;

std::uint64_t most(std::uint64_t free, std::uint64_t perByte, std::uint64_t bytes) {
  return isAnySizeAllowed || bytes > kNoLimit / perByte ? kNoLimit : std::max(free, perByte * bytes);
}

} // namespace

WorkLimit::WorkLimit(std::string path, std::uint64_t fileBytes)
    : path_(std::move(path)), fileBytes_(fileBytes), mostSteps_(most(kFreeSteps, kStepsPerByte, fileBytes)),
      mostBytes_(most(kFreeBytes, kBytesPerByte, fileBytes)) {}

bool WorkLimit::has(std::uint64_t steps, std::uint64_t bytes) const {
  return steps <= mostSteps_ && spent_.load(std::memory_order_relaxed) <= mostSteps_ - steps &&
         bytes <= mostBytes_ && kept_.load(std::memory_order_relaxed) <= mostBytes_ - bytes;
}

void WorkLimit::allowAnySize() { isAnySizeAllowed = true; }

void WorkLimit::refuse(const std::string &place, const char *what) const {
  throw TooMuch(path_ + ": " + place + " " + what + " (" + std::to_string(fileBytes_) +
                " bytes); if the file is to be trusted, --any-size goes on");
}

} // namespace cupr::trace
