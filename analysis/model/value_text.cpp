#include "value_text.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <span>
#include <vector>

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

/// None: the type is none of those that have a text of their own, or has another size.
std::optional<std::string> scalarText(std::string_view type, Bytes bytes) {
  const auto is = [&](std::string_view name, std::size_t size) {
    return type == name && bytes.size() == size;
  };
  if (is("float", 4))
    return floating(std::bit_cast<float>(static_cast<std::uint32_t>(numberOf(bytes))), numberOf(bytes));
  if (is("double", 8))
    return floating(std::bit_cast<double>(numberOf(bytes)), numberOf(bytes));
  if (is("half", 2))
    return floating(halfOf(static_cast<std::uint32_t>(numberOf(bytes))), numberOf(bytes));
  if (is("bfloat", 2))
    return floating(std::bit_cast<float>(static_cast<std::uint32_t>(numberOf(bytes) << 16)), numberOf(bytes));
  if (is("ptr", 8))
    return fmt::format("{:#x}", numberOf(bytes));
  if (!type.starts_with('i') || bytes.size() > sizeof(std::uint64_t))
    return std::nullopt;
  unsigned bits = 0;
  const char *const end = type.data() + type.size();
  if (const auto [read, problem] = std::from_chars(type.data() + 1, end, bits);
      problem != std::errc() || read != end || bits == 0 || (bits + 7) / 8 != bytes.size())
    return std::nullopt;
  if (bits == 1)
    return std::to_string(numberOf(bytes));
  const unsigned spare = 64u - 8u * static_cast<unsigned>(bytes.size());
  return std::to_string(static_cast<std::int64_t>(numberOf(bytes) << spare) >> spare);
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

std::string textOf(std::string_view type, Bytes bytes) {
  if (const auto vector = vectorOf(type); vector && bytes.size() % vector->first == 0) {
    const std::size_t size = bytes.size() / vector->first;
    std::string all;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      const auto element = scalarText(vector->second, bytes.subspan(at, size));
      if (!element)
        return hexadecimal(bytes);
      all += (at == 0 ? "(" : ", ") + *element;
    }
    return all + ")";
  }
  return scalarText(type, bytes).value_or(hexadecimal(bytes));
}

/// Coordinates have 4 bytes each, and a type that says how many there are: `float`, `<2 x i32>`, `{ i32, float }`.
std::string coordinatesText(std::string_view type, Bytes bytes) {
  constexpr std::size_t kSize = 4;
  std::vector<std::string_view> types{type};
  if (const auto vector = vectorOf(type))
    types.assign(std::min<std::size_t>(vector->first, abi::kCoordinates), vector->second);
  else if (type.starts_with("{ ") && type.ends_with(" }"))
    for (types.clear(), type = type.substr(2, type.size() - 4); !type.empty();) {
      const std::size_t end = std::min(type.find(", "), type.size());
      types.push_back(type.substr(0, end));
      type = type.substr(std::min(end + 2, type.size()));
    }
  std::string all;
  for (std::size_t i = 0; i < types.size() && (i + 1) * kSize <= bytes.size(); ++i) {
    const Bytes one = bytes.subspan(i * kSize, kSize);
    all += (i == 0 ? "(" : ", ") + scalarText(types[i], one).value_or(hexadecimal(one));
  }
  return all + ")";
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

/// The bits of a scalar; none: the text is none of such a type, or the type has no text of its own.
std::optional<std::uint64_t> bitsOfText(std::string_view type, std::string_view text, std::size_t bytes) {
  if (type == "ptr")
    return hexadecimalNumber(text);
  if (type == "i1")
    return wholeNumber<std::uint64_t>(text);
  if (type.starts_with('i')) {
    const auto number = wholeNumber<std::int64_t>(text);
    return number ? std::optional(static_cast<std::uint64_t>(*number)) : std::nullopt;
  }
  if (text.starts_with("nan(") && text.ends_with(')'))
    return hexadecimalNumber(text.substr(4, text.size() - 5));
  if (type == "double") {
    const auto number = wholeNumber<double>(text);
    return number ? std::optional(std::bit_cast<std::uint64_t>(*number)) : std::nullopt;
  }
  const auto number = wholeNumber<float>(text);
  if (!number)
    return std::nullopt;
  const auto bits = std::bit_cast<std::uint32_t>(*number);
  return bytes == 4 ? bits : type == "half" ? bitsOfHalf(*number) : bits >> 16;
}

/// Takes `bits` for the scalar if they are those of the text.
bool takeScalar(std::string_view type, std::string_view text, std::span<unsigned char> bytes) {
  if (bytes.size() > sizeof(std::uint64_t))
    return false;
  const std::optional<std::uint64_t> bits = bitsOfText(type, text, bytes.size());
  if (!bits)
    return false;
  std::memcpy(bytes.data(), &*bits, bytes.size());
  return scalarText(type, bytes) == text;
}

} // namespace

bool bytesOfText(std::string_view type, std::string_view text, std::span<unsigned char> bytes) {
  if (const auto vector = vectorOf(type); vector && text.starts_with('(')) {
    if (!text.ends_with(')') || bytes.size() % vector->first != 0)
      return false;
    text = text.substr(1, text.size() - 2);
    const std::size_t size = bytes.size() / vector->first;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      const std::size_t end = at + size == bytes.size() ? text.size() : text.find(", ");
      if (end == std::string_view::npos ||
          !takeScalar(vector->second, text.substr(0, end), bytes.subspan(at, size)))
        return false;
      text.remove_prefix(std::min(text.size(), end + 2));
    }
    return true;
  }
  if (takeScalar(type, text, bytes))
    return true;
  if (!text.starts_with("0x") || text.size() != 2 + 2 * bytes.size())
    return false;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    const auto byte = wholeNumber<unsigned char>(text.substr(2 + 2 * at, 2), 16);
    if (!byte)
      return false;
    bytes[at] = *byte;
  }
  return textOf(type, bytes) == text;
}

std::optional<unsigned> partOf(abi::Operation operation, ValueRole role) {
  const abi::OperationClass kind = abi::operationClass(operation);
  const bool isExchange = operation == abi::Operation::AtomicCAS;
  if (abi::isOfImage(operation))
    return role == ValueRole::Coordinates ? std::optional(0u) : std::nullopt;
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

std::optional<std::string> valueText(std::string_view type, const trace::Site &site,
                                     const trace::AccessValues &values, ValueRole role, unsigned lane) {
  const std::optional<unsigned> part = partOf(site.operation, role);
  if (!part || *part >= values.parts)
    return std::nullopt;
  std::array<unsigned char, abi::kMaxValuePieces * abi::kPieceBytesMax> bytes;
  for (std::uint32_t piece = 0; piece < abi::piecesOfPart(values.bytes); ++piece) {
    const std::uint64_t number = values.piece(*part, piece, lane);
    std::memcpy(bytes.data() + piece * abi::kPieceBytesMax, &number, sizeof number);
  }
  const Bytes all = Bytes(bytes).first(values.bytes);
  return abi::isOfImage(site.operation) ? coordinatesText(type, all) : textOf(type, all);
}

} // namespace cupr::analysis
