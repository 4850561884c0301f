/// The order of the members is part of what the frozen outputs say.
#include "results_json.h"

#include "analysis/tables/json_rows.h"
#include "results/members.h"

#include <algorithm>
#include <fmt/format.h>

extern "C" const char cuprResultsSchema[], cuprResultsSchemaEnd[];

namespace cupr::analysis {

namespace {

constexpr int kResultsVersion = 1;

const ResultTable *tableNamed(std::string_view name) {
  for (const auto &tables : {kResultTables, kJsonTables})
    if (const auto found =
            std::ranges::find(tables, name, [](const ResultTable *table) { return table->name; });
        found != tables.end())
      return *found;
  return nullptr;
}

/// Puts what `make` makes of a table, without its brackets, in place of each `mark`, the table's name and a quote.
void putFields(std::string &text, std::string_view mark,
               const std::function<void(const JsonRows &, Json &)> &make) {
  for (std::size_t at = text.find(mark); at != text.npos; at = text.find(mark, at)) {
    const std::size_t begin = at + mark.size(), end = text.find('"', begin);
    const std::string name = text.substr(begin, end - begin);
    const ResultTable *table = tableNamed(name);
    if (!table)
      throw std::logic_error(fmt::format("members.schema.json: no table is called {}", name));
    Json json(Json::Style::Indented);
    make(JsonRows(*table), json);
    std::string made = json.text();
    made = made.substr(1, made.find_last_not_of("\n ", made.size() - 2));
    made.erase(0, made.find_first_not_of("\n "));
    const std::size_t line = text.rfind('\n', at) + 1;
    const std::string indent(text.find_first_not_of(' ', line) - line, ' ');
    for (std::size_t next = made.find("\n  "); next != made.npos; next = made.find("\n  ", next + 1))
      made.replace(next + 1, 2, indent);
    text.replace(at, end + 1 - at, made);
  }
}

/// An object, with the members that `members(ResultsWriter &)` writes.
template <typename Members>
void writeDocument(const Model &model, const Results &results,
                   const std::function<void(std::string_view)> &write, Members members) {
  const ResultSource source{model, results};
  ResultsWriter to{source, write};
  to.json.beginObject();
  members(to);
  to.json.endObject();
  to.put();
  write("\n");
}

} // namespace

void resultsJson(const Model &model, const Results &results, TransferList transfers,
                 const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    to.row(kProgram);
    to.rows("otherMemory", kOtherMemory);
    to.rows("kernels", kKernels);
    to.rows("launches", kLaunches);
    to.rows("supersteps", kSupersteps);
    to.rows("distances", kDistances);
    transferSizes(to);
    to.groups("degrees", kDegrees, {"in", "out", "otherIn", "otherOut", "handedOnIn", "handedOnOut"});
    bisection(to);
    strides(to);
    ctaStrides(to);
    matrix(to);
    to.rows("pairs", kLaunchPairs);
    if (transfers == TransferList::Complete)
      to.rows("transfers", kCommunicationTransfers);
    density(to);
    to.rows("dependences", kLargestDependences);
    to.rows("allocations", kAllocations);
    to.rows("lines", kLines);
    to.rows("accesses", kAccesses);
    to.rows("bankAccesses", kBankAccesses);
    to.rows("bankKernels", kBankKernels);
    to.rows("sources", kSources);
    to.put();
    to.rows("findings", kFindings);
    advisor(to);
    to.rows("latencyKernels", kLatencyKernels);
    to.rows("latencyAccesses", kLatencyAccesses);
    to.rows("latencyLines", kLatencyLines);
    to.rows("latencyClasses", kLatencyClasses);
    latencyExcerpts(to);
  });
}

void advisorJson(const Model &model, const Results &results,
                 const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [](ResultsWriter &to) { advisor(to); });
}

void comparedJson(const Model &model, const Results &results,
                  const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    to.row(kProgram);
    to.rows("kernels", kKernels);
    to.rows("accesses", kAccesses);
    to.rows("sources", kSources);
    to.rows("findings", kFindings);
  });
}

void findingsJson(const Model &model, const Results &results,
                  const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    to.json.field("modelled", isModelled(model));
    to.rows("findings", kFindings);
  });
}

void banksJson(const Model &model, const Results &results, BankWidth width,
               const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    to.json.field("bankWidth", static_cast<unsigned>(width));
    to.rows("bankAccesses", kBankAccesses);
    to.rows("bankKernels", kBankKernels);
  });
}

namespace {

/// A list of a document.
struct RowsMember {
  const char *name;
  const ResultTable &table;
};
constexpr RowsMember kCacheMembers[] = {
    {"cacheKernels", kCacheKernels},
    {"cacheAccesses", kCacheAccesses},
    {"cacheAllocations", kCacheAllocations},
    {"cacheReuse", kCacheReuse},
    {"cacheAllocationReuse", kCacheAllocationReuse},
};

constexpr RowsMember kLatencyMembers[] = {
    {"latencyKernels", kLatencyKernels},     {"latencyAccesses", kLatencyAccesses},
    {"latencyLines", kLatencyLines},         {"latencyShapes", kLatencyShapes},
    {"latencyHistogram", kLatencyHistogram}, {"latencyMultiprocessors", kLatencyMultiprocessors},
    {"latencyWarps", kLatencyWarps},         {"latencySeries", kLatencySeries},
    {"latencySlowdowns", kLatencySlowdowns},
};

} // namespace

void cachesJson(const Model &model, const Results &results, const CacheGeometry &geometry, bool cold,
                const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    to.json.field("device", geometry.name);
    to.json.field("cold", cold);
    for (const RowsMember &member : kCacheMembers)
      to.rows(member.name, member.table);
  });
}

void latencyJson(const Model &model, const Results &results,
                 const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    to.json.field("modelled", isModelled(model));
    to.json.field("launches", results.latency.launches);
    to.json.field("cycles", results.latency.cycles);
    for (const RowsMember &member : kLatencyMembers)
      to.rows(member.name, member.table);
  });
}

namespace {

/// A member that is one value.
struct ValueMember {
  const char *name, *type, *what;
};

/// Of a document of values and lists of rows.
std::string schemaOf(const char *title, std::initializer_list<ValueMember> values,
                     std::span<const RowsMember> lists) {
  Json json(Json::Style::Indented);
  json.beginObject();
  json.field("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.field("title", title).field("type", "object");
  json.key("required").beginArray().value("version");
  for (const ValueMember &member : values)
    json.value(member.name);
  for (const RowsMember &member : lists)
    json.value(member.name);
  json.endArray().field("additionalProperties", false).key("properties").beginObject();
  json.key("version").beginObject().field("const", kResultsVersion).endObject();
  for (const ValueMember &member : values)
    json.key(member.name)
        .beginObject()
        .field("description", member.what)
        .field("type", member.type)
        .endObject();
  for (const RowsMember &member : lists) {
    const JsonRows rows(member.table);
    json.key(member.name).beginObject().field("description", member.table.what).field("type", "array");
    json.key("items").beginObject().field("type", "object").key("required").beginArray();
    rows.writeRequired(json);
    json.endArray().field("additionalProperties", false).key("properties").beginObject();
    rows.writeProperties(json);
    json.endObject().endObject().endObject();
  }
  json.endObject().endObject();
  return json.text() + "\n";
}

constexpr RowsMember kProfileMembers[] = {
    {"profileNodes", kProfileNodes},         {"profileProcedures", kProfileProcedures},
    {"profileKinds", kProfileKinds},         {"profileThreads", kProfileThreads},
    {"profileSamplings", kProfileSamplings},
};

} // namespace

std::string cachesJsonSchema() {
  return schemaOf("What 'cupranalyze caches --json' prints",
                  {{"device", "string", "the GPU whose caches are modelled"},
                   {"cold", "boolean", "L2 was empty when each launch began"}},
                  kCacheMembers);
}

std::string latencyJsonSchema() {
  return schemaOf(
      "What 'cupranalyze latency --json' prints",
      {{"modelled", "boolean", "durations are those of a model: the program ran on the CPU device"},
       {"launches", "integer", "that are timed and selected"},
       {"cycles", "integer", "of all accesses of their warps, summed"}},
      kLatencyMembers);
}

void profileJson(const Model &model, const Results &results, std::string_view view,
                 const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    to.json.field("view", view);
    to.json.field("executionTime", results.profile->executionTime);
    for (const RowsMember &member : kProfileMembers)
      to.rows(member.name, member.table);
  });
}

std::string profileJsonSchema() {
  return schemaOf("What 'cupranalyze profile --json' prints",
                  {{"view", "string", "of profileNodes: top-down or bottom-up"},
                   {"executionTime", "integer",
                    "nanoseconds from the process's start to the last thing that is known of it"}},
                  kProfileMembers);
}

namespace {

constexpr RowsMember kInstructionMembers[] = {{"instructionKernels", kInstructionKernels},
                                              {"instructionLines", kInstructionLines}};
constexpr RowsMember kRooflineMembers[] = {{"rooflineKernels", kRooflineKernels},
                                           {"rooflineLines", kRooflineLines},
                                           {"rooflineCeilings", kRooflineCeilings}};

} // namespace

void instructionsJson(const Model &model, const Results &results,
                      const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    for (const RowsMember &member : kInstructionMembers)
      to.rows(member.name, member.table);
  });
}

std::string instructionsJsonSchema() {
  return schemaOf("What 'cupranalyze instructions --json' prints", {}, kInstructionMembers);
}

void rooflineJson(const Model &model, const Results &results,
                  const std::function<void(std::string_view)> &write) {
  writeDocument(model, results, write, [&](ResultsWriter &to) {
    to.json.field("version", kResultsVersion);
    const Roofline &roofline = *results.roofline;
    to.json.field("device", roofline.geometry->name);
    to.json.field("ceilings", roofline.ceilings ? roofline.ceilings->device : "");
    for (const RowsMember &member : kRooflineMembers)
      to.rows(member.name, member.table);
  });
}

std::string rooflineJsonSchema() {
  return schemaOf("What 'cupranalyze roofline --json' prints",
                  {{"device", "string", "the GPU whose caches are modelled"},
                   {"ceilings", "string", "the GPU whose ceilings were measured; empty: none are given"}},
                  kRooflineMembers);
}

void tracesJson(const std::vector<TraceSummary> &traces, const std::function<void(std::string_view)> &write) {
  const JsonRows rows(kTraces);
  Json json(Json::Style::Line);
  json.beginObject().field("version", kResultsVersion).key("traces").beginArray();
  for (const TraceSummary &trace : traces)
    traceRow(trace, [&](const Values &values) {
      json.beginObject();
      rows.write(json, values);
      json.endObject();
    });
  json.endArray().endObject();
  write(json.take());
}

std::string tracesJsonSchema() {
  static constexpr RowsMember kMembers[] = {{"traces", kTraces}};
  return schemaOf("What the page of several traces begins with", {}, kMembers);
}

/// What is more than rows is written by hand (results/members.schema.json), with marks where a table's columns
/// belong: "$fields" for the members and that they are required, "$properties" and "$required" for one of both.
std::string resultsJsonSchema() {
  std::string text(cuprResultsSchema, cuprResultsSchemaEnd);
  putFields(text, "\"$fields\": \"", [](const JsonRows &rows, Json &json) {
    json.beginObject();
    rows.writeRequired(json.key("required").beginArray());
    json.endArray().key("properties").beginObject();
    rows.writeProperties(json);
    json.endObject().endObject();
  });
  putFields(text, "\"$properties\": \"", [](const JsonRows &rows, Json &json) {
    rows.writeProperties(json.beginObject());
    json.endObject();
  });
  putFields(text, "\"$required ", [](const JsonRows &rows, Json &json) {
    rows.writeRequired(json.beginArray());
    json.endArray();
  });
  return text;
}

} // namespace cupr::analysis
