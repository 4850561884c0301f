/// What was run, and how much it accessed and communicated in all.
#include "analysis/output/text.h"
#include "members.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

constexpr int kResultsVersion = 1;

} // namespace

void program(ResultsWriter &to) {
  const trace::Process &process = to.model.header().process;
  to.json.field("version", kResultsVersion).field("program", process.program);
  to.json.key("arguments").beginArray();
  for (const std::string &argument : process.arguments)
    to.json.value(argument);
  to.json.endArray();
  to.json.key("device").beginObject();
  to.json.field("kind", process.deviceKind).field("name", process.deviceName).endObject();
  to.json.field("truncated", !to.model.truncation().empty());
  to.json.key("notes").beginArray();
  if (!to.model.truncation().empty())
    to.json.value(to.model.truncation() + "; results cover what is there");
  if (const std::string note = phasesNote(to.model); !note.empty())
    to.json.value(note);
  if (to.communication.incompleteLaunches != 0)
    to.json.value(
        fmt::format("{} launches are not traced or incomplete: what they wrote and read is not in these "
                    "figures.",
                    to.communication.incompleteLaunches));
  if (to.communication.hasOverwritten())
    to.json.value(fmt::format(
        "{} communicated bytes, {} from the host and {} to it were possibly overwritten, by launches "
        "of which not all was seen or by the host without a call: all figures of communication may be too "
        "high by as much, and "
        "name the wrong writer.",
        to.communication.overwritten, to.communication.hostReadOverwritten,
        to.communication.readByHostOverwritten));
  if (to.communication.ofLastProducer != 0)
    to.json.value(
        fmt::format("{} bytes have so many producers that the last writer stands for all of them in "
                    "transfers between CTAs.",
                    to.communication.ofLastProducer));
  if (to.communication.concurrent != 0)
    to.json.value(
        fmt::format("{} bytes were read by launches that nothing orders after their writers; they do not "
                    "count as communication.",
                    to.communication.concurrent));
  if (to.communication.communicated == 0)
    to.json.value("No launch read what an earlier one wrote.");
  to.json.endArray();
}

void programVolume(Json &json, const ProgramVolume &volume) {
  json.key("volume").beginObject();
  countFields(json, volume.counts);
  json.field("uniqueReadBytes", volume.uniqueRead).field("uniqueWrittenBytes", volume.uniqueWritten);
  json.field("copiedBytes", volume.copied).field("hostWrittenBytes", volume.writtenByHost);
  json.endObject();
  json.key("communicated").beginObject();
  json.field("bytes", volume.communicated).field("share", volume.share());
  json.field("sameIndexBytes", volume.sameIndex).field("otherIndexBytes", volume.otherIndex);
  json.field("handedOnBytes", volume.handedOn);
  json.field("toHostBytes", volume.readByHost).field("fromHostBytes", volume.hostRead);
  json.field("concurrentBytes", volume.concurrent).field("handedOnShare", volume.handedOnShare());
  json.field("possiblyOverwrittenBytes", volume.overwritten);
  json.field("toHostPossiblyOverwrittenBytes", volume.readByHostOverwritten);
  json.field("fromHostPossiblyOverwrittenBytes", volume.hostReadOverwritten);
  json.field("ofLastProducerBytes", volume.ofLastProducer);
  json.endObject();
  json.field("incompleteLaunches", volume.incompleteLaunches);
}

void volume(ResultsWriter &to) {
  programVolume(to.json, to.communication);
  trace::SpaceCounts sum;
  for (const LaunchInfo &launch : to.model.launches())
    sum += launch.totals.counts;
  to.json.key("otherMemory").beginArray();
  for (const auto space : {abi::MemorySpace::Shared, abi::MemorySpace::Constant, abi::MemorySpace::Local})
    if (sum.in(space) != trace::Counts{}) {
      to.json.beginObject().field("space", abi::spaceName(space));
      to.counts(sum.in(space));
      to.json.endObject();
    }
  to.json.endArray();
}

} // namespace cupr::analysis
