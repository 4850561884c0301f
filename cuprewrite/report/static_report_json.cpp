#include "static_report.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cupr::report {
namespace {

constexpr const char *kFormat = "cupr-static-report";

const char *kindName(FunctionEntry::Kind kind) {
  switch (kind) {
  case FunctionEntry::Kind::Kernel:
    return "kernel";
  case FunctionEntry::Kind::Clone:
    return "clone";
  case FunctionEntry::Kind::KeptSignature:
    return "kept signature";
  }
  return "";
}

json::Object toJson(const Place &place) {
  return json::Object{{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

json::Object toJson(const AccessEntry &access) {
  json::Array inlinedAt, sources;
  for (const InlinedCall &call : access.inlinedAt) {
    json::Object entry = toJson(call.place);
    entry["function"] = call.function;
    inlinedAt.push_back(std::move(entry));
  }
  for (const PointerSource &source : access.sources)
    sources.push_back(json::Object{{"what", source.what}, {"space", source.space}});
  json::Object entry = toJson(access.place);
  entry["function"] = access.function;
  entry["clone"] = access.clone;
  entry["inlinedAt"] = std::move(inlinedAt);
  entry["operation"] = access.operation;
  entry["bytes"] = access.bytes;
  entry["type"] = access.type;
  entry["space"] = access.space;
  entry["why"] = access.why;
  entry["sources"] = std::move(sources);
  entry["traced"] = access.traced;
  entry["reason"] = access.reason;
  entry["derived"] = access.derived;
  entry["recordedBecause"] = access.recordedBecause;
  return entry;
}

json::Object toJson(const FunctionEntry &function) {
  json::Object entry = toJson(function.place);
  entry["kind"] = kindName(function.kind);
  entry["name"] = function.name;
  entry["clone"] = function.clone;
  entry["traced"] = function.traced;
  entry["handle"] = function.handle;
  return entry;
}

json::Object toJson(const Totals &totals) {
  return json::Object{{"accesses", totals.accesses},           {"global", totals.provenGlobal},
                      {"decidedAtRunTime", totals.decided},    {"notGlobal", totals.otherSpace},
                      {"notUnderstood", totals.notUnderstood}, {"notTraced", totals.notTraced}};
}

/// Reads members of the right type, and remembers the first that is not.
class Reader {
public:
  explicit Reader(std::string &error) : error_(error) {}

  std::string text(const json::Object &from, const char *name) {
    const auto value = from.getString(name);
    if (!value)
      return fail<std::string>(name);
    return value->str();
  }
  std::uint64_t number(const json::Object &from, const char *name) {
    const auto value = from.getInteger(name);
    if (!value || *value < 0)
      return fail<std::uint64_t>(name);
    return static_cast<std::uint64_t>(*value);
  }
  bool flag(const json::Object &from, const char *name) {
    const auto value = from.getBoolean(name);
    return value ? *value : fail<bool>(name);
  }
  template <typename Read> void objects(const json::Object &from, const char *name, Read read) {
    const json::Array *list = from.getArray(name);
    if (!list)
      return (void)fail<bool>(name);
    for (const json::Value &element : *list)
      if (const json::Object *object = element.getAsObject())
        read(*object);
      else
        fail<bool>(name);
  }

  Place place(const json::Object &from) {
    return {text(from, "file"), static_cast<unsigned>(number(from, "line")),
            static_cast<unsigned>(number(from, "column"))};
  }

  AccessEntry access(const json::Object &from) {
    AccessEntry entry;
    entry.place = place(from);
    entry.function = text(from, "function");
    entry.clone = text(from, "clone");
    objects(from, "inlinedAt", [&](const json::Object &call) {
      entry.inlinedAt.push_back({place(call), text(call, "function")});
    });
    entry.operation = text(from, "operation");
    entry.bytes = number(from, "bytes");
    entry.type = text(from, "type");
    entry.space = text(from, "space");
    entry.why = text(from, "why");
    objects(from, "sources", [&](const json::Object &source) {
      entry.sources.push_back({text(source, "what"), text(source, "space")});
    });
    entry.traced = flag(from, "traced");
    entry.reason = text(from, "reason");
    entry.derived = flag(from, "derived");
    entry.recordedBecause = text(from, "recordedBecause");
    return entry;
  }

  FunctionEntry function(const json::Object &from) {
    FunctionEntry entry;
    entry.place = place(from);
    const std::string kind = text(from, "kind");
    bool known = false;
    for (const auto candidate :
         {FunctionEntry::Kind::Kernel, FunctionEntry::Kind::Clone, FunctionEntry::Kind::KeptSignature})
      if (kind == kindName(candidate)) {
        entry.kind = candidate;
        known = true;
      }
    if (!known)
      fail<bool>("kind");
    entry.name = text(from, "name");
    entry.clone = text(from, "clone");
    entry.traced = flag(from, "traced");
    entry.handle = text(from, "handle");
    return entry;
  }

private:
  template <typename T> T fail(const char *name) {
    if (error_.empty())
      error_ = std::string("'") + name + "' is missing or of the wrong type";
    return T{};
  }
  std::string &error_;
};

} // namespace

std::string toJson(const StaticReport &report) {
  json::Array accesses, functions;
  for (const AccessEntry &access : report.accesses)
    accesses.push_back(toJson(access));
  for (const FunctionEntry &function : report.functions)
    functions.push_back(toJson(function));
  const json::Value root = json::Object{{"format", kFormat},
                                        {"version", kStaticReportVersion},
                                        {"modules", json::Array(report.modules)},
                                        {"accesses", std::move(accesses)},
                                        {"functions", std::move(functions)},
                                        {"totals", toJson(totalsOf(report))}};
  std::string text;
  raw_string_ostream(text) << formatv("{0:2}", root) << "\n";
  return text;
}

StaticReport fromJson(const std::string &text, std::string &error) {
  StaticReport report;
  Expected<json::Value> root = json::parse(text);
  if (!root) {
    error = toString(root.takeError());
    return report;
  }
  const json::Object *object = root->getAsObject();
  if (!object || object->getString("format") != StringRef(kFormat) ||
      object->getInteger("version") != kStaticReportVersion) {
    error = "not a static report of this version";
    return report;
  }
  Reader reader(error);
  const json::Array *modules = object->getArray("modules");
  for (const json::Value &module : modules ? *modules : json::Array())
    if (const auto name = module.getAsString())
      report.modules.push_back(name->str());
  reader.objects(*object, "accesses",
                 [&](const json::Object &entry) { report.accesses.push_back(reader.access(entry)); });
  reader.objects(*object, "functions",
                 [&](const json::Object &entry) { report.functions.push_back(reader.function(entry)); });
  return report;
}

} // namespace cupr::report
