#include "arrow_column.h"

#include "analysis/output/utf8.h"

#include <bit>
#include <cassert>

namespace cupr::analysis {

namespace {

template <typename T> void append(std::string &to, T value) {
  static_assert(std::endian::native == std::endian::little, "as the schema says");
  to.append(reinterpret_cast<const char *>(&value), sizeof value);
}

/// Bit `at` of bits that are appended one by one.
void appendBit(std::string &to, std::uint64_t at, bool bit) {
  if (at % 8 == 0)
    to += '\0';
  to.back() = static_cast<char>(static_cast<unsigned char>(to.back()) | static_cast<unsigned>(bit) << at % 8);
}

} // namespace

ArrowColumn::ArrowColumn(Storage storage, const ArrowDictionary *dictionary)
    : storage_(storage), dictionary_(dictionary) {
  clear();
}

void ArrowColumn::clear() {
  for (std::string *buffer : {&validity_, &offsets_, &childOffsets_, &data_})
    buffer->clear();
  size_ = nulls_ = elements_ = 0;
  if (isList() || (storage_ == Storage::Text && !dictionary_))
    append(offsets_, std::int32_t{0});
  if (storage_ == Storage::Texts)
    append(childOffsets_, std::int32_t{0});
}

void ArrowColumn::add(const Value &value) {
  appendBit(validity_, size_, !std::holds_alternative<std::monostate>(value));
  std::visit([this](const auto &it) { put(it); }, value);
  ++size_;
}

/// What stands in the place of a null is of the column's size.
void ArrowColumn::put(std::monostate) {
  ++nulls_;
  switch (storage_) {
  case Storage::Number:
    return put(std::uint64_t{0});
  case Storage::Real:
    return put(0.0);
  case Storage::Flag:
    return put(false);
  case Storage::Text:
    return dictionary_ ? append(data_, std::int32_t{0}) : put(std::string_view());
  case Storage::Numbers:
    return put(std::span<const std::uint64_t>());
  case Storage::Texts:
    return put(std::span<const std::string>());
  }
}

void ArrowColumn::put(std::uint64_t number) { append(data_, number); }
void ArrowColumn::put(double number) { append(data_, number); }
void ArrowColumn::put(bool flag) { appendBit(data_, size_, flag); }

void ArrowColumn::put(std::string_view text) {
  if (dictionary_) {
    const auto found = dictionary_->find(validUtf8(text));
    assert(found != dictionary_->end() && "the dictionary has all texts of the column");
    return append(data_, found->second);
  }
  data_ += validUtf8(text);
  append(offsets_, static_cast<std::int32_t>(data_.size()));
}

void ArrowColumn::put(std::span<const std::uint64_t> numbers) {
  for (const std::uint64_t number : numbers)
    append(data_, number);
  append(offsets_, static_cast<std::int32_t>(elements_ += numbers.size()));
}

void ArrowColumn::put(std::span<const std::string> texts) {
  for (const std::string &text : texts) {
    data_ += validUtf8(text);
    append(childOffsets_, static_cast<std::int32_t>(data_.size()));
  }
  append(offsets_, static_cast<std::int32_t>(elements_ += texts.size()));
}

std::vector<ArrowColumn::Node> ArrowColumn::nodes() const {
  std::vector<Node> nodes = {{size_, nulls_}};
  if (isList())
    nodes.push_back({elements_, 0});
  return nodes;
}

std::vector<std::string_view> ArrowColumn::buffers() const {
  std::vector<std::string_view> buffers = {nulls_ == 0 ? std::string_view() : validity_};
  if (!offsets_.empty())
    buffers.push_back(offsets_);
  if (isList())
    buffers.push_back({}); // no element is null
  if (storage_ == Storage::Texts)
    buffers.push_back(childOffsets_);
  buffers.push_back(data_);
  return buffers;
}

} // namespace cupr::analysis
