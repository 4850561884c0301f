/// Device linking: makes one device program of the parts that the linked objects carry
/// (device_part.h), and an object that registers it.
///
///     part, part, ... ─ joined ─ one program (internal, optimised across files) ─ pass ─┬─> fat binary ─┐
///                                                                                      └─> CPU device ─┴─>
///                                                                                      object
///
/// Instrumentation happens here, once, on the whole program. docs/design/0006 tells why it is done so.
#ifndef CUPR_TOOL_DEVICE_LINK_H
#define CUPR_TOOL_DEVICE_LINK_H

#include "device_part.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"
#include "translation_unit.h"

#include <memory>

namespace cupr::tool {

/// Objects with a linked device program have this section: it names the parts that are in it.
inline constexpr const char *kDeviceLinkedSection = ".cupr.linked";

class DeviceLink {
public:
  /// `folder` is for intermediate files and exists; `program` is what the code is linked for.
  DeviceLink(const Installation &installation, const DriverOptions &options, Execution &execution,
             std::string folder, std::string program);

  /// Builds `object` from the parts, at least one. Returns the exit code of the first command that failed, or
  /// 1 when the parts don't fit together (then says so on stderr), else 0.
  int build(const std::vector<DevicePart> &parts, const std::string &object);

  /// The linked program's device code, once it is built.
  const TranslationUnit *program() const { return program_.get(); }

private:
  int join(const std::vector<DevicePart> &parts) const;
  int makeWhole() const;
  int compileRegistration(const std::vector<DevicePart> &parts) const;
  std::string file(const std::string &name) const { return folder_ + "/" + name; }

  const Installation &installation_;
  DriverOptions options_; ///< the link's, with what the parts decide
  Execution &execution_;
  const std::string folder_;
  const std::string name_;
  std::unique_ptr<TranslationUnit> program_;
};

} // namespace cupr::tool

#endif
