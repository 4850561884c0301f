#include "writer.h"

#include "analysis/tables/json_rows.h"

namespace cupr::analysis {

void ResultsWriter::row(const ResultTable &table) {
  const JsonRows members(table);
  table.forEachRow(source, [&](const Values &values) { members.write(json, values); });
}

void ResultsWriter::rows(std::string_view key, const ResultTable &table) {
  const JsonRows members(table);
  json.key(key).beginArray();
  table.forEachRow(source, [&](const Values &values) {
    json.beginObject();
    members.write(json, values);
    json.endObject();
    putWhenLarge();
  });
  json.endArray();
}

void ResultsWriter::groups(std::string_view key, const ResultTable &table,
                           std::initializer_list<std::string_view> names) {
  const JsonRows members(table);
  json.key(key).beginObject();
  auto name = names.begin();
  const auto open = [&] { json.key(*name).beginArray(); };
  const auto goTo = [&](auto place) {
    for (; name != place; ++name) {
      json.endArray();
      if (name + 1 != names.end())
        json.key(name[1]).beginArray();
    }
  };
  open();
  table.forEachRow(source, [&](const Values &values) {
    goTo(std::find(name, names.end(), std::get<std::string_view>(values.front())));
    json.beginObject();
    members.write(json, values);
    json.endObject();
  });
  goTo(names.end());
  json.endObject();
}

} // namespace cupr::analysis
