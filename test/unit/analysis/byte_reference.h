/// The definition of communication, byte by byte and as simple as it gets: what the fast
/// analysis must agree with.
#ifndef CUPR_TEST_BYTE_REFERENCE_H
#define CUPR_TEST_BYTE_REFERENCE_H

#include "analysis/metrics/communication.h"
#include "analysis/model/records.h"

#include <map>
#include <set>
#include <tuple>

namespace cupr::test {

class ByteReference {
public:
  using Superstep = analysis::Superstep;
  static constexpr Superstep kHost = analysis::kHost;

  explicit ByteReference(const analysis::Model &model) : model_(model) {
    for (const analysis::Event &event : model.events())
      std::visit([this](const auto &what) { apply(what); }, event);
  }

  std::uint64_t uniqueWritten = 0, uniqueRead = 0, communicated = 0, sameIndex = 0, otherIndex = 0;
  std::uint64_t readByHost = 0, writtenByHost = 0, hostRead = 0;
  /// (source, source CTA, destination, destination CTA) -> bytes, operations
  std::map<std::tuple<Superstep, std::uint32_t, Superstep, std::uint32_t>,
           std::pair<std::uint64_t, std::uint64_t>>
      transfers;
  /// (source, destination) -> bytes, same index, other index
  std::map<std::pair<Superstep, Superstep>, std::array<std::uint64_t, 3>> pairs;

private:
  struct Version {
    Superstep superstep;
    std::uint32_t cta;
    bool byLaunch = false, bySame = false, byOther = false, byHost = false;
  };

  void apply(const analysis::AllocationEvent &event) {
    forget(event.index);
    live_.insert(event.index);
  }
  void apply(const analysis::FreeEvent &event) {
    forget(event.allocation);
    live_.erase(event.allocation);
  }
  bool isLive(std::uint64_t address) const {
    for (const std::size_t index : live_) {
      const auto &allocation = model_.allocations()[index].allocation;
      if (address >= allocation.address && address < allocation.address + allocation.bytes)
        return true;
    }
    return false;
  }
  void forget(std::size_t index) {
    const auto &allocation = model_.allocations()[index].allocation;
    for (std::uint64_t i = 0; i < allocation.bytes; ++i)
      memory_.erase(allocation.address + i);
  }
  void apply(const analysis::CopyEvent &event) {
    const trace::Copy &copy = model_.copies()[event.index];
    std::set<std::pair<Superstep, std::uint32_t>> met;
    for (std::uint64_t i = 0; i < copy.rowBytes; ++i) {
      const auto found = memory_.find(copy.source + i);
      if (found == memory_.end() || found->second.superstep == kHost)
        continue;
      Version &version = found->second;
      readByHost += !version.byHost;
      version.byHost = true;
      auto &transfer = transfers[{version.superstep, version.cta, kHost, 0}];
      ++transfer.first;
      transfer.second += met.insert({version.superstep, version.cta}).second;
      ++pairs[{version.superstep, kHost}][0];
    }
    if (copy.kind == trace::CopyKind::HostToDevice || copy.kind == trace::CopyKind::DeviceToDevice ||
        isLive(copy.destination))
      hostWrites(copy.destination, copy.rowBytes);
  }
  void apply(const analysis::SetEvent &event) {
    const trace::Set &set = model_.sets()[event.index];
    hostWrites(set.destination, set.rowBytes);
  }
  void hostWrites(std::uint64_t address, std::uint64_t bytes) {
    writtenByHost += bytes;
    for (std::uint64_t i = 0; i < bytes; ++i)
      memory_[address + i] = Version{kHost, 0};
  }

  template <typename Body> void forEachAccess(std::size_t launch, Body body) {
    analysis::RecordStream records(model_, model_.launches()[launch], analysis::RecordsOf::GlobalMemory);
    while (const analysis::Record *record = records.next())
      for (unsigned lane = 0; lane < abi::kLanes; ++lane)
        if (record->access.laneMask >> lane & 1)
          body(static_cast<std::uint32_t>(record->access.cta), record->access.address[lane],
               static_cast<std::uint32_t>(abi::laneBytes(record->access, lane, record->site->bytes)),
               abi::operationClass(record->site->operation));
  }

  void apply(const analysis::LaunchEvent &event) {
    const auto step = static_cast<Superstep>(event.index);
    std::set<std::pair<std::uint32_t, std::uint64_t>> readByCta;
    std::set<std::uint64_t> read, readBySame, readByOther;
    forEachAccess(event.index, [&](std::uint32_t cta, std::uint64_t address, std::uint32_t bytes,
                                   abi::OperationClass operation) {
      if (operation == abi::OperationClass::Store)
        return;
      std::set<std::pair<Superstep, std::uint32_t>> met;
      for (std::uint64_t at = address; at < address + bytes; ++at) {
        uniqueRead += read.insert(at).second;
        const auto found = memory_.find(at);
        if (found == memory_.end())
          continue;
        Version &version = found->second;
        auto &transfer = transfers[{version.superstep, version.cta, step, cta}];
        transfer.second += met.insert({version.superstep, version.cta}).second;
        transfer.first += readByCta.insert({cta, at}).second;
        std::array<std::uint64_t, 3> &pair = pairs[{version.superstep, step}];
        pair[0] += readBySame.count(at) + readByOther.count(at) == 0;
        const bool same = version.cta == cta || version.superstep == kHost;
        const bool fresh = (same ? readBySame : readByOther).insert(at).second;
        if (version.superstep == kHost) {
          hostRead += !version.byLaunch;
        } else {
          pair[same ? 1 : 2] += fresh;
          communicated += !version.byLaunch;
          sameIndex += same && !version.bySame;
          otherIndex += !same && !version.byOther;
          (same ? version.bySame : version.byOther) = true;
        }
        version.byLaunch = true;
      }
    });
    std::set<std::uint64_t> written;
    forEachAccess(event.index, [&](std::uint32_t cta, std::uint64_t address, std::uint32_t bytes,
                                   abi::OperationClass operation) {
      if (operation == abi::OperationClass::Load)
        return;
      for (std::uint64_t at = address; at < address + bytes; ++at) {
        uniqueWritten += written.insert(at).second;
        memory_[at] = Version{step, cta};
      }
    });
  }

  const analysis::Model &model_;
  std::map<std::uint64_t, Version> memory_;
  std::set<std::size_t> live_; ///< allocations
};

} // namespace cupr::test

#endif
