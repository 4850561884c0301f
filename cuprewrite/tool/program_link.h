/// The last step: links objects into a program or shared library.
///
/// Device code that waits in the objects is linked as well. Which objects belong to the
/// program is for the host's linker to say (it searches archives and libraries), so it is asked first:
///
///     objects - ld -> program that carries the parts of all objects taken
///                         +- parts - device link -> object +
///     objects ---------------------------------------------+- ld -> program
///
/// Without such parts, the first program is the one.
#ifndef CUPR_TOOL_PROGRAM_LINK_H
#define CUPR_TOOL_PROGRAM_LINK_H

#include "command.h"
#include "device_link.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"

namespace cupr::tool {

class ProgramLink {
public:
  /// `folder` is for intermediate files and exists.
  ProgramLink(const Installation &installation, const DriverOptions &options, Execution &execution,
              std::string folder);

  /// Links the objects, and what the command line names. Returns the exit code of the first
  /// command that failed, or 1 for an error of its own (which it prints), else 0. After an error there is no
  /// output.
  int build(const std::vector<std::string> &objects);
  /// -dlink: an object with the device program of the objects and archives named, for a host link
  /// elsewhere. Returns as build() does.
  int buildDeviceObject(const std::vector<std::string> &objects);

  /// The device code that was linked; null when there was none.
  const DeviceImage *deviceImage() const { return device_.image(); }
  const std::string &output() const { return output_; }

private:
  /// Without and with the linked device code.
  enum class Pass { First, Second };
  Command hostLink(const std::vector<std::string> &objects, Pass pass) const;
  int linkDevice(const std::vector<std::string> &objects);
  int takeParts(const std::string &from, std::vector<DevicePart> &parts) const;

  const Installation &installation_;
  const DriverOptions &options_;
  Execution &execution_;
  const std::string folder_;
  const std::string output_;
  DeviceLink device_;
};

} // namespace cupr::tool

#endif
