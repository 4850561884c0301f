/// Values of rows from what C++ has.
#ifndef CUPR_ANALYSIS_ROW_VALUES_H
#define CUPR_ANALYSIS_ROW_VALUES_H

#include "row_kinds.h"

#include <concepts>

namespace cupr::analysis {

inline Value valueOf(const Value &value) { return value; }
inline Value valueOf(std::unsigned_integral auto number) {
  if constexpr (std::same_as<decltype(number), bool>)
    return number;
  else
    return std::uint64_t{number};
}
inline Value valueOf(double number) { return number; }
inline Value valueOf(const char *text) { return std::string_view(text); }
inline Value valueOf(const std::string &text) { return std::string_view(text); }
inline Value valueOf(std::span<const std::string> texts) { return texts; }

} // namespace cupr::analysis

#endif
