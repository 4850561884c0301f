/// Units are those that data sheets have: GB/s of 10^9 bytes, microseconds.
#include "advisor_options.h"

#include "shared_options.h"

#include <algorithm>
#include <map>
#include <string>

namespace cupr::analysis {

AdvisorOptions AdvisorChoices::optionsFor(const Model &model) const {
  const AdvisorOptions device = analysis::optionsFor(model.header().process.deviceName);
  AdvisorOptions options = given;
  options.bytesPerSecond = bytesPerSecond.value_or(device.bytesPerSecond);
  options.latencySeconds = latencySeconds.value_or(device.latencySeconds);
  options.packetBytes = packetBytes.value_or(device.packetBytes);
  options.multiprocessors = multiprocessors.value_or(device.multiprocessors);
  return options;
}

std::vector<CLI::Option *> addAdvisorOptions(CLI::App &command, AdvisorChoices &choices) {
  static const std::map<std::string, TopologyKind> kTopologies = {
      {"switch", TopologyKind::Switch}, {"tree", TopologyKind::Tree}, {"ring", TopologyKind::Ring}};
  AdvisorOptions &options = choices.given;
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
          ->allow_extra_args(false) // the trace may stand behind it
          ->check(CLI::Range(2u, kMostDevices)),
      addChoice(command, "--topology", options.topology, kTopologies,
                "How GPUs are connected: each to a switch, two to a switch of a tree (PCIe), or in a ring; "
                "without it, switch"),
      command
          .add_option_function<double>(
              "--link", [&choices](double gigabytes) { choices.bytesPerSecond = gigabytes * 1e9; },
              "GB/s of a GPU's link in each direction; default: the traced device's, else 450, as NVLink 4")
          ->check(CLI::Range(1e-3, 1e9)),
      command
          .add_option_function<double>(
              "--latency", [&choices](double microseconds) { choices.latencySeconds = microseconds * 1e-6; },
              "Microseconds that a superstep takes longer if anything crosses; default: 5")
          ->check(CLI::Range(0.0, 1e9)),
      command
          .add_option_function<unsigned>(
              "--packet", [&choices](unsigned bytes) { choices.packetBytes = bytes; },
              "Bytes of a packet: what one GPU sends another of a pair of launches is rounded up; default: "
              "32")
          ->check(CLI::Range(1u, 1u << 20)),
      command.add_flag("--overlap", options.overlaps,
                       "What crosses goes while the GPUs compute; else they exchange after each superstep"),
      command
          .add_option_function<unsigned>(
              "--multiprocessors", [&choices](unsigned count) { choices.multiprocessors = count; },
              "Multiprocessors of each GPU; default: the traced device's, else 132, as an H100 has")
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

void addAdviseOptions(CLI::App &command, AdvisorChoices &choices) {
  const std::string what = "Also what several GPUs would exchange, as `advise`: the trace is read once more "
                           "for it. Implied by the "
                           "options of that";
  const std::vector<CLI::Option *> advisor = addAdvisorOptions(command, choices);
  choices.asking.assign(advisor.begin(), advisor.end());
  choices.asking.push_back(command.add_flag("--advise", what));
}

std::optional<Advisor> adviseIfAsked(const Model &model, const Communication &communication,
                                     const AdvisorChoices &choices, const AnalysisOptions &options) {
  const bool isAsked =
      std::ranges::any_of(choices.asking, [](const CLI::Option *option) { return option->count() != 0; });
  return isAsked ? advise(model, communication, choices.optionsFor(model), options) : std::nullopt;
}

} // namespace cupr::analysis
