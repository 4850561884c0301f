/// Sums outside of memory: there may be millions of CTAs.
#include "entity_volumes.h"

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kSumMemory = std::uint64_t{64} << 20;

EntityTraffic ofCta(LaunchIndex launch, std::uint32_t cta) {
  EntityTraffic traffic;
  traffic.volume.launch = launch;
  traffic.volume.index = cta;
  return traffic;
}

} // namespace

EntityTraffics entityTraffics(const Communication &communication) {
  EntityTraffics result{std::make_unique<SortedSum<EntityTraffic>>(kSumMemory),
                        std::make_unique<SortedSum<EntityTraffic>>(kSumMemory)};
  communication.ctas->forEach([&](const EntityVolume &volume) {
    EntityTraffic traffic;
    traffic.volume = volume;
    traffic.ctas = 1;
    result.ctas->add(traffic);
  });
  communication.transfers->forEach([&](const Transfer &transfer) {
    if (transfer.dependence != kCommunication || transfer.source == kHost || transfer.destination == kHost)
      return;
    EntityTraffic source = ofCta(transfer.source, transfer.sourceCta);
    source.sent = transfer.bytes;
    result.ctas->add(source);
    EntityTraffic destination = ofCta(transfer.destination, transfer.destinationCta);
    destination.received = transfer.bytes;
    result.ctas->add(destination);
  });
  result.ctas->forEach([&](const EntityTraffic &cta) {
    EntityTraffic sm = cta;
    sm.volume.index = cta.volume.sm;
    result.sms->add(sm);
  });
  return result;
}

} // namespace cupr::analysis
