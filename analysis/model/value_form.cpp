#include "value_form.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace cupr::analysis {

namespace {

using Meaning = ValueForm::Meaning;
using Scalar = ValueForm::Scalar;
using Style = ValueForm::Style;

using NamedScalar = std::pair<std::string_view, Scalar>;

std::optional<Scalar> scalarNamed(std::string_view type, std::span<const NamedScalar> all) {
  const auto found = std::ranges::find(all, type, &NamedScalar::first);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

/// None: the type is none of those that have a text of their own.
std::optional<Scalar> llvmScalar(std::string_view type) {
  static constexpr NamedScalar kNamed[] = {{"float", {Meaning::Float, 4}},
                                           {"double", {Meaning::Float, 8}},
                                           {"half", {Meaning::Half, 2}},
                                           {"bfloat", {Meaning::Bfloat, 2}},
                                           {"ptr", {Meaning::Pointer, 8}}};
  if (!type.starts_with('i'))
    return scalarNamed(type, kNamed);
  unsigned bits = 0;
  const char *const end = type.data() + type.size();
  if (const auto [read, problem] = std::from_chars(type.data() + 1, end, bits);
      problem != std::errc() || read != end || bits == 0 || bits > 64)
    return std::nullopt;
  return Scalar{bits == 1 ? Meaning::Unsigned : Meaning::Signed, static_cast<std::uint8_t>((bits + 7) / 8)};
}

/// Of C++, on the device.
std::optional<Scalar> sourceScalar(std::string_view type) {
  static constexpr NamedScalar kNamed[] = {{"int", {Meaning::Signed, 4}},
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
  return scalarNamed(type, kNamed);
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

/// Adds a part. False: it does not lie in the value.
bool add(ValueForm &form, const std::optional<Scalar> &scalar, std::size_t offset, std::size_t bytes,
         std::string_view name = {}) {
  if (!scalar || form.count == form.all.size() || offset > bytes || scalar->bytes > bytes - offset)
    return false;
  form.all[form.count++] = {*scalar, offset, name};
  return true;
}

ValueForm ofOne(const std::optional<Scalar> &scalar, std::size_t bytes) {
  ValueForm form;
  if (scalar && scalar->bytes == bytes && add(form, scalar, 0, bytes))
    form.style = Style::Number;
  return form;
}

ValueForm ofLlvm(std::string_view type, std::size_t bytes) {
  const auto vector = vectorOf(type);
  if (!vector)
    return ofOne(llvmScalar(type), bytes);
  const std::optional<Scalar> scalar = llvmScalar(vector->second);
  if (!scalar || bytes % vector->first != 0 || bytes / vector->first != scalar->bytes)
    return {};
  ValueForm form{Style::List};
  for (std::size_t at = 0; at < bytes; at += scalar->bytes)
    if (!add(form, scalar, at, bytes))
      return {};
  return form;
}

/// `{0 float x;4 float y}`.
ValueForm ofFields(std::string_view layout, std::size_t bytes) {
  constexpr std::size_t kLongest = 1 << 14; // far more than 64 fields take; a file may have any
  if (layout.size() > kLongest || !layout.starts_with('{') || !layout.ends_with('}'))
    return {};
  layout = layout.substr(1, layout.size() - 2);
  ValueForm form{Style::Fields};
  while (!layout.empty()) {
    const std::string_view field = layout.substr(0, layout.find(';'));
    layout.remove_prefix(std::min(layout.size(), field.size() + 1));
    std::size_t offset = 0;
    const auto [read, problem] = std::from_chars(field.data(), field.data() + field.size(), offset);
    const std::size_t type = static_cast<std::size_t>(read - field.data()) + 1, name = field.rfind(' ');
    if (problem != std::errc() || name == std::string_view::npos || name < type ||
        !add(form, sourceScalar(field.substr(type, name - type)), offset, bytes, field.substr(name + 1)))
      return {};
  }
  return form.count == 0 ? ValueForm{} : form;
}

ValueForm ofCoordinates(std::string_view type) {
  constexpr std::size_t kSize = 4;
  ValueForm form{Style::List};
  const auto addNext = [&](std::string_view one) {
    return form.count < abi::kCoordinates &&
           add(form, llvmScalar(one), form.count * kSize, (form.count + 1) * kSize);
  };
  bool areKnown = true;
  if (const auto vector = vectorOf(type))
    for (std::size_t i = 0; areKnown && i < vector->first; ++i)
      areKnown = addNext(vector->second);
  else if (type.starts_with("{ ") && type.ends_with(" }"))
    for (type = type.substr(2, type.size() - 4); areKnown && !type.empty();) {
      const std::size_t end = std::min(type.find(", "), type.size());
      areKnown = addNext(type.substr(0, end));
      type.remove_prefix(std::min(end + 2, type.size()));
    }
  else
    areKnown = addNext(type);
  return areKnown ? form : ValueForm{};
}

/// Those that the operation gives.
ValueForm ofFigures(abi::Operation operation) {
  constexpr std::size_t kSize = 4, kAll = abi::kFigures * kSize;
  constexpr ValueForm::Scalar kNumber{ValueForm::Meaning::Unsigned, kSize};
  ValueForm form{Style::Fields};
  if (operation != abi::Operation::MbarrierExpect)
    add(form, kNumber, 0, kAll, "count");
  if (operation != abi::Operation::MbarrierInit)
    add(form, kNumber, kSize, kAll, "bytes");
  return form;
}

} // namespace

ValueForm valueForm(const trace::Module &module, const trace::Site &site) {
  const std::size_t bytes = abi::valueBytes(site.operation, site.bytes);
  const std::string_view llvm = module.strings[site.type];
  if (abi::isOfImage(site.operation))
    return ofCoordinates(llvm);
  if (abi::hasFigures(site.operation))
    return ofFigures(site.operation);
  const std::string_view type = module.strings[site.sourceType], layout = module.strings[site.layout];
  if (const ValueForm fields = ofFields(layout, bytes); fields.style != Style::Bytes)
    return fields;
  if (const ValueForm number = ofOne(sourceScalar(layout.empty() ? type : layout), bytes);
      number.style != Style::Bytes)
    return number;
  return ofLlvm(llvm, bytes);
}

} // namespace cupr::analysis
