/// What several GPUs would have to exchange.
#include "advice.h"
#include "members.h"

namespace cupr::analysis {

namespace {

void cut(ResultsWriter &to, const AdvisorCut &cut) {
  to.json.beginObject().field("devices", cut.devices).field("cut", cutName(cut.kind));
  to.json.key("tiles").beginArray();
  to.json.value(cut.tiles.x).value(cut.tiles.y).value(cut.tiles.z).endArray();
  to.json.field("crossingBytes", cut.crossing).field("crossingOnceBytes", cut.crossingOnce);
  to.json.field("insideLaunchesBytes", cut.insideLaunches);
  to.json.field("crossingShare", cut.crossingShare).field("readFromHostBytes", cut.readFromHost);
  to.json.field("memoryBytes", cut.memory);
  to.json.field("balance", cut.balance).field("accessBalance", cut.accessBalance);
  to.json.field("parallelism", cut.parallelism).field("seconds", cut.seconds).key("speedup");
  if (cut.speedup)
    to.json.value(*cut.speedup);
  else
    to.json.null();
  to.json.key("supersteps").beginArray();
  for (const std::uint64_t bytes : cut.supersteps)
    to.json.value(bytes);
  to.json.endArray().key("inside").beginArray();
  for (const InsideKernel &kernel : cut.inside)
    to.json.beginObject().field("kernel", kernel.kernel).field("bytes", kernel.bytes).endObject();
  to.json.endArray().endObject();
  to.putWhenLarge();
}

} // namespace

void advisor(ResultsWriter &to) {
  to.json.key("advisor");
  if (!to.results.advisor) {
    to.json.null();
    return;
  }
  const Advisor &advisor = *to.results.advisor;
  to.json.beginObject().key("link").beginObject();
  to.json.field("bytesPerSecond", advisor.options.bytesPerSecond);
  to.json.field("latencySeconds", advisor.options.latencySeconds);
  to.json.field("packetBytes", advisor.options.packetBytes);
  to.json.field("topology", topologyName(advisor.options.topology));
  to.json.field("overlaps", advisor.options.overlaps).endObject();
  to.json.field("multiprocessors", advisor.options.multiprocessors).key("kernelSeconds");
  if (advisor.options.kernelSeconds > 0)
    to.json.value(advisor.options.kernelSeconds);
  else
    to.json.null();
  to.json.key("cuts").beginArray();
  for (const AdvisorCut &one : advisor.cuts)
    cut(to, one);
  to.json.endArray().key("best").beginArray();
  for (const std::size_t best : advisor.best)
    to.json.value(best);
  to.json.endArray().key("atomics").beginArray();
  for (const SharedAtomic &atomic : advisor.atomics) {
    to.json.beginObject()
        .field("kernel", atomic.kernel)
        .field("file", atomic.file)
        .field("line", atomic.line);
    to.json.field("column", atomic.column).field("bytes", atomic.bytes).endObject();
  }
  to.json.endArray().key("notes").beginArray();
  for (const std::string &note : advisor.notes)
    to.json.value(note);
  to.json.endArray().key("assumptions").beginArray();
  for (const std::string &assumption : advisor.assumptions)
    to.json.value(assumption);
  to.json.endArray().field("text", adviceLine(advisor)).endObject();
}

} // namespace cupr::analysis
