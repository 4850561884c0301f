/// What the bytes of a value are: numbers, at their places.
///
/// The type that the program has for what is accessed says it (Site::sourceType, layout; devicelib/abi/access_types.h), where it is
/// known and fits; else LLVM's does. Coordinates of textures and surfaces have 4 bytes each, and a type that says how many there are:
/// `float`, `<2 x i32>`, `{ i32, float }`.
#ifndef CUPR_ANALYSIS_VALUE_FORM_H
#define CUPR_ANALYSIS_VALUE_FORM_H

#include "devicelib/abi/value_record.h"
#include "hostlib/trace/module.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace cupr::analysis {

struct ValueForm {
  enum class Meaning : std::uint8_t { Signed, Unsigned, Float, Half, Bfloat, Pointer };
  struct Scalar {
    Meaning meaning;
    std::uint8_t bytes;
  };
  struct Part {
    Scalar scalar;
    std::size_t offset;    ///< in bytes
    std::string_view name; ///< of a field
  };
  enum class Style : std::uint8_t { Number, List, Fields, Bytes /* nothing is known of them */ };

  Style style = Style::Bytes;
  std::size_t count = 0;
  std::array<Part, abi::kMaxValueBytes> all{};
  std::span<const Part> parts() const { return std::span(all).first(count); }
};

/// Of the values of accesses of the site, which is the module's. Names are the module's. What takes a site's records asks once for each.
ValueForm valueForm(const trace::Module &module, const trace::Site &site);

} // namespace cupr::analysis

#endif
