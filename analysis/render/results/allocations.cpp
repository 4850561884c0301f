/// Allocations with what was done with them.
#include "members.h"

#include "analysis/output/kind_names.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

void allocationVolume(ResultsWriter &to, const AllocationVolume &volume) {
  to.counts(volume.counts);
  to.json.field("uniqueReadBytes", volume.uniqueRead).field("uniqueWrittenBytes", volume.uniqueWritten);
  to.json.field("copiedBytes", volume.copied).field("communicatedBytes", volume.communicated).endObject();
  to.putWhenLarge();
}

} // namespace

void allocations(ResultsWriter &to) {
  to.json.key("allocations").beginArray();
  for (const AllocationInfo &info : to.model.allocations()) {
    const AllocationVolume &volume = to.communication.allocations[info.ordinal];
    to.json.beginObject().field("ordinal", info.ordinal).field("name", info.allocation.name);
    to.json.field("call", info.allocation.call).field("kind", kindName(info.allocation.kind));
    to.json.field("address", fmt::format("{:#x}", info.allocation.address))
        .field("bytes", info.allocation.bytes);
    to.json.field("freed", info.freedOrder != UINT64_MAX);
    allocationVolume(to, volume);
  }
  if (const AllocationVolume &unknown = to.communication.allocations.back(); unknown.counts.accesses() != 0) {
    to.json.beginObject().key("ordinal").null().field("name", "").field("call", "").field("kind", "unknown");
    to.json.field("address", "0x0").field("bytes", 0).field("freed", false);
    allocationVolume(to, unknown);
  }
  to.json.endArray();
}

} // namespace cupr::analysis
