/// The definition of communication, byte by byte and as simple as it gets: what the fast
/// analysis must agree with.
#ifndef CUPR_TEST_BYTE_REFERENCE_H
#define CUPR_TEST_BYTE_REFERENCE_H

#include "analysis/engine/communication.h"
#include "analysis/model/records.h"
#include "order_reference.h"

#include <array>
#include <map>
#include <set>
#include <tuple>

namespace cupr::test {

class ByteReference {
public:
  using LaunchIndex = analysis::LaunchIndex;
  static constexpr LaunchIndex kHost = analysis::kHost;

  /// All launches must be of one kernel, of the first module.
  explicit ByteReference(const analysis::Model &model) : model_(model), order_(model) {
    for (const analysis::Event &event : model.events())
      std::visit([this](const auto &what) { apply(what); }, event);
  }

  std::uint64_t uniqueWritten = 0, uniqueRead = 0, communicated = 0, sameIndex = 0, otherIndex = 0,
                handedOn = 0;
  std::uint64_t readByHost = 0, writtenByHost = 0, hostRead = 0, concurrent = 0;
  using Entity = std::pair<LaunchIndex, std::uint32_t>;
  /// (class, first, second) -> bytes, operations
  std::map<std::tuple<analysis::DependenceClass, Entity, Entity>, std::pair<std::uint64_t, std::uint64_t>>
      transfers;
  /// (source, destination) -> bytes, same index, other index
  std::map<std::pair<LaunchIndex, LaunchIndex>, std::array<std::uint64_t, 3>> pairs;
  /// (class, first site, second site) -> bytes; the host has site -1
  std::map<std::tuple<analysis::DependenceClass, int, int>, std::uint64_t> dependences;
  std::map<std::uint32_t, std::uint64_t> communicatedBySite;
  std::map<std::size_t, std::array<std::uint64_t, 3>> allocations; ///< read, written, communicated

private:
  /// Who wrote a byte, or read it last.
  struct Access {
    std::uint64_t order = 0; ///< of the call; 0: nobody
    LaunchIndex launch = kHost;
    std::uint32_t cta = 0;
    int site = -1;
    Entity entity() const { return {launch, cta}; }
    bool isKnown() const { return order != 0; }
  };
  struct Byte {
    Access writer, reader;
    std::set<std::uint32_t> producers; ///< CTAs, of a launch's
    bool byLaunch = false, bySame = false, byOther = false, byHandedOn = false, byHost = false,
         byUnordered = false;
    bool byUnorderedHost = false;
  };
  using Kind = analysis::DependenceKind;
  using Order = analysis::DependenceOrder;

  void apply(const analysis::AllocationEvent &event) {
    forget(event.index);
    live_.insert(event.index);
  }
  void apply(const analysis::FreeEvent &event) {
    forget(event.allocation);
    live_.erase(event.allocation);
  }
  std::size_t allocationOf(std::uint64_t address) const {
    for (const std::size_t index : live_) {
      const auto &allocation = model_.allocations()[index].allocation;
      if (address >= allocation.address && address < allocation.address + allocation.bytes)
        return index;
    }
    return model_.allocations().size();
  }
  void forget(std::size_t index) {
    const auto &allocation = model_.allocations()[index].allocation;
    for (std::uint64_t i = 0; i < allocation.bytes; ++i)
      memory_.erase(allocation.address + i);
  }

  Order orderOf(const Access &first, std::uint64_t order) const {
    return order_.before(first.order, order) ? Order::Ordered : Order::Concurrent;
  }
  void depend(Kind kind, Order order, const Access &first, const Access &second, std::uint64_t lineBytes = 1,
              std::uint64_t transferBytes = 1) {
    if (!first.isKnown() || (first.launch == kHost && second.launch == kHost))
      return;
    const analysis::DependenceClass dependence{kind, order};
    if (lineBytes != 0)
      dependences[{dependence, first.site, second.site}] += lineBytes;
    if (lineBytes == 0 || transferBytes != 0 || dependence.order != Order::InsideLaunch)
      transfers[{dependence, first.entity(), second.entity()}].first += transferBytes;
  }
  static std::vector<Access> producersOf(const Byte &byte) {
    std::vector<Access> producers;
    for (const std::uint32_t cta : byte.producers)
      producers.push_back({byte.writer.order, byte.writer.launch, cta, byte.writer.site});
    return producers;
  }
  void overwrite(std::uint64_t at, const Access &writer, const std::set<std::uint32_t> &producers = {0}) {
    Byte &byte = memory_[at];
    if (byte.reader.isKnown())
      depend(Kind::War, orderOf(byte.reader, writer.order), byte.reader, writer);
    if (byte.writer.isKnown())
      depend(Kind::Waw, orderOf(byte.writer, writer.order), byte.writer, writer);
    byte = {.writer = writer, .reader = {}, .producers = producers};
  }

  void apply(const analysis::CopyEvent &event) {
    const trace::Copy &copy = model_.copies()[event.index];
    const Access host{copy.order};
    std::set<std::pair<Order, Entity>> met;
    for (std::uint64_t i = 0; i < copy.rowBytes; ++i) {
      const auto found = memory_.find(copy.source + i);
      if (found == memory_.end() || !found->second.writer.isKnown())
        continue;
      Byte &byte = found->second;
      byte.reader = host;
      if (byte.writer.launch == kHost)
        continue;
      const Order order = orderOf(byte.writer, copy.order);
      bool &known = order == Order::Ordered ? byte.byHost : byte.byUnorderedHost;
      depend(Kind::Raw, order, byte.writer, host, 1, 0);
      for (const Access &producer : producersOf(byte)) {
        auto &transfer = transfers[{{Kind::Raw, order}, producer.entity(), host.entity()}];
        transfer.first += !known;
        transfer.second += met.insert({order, producer.entity()}).second;
      }
      if (order == Order::Ordered) {
        readByHost += !known;
        pairs[{byte.writer.launch, kHost}][0] += !known;
      }
      known = true;
    }
    if (copy.kind == trace::CopyKind::HostToDevice || copy.kind == trace::CopyKind::DeviceToDevice ||
        allocationOf(copy.destination) != model_.allocations().size())
      hostWrites(copy.destination, copy.rowBytes, host);
  }
  void apply(const analysis::SetEvent &event) {
    const trace::Set &set = model_.sets()[event.index];
    hostWrites(set.destination, set.rowBytes, {set.order});
  }
  void hostWrites(std::uint64_t address, std::uint64_t bytes, const Access &host) {
    writtenByHost += bytes;
    for (std::uint64_t i = 0; i < bytes; ++i)
      overwrite(address + i, host);
  }

  /// What one thread does at one site.
  struct ThreadAccess {
    Access access;
    std::uint64_t address;
    std::uint32_t bytes;
  };
  /// What a launch has done so far.
  struct Launch {
    std::map<std::uint64_t, std::map<std::uint32_t, int>> reads; ///< byte -> CTA -> its lowest site
    std::set<std::uint64_t> readBack;                            ///< bytes that a CTA had written itself
    std::map<std::uint64_t, Access> writes;                      ///< the last writer
    std::map<std::uint64_t, std::set<std::uint32_t>> producers;  ///< CTAs that the value comes from
    struct Late {
      Access writer, reader; ///< of the first time
      std::set<std::uint32_t> ctas;
    };
    std::map<std::uint64_t, Late> late;  ///< read behind another CTA's write
    std::set<std::uint64_t> overwritten; ///< that another CTA had read
  };

  /// One warp's access: all threads read before any writes.
  void apply(const analysis::Record &record, std::size_t launch, Launch &state) {
    const abi::OperationClass operation = abi::operationClass(record.site->operation);
    std::vector<ThreadAccess> threads;
    for (unsigned lane = 0; lane < abi::kLanes; ++lane)
      if (record.access.laneMask >> lane & 1)
        threads.push_back(
            {{model_.launches()[launch].launch.order, static_cast<LaunchIndex>(launch),
              static_cast<std::uint32_t>(record.access.cta), static_cast<int>(record.access.site)},
             record.access.address[lane],
             static_cast<std::uint32_t>(abi::laneBytes(record.access, lane, record.site->bytes))});
    if (operation != abi::OperationClass::Store)
      for (const ThreadAccess &thread : threads)
        read(thread, state);
    if (operation != abi::OperationClass::Load)
      for (const ThreadAccess &thread : threads)
        for (std::uint64_t at = thread.address; at < thread.address + thread.bytes; ++at)
          writeInside(thread.access, at, operation == abi::OperationClass::Store, state);
  }

  void writeInside(const Access &access, std::uint64_t at, bool replaces, Launch &state) {
    if (replaces)
      state.producers[at].clear();
    state.producers[at].insert(access.cta);
    Access &writer = state.writes[at];
    if (writer.isKnown() && writer.cta != access.cta)
      depend(Kind::Waw, Order::InsideLaunch, writer, access);
    writer = access;
    const auto read = state.reads.find(at);
    if (read == state.reads.end() || state.overwritten.contains(at))
      return;
    for (const auto &[cta, site] : read->second)
      if (cta != access.cta) {
        depend(Kind::War, Order::InsideLaunch, {access.order, access.launch, cta, site}, access);
        state.overwritten.insert(at);
        return;
      }
  }

  void apply(const analysis::LaunchEvent &event) {
    Launch state;
    analysis::RecordStream records(model_, model_.launches()[event.index], analysis::RecordsOf::GlobalMemory);
    while (const analysis::Record *record = records.next())
      apply(*record, event.index, state);
    for (const auto &[at, late] : state.late)
      for (const std::uint32_t cta : late.ctas) {
        const Access &from = late.writer.cta != cta ? late.writer : late.reader;
        Access reader = late.reader;
        depend(Kind::Raw, Order::InsideLaunch, late.writer, reader, 1, 0);
        reader.cta = cta;
        depend(Kind::Raw, Order::InsideLaunch, from, reader, 0, 1);
      }
    std::set<std::uint64_t> read = state.readBack;
    for (const auto &[at, ctas] : state.reads)
      read.insert(at);
    for (const std::uint64_t at : read) {
      ++uniqueRead;
      ++allocations[allocationOf(at)][0];
    }
    for (const auto &[at, writer] : state.writes) {
      ++uniqueWritten;
      ++allocations[allocationOf(at)][1];
      overwrite(at, writer, state.producers[at]);
    }
    for (const auto &[at, ctas] : state.reads)
      if (!state.writes.contains(at))
        memory_[at].reader = {model_.launches()[event.index].launch.order,
                              static_cast<LaunchIndex>(event.index), ctas.begin()->first,
                              ctas.begin()->second};
  }

  void read(const ThreadAccess &thread, Launch &state) {
    const Access &access = thread.access;
    auto &reads = state.reads;
    std::set<std::pair<Order, Entity>> met;
    for (std::uint64_t at = thread.address; at < thread.address + thread.bytes; ++at) {
      if (const auto written = state.writes.find(at); written != state.writes.end()) {
        if (written->second.cta == access.cta) {
          state.readBack.insert(at);
          continue;
        }
        Launch::Late &late =
            state.late.try_emplace(at, Launch::Late{written->second, access, {}}).first->second;
        late.ctas.insert(access.cta);
      }
      const bool firstOfAll = !reads.contains(at);
      std::map<std::uint32_t, int> &ctas = reads[at];
      const bool firstOfCta = !ctas.contains(access.cta);
      Byte &byte = memory_[at];
      const auto isOther = [&](std::uint32_t cta) {
        return byte.producers.size() > 1 || !byte.producers.contains(cta);
      };
      bool hadSame = false, hadOther = false;
      for (const auto &[cta, lowest] : ctas) {
        hadSame = hadSame || byte.producers.contains(cta);
        hadOther = hadOther || isOther(cta);
      }
      int &site = ctas.try_emplace(access.cta, access.site).first->second;
      site = std::min(site, access.site);
      if (!byte.writer.isKnown())
        continue;
      const Order order = orderOf(byte.writer, access.order);
      depend(Kind::Raw, order, byte.writer, access, 1, 0);
      for (const Access &producer : producersOf(byte)) {
        auto &transfer = transfers[{{Kind::Raw, order}, producer.entity(), access.entity()}];
        transfer.first += firstOfCta;
        transfer.second += met.insert({order, producer.entity()}).second;
      }
      if (order != Order::Ordered) {
        concurrent += byte.writer.launch != kHost && !byte.byUnordered;
        byte.byUnordered = true;
        continue;
      }
      std::array<std::uint64_t, 3> &pair = pairs[{byte.writer.launch, access.launch}];
      pair[0] += firstOfAll;
      if (byte.writer.launch == kHost) {
        hostRead += !byte.byLaunch;
        byte.byLaunch = true;
        continue;
      }
      const bool same = byte.producers.contains(access.cta), other = isOther(access.cta);
      pair[1] += same && !hadSame;
      pair[2] += other && !hadOther;
      communicated += !byte.byLaunch;
      if (!byte.byLaunch) {
        ++communicatedBySite[static_cast<std::uint32_t>(byte.writer.site)];
        ++allocations[allocationOf(at)][2];
      }
      sameIndex += same && !byte.bySame;
      otherIndex += other && !byte.byOther;
      byte.bySame |= same;
      byte.byOther |= other;
      const bool isHandedOn =
          other || model_.launches()[byte.writer.launch].kernel != model_.launches()[access.launch].kernel;
      handedOn += isHandedOn && !byte.byHandedOn;
      byte.byHandedOn |= isHandedOn;
      byte.byLaunch = true;
    }
  }

  const analysis::Model &model_;
  const OrderReference order_;
  std::map<std::uint64_t, Byte> memory_;
  std::set<std::size_t> live_; ///< allocations
};

} // namespace cupr::test

#endif
