#include "json_rows.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

void writeValue(Json &json, std::monostate) { json.null(); }
void writeValue(Json &json, std::uint64_t number) { json.value(number); }
void writeValue(Json &json, double number) { json.value(number); }
void writeValue(Json &json, bool flag) { json.value(flag); }
void writeValue(Json &json, std::string_view text) { json.value(text); }
template <typename T> void writeValue(Json &json, std::span<const T> list) {
  json.beginArray();
  for (const T &element : list)
    json.value(element);
  json.endArray();
}

void writeCell(Json &json, ColumnType type, const Value &value) {
  if (type == ColumnType::JsonText)
    json.json(std::get<std::string_view>(value));
  else if (type == ColumnType::Address)
    json.value(fmt::format("{:#x}", std::get<std::uint64_t>(value)));
  else if (type == ColumnType::LaunchOrHost && std::holds_alternative<std::monostate>(value))
    json.value("host");
  else
    std::visit([&](const auto &it) { writeValue(json, it); }, value);
}

/// Keywords of what a value is.
void writeType(Json &json, const Column &column) {
  const auto number = [&](const char *type, unsigned least) {
    json.field("type", type).field("minimum", least);
  };
  switch (column.type) {
  case ColumnType::Number:
  case ColumnType::Bytes:
  case ColumnType::Nanoseconds:
  case ColumnType::LaunchOrHost:
    return number("integer", 0);
  case ColumnType::Real:
  case ColumnType::Seconds:
    return number("number", 0);
  case ColumnType::Ratio:
    return number("number", 1);
  case ColumnType::Share:
    number("number", 0);
    json.field("maximum", 1);
    return;
  case ColumnType::Flag:
    json.field("type", "boolean");
    return;
  case ColumnType::Address:
    json.field("type", "string").field("pattern", "^0x[0-9a-f]+$");
    return;
  case ColumnType::Text:
    if (column.among.empty()) {
      json.field("type", "string");
      return;
    }
    json.key("enum").beginArray();
    for (std::size_t at = 0, end; at <= column.among.size(); at = end + 1) {
      end = std::min(column.among.find('|', at), column.among.size());
      json.value(column.among.substr(at, end - at));
    }
    json.endArray();
    return;
  case ColumnType::Numbers:
  case ColumnType::Texts:
    json.field("type", "array").key("items").beginObject();
    writeType(json, {"", column.type == ColumnType::Texts ? ColumnType::Text : ColumnType::Number, ""});
    json.endObject();
    return;
  case ColumnType::JsonText:
    json.field("type", "array").key("items").json(column.among);
    return;
  }
}

} // namespace

JsonRows::JsonRows(const RowKind &kind) : columns_(kind.columns) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (const Column &column = columns_[i]; column.in != Column::In::Tables)
      add(nodes_, column.member.empty() ? camelCase(column.name) : std::string(column.member), i);
}

void JsonRows::add(std::vector<Node> &nodes, std::string_view member, std::size_t column) {
  const std::size_t end = std::min(member.find_first_of(".["), member.size());
  const std::string_view name = member.substr(0, end);
  const auto known = std::ranges::find(nodes, name, &Node::name);
  Node &node = known != nodes.end() ? *known : nodes.emplace_back(Node{std::string(name)});
  if (end == member.size()) {
    node.column = column;
  } else if (member[end] == '[') {
    node.isList = true;
    node.inside.push_back({"", false, column});
  } else {
    add(node.inside, member.substr(end + 1), column);
  }
}

void JsonRows::write(Json &json, const Values &values) const {
  for (const Node &node : nodes_)
    write(json.key(node.name), node, values);
}

void JsonRows::write(Json &json, const Node &node, const Values &values) const {
  if (node.inside.empty())
    return writeCell(json, columns_[node.column].type, values[node.column]);
  node.isList ? json.beginArray() : json.beginObject();
  for (const Node &each : node.inside)
    write(node.isList ? json : json.key(each.name), each, values);
  node.isList ? json.endArray() : json.endObject();
}

void JsonRows::writeRequired(Json &json, const std::vector<Node> &nodes) {
  for (const Node &node : nodes)
    json.value(node.name);
}

void JsonRows::writeProperties(Json &json, const std::vector<Node> &nodes) const {
  for (const Node &node : nodes) {
    json.key(node.name).beginObject();
    writeSchema(json, node);
    json.endObject();
  }
}

void JsonRows::writeSchema(Json &json, const Node &node) const {
  if (node.isList) {
    const Column &column = columns_[node.inside.front().column];
    json.field("description", column.what).field("type", "array").key("items").beginObject();
    writeType(json, column);
    json.endObject().field("minItems", node.inside.size()).field("maxItems", node.inside.size());
    return;
  }
  if (!node.inside.empty()) {
    json.field("type", "object").key("required").beginArray();
    writeRequired(json, node.inside);
    json.endArray().key("properties").beginObject();
    writeProperties(json, node.inside);
    json.endObject();
    return;
  }
  const Column &column = columns_[node.column];
  if (!column.what.empty())
    json.field("description", column.what);
  if (!column.optional)
    return writeType(json, column);
  json.key("anyOf").beginArray().beginObject();
  writeType(json, column);
  json.endObject().beginObject();
  if (column.type == ColumnType::LaunchOrHost)
    json.field("const", "host");
  else
    json.field("type", "null");
  json.endObject().endArray();
}

} // namespace cupr::analysis
