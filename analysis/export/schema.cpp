/// Texts of schemas.
#include "schema.h"

#include "analysis/output/json.h"
#include "row_kinds.h"

#include <cctype>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// `launch_end` as `LaunchEnd`.
std::string typeName(std::string_view name) {
  std::string result = camelCase(name);
  result.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(result.front())));
  return result;
}

template <typename Body> void forEachKind(bool (*wanted)(RowKindId), Body body) {
  for (std::size_t i = 0; i < kRowKindCount; ++i)
    if (wanted(static_cast<RowKindId>(i)))
      body(i, kRowKinds[i]);
}

/// What formats with records hold.
bool isInStream(RowKindId id) { return id == RowKindId::Record || !isShapeOfAccesses(id); }
bool isInDatabase(RowKindId id) { return id == RowKindId::Access || !isShapeOfAccesses(id); }
bool isAny(RowKindId) { return true; }

const char *protoType(const Column &column) {
  switch (storageOf(column.type)) {
  case Storage::Number:
    return column.optional ? "optional uint64" : "uint64";
  case Storage::Real:
    return column.optional ? "optional double" : "double";
  case Storage::Flag:
    return column.optional ? "optional bool" : "bool";
  case Storage::Text:
    return column.optional ? "optional string" : "string";
  case Storage::Numbers:
    return "repeated uint64";
  case Storage::Texts:
    return "repeated string";
  }
  return "";
}

void jsonType(Json &json, const Column &column) {
  const auto number = [&json] {
    json.field("type", "integer").field("minimum", 0).field("maximum", UINT64_MAX);
  };
  const auto list = [&json](auto items) {
    json.field("type", "array").key("items").beginObject();
    items();
    json.endObject();
  };
  if (column.optional)
    json.key("oneOf").beginArray().beginObject().field("type", "null").endObject().beginObject();
  switch (storageOf(column.type)) {
  case Storage::Number:
    number();
    break;
  case Storage::Real:
    json.field("type", "number");
    break;
  case Storage::Flag:
    json.field("type", "boolean");
    break;
  case Storage::Text:
    json.field("type", "string");
    break;
  case Storage::Numbers:
    list(number);
    break;
  case Storage::Texts:
    list([&json] { json.field("type", "string"); });
    break;
  }
  if (column.optional)
    json.endObject().endArray();
  json.field("description", column.what);
}

} // namespace

const char *sqlType(ColumnType type) {
  const Storage storage = storageOf(type);
  if (storage == Storage::Real)
    return "REAL";
  return storage == Storage::Number || storage == Storage::Flag ? "INTEGER" : "TEXT";
}

std::string protoSchema() {
  std::string text =
      "// What `cupranalyze export --format=protobuf` writes. Made by `cupranalyze export "
      "--schema=protobuf`: don't edit.\n"
      "//\n"
      "// A file is one Trace. To read it row by row: each row is the byte 0x0a, its length as a "
      "varint, and a Row.\n"
      "syntax = \"proto3\";\n"
      "package cuprewrite;\n\n"
      "message Trace {\n  repeated Row rows = 1;\n}\n\n"
      "message Row {\n  oneof row {\n";
  forEachKind(isInStream, [&](std::size_t i, const RowKind &kind) {
    text += fmt::format("    {} {} = {};\n", typeName(kind.name), kind.name, i + 1);
  });
  text += "  }\n}\n";
  forEachKind(isInStream, [&](std::size_t, const RowKind &kind) {
    text += fmt::format("\n// {}\nmessage {} {{\n", kind.what, typeName(kind.name));
    std::size_t number = 0;
    for (const Column &column : kind.columns)
      text += fmt::format("  {} {} = {}; // {}\n", protoType(column), column.name, ++number, column.what);
    text += "}\n";
  });
  return text;
}

std::string jsonSchema() {
  Json json(Json::Style::Indented);
  json.beginObject();
  json.field("$schema", "https://json-schema.org/draft/2020-12/schema");
  json.field("title", "One line of what `cupranalyze export --format=json` writes");
  json.field("$comment", "Made by `cupranalyze export --schema=json`: don't edit.");
  json.field("type", "object").key("oneOf").beginArray();
  forEachKind(isInStream, [&](std::size_t, const RowKind &kind) {
    json.beginObject().field("title", camelCase(kind.name)).field("description", kind.what);
    json.key("properties").beginObject();
    json.key("type").beginObject().field("const", camelCase(kind.name)).endObject();
    for (const Column &column : kind.columns) {
      json.key(camelCase(column.name)).beginObject();
      jsonType(json, column);
      json.endObject();
    }
    json.endObject().key("required").beginArray().value("type");
    for (const Column &column : kind.columns)
      json.value(camelCase(column.name));
    json.endArray().field("additionalProperties", false).endObject();
  });
  json.endArray().endObject();
  return json.text() + "\n";
}

std::string sqlTable(const RowKind &kind) {
  std::string text = fmt::format("\n-- {}\nCREATE TABLE {} (\n", kind.what, kind.table);
  const std::span<const Column> columns = kind.tableColumns();
  for (const Column &column : columns) {
    const bool last = &column == &columns.back();
    // The ids of findings are those of their rules.
    text += fmt::format("  \"{}\" {}{}{} -- {}\n", column.name, sqlType(column.type),
                        column.name == "id" && storageOf(column.type) == Storage::Number ? " PRIMARY KEY"
                        : column.optional                                                ? ""
                                                                                         : " NOT NULL",
                        last ? "" : ",", column.what);
  }
  return text + ");\n";
}

std::string sqlSchema() {
  std::string text = "-- What `cupranalyze export --format=sqlite` writes. Made by `cupranalyze export "
                     "--schema=sqlite`: don't edit.\n"
                     "-- Numbers beyond 2^63 stand there as negative ones, less 2^64.\n";
  forEachKind(isInDatabase, [&](std::size_t, const RowKind &kind) { text += sqlTable(kind); });
  const RowKind &wide = rowKind(RowKindId::WideAccess);
  text += fmt::format("\n-- {}\nCREATE VIEW {} AS SELECT\n", wide.what, wide.table);
  for (const Column &column : wide.columns) {
    // Where the view's columns come from is told by what row_kinds says of them: "launch.kernel".
    const std::size_t dot = column.what.find('.');
    const std::string_view from =
        dot == column.what.npos || column.name == "launch" ? "access" : column.what.substr(0, dot);
    text += fmt::format("  \"{}\".\"{}\"{}\n", from, column.name, &column == &wide.columns.back() ? "" : ",");
  }
  return text +
         fmt::format("FROM {} AS \"access\" JOIN {} AS \"launch\" ON \"launch\".id = \"access\".launch\n"
                     "  JOIN {} AS \"site\" ON \"site\".id = \"access\".site;\n",
                     rowKind(RowKindId::Access).table, rowKind(RowKindId::Launch).table,
                     rowKind(RowKindId::Site).table);
}

std::string sqlIndices() {
  const std::string_view table = rowKind(RowKindId::Access).table;
  return fmt::format("CREATE INDEX {0}_by_launch ON {0} (launch, site);\n"
                     "CREATE INDEX {0}_by_address ON {0} (address);\n",
                     table);
}

std::string markdownTable(const RowKind &kind) {
  static constexpr const char *kTypes[] = {"number", "real", "flag", "text", "numbers", "texts"};
  std::string text =
      fmt::format("\n### {}\n\n{} Table `{}`.\n\n| column | type | what |\n| --- | --- | --- |\n", kind.name,
                  kind.what, kind.table);
  for (const Column &column : kind.tableColumns())
    text += fmt::format("| `{}` | {}{} | {} |\n", column.name,
                        kTypes[static_cast<std::size_t>(storageOf(column.type))],
                        column.optional ? " or null" : "", column.what);
  return text;
}

std::string markdownSchema() {
  std::string text;
  forEachKind(isAny, [&](std::size_t, const RowKind &kind) { text += markdownTable(kind); });
  return text;
}

} // namespace cupr::analysis
