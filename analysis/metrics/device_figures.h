/// What is known of GPUs by their names, for estimates.
#ifndef CUPR_ANALYSIS_DEVICE_FIGURES_H
#define CUPR_ANALYSIS_DEVICE_FIGURES_H

#include <string_view>

namespace cupr::analysis {

/// Of an H100, unless something else is known.
struct DeviceFigures {
  unsigned multiprocessors = 132;
  double linkBytesPerSecond = 450e9; ///< of all its NVLinks, in one direction
  double memoryBytesPerSecond = 3.35e12;
  double hostBytesPerSecond = 50e9;   ///< over PCIe, in one direction
  double cacheBytesPerSecond = 30e12; ///< of all L1 caches: 128 in each clock of each multiprocessor
  /// On one address: one in each clock of the L2 cache, about.
  double atomicsPerSecond = 1.7e9;
  // What follows depends on the host and its driver more than on the device; it is what is usual, not what is best.
  double pageableBytesPerSecond = 10e9; ///< between the device and memory of the host that is not page-locked
  double copySeconds = 8e-6;            ///< a blocking copy of a few bytes
  double launchSeconds = 2.5e-6;        ///< from launch to launch in a stream, of kernels that do nothing
  double graphSeconds = 5e-6;           ///< the launch of a graph
  double graphNodeSeconds = 1e-6;       ///< from kernel to kernel in a graph, of kernels that do nothing
  unsigned threads() const { return multiprocessors * 2048; } ///< that run at a time
};

/// `name`: what CUDA calls the device. Sources: NVIDIA's data sheets.
DeviceFigures figuresOf(std::string_view name);

} // namespace cupr::analysis

#endif
