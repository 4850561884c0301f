/// The end of a launch, where it is followed what several GPUs would exchange.
///
/// The same reads and versions as in shard_versions.cpp, and the same order of the steps; but a byte counts for
/// GPUs that read it, not for CTAs.
#include "address_shard.h"

namespace cupr::analysis {

void AddressShard::endTraffic() {
  CutTraffic &traffic = *traffic_;
  endLateReads();
  Shadow<DeviceSet> unused, alsoUnused;
  reads_.applyWith(
      Shadow<ReadMark>(), traffic.readers(), unused,
      [&](const Range &, const ReadMark &read, const ReadMark &, DeviceSet &readers, DeviceSet &) {
        segmentSteps_ += kStepsPerSegment;
        readers = traffic.setOf(read.ctaAndOne - 1);
      });
  for (const RangeSet::Entry &entry : otherReads_.byCta()) {
    segmentSteps_ += kStepsPerPage;
    traffic.add(traffic.readers(), entry.cta, entry.range());
    spendWork();
  }
  traffic.readers().applyWith(
      writes_, memory_, traffic.held(),
      [&](const Range &range, const DeviceSet &readers, const WriteMark &written, Version &version,
          CutTraffic::Held &held) {
        segmentSteps_ += kStepsPerSegment;
        if (readers != 0 && version.writer != kNoAct && orderOf(version.writer) == DependenceOrder::Ordered)
          traffic.fetched(range.bytes(), readers, producingLaunch(version.writer), version.cta, held);
        DeviceSet devices = readers;
        if (written.ctaAndOne != 0) {
          const std::uint32_t cta = written.ctaAndOne - 1;
          devices = traffic.unite(devices, traffic.setOf(cta));
          traffic.written(cta, held);
          version = {act_, cta, written.shape};
        }
        traffic.touched(range, *allocations_, devices, held);
      });
  traffic.earlyWriters().applyWith(
      Shadow<DeviceSet>(), traffic.held(), alsoUnused,
      [&](const Range &range, const DeviceSet &writers, const DeviceSet &, CutTraffic::Held &held,
          DeviceSet &) { traffic.touched(range, *allocations_, writers, held); });
  spend(5 * kStepsPerFlow * traffic.end());
  otherReads_.clear();
  reads_.clear();
  writes_.clear();
  flush();
}

} // namespace cupr::analysis
