#include "check_json.h"

#include "analysis/output/json.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

constexpr std::uint64_t kVersion = 1;

void position(Json &json, const char *name, const std::optional<trace::Dim3> &at) {
  if (at)
    json.key(name).beginArray().value(at->x).value(at->y).value(at->z).endArray();
}

void place(Json &json, const ShownPlace &place) {
  json.beginObject();
  json.field("act", place.act).field("operation", place.operation);
  json.field("file", place.file).field("line", place.line).field("column", place.column);
  json.field("function", place.function).field("expression", place.expression.text);
  json.field("expression_column", place.expression.column);
  json.key("callers").beginArray();
  for (std::size_t i = 0; i < place.callers.size(); ++i) {
    json.beginObject();
    json.field("function", place.callers[i]).field("place", place.callSites[i]);
    json.endObject();
  }
  json.endArray();
  if (place.launch != 0)
    json.field("launch", place.launch).field("kernel", place.kernel);
  position(json, "block", place.block);
  position(json, "thread", place.thread);
  json.field("host_path", place.hostPath);
  if (!place.hostThread.empty())
    json.field("host_thread", place.hostThread);
  json.endObject();
}

const char *causeName(RaceCause cause) {
  switch (cause) {
  case RaceCause::Nothing:
    return "unordered";
  case RaceCause::OneInstruction:
    return "one instruction";
  case RaceCause::OneIsPlain:
    return "one is plain";
  case RaceCause::NarrowScope:
    return "narrow scope";
  case RaceCause::NoRelease:
    return "no release";
  case RaceCause::NoAcquire:
    return "no acquire";
  case RaceCause::CopyNotWaited:
    return "copy not waited for";
  case RaceCause::LockNoRelease:
    return "lock without release";
  case RaceCause::LockNoAcquire:
    return "lock without acquire";
  case RaceCause::BehindLock:
    return "behind the lock";
  }
  return "";
}

void rules(Json &json, const std::vector<FaultRule> &rules) {
  json.beginArray();
  for (const FaultRule rule : rules)
    json.value(idOf(rule));
  json.endArray();
}

} // namespace

std::string checkJson(const Model &model, const Checked &checked, const std::vector<ShownFault> &faults) {
  Json json(Json::Style::Indented);
  json.beginObject();
  json.field("format", "cupr-check")
      .field("version", kVersion)
      .field("program", model.header().process.program)
      .field("model", raceModelName(checked.model));
  json.field("launches", checked.launches).field("accesses", checked.accesses);
  json.key("checked");
  rules(json, {kFaultRules.begin(), kFaultRules.end()});
  json.key("rules").beginArray();
  for (const FaultRule rule : kFaultRules) {
    json.beginObject().field("id", idOf(rule)).field("meaning", meaningOf(rule));
    json.field("severity", levelOf(rule)).endObject();
  }
  json.endArray();
  json.key("unchecked").beginArray();
  for (const Unchecked &unchecked : checked.unchecked) {
    json.beginObject();
    json.key("rules");
    rules(json, unchecked.rules);
    json.field("why", unchecked.why);
    json.endObject();
  }
  json.endArray();
  json.key("faults").beginArray();
  for (const ShownFault &shown : faults) {
    const Fault &fault = *shown.fault;
    json.beginObject();
    json.field("rule", idOf(fault.rule)).field("title", shown.title).field("advice", shown.advice);
    if (isRace(fault.rule))
      json.field("cause", causeName(fault.cause)).field("silent", fault.isSilent);
    json.field("space", abi::spaceName(fault.space));
    json.field("count", fault.count).field("bytes", fault.bytes);
    json.field("address", fmt::format("0x{:x}", fault.address)).field("memory", shown.memory);
    if (fault.allocation)
      json.field("allocation", *fault.allocation);
    json.key("accesses").beginArray();
    for (const ShownPlace &access : shown.places)
      place(json, access);
    json.endArray().endObject();
  }
  json.endArray().endObject();
  return json.take() + "\n";
}

namespace {

/// A path below `root` relative to it, as code review pages want them.
std::string uriOf(const std::string &file, const std::string &root) {
  const std::filesystem::path path = std::filesystem::path(file).lexically_normal();
  const std::filesystem::path relative = path.lexically_relative(root);
  const bool isBelow = !root.empty() && !relative.empty() && *relative.begin() != "..";
  std::string uri;
  for (const char c : (isBelow ? relative : path).generic_string())
    if (std::isalnum(static_cast<unsigned char>(c)) ||
        std::string_view("-._~/").find(c) != std::string_view::npos)
      uri += c;
    else
      uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return isBelow || path.is_relative() ? uri : "file://" + uri;
}

/// `text` with the paths below `root` as uriOf() has them, for people.
std::string withoutRoot(std::string text, const std::string &root) {
  if (root.empty() || root == "/")
    return text;
  const std::string prefix = root + '/';
  for (std::size_t at = 0; (at = text.find(prefix, at)) != std::string::npos;)
    text.erase(at, prefix.size());
  return text;
}

void textField(Json &json, const char *name, const std::string &text) {
  json.key(name).beginObject().field("text", text).endObject();
}

/// The words that stand for the access, else its column; the file's first line, if nothing is known. GitHub wants all four.
void physicalLocation(Json &json, const ShownPlace &place, const std::string &root) {
  const bool hasWords = place.expression.column != 0 && !place.expression.text.empty();
  const std::uint32_t line = std::max(place.line, 1u);
  const std::uint32_t column = std::max(hasWords ? place.expression.column : place.column, 1u);
  const std::size_t length = hasWords ? place.expression.text.size() : 1;
  json.key("physicalLocation").beginObject();
  json.key("artifactLocation").beginObject().field("uri", uriOf(place.file, root)).endObject();
  json.key("region").beginObject().field("startLine", line).field("startColumn", column);
  json.field("endLine", line).field("endColumn", column + length).endObject();
  json.endObject();
}

void location(Json &json, const ShownPlace &place, const std::string &root, std::uint32_t id) {
  json.beginObject().field("id", id);
  physicalLocation(json, place, root);
  std::string text = place.operation;
  if (!place.expression.text.empty())
    text += " of " + place.expression.text;
  if (place.block && place.thread)
    text += fmt::format(" by thread ({},{},{}) of block ({},{},{}) in {}", place.thread->x, place.thread->y,
                        place.thread->z, place.block->x, place.block->y, place.block->z, place.kernel);
  json.key("message").beginObject().field("text", withoutRoot(text, root)).endObject();
  json.endObject();
}

/// Code review pages refuse a document in which a result has no place: then it stands at the program.
void locations(Json &json, const ShownFault &shown, const std::string &program, const std::string &root) {
  std::vector<const ShownPlace *> places; // the later access first
  for (auto place = shown.places.rbegin(); place != shown.places.rend(); ++place)
    if (!place->file.empty())
      places.push_back(&*place);
  ShownPlace unknown;
  unknown.file = program;
  // Pages lead to another place only from a link in the message, by its id.
  const bool hasOther = places.size() > 1;
  textField(json, "message",
            withoutRoot(fmt::format("{}. {}", shown.title, shown.advice), root) +
                (hasOther ? fmt::format(" The other access: [{}](1).", withoutRoot(places[1]->place(), root))
                          : ""));
  json.key("locations").beginArray();
  if (places.empty()) {
    json.beginObject();
    physicalLocation(json, unknown, root);
    json.endObject();
  } else {
    location(json, *places[0], root, 0);
  }
  json.endArray();
  if (hasOther) {
    json.key("relatedLocations").beginArray();
    location(json, *places[1], root, 1);
    json.endArray();
  }
}

} // namespace

std::string checkSarif(const Model &model, const Checked &checked, const std::vector<ShownFault> &faults,
                       const std::string &root, const std::string &version) {
  Json json(Json::Style::Indented);
  json.beginObject();
  json.field("$schema", "https://json.schemastore.org/sarif-2.1.0.json").field("version", "2.1.0");
  json.key("runs").beginArray().beginObject();
  json.key("tool").beginObject().key("driver").beginObject();
  json.field("name", "cupranalyze check").field("version", version);
  json.key("rules").beginArray();
  for (const FaultRule rule : kFaultRules) {
    json.beginObject().field("id", idOf(rule));
    textField(json, "shortDescription", meaningOf(rule));
    textField(json, "fullDescription", meaningOf(rule));
    textField(json, "help", fmt::format("{}: {}.", idOf(rule), meaningOf(rule)));
    json.key("defaultConfiguration").beginObject().field("level", levelOf(rule)).endObject();
    json.endObject();
  }
  json.endArray().endObject().endObject();
  json.key("invocations").beginArray().beginObject().field("executionSuccessful", true);
  json.key("toolExecutionNotifications").beginArray();
  for (const Unchecked &unchecked : checked.unchecked) {
    json.beginObject().field("level", "note");
    json.key("message").beginObject();
    json.field("text", fmt::format("not checked: {}: {}", rulesText(unchecked.rules), unchecked.why))
        .endObject();
    json.endObject();
  }
  json.endArray().endObject().endArray();
  json.key("results").beginArray();
  for (const ShownFault &shown : faults) {
    json.beginObject().field("ruleId", idOf(shown.fault->rule));
    json.field("level", levelOf(shown.fault->rule));
    locations(json, shown, model.header().process.program, root);
    json.key("partialFingerprints").beginObject().field("cuprFault/v1", identityOf(shown)).endObject();
    json.endObject();
  }
  json.endArray().endObject().endArray().endObject();
  return json.take() + "\n";
}

} // namespace cupr::analysis
