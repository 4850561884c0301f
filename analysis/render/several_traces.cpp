/// The JSON of one trace goes out in pieces, as it does alone.
#include "several_traces.h"

#include "analysis/output/text.h"
#include "analysis/tables/json_rows.h"
#include "analysis/tables/table.h"
#include "communication.h"

#include <fmt/format.h>

namespace cupr::analysis {

void SeveralTracesText::add(const Model &model, const Communication &communication) {
  lines_.push_back({model.path(), model.calls(), communication});
}

std::string SeveralTracesText::text() const {
  using enum Table::Align;
  Table table({Left, Right, Right, Right, Right, Right, Right, Right, Right});
  table.row({"trace", "launches", "accesses", "read", "written", "communicated", "share", "to the host",
             "from the host"});
  const auto row = [&](const std::string &name, std::size_t launches, const ProgramVolume &volume) {
    table.row({name, grouped(launches),
               grouped(volume.counts.loads + volume.counts.stores + volume.counts.atomics),
               grouped(volume.uniqueRead), grouped(volume.uniqueWritten), grouped(volume.communicated),
               percent(volume.communicated, volume.written()), grouped(volume.readByHost),
               grouped(volume.hostRead)});
  };
  ProgramVolume sum;
  std::size_t launches = 0;
  for (const Line &line : lines_) {
    row(line.path, line.launches, line.volume);
    sum += line.volume;
    launches += line.launches;
  }
  row("all", launches, sum);
  return table.text() + '\n' + volumeText(sum) +
         "each trace is a process of its own: what they send each other is not in these figures\n";
}

void SeveralTracesJson::add(const Model &model, const Results &results, TransferList transfers) {
  write_(fmt::format("{}{{\"trace\":{},\"results\":", traces_++ == 0 ? "{\"traces\":[" : ",",
                     jsonString(model.path())));
  resultsJson(model, results, transfers, write_);
  write_("}");
  sum_ += results.communication;
}

void SeveralTracesJson::finish() {
  Json sum(Json::Style::Line);
  sum.beginObject();
  volumesRow(sum_, [&](const Values &values) { JsonRows(kVolumes).write(sum, values); });
  sum.endObject();
  write_(fmt::format("],\"sum\":{}}}\n", sum.take()));
}

} // namespace cupr::analysis
