/// Flatbuffers for the heads of messages; the bodies are the columns' buffers.
#include "arrow_stream.h"

#include "arrow_generated.h"

#include <algorithm>

namespace cupr::analysis {

namespace {

using flatbuffers::FlatBufferBuilder, flatbuffers::Offset;

constexpr std::string_view kMagic = "ARROW1";
constexpr std::uint64_t kAlignment = 8;
constexpr std::uint32_t kContinuation = 0xffffffff;

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

template <typename T> std::string_view bytesOf(const T &value) {
  return {reinterpret_cast<const char *>(&value), sizeof value};
}
std::string_view bytesOf(const FlatBufferBuilder &builder) {
  return {reinterpret_cast<const char *>(builder.GetBufferPointer()), builder.GetSize()};
}

struct TypeOffset {
  arrow::Type type;
  Offset<void> offset;
};
TypeOffset scalarType(FlatBufferBuilder &builder, Storage storage) {
  switch (storage) {
  case Storage::Number:
  case Storage::Numbers:
    return {arrow::Type_Int, arrow::CreateInt(builder, 64, false).Union()};
  case Storage::Real:
    return {arrow::Type_FloatingPoint, arrow::CreateFloatingPoint(builder, arrow::Precision_DOUBLE).Union()};
  case Storage::Flag:
    return {arrow::Type_Bool, arrow::CreateBool(builder).Union()};
  case Storage::Text:
  case Storage::Texts:
    break;
  }
  return {arrow::Type_Utf8, arrow::CreateUtf8(builder).Union()};
}

Offset<arrow::Field> field(FlatBufferBuilder &builder, const Column &column,
                           std::optional<std::int64_t> dictionary) {
  const Storage storage = storageOf(column.type);
  std::vector<Offset<arrow::Field>> elements;
  TypeOffset type = scalarType(builder, storage);
  if (storage == Storage::Numbers || storage == Storage::Texts) {
    elements.push_back(arrow::CreateField(builder, builder.CreateString("item"), false, type.type,
                                          type.offset, 0, builder.CreateVector<Offset<arrow::Field>>({})));
    type = {arrow::Type_List, arrow::CreateList(builder).Union()};
  }
  const auto name = builder.CreateString(column.name.data(), column.name.size());
  const auto children = builder.CreateVector(elements);
  const auto comment = builder.CreateVector<Offset<arrow::KeyValue>>(
      {arrow::CreateKeyValue(builder, builder.CreateString("comment"),
                             builder.CreateString(column.what.data(), column.what.size()))});
  Offset<arrow::DictionaryEncoding> encoding;
  if (dictionary)
    encoding = arrow::CreateDictionaryEncoding(builder, *dictionary, arrow::CreateInt(builder, 32, true));
  return arrow::CreateField(builder, name, column.optional, type.type, type.offset, encoding, children,
                            comment);
}

Offset<arrow::Schema> schemaOf(FlatBufferBuilder &builder, std::span<const Column> columns,
                               std::span<const std::optional<std::int64_t>> dictionaries) {
  std::vector<Offset<arrow::Field>> fields;
  for (std::size_t i = 0; i < columns.size(); ++i)
    fields.push_back(field(builder, columns[i], dictionaries[i]));
  return arrow::CreateSchema(builder, arrow::Endianness_Little, builder.CreateVector(fields));
}

/// The head of a batch, and its body.
struct Body {
  std::vector<std::string_view> buffers;
  std::uint64_t bytes = 0;
};
Offset<arrow::RecordBatch> batchOf(FlatBufferBuilder &builder, std::span<const ArrowColumn> columns,
                                   Body &body) {
  std::vector<arrow::FieldNode> nodes;
  std::vector<arrow::Buffer> buffers;
  for (const ArrowColumn &column : columns) {
    for (const ArrowColumn::Node &node : column.nodes())
      nodes.emplace_back(node.size, node.nulls);
    for (const std::string_view buffer : column.buffers()) {
      buffers.emplace_back(body.bytes, buffer.size());
      body.buffers.push_back(buffer);
      body.bytes += aligned(buffer.size());
    }
  }
  return arrow::CreateRecordBatch(builder, static_cast<std::int64_t>(columns.empty() ? 0 : columns[0].size()),
                                  builder.CreateVectorOfStructs(nodes),
                                  builder.CreateVectorOfStructs(buffers));
}

template <typename T>
void finishMessage(FlatBufferBuilder &builder, arrow::MessageHeader kind, Offset<T> head,
                   std::uint64_t bodyBytes) {
  builder.Finish(arrow::CreateMessage(builder, arrow::MetadataVersion_V5, kind, head.Union(),
                                      static_cast<std::int64_t>(bodyBytes)));
}

} // namespace

ArrowStream::ArrowStream(ByteSink &sink, ArrowShape shape) : sink_(sink), shape_(shape) {
  if (shape == ArrowShape::File) {
    write(kMagic);
    pad();
  }
}

void ArrowStream::write(std::string_view bytes) {
  sink_.write(bytes);
  written_ += bytes.size();
}

void ArrowStream::pad() { write(std::string(aligned(written_) - written_, '\0')); }

ArrowStream::Place ArrowStream::message(std::string_view head, std::span<const std::string_view> body) {
  Place place;
  place.offset = written_;
  const auto headBytes = static_cast<std::uint32_t>(aligned(head.size()));
  write(bytesOf(kContinuation));
  write(bytesOf(headBytes));
  write(head);
  pad();
  place.headBytes = static_cast<std::uint32_t>(written_ - place.offset);
  for (const std::string_view buffer : body) {
    write(buffer);
    pad();
  }
  place.bodyBytes = written_ - place.offset - place.headBytes;
  return place;
}

void ArrowStream::schema(std::span<const Column> columns,
                         std::span<const std::optional<std::int64_t>> dictionaries) {
  columns_.assign(columns.begin(), columns.end());
  ids_.assign(dictionaries.begin(), dictionaries.end());
  FlatBufferBuilder builder;
  finishMessage(builder, arrow::MessageHeader_Schema, schemaOf(builder, columns_, ids_), 0);
  message(bytesOf(builder), {});
}

void ArrowStream::dictionary(std::int64_t id, const ArrowColumn &texts) {
  FlatBufferBuilder builder;
  Body body;
  const auto data = batchOf(builder, {&texts, 1}, body);
  finishMessage(builder, arrow::MessageHeader_DictionaryBatch,
                arrow::CreateDictionaryBatch(builder, id, data), body.bytes);
  dictionaries_.push_back(message(bytesOf(builder), body.buffers));
}

void ArrowStream::batch(std::span<const ArrowColumn> columns) {
  FlatBufferBuilder builder;
  Body body;
  finishMessage(builder, arrow::MessageHeader_RecordBatch, batchOf(builder, columns, body), body.bytes);
  batches_.push_back(message(bytesOf(builder), body.buffers));
}

void ArrowStream::finish() {
  constexpr std::uint32_t kNoMore = 0;
  write(bytesOf(kContinuation));
  write(bytesOf(kNoMore));
  if (shape_ != ArrowShape::File)
    return;
  const auto blocks = [](const std::vector<Place> &places) {
    std::vector<arrow::Block> all;
    for (const Place &place : places)
      all.emplace_back(place.offset, static_cast<std::int32_t>(place.headBytes), place.bodyBytes);
    return all;
  };
  FlatBufferBuilder builder;
  const auto schema = schemaOf(builder, columns_, ids_);
  const auto dictionaries = builder.CreateVectorOfStructs(blocks(dictionaries_));
  builder.Finish(arrow::CreateFooter(builder, arrow::MetadataVersion_V5, schema, dictionaries,
                                     builder.CreateVectorOfStructs(blocks(batches_))));
  write(bytesOf(builder));
  const auto footerBytes = static_cast<std::uint32_t>(builder.GetSize());
  write(bytesOf(footerBytes));
  write(kMagic);
}

} // namespace cupr::analysis
