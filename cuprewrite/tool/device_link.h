/// Device linking: makes one device program of the parts that the linked objects carry
/// (device_part.h), and an object that registers it.
///
///     part, part, ... ─ joined ─ one program (internal, optimised across files) ─ image ─┬─> fat binary ─┐
///                                          for each architecture     (device_image.h)    └─> CPU device ─┴─>
///                                                                                            object
///
/// Instrumentation happens here, once, on the whole program. docs/design/0006 tells why it is done so.
#ifndef CUPR_TOOL_DEVICE_LINK_H
#define CUPR_TOOL_DEVICE_LINK_H

#include "device_image.h"
#include "device_part.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"

#include <memory>

namespace cupr::tool {

/// Objects with a linked device program have this section: it names the parts that are in it.
inline constexpr const char *kDeviceLinkedSection = ".cupr.linked";

class DeviceLink {
public:
  /// `folder` is for intermediate files and exists when build() is called.
  DeviceLink(const Installation &installation, const DriverOptions &options, Execution &execution,
             std::string folder);

  /// Builds `object` from the parts, at least one. Returns the exit code of the first command that failed, or
  /// 1 when the parts don't fit together (then says so on stderr), else 0.
  int build(const std::vector<DevicePart> &parts, const std::string &object);

  /// The linked program's device code, once it is built; else null.
  const DeviceImage *image() const { return image_.get(); }

private:
  int join(const std::vector<DevicePart> &parts, const DeviceCode &code) const;
  int compileRegistration(const std::vector<DevicePart> &parts) const;
  std::string file(const std::string &name) const { return folder_ + "/" + name; }

  const Installation &installation_;
  DriverOptions options_; ///< the link's, with what the parts decide
  Execution &execution_;
  const std::string folder_;
  std::unique_ptr<DeviceImage> image_;
};

} // namespace cupr::tool

#endif
