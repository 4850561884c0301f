#include "host_dump.h"

#include "analysis/export/model_rows.h"
#include "analysis/output/json.h"
#include "analysis/output/text.h"
#include "analysis/tables/json_rows.h"

#include <fmt/format.h>
#include <string>

namespace cupr::analysis {

namespace {

/// " in main > step(int) (a.cpp:22)"; empty: the path is not known.
std::string pathText(RowReferences &references, std::uint32_t node) {
  if (node == trace::kNoHostIndex)
    return {};
  const PathFrame innermost = references.innermostOf(node);
  return " in " + references.pathTo(node) +
         (innermost.line == 0 ? std::string() : fmt::format(" ({}:{})", innermost.file, innermost.line));
}

} // namespace

void dumpHost(const Model &model, bool asJson, std::uint64_t limit) {
  const trace::HostBatch &host = model.host();
  RowReferences references(model);
  ModelRows rows(references);
  const auto threadText = [&](std::uint32_t thread) {
    const trace::HostThread &of = host.threads[thread];
    return fmt::format("thread {}{}{}", of.id, of.name.empty() ? "" : " ", of.name);
  };
  const auto lineOf = [&](RowKindId kind, std::size_t index) {
    if (kind == RowKindId::HostSample) {
      const trace::HostSample &sample = host.samples[index];
      return fmt::format("sample {} {} at {} ns of {} ns{}", index, threadText(sample.thread), sample.time,
                         sample.weight, pathText(references, sample.node));
    }
    const trace::HostCall &call = host.calls[index];
    return fmt::format("call {} {} {} from {} to {} ns{}", index, host.names[call.name],
                       threadText(call.thread), call.began, call.ended, pathText(references, call.node));
  };
  for (const RowKindId kind : {RowKindId::HostCall, RowKindId::HostSample}) {
    const JsonRows members(rowKind(kind));
    for (std::size_t index = 0; index < rows.size(kind) && limit > 0; ++index, --limit) {
      std::string line;
      if (asJson) {
        Json json;
        json.beginObject().field("row", rowKind(kind).name);
        members.write(json, *rows.row(kind, index));
        line = json.endObject().take();
      } else {
        line = shown(lineOf(kind, index));
      }
      model.limit().spend(1500 + 8 * line.size(), [] { return std::string("printing the host's calls"); });
      fmt::print("{}\n", line);
    }
  }
}

} // namespace cupr::analysis
