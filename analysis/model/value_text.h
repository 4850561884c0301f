/// Values of accesses as text: exactly, so that a reader can make the bytes of it again, but for those that no field of a
/// structure has.
///
/// The type that the program has for what is accessed says what the bytes are (Site::sourceType, layout), where it is known:
///
///     int, char, enumerations  -7, 65              characters and enumerations are the numbers that they stand for
///     unsigned int, bool       4294967289, 1
///     float, double, __half    0.1, inf, -0        the shortest that reads as the same number
///                              nan(0x7fc00001)     with its bits, of which nobody else speaks
///     T *                      0x7f0012340000
///     float4, Particle         {x: 1, y: 2, z: 3, w: 4}, {position.x: 1, ids[0]: 7}
///
/// Else LLVM's does:
///
///     i8 ... i64               -7                  signed: the type does not say otherwise
///     float, ptr ...           as above
///     <4 x float>              (1, 2, 3, 4)
///     all else                 0x00010203          its bytes, in the order of memory
#ifndef CUPR_ANALYSIS_VALUE_TEXT_H
#define CUPR_ANALYSIS_VALUE_TEXT_H

#include "hostlib/trace/module.h"
#include "hostlib/trace/record_values.h"

#include <array>
#include <optional>
#include <string>

namespace cupr::analysis {

/// What a part of an access's values (devicelib/abi/operation.h, valuesOf) is. Written: of an atomic operation, its operand.
enum class ValueRole { Read, Written, Compared };
inline constexpr std::array kValueRoles{ValueRole::Read, ValueRole::Written, ValueRole::Compared};
constexpr const char *roleName(ValueRole role) {
  return role == ValueRole::Read ? "read" : role == ValueRole::Written ? "written" : "compared";
}

/// Which part has this role; none: the operation has no such value.
std::optional<unsigned> partOf(abi::Operation operation, ValueRole role);

/// What a lane read, wrote or compared with. None: it did not, or that was not recorded. `site`: of `module`.
std::optional<std::string> valueText(const trace::Module &module, const trace::Site &site,
                                     const trace::AccessValues &values, ValueRole role, unsigned lane);

} // namespace cupr::analysis

#endif
