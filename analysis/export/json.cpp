/// JSON Lines rather than one document: a reader takes a line at a time, whatever the size, and one
/// that stops early has still read whole objects.
#include "exporter.h"

#include <array>

namespace cupr::analysis {

namespace {

class JsonExporter final : public RowExporter {
public:
  JsonExporter(const Model &model, ByteSink &sink, Json::Style style)
      : RowExporter(model, RowKindId::Record), sink_(sink), style_(style) {
    for (std::size_t kind = 0; kind < kRowKindCount; ++kind)
      for (const Column &column : kRowKinds[kind].columns)
        names_[kind].push_back(camelCase(column.name));
  }

  void row(RowKindId kind, const Values &values) override {
    const auto index = static_cast<std::size_t>(kind);
    Json json(style_);
    json.beginObject().field("type", camelCase(kRowKinds[index].name));
    for (std::size_t i = 0; i < values.size(); ++i) {
      json.key(names_[index][i]);
      std::visit([&json](const auto &value) { write(json, value); }, values[i]);
    }
    json.endObject();
    sink_.write(json.text());
    sink_.write("\n");
  }

  void finish() override { sink_.finish(); }

private:
  static void write(Json &json, std::monostate) { json.null(); }
  static void write(Json &json, std::uint64_t number) { json.value(number); }
  static void write(Json &json, double number) { json.value(number); }
  static void write(Json &json, bool flag) { json.value(flag); }
  static void write(Json &json, std::string_view text) { json.value(text); }
  template <typename T> static void write(Json &json, std::span<const T> list) {
    json.beginArray();
    for (const T &element : list)
      json.value(element);
    json.endArray();
  }

  ByteSink &sink_;
  const Json::Style style_;
  std::array<std::vector<std::string>, kRowKindCount> names_;
};

} // namespace

std::unique_ptr<Exporter> jsonExporter(const Model &model, ByteSink &sink, Json::Style style) {
  return std::make_unique<JsonExporter>(model, sink, style);
}

} // namespace cupr::analysis
