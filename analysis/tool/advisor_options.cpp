/// Units are those that data sheets have: GB/s of 10^9 bytes, microseconds.
#include "advisor_options.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

std::vector<CLI::Option *> addAdvisorOptions(CLI::App &command, AdvisorOptions &options) {
  return {
      command
          .add_option_function<std::vector<unsigned>>(
              "--gpus",
              [&options](std::vector<unsigned> devices) {
                std::sort(devices.begin(), devices.end());
                devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
                options.devices = std::move(devices);
              },
              "Numbers of GPUs, separated by commas; default: 2,4,8")
          ->delimiter(',')
          ->check(CLI::Range(2u, kMostDevices)),
      command
          .add_option_function<double>(
              "--link", [&options](double gigabytes) { options.bytesPerSecond = gigabytes * 1e9; },
              "GB/s of a GPU's link in each direction; default: 450, as NVLink 4")
          ->check(CLI::Range(1e-3, 1e9)),
      command
          .add_option_function<double>(
              "--latency", [&options](double microseconds) { options.latencySeconds = microseconds * 1e-6; },
              "Microseconds that a superstep takes longer if anything crosses; default: 0")
          ->check(CLI::Range(0.0, 1e9)),
      command
          .add_option_function<unsigned>(
              "--multiprocessors", [&options](unsigned count) { options.multiprocessors = count; },
              "Multiprocessors of each GPU; default: 132, as an H100 has")
          ->check(CLI::Range(1u, 65536u)),
      command
          .add_option_function<double>(
              "--kernel-time",
              [&options](double milliseconds) { options.kernelSeconds = milliseconds * 1e-3; },
              "Milliseconds that all kernels take on one GPU without instrumentation (from a profiler): the "
              "speed-up is estimated from it")
          ->check(CLI::Range(1e-6, 1e12)),
  };
}

} // namespace cupr::analysis
