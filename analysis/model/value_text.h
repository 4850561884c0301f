/// Values of accesses as text: exactly, so that a reader can make the bytes of it again.
///
///     i8 ... i64               -7                  signed: the type does not say otherwise
///     float, double, half ...  0.1, inf, -0        the shortest that reads as the same number
///     nan(0x7fc00001)          with its bits, of which nobody else speaks
///     <4 x float>              (1, 2, 3, 4)
///     ptr                      0x7f0012340000
///     { i32, float }           (3, 0.5)            of coordinates, where a layer goes before
///     all else                 0x00010203          its bytes, in the order of memory
#ifndef CUPR_ANALYSIS_VALUE_TEXT_H
#define CUPR_ANALYSIS_VALUE_TEXT_H

#include "hostlib/trace/record_values.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cupr::analysis {

/// What a part of an access's values (devicelib/abi/operation.h, valuesOf) is. Written: of an atomic operation, its operand.
/// Coordinates: where a texture or surface is accessed.
enum class ValueRole { Read, Written, Compared, Coordinates };
inline constexpr std::array kValueRoles{ValueRole::Read, ValueRole::Written, ValueRole::Compared,
                                        ValueRole::Coordinates};
constexpr const char *roleName(ValueRole role) {
  return role == ValueRole::Read       ? "read"
         : role == ValueRole::Written  ? "written"
         : role == ValueRole::Compared ? "compared"
                                       : "coordinates";
}

/// Which part has this role; none: the operation has no such value.
std::optional<unsigned> partOf(abi::Operation operation, ValueRole role);

/// What a lane read, wrote or compared with, of the LLVM type `type`. None: it did not, or that was not recorded.
std::optional<std::string> valueText(std::string_view type, const trace::Site &site,
                                     const trace::AccessValues &values, ValueRole role, unsigned lane);

/// Makes the bytes of a value of such a text again. False: it is no text of a value of this type and so many bytes.
bool bytesOfText(std::string_view type, std::string_view text, std::span<unsigned char> bytes);

} // namespace cupr::analysis

#endif
