#include "instruction_class.h"

#include <charconv>
#include <optional>

namespace cupr::analysis {

namespace {

/// The part up to the next dot; `text` is what is behind it.
std::string_view nextPart(std::string_view &text) {
  const std::size_t dot = text.find('.');
  const std::string_view part = text.substr(0, dot);
  text = dot == text.npos ? std::string_view() : text.substr(dot + 1);
  return part;
}

/// The number behind the letter that `text` must begin with.
std::optional<std::uint64_t> numberBehind(char letter, std::string_view &text) {
  if (!text.starts_with(letter))
    return std::nullopt;
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
  if (error != std::errc())
    return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// `m16n8k16.f32.f16`: shape, result, and what is multiplied where that is another type.
ClassWork tensorWork(std::string_view rest) {
  std::string_view shape = nextPart(rest);
  const auto m = numberBehind('m', shape), n = numberBehind('n', shape), k = numberBehind('k', shape);
  if (!m || !n || !k)
    return {};
  const std::string_view result = nextPart(rest), factors = nextPart(rest);
  // A product of 64 rows is one of four warps together (wgmma).
  return {.precision = "tensor." + std::string(!factors.empty()  ? factors
                                               : result == "f32" ? "f16"
                                                                 : result),
          .ofWarp = 2 * *m * *n * *k / (*m == 64 ? 4 : 1)};
}

} // namespace

ClassWork workOf(std::string_view instructionClass) {
  if (nextPart(instructionClass) != "compute")
    return {};
  std::string precision(nextPart(instructionClass));
  if (precision == "tensor")
    return tensorWork(instructionClass);
  const bool isPair = precision.ends_with("x2");
  if (isPair)
    precision.resize(precision.size() - 2);
  const auto is = [&](auto... names) { return ((instructionClass == names) || ...); };
  const std::uint64_t each = is("fma") ? 2 : is("add", "multiply", "divide", "special") ? 1 : 0;
  if (each == 0)
    return {};
  return {.precision = std::move(precision), .ofThread = each * (isPair ? 2 : 1)};
}

} // namespace cupr::analysis
