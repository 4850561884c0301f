/// A Trace is a list of rows, so that its bytes can be written and read row by row: each is field 1 with its
/// length. A row's one field is that of its kind, and a column's field number is its place.
#include "exporter.h"

#include "analysis/output/utf8.h"

#include <protozero/pbf_writer.hpp>

namespace cupr::analysis {

namespace {

class ProtobufExporter final : public RowExporter {
public:
  ProtobufExporter(const Model &model, ByteSink &sink) : RowExporter(model, RowKindId::Record), sink_(sink) {}

  void row(RowKindId kind, const Values &values) override {
    content_.clear();
    protozero::pbf_writer content(content_);
    protozero::pbf_tag_type field = 0;
    for (const Value &value : values) {
      ++field;
      std::visit([&](const auto &it) { add(content, field, it); }, value);
    }
    row_.clear();
    protozero::pbf_writer(row_).add_message(static_cast<protozero::pbf_tag_type>(kind) + 1, content_);
    bytes_.clear();
    protozero::pbf_writer(bytes_).add_message(1, row_);
    sink_.write(bytes_);
  }

  void finish() override { sink_.finish(); }

private:
  using Writer = protozero::pbf_writer;
  using Field = protozero::pbf_tag_type;

  static void add(Writer &, Field, std::monostate) {}
  static void add(Writer &out, Field field, std::uint64_t number) { out.add_uint64(field, number); }
  static void add(Writer &out, Field field, double number) { out.add_double(field, number); }
  static void add(Writer &out, Field field, bool flag) { out.add_bool(field, flag); }
  static void add(Writer &out, Field field, std::string_view text) {
    out.add_string(field, validUtf8(text)); // proto3 wants it
  }
  static void add(Writer &out, Field field, std::span<const std::uint64_t> numbers) {
    out.add_packed_uint64(field, numbers.begin(), numbers.end());
  }
  static void add(Writer &out, Field field, std::span<const std::string> texts) {
    for (const std::string &text : texts)
      out.add_string(field, validUtf8(text));
  }

  ByteSink &sink_;
  std::string content_, row_, bytes_;
};

} // namespace

std::unique_ptr<Exporter> protobufExporter(const Model &model, ByteSink &sink) {
  return std::make_unique<ProtobufExporter>(model, sink);
}

} // namespace cupr::analysis
