/// A Trace is read row by row: byte 0x0a, the length, the row. A row's one field is that of its kind, and a column's field number is its
/// place (analysis/export/protobuf.cpp).
#include "row_reader.h"

#include <fmt/format.h>
#include <protozero/pbf_reader.hpp>

namespace cupr::analysis {

namespace {

using protozero::pbf_reader, protozero::pbf_wire_type;

class ProtobufRows final : public RowReader {
public:
  explicit ProtobufRows(ByteSource &source) : source_(source) {}

  const Row *next() override {
    try {
      while (readRow())
        if (takeRow())
          return &row_;
    } catch (const protozero::exception &problem) {
      throw BrokenExport(fmt::format("the row is damaged: {}", problem.what()));
    }
    return nullptr;
  }

private:
  /// Of the lists of a row.
  struct Lists {
    std::vector<std::uint64_t> numbers;
    std::vector<std::string> texts;
  };

  /// Its bytes. False: there are no more.
  bool readRow() {
    constexpr char kRowTag = 1 << 3 | static_cast<char>(pbf_wire_type::length_delimited);
    const std::string_view ahead = source_.ahead();
    if (ahead.empty())
      return false;
    if (ahead.front() != kRowTag)
      throw BrokenExport("a row must begin with the byte 0x0a");
    source_.pass(1);
    std::uint64_t bytes = 0;
    for (unsigned shift = 0;; shift += 7) {
      char byte = 0;
      if (!source_.read({&byte, 1}))
        throw BrokenExport("the file stops in the middle of a row");
      bytes |= std::uint64_t{static_cast<unsigned char>(byte) & 0x7fu} << shift;
      if (bytes > kLargestRow || (shift == 28 && byte < 0))
        throw BrokenExport(fmt::format("a row must not be longer than {} bytes", kLargestRow));
      if (byte >= 0)
        break;
    }
    bytes_.resize(bytes);
    if (!source_.read(bytes_))
      throw BrokenExport("the file stops in the middle of a row");
    return true;
  }

  /// False: rows of this kind are not known here.
  bool takeRow() {
    pbf_reader row(bytes_);
    if (!row.next() || row.tag() > kRowKindCount)
      return false;
    if (row.wire_type() != pbf_wire_type::length_delimited)
      throw BrokenExport("what a row holds must be a message");
    const std::size_t kind = row.tag() - 1;
    const std::span<const Column> columns = kRowKinds[kind].columns;
    row_.kind = static_cast<RowKindId>(kind);
    row_.values.assign(columns.size(), Value());
    lists_.resize(std::max(lists_.size(), columns.size()));
    for (std::size_t i = 0; i < columns.size(); ++i) {
      lists_[i].numbers.clear();
      lists_[i].texts.clear();
    }
    for (pbf_reader fields(row.get_view()); fields.next();)
      if (fields.tag() > columns.size())
        fields.skip();
      else
        take(fields, columns[fields.tag() - 1]);
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (const Storage storage = storageOf(columns[i].type); storage == Storage::Numbers)
        row_.values[i] = valueOf(lists_[i].numbers);
      else if (storage == Storage::Texts)
        row_.values[i] = valueOf(lists_[i].texts);
    return true;
  }

  void take(pbf_reader &field, const Column &column) {
    const std::size_t at = field.tag() - 1;
    const pbf_wire_type type = field.wire_type();
    const Storage storage = storageOf(column.type);
    if (type == pbf_wire_type::varint && storage == Storage::Number) {
      row_.values[at] = std::uint64_t{field.get_uint64()};
    } else if (type == pbf_wire_type::varint && storage == Storage::Flag) {
      row_.values[at] = field.get_bool();
    } else if (type == pbf_wire_type::length_delimited && storage == Storage::Text) {
      const protozero::data_view text = field.get_view();
      row_.values[at] = std::string_view(text.data(), text.size());
    } else if (type == pbf_wire_type::length_delimited && storage == Storage::Texts) {
      lists_[at].texts.push_back(field.get_string());
    } else if (type == pbf_wire_type::length_delimited && storage == Storage::Numbers) {
      const auto numbers = field.get_packed_uint64();
      lists_[at].numbers.insert(lists_[at].numbers.end(), numbers.begin(), numbers.end());
    } else if (type == pbf_wire_type::varint && storage == Storage::Numbers) {
      lists_[at].numbers.push_back(field.get_uint64());
    } else {
      throw BrokenExport(fmt::format("`{}` has the wrong type", column.name));
    }
  }

  ByteSource &source_;
  std::string bytes_;
  std::vector<Lists> lists_;
  Row row_;
};

} // namespace

std::unique_ptr<RowReader> protobufRows(ByteSource &source) { return std::make_unique<ProtobufRows>(source); }

} // namespace cupr::analysis
