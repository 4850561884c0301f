/// A field's value on its way between a struct and the schema, which have enumerations, numbers and texts of
/// their own.
#ifndef CUPR_TRACE_FIELD_VALUE_H
#define CUPR_TRACE_FIELD_VALUE_H

#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>

namespace cupr::trace {

/// Becomes what it is assigned to. What an enumeration can't hold becomes its last value, which no kind of thing
/// has: so a number that is too large can't pass for a small one.
template <typename From> struct FieldValue {
  const From &value;
  template <typename To> operator To() const {
    if constexpr (std::is_same_v<From, std::string>)
      return To(value.c_str(), value.size());
    else if constexpr (std::is_same_v<To, std::string>)
      return To(value.begin(), value.size());
    else if constexpr (std::is_enum_v<To> && sizeof(To) < sizeof(From)) {
      constexpr auto kLast = std::numeric_limits<std::underlying_type_t<To>>::max();
      return static_cast<std::uint64_t>(value) > kLast ? To{kLast} : static_cast<To>(value);
    } else
      return static_cast<To>(value);
  }
};

} // namespace cupr::trace

#endif
