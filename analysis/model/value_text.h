/// Values of accesses as text: exactly, so that a reader can make the bytes of it again (bytesOfText), but for those that no
/// field of a structure has.
///
/// Where the type that the program has for what is accessed is known (value_form.h):
///
///     int, char, enumerations  -7, 65              characters and enumerations are the numbers that they stand for
///     unsigned int, bool       4294967289, 1
///     float, double, __half    0.1, inf, -0        the shortest that reads as the same number
///                              nan(0x7fc00001)     with its bits, of which nobody else speaks
///     T *                      0x7f0012340000
///     float4, Particle         {x: 1, y: 2, z: 3, w: 4}, {position.x: 1, ids[0]: 7}
///
/// Figures of an mbarrier (devicelib/abi/operation.h) are fields, too: {count: 1, bytes: 512}. Else by LLVM's:
///
///     i8 ... i64               -7                  signed: the type does not say otherwise
///     float, ptr ...           as above
///     <4 x float>              (1, 2, 3, 4)        coordinates, too, even if there is one
///     all else                 0x00010203          its bytes, in the order of memory
#ifndef CUPR_ANALYSIS_VALUE_TEXT_H
#define CUPR_ANALYSIS_VALUE_TEXT_H

#include "hostlib/trace/record_values.h"
#include "value_form.h"

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace cupr::analysis {

/// What a part of an access's values (devicelib/abi/operation.h, valuesOf) is. Written: of an atomic operation, its operand;
/// of an mbarrier, its figures. Coordinates: where a texture or surface is accessed.
enum class ValueRole { Read, Written, Compared, Coordinates };
/// Of what an access moves, or looks at.
inline constexpr std::array kMovedRoles{ValueRole::Read, ValueRole::Written, ValueRole::Compared};
/// All, by their numbers.
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

/// What a lane read, wrote or compared with, or its coordinates, of a value of this form. None: it did not, or that was not recorded.
std::optional<std::string> valueText(const ValueForm &form, abi::Operation operation,
                                     const trace::AccessValues &values, ValueRole role, unsigned lane);

/// Makes the bytes of a value of such a text again, zeros where no field is. False: it is no text of a value of this form, which is one
/// of so many bytes.
bool bytesOfText(const ValueForm &form, std::string_view text, std::span<unsigned char> bytes);

} // namespace cupr::analysis

#endif
