/// What was run, and how much it accessed and communicated in all.
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
  if (to.communication.incompleteLaunches != 0)
    to.json.value(
        fmt::format("{} launches are not traced or incomplete: what they wrote and read is not in these "
                    "figures.",
                    to.communication.incompleteLaunches));
  if (to.communication.concurrent != 0)
    to.json.value(
        fmt::format("{} bytes were read by launches that nothing orders after their writers; they do not "
                    "count as communication.",
                    to.communication.concurrent));
  if (to.communication.communicated == 0)
    to.json.value("No launch read what an earlier one wrote.");
  to.json.endArray();
}

void volume(ResultsWriter &to) {
  to.json.key("volume").beginObject();
  to.counts(to.communication.counts);
  to.json.field("uniqueReadBytes", to.communication.uniqueRead)
      .field("uniqueWrittenBytes", to.communication.uniqueWritten);
  to.json.field("hostWrittenBytes", to.communication.writtenByHost);
  to.json.endObject();
  to.json.key("communicated").beginObject();
  to.json.field("bytes", to.communication.communicated).field("share", to.communication.share());
  to.json.field("sameIndexBytes", to.communication.sameIndex)
      .field("otherIndexBytes", to.communication.otherIndex)
      .field("handedOnBytes", to.communication.handedOn);
  to.json.field("toHostBytes", to.communication.readByHost).field("fromHostBytes", to.communication.hostRead);
  to.json.field("concurrentBytes", to.communication.concurrent);
  to.json.endObject();
  to.json.field("incompleteLaunches", to.communication.incompleteLaunches);
}

} // namespace cupr::analysis
