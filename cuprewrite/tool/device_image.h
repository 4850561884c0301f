/// The device code of a program or of one source, for all GPUs that it is built for and for the CPU device.
///
///     device.bc of sm_80 ─> cubins, PTX ─┐
///     device.bc of sm_90 ─> cubins, PTX ─┴─> image.fatbin ─ its hash ─> CPU device's object, of the oldest
///
/// The image's hash is the id by which host code finds the CPU device's module (abi/cpu_device.h). The CPU
/// device runs the code of the oldest architecture: what newer ones have under `__CUDA_ARCH__` is there to
/// use their hardware, which it doesn't have.
#ifndef CUPR_TOOL_DEVICE_IMAGE_H
#define CUPR_TOOL_DEVICE_IMAGE_H

#include "device_code.h"

#include <memory>

namespace cupr::tool {

class DeviceImage {
public:
  /// `folder` is for intermediate files and exists; `targets` are in rising order.
  DeviceImage(const Installation &installation, const DriverOptions &options, Execution &execution,
              const std::vector<GpuTarget> &targets, std::string folder);

  /// Puts `device.bc` of each architecture into its place, side by side, with `prepare`, and builds on.
  /// Returns the exit code of the first command that failed, else 0.
  int build(const std::function<int(const DeviceCode &)> &prepare);

  std::string image() const { return file("image.fatbin"); }
  /// When it is built for the CPU device.
  std::string cpuObject() const { return codes_.front()->cpuObject(); }
  const std::vector<std::unique_ptr<DeviceCode>> &codes() const { return codes_; }

  /// Of the oldest architecture.
  std::string staticReport() const { return codes_.front()->staticReport(); }
  std::vector<KernelCost> costs(const std::string &source) const;

private:
  int pack();
  void writeCpuOnlyImage() const;
  std::string imageId() const;
  std::string file(const std::string &name) const { return folder_ + "/" + name; }

  const Installation &installation_;
  const DriverOptions &options_;
  Execution &execution_;
  const std::string folder_;
  std::vector<std::unique_ptr<DeviceCode>> codes_;
};

} // namespace cupr::tool

#endif
