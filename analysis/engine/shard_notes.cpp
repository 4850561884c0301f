/// What a shard tells of single accesses and of CTAs, where it is asked for: nothing else depends on it.
#include "address_shard.h"

namespace cupr::analysis {

/// Of a run whose segments are known: of a part that several CTAs made, one for each, all in a row.
void AddressShard::noteReads(const ShardRun &run) {
  communicated_.clear();
  for (std::size_t i = 0, next; i < segments_.size(); i = next) {
    const Segment &segment = segments_[i];
    for (next = i + 1; next < segments_.size() && segments_[next].range == segment.range;)
      ++next;
    const LaunchIndex source = producingLaunch(segment.writer);
    if (source == kHost || orderOf(segment.writer) != DependenceOrder::Ordered)
      continue;
    communicated_.push_back(segment.range);
    if (!ctaStrides_)
      continue;
    const ShapeBytes read{segment.range.bytes() * run.threads, firstBytes(run, segment.range) * run.threads};
    const bool handedOn = next - i > 1 || isHandedOn(source, segment.cta, run.cta);
    ctaStrides_->read(launch_, run.cta, run.shape, {read, handedOn ? read : ShapeBytes()});
  }
  if (notes_) {
    const CommunicatedRead first{run.begin, run.elementBytes,  launch_,
                                 run.cta,   siteOf(run.shape), run.threads};
    segmentSteps_ += kStepsPerNote * notes_->read(first, run.access, communicated_);
  }
}

/// Of what is read for the first time by a launch, or handed on.
void AddressShard::noteWrites(const Range &range, const Version &version, const ShapeFlow &flow) {
  const LaunchIndex source = producingLaunch(version.writer);
  if (ctaStrides_)
    ctaStrides_->written(source, lastCta(version), version.shape, flow);
  // What was copied the launch wrote elsewhere.
  if (notes_ && flow.communicated.all != 0 && version.writer < kFirstHandedOn)
    segmentSteps_ += kStepsPerNote * notes_->written(source, range);
}

void AddressShard::moveStrides() {
  const std::size_t before = findings_.ctaStrides.size();
  ctaStrides_->moveTo(findings_.ctaStrides);
  spend(kStepsPerCtaStride * (findings_.ctaStrides.size() - before));
}

void AddressShard::moveManyStrides() {
  constexpr std::size_t kMostStrides = 1u << 14;
  if (ctaStrides_->size() > kMostStrides)
    moveStrides();
  if (findings_.ctaStrides.size() > kMostStrides)
    context_.takeEarly(findings_);
}

} // namespace cupr::analysis
