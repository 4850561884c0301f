/// The rules of order as a graph, and order as a path in it: what Ordering must agree with.
#ifndef CUPR_TEST_ORDER_REFERENCE_H
#define CUPR_TEST_ORDER_REFERENCE_H

#include "analysis/model/ordering.h"

#include <algorithm>
#include <map>
#include <vector>

namespace cupr::test {

/// Each call has two nodes: its work (2 n), and that it has returned (2 n + 1).
class OrderReference {
public:
  explicit OrderReference(const analysis::Model &model) {
    collect(model);
    std::sort(calls_.begin(), calls_.end(), [](const Call &a, const Call &b) { return a.order < b.order; });
    after_.resize(2 * calls_.size());
    for (std::size_t i = 0; i < calls_.size(); ++i)
      connect(i);
    const std::size_t nodes = after_.size();
    reaches_.assign(nodes, std::vector<bool>(nodes));
    for (std::size_t node = nodes; node-- != 0;)
      for (const std::size_t next : after_[node]) {
        reaches_[node][next] = true;
        for (std::size_t to = 0; to < nodes; ++to)
          reaches_[node][to] = reaches_[node][to] || reaches_[next][to];
      }
  }

  /// By the orders of two calls.
  bool before(std::uint64_t a, std::uint64_t b) const { return reaches_[2 * at(a)][2 * at(b)]; }
  /// Whether the host had waited for a's work when it called b.
  bool hostKnows(std::uint64_t a, std::uint64_t b) const { return reaches_[2 * at(a)][2 * at(b) - 1]; }

private:
  using Kind = trace::Synchronisation::Kind;
  struct Call {
    std::uint64_t order, stream = 0, event = 0;
    trace::StreamKind kind = trace::StreamKind::Unknown;
    bool isAct = true, hostWaits = false;
    Kind call = Kind::Device;
    trace::GraphPlace place{};
    bool hostWaitsBefore = false; ///< for what the stream held, not for its own work
    bool inStream() const { return isAct || (call != Kind::Device && call != Kind::Event); }
  };

  void collect(const analysis::Model &model) {
    for (const analysis::LaunchInfo &info : model.launches())
      calls_.push_back({info.launch.order, info.launch.stream, 0, info.launch.streamKind, true, false,
                        Kind::Device, info.launch.place});
    for (const trace::Copy &copy : model.copies()) {
      Call call{copy.order, copy.stream, 0, copy.streamKind, true, false, Kind::Device, copy.place};
      wait(call, copy, model);
      calls_.push_back(call);
    }
    for (const trace::Set &set : model.sets()) {
      const char memory = memoryOf(model, set.destination, set.order, 'd');
      calls_.push_back({set.order, set.stream, 0, set.streamKind, true,
                        !set.asynchronous && (memory == 'p' || memory == 'm'), Kind::Device, set.place});
    }
    for (const trace::Synchronisation &call : model.synchronisations())
      calls_.push_back({call.order, call.stream, call.event, call.streamKind, false, false, call.kind});
  }

  /// 'p'inned or 'm'anaged memory, of the 'd'evice, or `other` where no allocation is known.
  static char memoryOf(const analysis::Model &model, std::uint64_t address, std::uint64_t order, char other) {
    for (const analysis::AllocationInfo &info : model.allocations())
      if (info.allocation.order < order && order < info.freedOrder &&
          address - info.allocation.address < info.allocation.bytes)
        return info.allocation.kind == trace::MemoryKind::Host      ? 'p'
               : info.allocation.kind == trace::MemoryKind::Managed ? 'm'
                                                                    : 'd';
    return other;
  }

  static void wait(Call &call, const trace::Copy &copy, const analysis::Model &model) {
    using enum trace::CopyKind;
    if (copy.place.graph != 0)
      return;
    const char from = memoryOf(model, copy.source, copy.order,
                               copy.kind == HostToDevice || copy.kind == HostToHost ? 'h' : 'd');
    const char to = memoryOf(model, copy.destination, copy.order,
                             copy.kind == DeviceToHost || copy.kind == HostToHost ? 'h' : 'd');
    const bool fromHost = from == 'h' || from == 'p', toHost = to == 'h' || to == 'p';
    call.hostWaits = (fromHost && toHost) || (!copy.asynchronous && (toHost || (fromHost && from == 'p')));
    call.hostWaitsBefore = !copy.asynchronous && from == 'h' && !toHost;
  }

  std::size_t at(std::uint64_t order) const {
    const auto found =
        std::find_if(calls_.begin(), calls_.end(), [&](const Call &c) { return c.order == order; });
    return static_cast<std::size_t>(found - calls_.begin());
  }

  static bool wait(const Call &a, const Call &b) {
    using enum trace::StreamKind;
    if (a.stream == b.stream || a.kind == Unknown || b.kind == Unknown)
      return true;
    return (a.kind == Legacy && b.kind == Blocking) || (a.kind == Blocking && b.kind == Legacy);
  }

  /// Acts of one launch of a graph follow their nodes, and otherwise their streams.
  static bool waits(const Call &a, const Call &b) {
    if (a.place.graph == 0 || a.place.graph != b.place.graph)
      return wait(a, b);
    const std::vector<std::uint32_t> &after = b.place.after;
    return a.place.node == b.place.node || std::find(after.begin(), after.end(), a.place.node) != after.end();
  }

  /// Edges go from earlier calls, and from a call's work to its return.
  void connect(std::size_t i) {
    const Call &call = calls_[i];
    const std::size_t work = 2 * i, returned = 2 * i + 1;
    if (i != 0) {
      after_[2 * i - 1].push_back(work);
      after_[2 * i - 1].push_back(returned);
    }
    for (std::size_t j = 0; j < i; ++j)
      if (call.inStream() && calls_[j].inStream() && waits(calls_[j], call)) {
        after_[2 * j].push_back(work);
        if (call.hostWaitsBefore)
          after_[2 * j].push_back(returned);
      }
    if (call.isAct) {
      if (call.hostWaits)
        after_[work].push_back(returned);
      return;
    }
    if (call.call == Kind::Device)
      for (std::size_t j = 0; j < i; ++j)
        if (calls_[j].inStream())
          after_[2 * j].push_back(returned);
    if (call.call == Kind::Stream)
      after_[work].push_back(returned);
    if (call.call == Kind::EventRecord)
      recorded_[call.event] = work;
    if (const auto found = recorded_.find(call.event); found != recorded_.end()) {
      if (call.call == Kind::StreamWaitEvent)
        after_[found->second].push_back(work);
      if (call.call == Kind::Event)
        after_[found->second].push_back(returned);
    }
  }

  std::vector<Call> calls_;
  std::map<std::uint64_t, std::size_t> recorded_; ///< event -> node
  std::vector<std::vector<std::size_t>> after_;
  std::vector<std::vector<bool>> reaches_;
};

} // namespace cupr::test

#endif
