/// Source lines with their costs, the sources' text, and findings.
#include "members.h"

namespace cupr::analysis {

void lines(ResultsWriter &to) {
  to.json.key("lines").beginArray();
  for (const SourceFile &file : to.results.sources)
    for (const auto &[number, line] : file.lines) {
      to.json.beginObject().field("file", file.path).field("line", number).key("functions").beginArray();
      for (const std::string &function : line.functions)
        to.json.value(function);
      to.json.endArray();
      to.counts(line.counts);
      to.json.field("requests", line.requests).field("sectors", line.sectors);
      to.json.field("leastSectors", line.leastSectors)
          .field("excessSectors", line.sectors - line.leastSectors);
      to.json.field("communicatedBytes", line.communicated);
      to.json.field("readCommunicatedBytes", line.readCommunicated);
      to.strides("strides", line.strides);
      to.json.endObject();
      to.putWhenLarge();
    }
  to.json.endArray();
}

void sources(ResultsWriter &to) {
  to.json.key("sources").beginArray();
  for (const SourceFile &file : to.results.sources)
    if (!file.text.empty())
      to.json.beginObject().field("path", file.path).field("text", file.text).endObject();
  to.json.endArray();
  to.put();
}

void findingList(ResultsWriter &to) {
  to.json.key("findings").beginArray();
  for (const Finding &finding : to.results.findings) {
    to.json.beginObject()
        .field("id", finding.id)
        .field("title", finding.title)
        .field("advice", finding.advice);
    to.json.field("kernel", finding.kernel).field("file", finding.file).field("line", finding.line);
    to.json.field("column", finding.column).field("operation", finding.operation);
    to.json.field("amount", finding.amount)
        .field("unit", finding.unit)
        .field("share", finding.share)
        .endObject();
  }
  to.json.endArray();
}

} // namespace cupr::analysis
