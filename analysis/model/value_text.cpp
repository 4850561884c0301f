#include "value_text.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

using Bytes = std::span<const unsigned char>;
using Meaning = ValueForm::Meaning;
using Style = ValueForm::Style;

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

/// The bits of binary16 of a number that it can hold.
std::uint32_t bitsOfHalf(float number) {
  const std::uint32_t sign = std::signbit(number) ? 1u << 15 : 0u;
  if (std::isinf(number))
    return sign | 31u << 10;
  int exponent = 0;
  const float fraction = std::frexp(std::fabs(number), &exponent); // of 2^exponent, from 0.5 on
  if (fraction == 0 || exponent < -13)
    return sign | static_cast<std::uint32_t>(std::ldexp(std::fabs(number), 24));
  return sign | static_cast<std::uint32_t>(exponent + 14) << 10 |
         (static_cast<std::uint32_t>(std::ldexp(fraction, 11)) & 1023u);
}

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

std::string textOf(const ValueForm &form, Bytes bytes) {
  if (form.style == Style::Bytes)
    return hexadecimal(bytes);
  std::string all;
  for (const ValueForm::Part &part : form.parts()) {
    all += all.empty() ? "" : ", ";
    if (form.style == Style::Fields)
      all += fmt::format("{}: ", part.name);
    all += scalarText(part.scalar.meaning, bytes.subspan(part.offset, part.scalar.bytes));
  }
  return form.style == Style::Number ? all : form.style == Style::List ? "(" + all + ")" : "{" + all + "}";
}

/// A number at the whole of `text`, in base `base`.
template <typename Number> std::optional<Number> wholeNumber(std::string_view text, auto... base) {
  Number number{};
  const char *const begin = text.data(), *const end = begin + text.size();
  const auto [read, problem] = std::from_chars(begin, end, number, base...);
  return problem == std::errc() && read == end ? std::optional(number) : std::nullopt;
}

std::optional<std::uint64_t> hexadecimalNumber(std::string_view text) {
  return text.starts_with("0x") ? wholeNumber<std::uint64_t>(text.substr(2), 16) : std::nullopt;
}

/// None: the text is none of such a scalar.
std::optional<std::uint64_t> bitsOfText(ValueForm::Scalar scalar, std::string_view text) {
  if (scalar.meaning == Meaning::Pointer)
    return hexadecimalNumber(text);
  if (scalar.meaning == Meaning::Unsigned)
    return wholeNumber<std::uint64_t>(text);
  if (scalar.meaning == Meaning::Signed) {
    const auto number = wholeNumber<std::int64_t>(text);
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
  }
  if (text.starts_with("nan(") && text.ends_with(')'))
    return hexadecimalNumber(text.substr(4, text.size() - 5));
  if (scalar.bytes == sizeof(double)) {
    const auto number = wholeNumber<double>(text);
    return number ? std::optional(std::bit_cast<std::uint64_t>(*number)) : std::nullopt;
  }
  const auto number = wholeNumber<float>(text);
  if (!number)
    return std::nullopt;
  const auto bits = std::bit_cast<std::uint32_t>(*number);
  return scalar.meaning == Meaning::Float  ? bits
         : scalar.meaning == Meaning::Half ? bitsOfHalf(*number)
                                           : bits >> 16;
}

bool takeParts(const ValueForm &form, std::string_view text, std::span<unsigned char> bytes) {
  if (form.style != Style::Number) {
    if (text.size() < 2)
      return false;
    text = text.substr(1, text.size() - 2);
  }
  const std::span<const ValueForm::Part> parts = form.parts();
  for (const ValueForm::Part &part : parts) {
    std::string_view one = text.substr(0, &part == &parts.back() ? text.npos : text.find(", "));
    text.remove_prefix(std::min(text.size(), one.size() + 2));
    if (form.style == Style::Fields) {
      if (one.size() < part.name.size() + 2)
        return false;
      one.remove_prefix(part.name.size() + 2);
    }
    const std::optional<std::uint64_t> bits = bitsOfText(part.scalar, one);
    if (!bits)
      return false;
    std::memcpy(bytes.data() + part.offset, &*bits, part.scalar.bytes);
  }
  return true;
}

bool takeBytes(std::string_view text, std::span<unsigned char> bytes) {
  if (text.size() != 2 + 2 * bytes.size())
    return false;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = wholeNumber<unsigned char>(text.substr(2 + 2 * at, 2), 16);
    if (!byte)
      return false;
    bytes[at] = *byte;
  }
  return true;
}

} // namespace

bool bytesOfText(const ValueForm &form, std::string_view text, std::span<unsigned char> bytes) {
  std::ranges::fill(bytes, static_cast<unsigned char>(0));
  return (form.style == Style::Bytes ? takeBytes(text, bytes) : takeParts(form, text, bytes)) &&
         textOf(form, bytes) == text;
}

std::optional<unsigned> partOf(abi::Operation operation, ValueRole role) {
  const abi::OperationClass kind = abi::operationClass(operation);
  const bool isExchange = operation == abi::Operation::AtomicCAS;
  if (abi::isOfImage(operation))
    return role == ValueRole::Coordinates ? std::optional(0u) : std::nullopt;
  if (abi::hasFigures(operation))
    return role == ValueRole::Written ? std::optional(0u) : std::nullopt;
  switch (role) {
  case ValueRole::Read:
    return kind == abi::OperationClass::Store ? std::nullopt : std::optional(0u);
  case ValueRole::Written:
    return kind == abi::OperationClass::Load    ? std::nullopt
           : kind == abi::OperationClass::Store ? std::optional(0u)
                                                : std::optional(isExchange ? 2u : 1u);
  case ValueRole::Compared:
    return isExchange ? std::optional(1u) : std::nullopt;
  case ValueRole::Coordinates:
    break;
  }
  return std::nullopt;
}

std::optional<std::string> valueText(const ValueForm &form, abi::Operation operation,
                                     const trace::AccessValues &values, ValueRole role, unsigned lane) {
  const std::optional<unsigned> part = partOf(operation, role);
  if (!part || *part >= values.shape.parts)
    return std::nullopt;
  std::array<unsigned char, abi::kMaxValuePieces * abi::kPieceBytesMax> bytes;
  for (std::uint32_t piece = 0; piece < abi::piecesOfPart(values.shape.bytes); ++piece) {
    const std::uint64_t number = values.piece(*part, piece, lane);
    std::memcpy(bytes.data() + piece * abi::kPieceBytesMax, &number, sizeof number);
  }
  return textOf(form, Bytes(bytes).first(values.shape.bytes));
}

} // namespace cupr::analysis
