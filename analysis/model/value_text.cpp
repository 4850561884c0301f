#include "value_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <string_view>
#include <utility>

namespace cupr::analysis {

namespace {

using Bytes = std::span<const unsigned char>;

std::uint64_t numberOf(Bytes bytes) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), bytes.size());
  return number;
}

std::string hexadecimal(Bytes bytes) {
  std::string text = "0x";
  for (const unsigned char byte : bytes)
    text += fmt::format("{:02x}", byte);
  return text;
}

template <typename Float> std::string floating(Float number, std::uint64_t bits) {
  return std::isnan(number) ? fmt::format("nan(0x{:x})", bits) : fmt::format("{}", number);
}

/// IEEE's binary16, which C++20 has no type for.
float halfOf(std::uint32_t bits) {
  const std::uint32_t sign = bits >> 15 & 1u, exponent = bits >> 10 & 31u, fraction = bits & 1023u;
  const float size = exponent == 31 ? (fraction ? NAN : INFINITY)
                     : exponent == 0
                         ? std::ldexp(static_cast<float>(fraction), -24)
                         : std::ldexp(static_cast<float>(fraction + 1024u), static_cast<int>(exponent) - 25);
  return sign ? -size : size;
}

/// What the bytes of a scalar say.
enum class Meaning { Signed, Unsigned, Float, Half, Bfloat, Pointer };
struct Scalar {
  Meaning meaning;
  std::size_t bytes;
};

std::string scalarText(Meaning meaning, Bytes bytes) {
  const std::uint64_t number = numberOf(bytes);
  const unsigned spare = 64u - 8u * static_cast<unsigned>(bytes.size());
  switch (meaning) {
  case Meaning::Signed:
    return std::to_string(static_cast<std::int64_t>(number << spare) >> spare);
  case Meaning::Unsigned:
    return std::to_string(number);
  case Meaning::Float:
    return bytes.size() == sizeof(float)
               ? floating(std::bit_cast<float>(static_cast<std::uint32_t>(number)), number)
               : floating(std::bit_cast<double>(number), number);
  case Meaning::Half:
    return floating(halfOf(static_cast<std::uint32_t>(number)), number);
  case Meaning::Bfloat:
    return floating(std::bit_cast<float>(static_cast<std::uint32_t>(number << 16)), number);
  case Meaning::Pointer:
    return fmt::format("{:#x}", number);
  }
  return hexadecimal(bytes);
}

/// None: the type is none of those that have a text of their own.
std::optional<Scalar> llvmScalar(std::string_view type) {
  static constexpr std::pair<std::string_view, Scalar> kNamed[] = {{"float", {Meaning::Float, 4}},
                                                                   {"double", {Meaning::Float, 8}},
                                                                   {"half", {Meaning::Half, 2}},
                                                                   {"bfloat", {Meaning::Bfloat, 2}},
                                                                   {"ptr", {Meaning::Pointer, 8}}};
  for (const auto &[name, scalar] : kNamed)
    if (type == name)
      return scalar;
  if (!type.starts_with('i'))
    return std::nullopt;
  unsigned bits = 0;
  const char *const end = type.data() + type.size();
  if (const auto [read, problem] = std::from_chars(type.data() + 1, end, bits);
      problem != std::errc() || read != end || bits == 0 || bits > 64)
    return std::nullopt;
  return Scalar{bits == 1 ? Meaning::Unsigned : Meaning::Signed, (bits + 7) / 8};
}

/// Of C++, on the device.
std::optional<Scalar> sourceScalar(std::string_view type) {
  static constexpr std::pair<std::string_view, Scalar> kNamed[] = {
      {"int", {Meaning::Signed, 4}},
      {"float", {Meaning::Float, 4}},
      {"unsigned int", {Meaning::Unsigned, 4}},
      {"double", {Meaning::Float, 8}},
      {"void *", {Meaning::Pointer, 8}},
      {"bool", {Meaning::Unsigned, 1}},
      {"char", {Meaning::Signed, 1}},
      {"signed char", {Meaning::Signed, 1}},
      {"unsigned char", {Meaning::Unsigned, 1}},
      {"short", {Meaning::Signed, 2}},
      {"unsigned short", {Meaning::Unsigned, 2}},
      {"long", {Meaning::Signed, 8}},
      {"unsigned long", {Meaning::Unsigned, 8}},
      {"long long", {Meaning::Signed, 8}},
      {"unsigned long long", {Meaning::Unsigned, 8}},
      {"__half", {Meaning::Half, 2}},
      {"_Float16", {Meaning::Half, 2}},
      {"__nv_bfloat16", {Meaning::Bfloat, 2}},
      {"__bf16", {Meaning::Bfloat, 2}},
      {"wchar_t", {Meaning::Signed, 4}},
      {"char8_t", {Meaning::Unsigned, 1}},
      {"char16_t", {Meaning::Unsigned, 2}},
      {"char32_t", {Meaning::Unsigned, 4}}};
  for (const auto &[name, scalar] : kNamed)
    if (type == name)
      return scalar;
  return std::nullopt;
}

/// `<4 x float>`: how many elements, and of what type.
std::optional<std::pair<std::size_t, std::string_view>> vectorOf(std::string_view type) {
  if (!type.starts_with('<') || !type.ends_with('>'))
    return std::nullopt;
  type = type.substr(1, type.size() - 2);
  std::size_t count = 0;
  const auto [read, problem] = std::from_chars(type.data(), type.data() + type.size(), count);
  const std::string_view rest(read, static_cast<std::size_t>(type.data() + type.size() - read));
  if (problem != std::errc() || count == 0 || !rest.starts_with(" x "))
    return std::nullopt;
  return std::pair{count, rest.substr(3)};
}

std::string llvmText(std::string_view type, Bytes bytes) {
  const auto vector = vectorOf(type);
  const std::optional<Scalar> scalar = llvmScalar(vector ? vector->second : type);
  const std::size_t count = vector ? vector->first : 1;
  if (!scalar || bytes.size() % count != 0 || bytes.size() / count != scalar->bytes)
    return hexadecimal(bytes);
  if (!vector)
    return scalarText(scalar->meaning, bytes);
  std::string all;
  for (std::size_t at = 0; at < bytes.size(); at += scalar->bytes)
    all += (at == 0 ? "(" : ", ") + scalarText(scalar->meaning, bytes.subspan(at, scalar->bytes));
  return all + ")";
}

/// `{0 float x;4 float y}` as `{x: 1, y: 2}`. None: this is no such layout, or of other bytes.
std::optional<std::string> fieldsText(std::string_view layout, Bytes bytes) {
  if (!layout.starts_with('{') || !layout.ends_with('}'))
    return std::nullopt;
  layout = layout.substr(1, layout.size() - 2);
  std::string all;
  while (!layout.empty()) {
    const std::string_view field = layout.substr(0, layout.find(';'));
    layout.remove_prefix(std::min(layout.size(), field.size() + 1));
    std::size_t offset = 0;
    const auto [read, problem] = std::from_chars(field.data(), field.data() + field.size(), offset);
    const std::size_t type = static_cast<std::size_t>(read - field.data()) + 1, name = field.rfind(' ');
    if (problem != std::errc() || name == std::string_view::npos || name < type)
      return std::nullopt;
    const std::optional<Scalar> scalar = sourceScalar(field.substr(type, name - type));
    if (!scalar || offset > bytes.size() || scalar->bytes > bytes.size() - offset)
      return std::nullopt;
    all += fmt::format("{}{}: {}", all.empty() ? "{" : ", ", field.substr(name + 1),
                       scalarText(scalar->meaning, bytes.subspan(offset, scalar->bytes)));
  }
  return all + "}";
}

/// None: nothing is known of the type, or it is of another size.
std::optional<std::string> sourceText(std::string_view type, std::string_view layout, Bytes bytes) {
  if (auto fields = fieldsText(layout, bytes))
    return fields;
  const std::optional<Scalar> scalar = sourceScalar(layout.empty() ? type : layout);
  if (!scalar || scalar->bytes != bytes.size())
    return std::nullopt;
  return scalarText(scalar->meaning, bytes);
}

} // namespace

std::optional<unsigned> partOf(abi::Operation operation, ValueRole role) {
  const abi::OperationClass kind = abi::operationClass(operation);
  const bool isExchange = operation == abi::Operation::AtomicCAS;
  switch (role) {
  case ValueRole::Read:
    return kind == abi::OperationClass::Store ? std::nullopt : std::optional(0u);
  case ValueRole::Written:
    return kind == abi::OperationClass::Load    ? std::nullopt
           : kind == abi::OperationClass::Store ? std::optional(0u)
                                                : std::optional(isExchange ? 2u : 1u);
  case ValueRole::Compared:
    return isExchange ? std::optional(1u) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<std::string> valueText(const trace::Module &module, const trace::Site &site,
                                     const trace::AccessValues &values, ValueRole role, unsigned lane) {
  const std::optional<unsigned> part = partOf(site.operation, role);
  if (!part || *part >= values.parts)
    return std::nullopt;
  std::array<unsigned char, abi::kMaxValuePieces * abi::kPieceBytesMax> bytes;
  for (std::uint32_t piece = 0; piece < abi::piecesOfPart(values.bytes); ++piece) {
    const std::uint64_t number = values.piece(*part, piece, lane);
    std::memcpy(bytes.data() + piece * abi::kPieceBytesMax, &number, sizeof number);
  }
  const Bytes value = Bytes(bytes).first(values.bytes);
  auto text = sourceText(module.strings[site.sourceType], module.strings[site.layout], value);
  return text ? text : llvmText(module.strings[site.type], value);
}

} // namespace cupr::analysis
