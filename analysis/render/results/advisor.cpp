/// What several GPUs would have to exchange.
#include "advice.h"
#include "members.h"

namespace cupr::analysis {

void advisor(ResultsWriter &to) {
  to.json.key("advisor");
  if (!to.source.results.advisor) {
    to.json.null();
    return;
  }
  const Advisor &advisor = *to.source.results.advisor;
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
  to.rows("cuts", kAdvisorCuts);
  to.json.key("best").beginArray();
  for (const std::size_t best : advisor.best)
    to.json.value(best);
  to.json.endArray();
  to.rows("atomics", kAdvisorAtomics);
  to.json.key("notes").beginArray();
  for (const std::string &note : advisor.notes)
    to.json.value(note);
  to.json.endArray().key("assumptions").beginArray();
  for (const std::string &assumption : advisor.assumptions)
    to.json.value(assumption);
  to.json.endArray().field("text", adviceLine(advisor)).endObject();
}

} // namespace cupr::analysis
