/// What a trace says, for the page. Numbers that may not fit in a double are written as text.
#include "trace_view.h"

#include "analysis/model/names.h"
#include "analysis/output/json.h"
#include "analysis/output/kind_names.h"

#include <unordered_map>

namespace cupr::viewer {

namespace {

using analysis::Json;

void addSite(Json &json, const trace::Site &site, const trace::Module &module) {
  const auto place = [&](const auto &of) {
    json.field("file", module.strings[of.file]).field("line", of.line).field("column", of.column);
    json.field("function", analysis::userName(module.strings[of.function]));
  };
  json.beginObject();
  place(site);
  json.field("type", module.strings[site.type]).field("sourceType", module.strings[site.sourceType]);
  json.field("name", module.strings[site.name]).field("bytes", site.bytes);
  json.field("operation", abi::operationName(site.operation));
  json.field("kind", static_cast<unsigned>(abi::operationClass(site.operation)));
  json.field("space", abi::spaceName(abi::spaceOf(site.space)));
  json.field("isBlock", (site.flags & abi::kSiteBlock) != 0);
  json.field("order", abi::orderName(site.order)).field("scope", abi::scopeName(site.scope));
  json.field("isVolatile", (site.flags & abi::kSiteVolatile) != 0);
  json.key("inlinedAt").beginArray();
  for (std::uint32_t at = site.frame; at != abi::kNoFrame; at = module.frames[at].parent) {
    json.beginObject();
    place(module.frames[at]);
    json.field("kind", abi::frameKindName(module.frames[at].kind)).endObject();
  }
  json.endArray().endObject();
}

void addModule(Json &json, const trace::Module &module) {
  json.beginObject();
  json.key("sites").beginArray();
  for (const trace::Site &of : module.sites)
    addSite(json, of, module);
  json.endArray();
  json.key("sources").beginArray();
  for (const trace::Source &source : module.sources)
    json.value(module.strings[source.path]);
  json.endArray().endObject();
}

/// Texts that many launches have in common.
class Texts {
public:
  std::size_t index(const std::string &text) {
    const auto [at, isNew] = indices_.emplace(text, indices_.size());
    if (isNew)
      texts_.push_back(&at->first);
    return at->second;
  }
  void write(Json &json) const {
    json.beginArray();
    for (const std::string *text : texts_)
      json.value(*text);
    json.endArray();
  }

private:
  std::unordered_map<std::string, std::size_t> indices_;
  std::vector<const std::string *> texts_;
};

/// There may be a million: a list of numbers for each, as viewer/src/trace.ts names them.
void addLaunch(Json &json, const analysis::LaunchInfo &info, Texts &texts) {
  const trace::Launch &launch = info.launch;
  const trace::LaunchEnd &end = info.totals.end;
  json.beginArray();
  json.value(static_cast<std::uint64_t>(launch.id)).value(launch.order).value(texts.index(info.kernel));
  for (const trace::Dim3 &dim : {launch.grid, launch.block})
    json.value(dim.x).value(dim.y).value(dim.z);
  json.value(texts.index(std::to_string(launch.stream))).value(launch.device);
  json.value(launch.module == trace::kNoModule ? -1 : static_cast<std::int64_t>(launch.module));
  json.value(launch.traced + 2 * (info.derivedRecords != nullptr) + 4 * info.complete());
  json.value(texts.index(launch.traced ? end.reason : launch.reason));
  json.value(texts.index(launch.file)).value(launch.line);
  json.value(launch.time).value(end.began).value(end.ended);
  json.value(info.totals.records).value(info.totals.counts.accesses()).value(info.chunks.size());
  json.value(texts.index(abi::schemeName(launch.timed)));
  json.endArray();
}

void addAllocation(Json &json, const analysis::AllocationInfo &info) {
  json.beginObject();
  json.field("address", std::to_string(info.allocation.address));
  json.field("bytes", info.allocation.bytes);
  json.field("kind", analysis::kindName(info.allocation.kind));
  json.field("call", info.allocation.call).field("name", info.allocation.name);
  json.field("elementType", info.allocation.type).field("file", info.allocation.file);
  json.field("line", info.allocation.line).field("column", info.allocation.column);
  json.field("ordinal", info.ordinal).field("order", info.allocation.order);
  if (info.freedOrder == UINT64_MAX)
    json.key("freed").null();
  else
    json.field("freed", info.freedOrder);
  json.endObject();
}

} // namespace

std::string TraceView::json(const analysis::Import *importing) const {
  Json json;
  const trace::Header &header = model_.header();
  json.beginObject();
  json.field("format", header.formatVersion).field("program", header.process.program);
  json.key("arguments").beginArray();
  for (const std::string &argument : header.process.arguments)
    json.value(argument);
  json.endArray();
  json.field("deviceKind", header.process.deviceKind).field("deviceName", header.process.deviceName);
  json.field("startTime", header.process.startTime).field("truncation", model_.truncation());
  const bool isExport = importing && importing->format() != analysis::ExportFormat::Trace;
  json.field("exportedAs", isExport ? analysis::nameOf(importing->format()) : "");
  json.key("notes").beginArray();
  if (importing)
    for (const std::string &note : importing->notes())
      json.value(note);
  json.endArray();
  json.key("modules").beginArray();
  for (const trace::Module &of : model_.modules())
    addModule(json, of);
  json.endArray();
  Texts texts;
  json.key("launches").beginArray();
  for (const analysis::LaunchInfo &info : model_.launches())
    addLaunch(json, info, texts);
  json.endArray();
  json.key("texts");
  texts.write(json);
  json.key("allocations").beginArray();
  for (const analysis::AllocationInfo &info : model_.allocations())
    addAllocation(json, info);
  json.endArray().endObject();
  return json.take();
}

} // namespace cupr::viewer
