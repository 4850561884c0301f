#include "shared_options.h"

#include <regex>

namespace cupr::analysis {

void addAnalysisOptions(CLI::App &command, AnalysisOptions &options) {
  options.quiet = false;
  static const std::map<std::string, DeviceCopies> copies{{"hand-on", DeviceCopies::HandOn},
                                                          {"read", DeviceCopies::Read}};
  addChoice(
      command, "--device-copies", options.copies, copies,
      "A copy from the device to the device hands on who wrote its source (the default), or the host reads "
      "and writes there, as in other copies");
  command
      .add_option("--threads", options.threads,
                  "How many threads work; default: one per processor, and no more than one for each 128M of "
                  "--memory")
      ->check(CLI::Range(1u, 1024u));
  command
      .add_option(
          "--memory", options.memory,
          "How much memory to take, about: 512M, 2G; what doesn't fit goes to $TMPDIR. Default: 512M, or 50 "
          "times the size of the trace if that is more; at most half of what the machine has")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1} << 24, std::uint64_t{1} << 60));
  command.add_flag("--quiet,-q", options.quiet, "No progress on stderr");
}

void addLaunchSelection(CLI::App &command, LaunchSelection &selection, const std::string &what) {
  command
      .add_option("--kernel", selection.kernel,
                  what + "Only launches whose kernel name matches this regular expression")
      ->check([](const std::string &text) {
        try {
          std::regex{text};
          return std::string();
        } catch (const std::regex_error &error) {
          return "'" + text + "' is not a regular expression: " + error.what();
        }
      });
  command.add_option("--launch", selection.launch, what + "Only the launch with this number");
}

void addSelection(CLI::App &command, Selection &selection) {
  addLaunchSelection(command, selection);
  command.add_option("--limit", selection.limit, "Stop after this many warp records");
}

} // namespace cupr::analysis
