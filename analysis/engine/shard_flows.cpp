/// What flows between the present act and others: counted by entity, kept until there are many, and told.
#include "address_shard.h"

#include <algorithm>
#include <tuple>

namespace cupr::analysis {

using enum DependenceKind;
using enum DependenceOrder;

/// A thread's access counts once for each writer whose bytes it meets.
void AddressShard::countOperations(const ShardRun &run) {
  const auto meets = [&](const Segment &segment, std::uint64_t operations) {
    addFlow(
        {{Raw, orderOf(segment.writer)}, producerOf(segment.writer), segment.cta, run.cta, 0, operations});
  };
  if (run.access != 0) {
    for (const Segment &segment : segments_) {
      const DependenceOrder order = orderOf(segment.writer);
      meets(segment, 0); // so that there is a flow
      const LaunchIndex source = producingLaunch(segment.writer);
      const Crossing crossing{run.access, {Raw, order}, source, launch_, source == kHost ? 0 : segment.cta,
                              run.cta,    run.threads};
      // A large access has a part in every page.
      std::vector<Crossing> &all = findings_.crossings;
      if (all.empty() || all.back().before(crossing) || crossing.before(all.back()))
        all.push_back(crossing);
    }
    return;
  }
  const Segment &first = segments_.front();
  if (segments_.size() == 1 && first.range == run.range()) {
    meets(first, std::uint64_t{run.elements} * run.threads);
    return;
  }
  const auto isWhole = [&](const Segment &segment) {
    return (segment.range.begin - run.begin) % run.elementBytes == 0 &&
           segment.range.bytes() % run.elementBytes == 0;
  };
  if (std::ranges::all_of(segments_, isWhole)) { // each element lies in one segment
    for (const Segment &segment : segments_)
      meets(segment, segment.range.bytes() / run.elementBytes * run.threads);
    return;
  }
  std::size_t from = 0;
  for (std::uint32_t i = 0; i < run.elements; ++i) {
    const std::uint64_t begin = run.begin + std::uint64_t{i} * run.elementBytes,
                        end = begin + run.elementBytes;
    while (from < segments_.size() && segments_[from].range.end <= begin)
      ++from;
    met_.clear();
    for (std::size_t s = from; s < segments_.size() && segments_[s].range.begin < end; ++s) {
      // All acts of the host are one writer.
      const LaunchIndex launch = producingLaunch(segments_[s].writer);
      const std::tuple writer(orderOf(segments_[s].writer), launch, launch == kHost ? 0 : segments_[s].cta);
      if (std::find(met_.begin(), met_.end(), writer) != met_.end())
        continue;
      met_.push_back(writer);
      meets(segments_[s], run.threads);
    }
  }
}

void AddressShard::flush() {
  moveFlows();
  spendWork();
  orderedWith_ = kNoAct;
}

/// They are sums: those of one act may go in several parts.
void AddressShard::addFlow(const Flow &flow) {
  flows_.add(flow, [this](const Flow &sum) { putTransfer(sum); });
}

void AddressShard::putTransfer(const Flow &flow) {
  const LaunchIndex source = context_.ordering.launchOf(flow.first);
  findings_.transfers.push_back({source, launch_, source == kHost ? 0 : flow.firstCta, flow.cta, flow.bytes,
                                 flow.operations, flow.dependence});
}

void AddressShard::moveFlows() {
  flows_.handOnAll([this](const Flow &sum) { putTransfer(sum); });
}

void AddressShard::tellFindings() {
  spend(kStepsPerFlow * (findings_.transfers.size() + findings_.crossings.size()));
  context_.takeEarly(findings_);
}

void AddressShard::tellTransfers() {
  moveFlows();
  if (ctaStrides_)
    moveStrides();
  tellFindings();
}

} // namespace cupr::analysis
