/// One pass over the records, with sums outside of memory.
#include "address_history.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <stdexcept>
#include <tuple>

namespace cupr::analysis {

namespace {
constexpr std::uint64_t kSumMemory = std::uint64_t{96} << 20;
}

bool HistoryEntry::before(const HistoryEntry &other) const {
  const auto key = [](const HistoryEntry &e) {
    return std::tuple(e.address, e.superstep, e.launch, e.cta, e.site, e.bytes);
  };
  return key(*this) < key(other);
}

std::unique_ptr<SortedSum<HistoryEntry>> addressHistory(const Model &model, const Ordering &ordering,
                                                        const std::vector<Range> &ranges) {
  auto result = std::make_unique<SortedSum<HistoryEntry>>(kSumMemory);
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
    RecordStream records(model, model.launches()[launch], RecordsOf::GlobalMemory);
    while (const Record *record = records.next()) {
      constexpr std::uint64_t kStepsPerThread = 200;
      records.spend(kStepsPerThread * abi::activeLanes(record->access.laneMask));
      for (std::uint32_t left = record->access.laneMask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const Range access = accessRange(record->access.address[lane],
                                         abi::laneBytes(record->access, lane, record->site->bytes));
        if (std::none_of(ranges.begin(), ranges.end(), [&](const Range &range) {
              return access.begin < range.end && range.begin < access.end;
            }))
          continue;
        result->add({access.begin, ordering.superstepOf(launch), launch,
                     static_cast<std::uint32_t>(record->access.cta), record->access.site, access.bytes(), 1});
      }
    }
  }
  return result;
}

Range addressesOf(const Model &model, const std::string &text) {
  if (text == "all")
    return {0, UINT64_MAX};
  static const std::regex kPattern(
      "a([0-9]{1,9})(?:\\+(0x[0-9a-fA-F]{1,15}|[0-9]{1,15})(?::([0-9]{1,15}))?)?");
  std::smatch parts;
  if (!std::regex_match(text, parts, kPattern))
    throw std::runtime_error(fmt::format("'{}' names no addresses: say all, a3 (allocation 3 of `cupranalyze "
                                         "info`), a3+0x400 or a3+0x400:64",
                                         text));
  const std::size_t ordinal = std::stoul(parts[1]);
  if (ordinal >= model.allocations().size())
    throw std::runtime_error(fmt::format("there is no allocation {}: the trace has {}, counted from 0",
                                         ordinal, model.allocations().size()));
  const trace::Allocation &allocation = model.allocations()[ordinal].allocation;
  const Range whole = accessRange(allocation.address, allocation.bytes);
  if (!parts[2].matched)
    return whole;
  const std::uint64_t offset = std::stoull(parts[2], nullptr, 0);
  const std::uint64_t bytes = parts[3].matched ? std::stoull(parts[3]) : 1;
  if (bytes == 0 || offset >= whole.bytes() || bytes > whole.bytes() - offset)
    throw std::runtime_error(
        fmt::format("'{}' is not within allocation {}, which has {} bytes", text, ordinal, whole.bytes()));
  return {whole.begin + offset, whole.begin + offset + bytes};
}

} // namespace cupr::analysis
