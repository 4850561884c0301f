/// Who produced a version: where atomics of several CTAs have met, all of them.
#include "address_shard.h"

namespace cupr::analysis {

/// The last writer alone, where all would make too many transfers between CTAs.
std::span<const std::uint32_t> AddressShard::producersOf(const Version &version) const {
  constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 16;
  if (!version.isShared)
    return {&version.cta, 1};
  const std::span<const std::uint32_t> producers = producerSets_.of(version.cta);
  const std::uint64_t readers = launch_ == kHost ? 1 : context_.ctas[launch_];
  if (readers > kMostPairs || producers.size() * readers > kMostPairs)
    return {&lastCta(version), 1};
  return producers;
}

/// `before`: the CTA that wrote the part last in this launch, and one; 0: none did.
void AddressShard::addContributor(const ShardRun &run, const Range &part, std::uint32_t before) {
  if (context_.replaces[siteOf(run.shape)]) {
    if (before != 0 && contributors_.pages() != 0)
      contributors_.change(
          part, Shadow<ProducerSet>::Missing::Skip, [](ProducerSet set) { return set != kOneProducer; },
          [&](const Range &range, ProducerSet &set) {
            growingSets_.leave(set, range.bytes());
            set = kOneProducer;
          });
    return;
  }
  if (before == 0 || before == run.cta + 1)
    return;
  contributors_.change(
      part, Shadow<ProducerSet>::Missing::Make,
      [&](ProducerSet set) { return !growingSets_.has(set, run.cta); },
      [&](const Range &range, ProducerSet &set) {
        set = growingSets_.with(set, range.bytes(), before - 1, run.cta, segmentSteps_);
      });
}

/// The launch's writes are memory now.
void AddressShard::endContributions() {
  if (contributors_.pages() == 0)
    return;
  forgetUnusedSets();
  Shadow<ProducerSet> unused, alsoUnused;
  contributors_.applyWith(
      Shadow<ProducerSet>(), unused, alsoUnused,
      [&](const Range &range, ProducerSet set, ProducerSet, ProducerSet &, ProducerSet &) {
        const std::span<const std::uint32_t> ctas = growingSets_.of(set);
        segmentSteps_ += kStepsPerSegment + 4 * ctas.size();
        memory_.change(
            range, Shadow<Version>::Missing::Skip, [](const Version &) { return true; },
            [&](const Range &, Version &version) {
              if (const ProducerSet number =
                      ctas.empty() ? kOneProducer : producerSets_.numberOf(version.cta, ctas);
                  number != kOneProducer) {
                version.cta = number;
                version.isShared = 1;
              } else {
                version.isCut = 1;
              }
            });
      });
  contributors_.clear();
  growingSets_.clear();
}

/// Of versions that are gone.
void AddressShard::forgetUnusedSets() {
  if (producerSets_.members() < 2 * usedMembers_ + kMostMembers / 4)
    return;
  ProducerSets used;
  Shadow<Version> kept, unused;
  memory_.applyWith(Shadow<Version>(), kept, unused,
                    [&](const Range &, const Version &version, const Version &, Version &to, Version &) {
                      to = version;
                      if (version.isShared)
                        to.cta = used.numberOf(lastCta(version), producerSets_.of(version.cta));
                    });
  memory_ = std::move(kept);
  std::swap(producerSets_, used);
  usedMembers_ = producerSets_.members();
}

} // namespace cupr::analysis
