/// One pass over the records, with sums outside of memory.
#include "address_history.h"

#include "analysis/engine/program_places.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <stdexcept>
#include <tuple>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kHistoryMemory = std::uint64_t{96} << 20;

/// Calls `visitor(const HistoryEntry &)` for each access of a thread that touches one of `ranges`. `steps`: what
/// an access takes, with what becomes of it.
template <typename Visitor>
void forEachAccess(const Model &model, const Ordering &ordering, const std::vector<Range> &ranges,
                   std::uint64_t steps, Visitor visitor) {
  for (LaunchIndex launch = 0; launch < model.launches().size(); ++launch) {
    RecordStream records(model, model.launches()[launch], RecordsOf::GlobalMemory);
    while (const Record *record = records.next()) {
      records.spend(steps * abi::activeLanes(record->access.laneMask));
      for (std::uint32_t left = record->access.laneMask; left != 0; left &= left - 1) {
        const auto lane = static_cast<unsigned>(__builtin_ctz(left));
        const Range access = accessRange(record->access.address[lane],
                                         abi::laneBytes(record->access, lane, record->site->bytes));
        if (std::any_of(ranges.begin(), ranges.end(), [&](const Range &range) {
              return access.begin < range.end && range.begin < access.end;
            }))
          visitor(HistoryEntry{access.begin, ordering.superstepOf(launch), launch,
                               static_cast<std::uint32_t>(record->access.cta), record->access.site,
                               access.bytes(), 1});
      }
    }
  }
}

/// Accesses by their last byte, and among them bytes that a launch wrote and a later one read, by the first:
/// what an access of the launch may have written of these has come when it comes.
struct HistoryEvent {
  std::uint64_t at;
  bool isAccess;       ///< else bytes, in `entry`, of which there are no more than address, launch and bytes
  HistoryEntry entry;  ///< all accesses
  std::uint64_t reads; ///< of these: reads of what an earlier launch wrote

  bool before(const HistoryEvent &other) const {
    if (at != other.at || isAccess != other.isAccess)
      return std::tuple(at, isAccess) < std::tuple(other.at, other.isAccess);
    return entry.before(other.entry);
  }
  void add(const HistoryEvent &other) {
    entry.add(other.entry);
    reads += other.reads;
  }
};

HistoryEvent accessEvent(const HistoryEntry &entry, std::uint64_t reads) {
  return {entry.address + entry.bytes - 1, true, entry, reads};
}

} // namespace

bool HistoryEntry::before(const HistoryEntry &other) const {
  const auto key = [](const HistoryEntry &e) {
    return std::tuple(e.address, e.superstep, e.launch, e.cta, e.site, e.bytes);
  };
  return key(*this) < key(other);
}

std::unique_ptr<SortedSum<HistoryEntry>> addressHistory(const Model &model, const Ordering &ordering,
                                                        const std::vector<Range> &ranges) {
  auto result = std::make_unique<SortedSum<HistoryEntry>>(kHistoryMemory);
  constexpr std::uint64_t kSteps = 200;
  forEachAccess(model, ordering, ranges, kSteps, [&](const HistoryEntry &access) { result->add(access); });
  return result;
}

std::unique_ptr<SortedSum<HistoryEntry>> communicatedHistory(const Model &model, const Ordering &ordering,
                                                             const std::vector<Range> &ranges,
                                                             CommunicatedAccesses &accesses) {
  SortedSum<HistoryEvent> events(kHistoryMemory);
  constexpr std::uint64_t kSteps = 400; // they are sorted twice
  forEachAccess(model, ordering, ranges, kSteps, [&](const HistoryEntry &access) {
    if (access.bytes != 0)
      events.add(accessEvent(access, 0));
  });
  const std::vector<std::uint32_t> firstSites = firstSitesOf(model);
  const auto module = [&](LaunchIndex launch) {
    return static_cast<std::size_t>(model.launches()[launch].launch.module);
  };
  const auto takeRead = [&](const CommunicatedRead &read) {
    const std::uint32_t site = read.site - firstSites[module(read.launch)];
    const HistoryEntry none{
        read.address, ordering.superstepOf(read.launch), read.launch, read.cta, site, read.bytes, 0};
    events.add(accessEvent(none, read.threads));
  };
  const auto takeWritten = [&](const CommunicatedBytes &written) {
    const Range &range = written.range;
    events.add({range.begin, false, {range.begin, 0, written.launch, 0, 0, range.bytes(), 0}, 0});
  };
  accesses.take(takeRead, takeWritten);
  auto result = std::make_unique<SortedSum<HistoryEntry>>(kHistoryMemory);
  std::vector<std::uint64_t> writtenUpTo(model.launches().size()); // by launch
  events.forEach([&](const HistoryEvent &event) {
    HistoryEntry entry = event.entry;
    std::uint64_t &upTo = writtenUpTo[entry.launch];
    if (!event.isAccess) {
      upTo = std::max(upTo, entry.address + entry.bytes);
      return;
    }
    const abi::Operation operation = model.modules()[module(entry.launch)].sites[entry.site].operation;
    // All stores and atomics of a launch to a byte make its version.
    if (abi::operationClass(operation) == abi::OperationClass::Load || upTo <= entry.address)
      entry.accesses = event.reads;
    if (entry.accesses != 0)
      result->add(entry);
  });
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
  if (!allocation.isAddressed())
    throw std::runtime_error(fmt::format("allocation {} is an array, which has no addresses", ordinal));
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
