/// The device code of one translation unit for one architecture, waiting in its host object for the device
/// link.
///
/// It is carried by a section of the object, `.cupr.device`, that is not loaded
/// with the program. The host's linker concatenates the sections of all objects that it takes, so what stands
/// in the linked program is a sequence of parts:
///
///     | head | properties: key=value, a line each | bitcode | zeros up to 16 bytes | head | ...
///
/// What the part offers to other parts and wants from them are symbols of the object, `__device__ f(int)`:
/// the host's linker resolves them like any other, and so finds members of archives.
#ifndef CUPR_TOOL_DEVICE_PART_H
#define CUPR_TOOL_DEVICE_PART_H

#include "cuprewrite/commandline/gpu_targets.h"

#include <string>
#include <string_view>
#include <vector>

namespace cupr::tool {

using commandline::GpuTarget;

struct DevicePart {
  std::string version; ///< of the tool that made it, and of its interfaces
  std::string source;  ///< absolute
  std::string unit;    ///< of one compilation: its parts, one per architecture, have the same
  GpuTarget target;
  std::string optimisation; ///< -OX
  std::vector<std::string> assemblerFlags;
  std::string bitcode;

  std::string bytes() const;
};

/// The version that this cupr++ writes.
std::string devicePartVersion();

/// Takes the section's bytes apart. When they are damaged, `error` says so.
std::vector<DevicePart> parseDeviceParts(std::string_view section, std::string &error);

/// An assembler file for an object that carries a part. `partFile` holds DevicePart::bytes(), `symbols` is
/// what the pass cupr-part wrote.
std::string devicePartAssembly(const std::string &partFile, const std::string &symbols);

/// What the pass wrote of the architectures of one source, as one list: a name that several define is defined
/// once.
std::string joinedSymbols(const std::vector<std::string> &symbols);

/// The architectures that a program of these parts is linked for, in rising order: those of all parts, or
/// those that `wanted` names for the link. `error` says why the parts can't be linked with each other.
std::vector<GpuTarget> linkedTargets(const std::vector<DevicePart> &parts,
                                     const std::vector<GpuTarget> &wanted, std::string &error);

/// The level for the program: the highest of its parts. Functions of parts without
/// optimisation are marked as such.
std::string programLevel(const std::vector<DevicePart> &parts);

/// What `.cupr.linked` holds: a line for each part.
std::string linkedParts(const std::vector<DevicePart> &parts);

inline constexpr const char *kDevicePartSection = ".cupr.device";
/// Holds nothing but the places of what a part offers, and uses of what it wants.
inline constexpr const char *kDeviceNameSection = ".cupr.names";
/// Symbols of parts start with this.
inline constexpr const char *kDevicePartSymbol = "__device__ ";

} // namespace cupr::tool

#endif
