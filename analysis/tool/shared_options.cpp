#include "shared_options.h"

#include "devicelib/abi/setting.h"

#include <algorithm>
#include <regex>
#include <string_view>

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
                  "How many threads work; default: one per processor, and no more than one for each 160M of "
                  "--memory or, without that, for each 3M of the trace; two at least")
      ->check(CLI::Range(1u, 1024u));
  command
      .add_option(
          "--memory", options.memory,
          "How much memory to take, about: 512M, 2G; what doesn't fit goes to $TMPDIR. Default: 384M, or 6 "
          "times the size of the trace if that is more; at most half of what the machine has")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::uint64_t{1} << 24, std::uint64_t{1} << 60));
  command.add_flag("--quiet,-q", options.quiet, "No progress on stderr");
}

namespace {

/// Why it is no expression; empty: it is one.
std::string noExpression(const std::string &text) {
  try {
    std::regex{text};
    return {};
  } catch (const std::regex_error &error) {
    return "'" + text + "' is not a regular expression: " + error.what();
  }
}

} // namespace

std::vector<CLI::Option *> addLaunchSelection(CLI::App &command, LaunchSelection &selection,
                                              const std::string &what) {
  static constexpr abi::Setting kPart = abi::settingOf(abi::SettingName::CUPR_KERNEL_NAME);
  return {
      command
          .add_option("--kernel", selection.kernel,
                      what + "Only launches whose kernel name, parameters included, holds a match of this "
                             "regular expression")
          ->check(noExpression),
      command
          .add_option("-k,--kernel-name", selection.kernelName,
                      what + "Only launches of the kernel with this name, or, written regex:EXPR, with a "
                             "name that holds a match")
          ->check([](const std::string &text) {
            constexpr std::string_view kRegex = "regex:";
            return text.starts_with(kRegex) ? noExpression(text.substr(kRegex.size())) : std::string();
          }),
      command
          .add_option("--kernel-name-base", selection.namePart,
                      "What of the name --kernel-name means: " + std::string(kPart.values))
          ->check([](const std::string &text) {
            return abi::isWord(kPart.values, text) ? std::string()
                                                   : "'" + text + "' is none of " + kPart.values;
          })
          ->capture_default_str(),
      command.add_option("--launch", selection.launch, what + "Only the launch with this number"),
      command.add_option("-s,--launch-skip", selection.skip,
                         what + "Of the launches that the other filters choose, skip the first N"),
      command.add_option("-c,--launch-count", selection.count, what + "Then take N launches, and no more")};
}

CLI::Option *addBlockSelection(CLI::App &command, RecordSelection &selection) {
  return command
      .add_option("--block,--cta", selection.block,
                  "Only this block of each launch: x,y,z, or its linear number")
      ->check([](const std::string &text) {
        try {
          blockNumbers(text);
          return std::string();
        } catch (const std::invalid_argument &error) {
          return std::string(error.what());
        }
      });
}

namespace {

CLI::Option *addFileSelection(CLI::App &command, RecordSelection &selection) {
  return command.add_option("--file", selection.file,
                            "Only accesses at places in this source file: its path, or the end of it");
}

} // namespace

std::vector<CLI::Option *> addRecordSelection(CLI::App &command, RecordSelection &selection) {
  return {addBlockSelection(command, selection), addFileSelection(command, selection)};
}

void addPartSelection(CLI::App &command, PartSelection &selection, const std::string &what) {
  addLaunchSelection(command, selection.launches, what);
  addFileSelection(command, selection.records);
}

void refuseSelection(CLI::App &command, const std::string &why) {
  for (const char *names : {"--kernel", "-k,--kernel-name", "--kernel-name-base", "--launch",
                            "-s,--launch-skip", "-c,--launch-count", "--block,--cta", "--file"}) {
    std::string name = std::string(names).substr(std::string_view(names).find("--"));
    name.erase(std::min(name.find(','), name.size()));
    if (!command.get_option_no_throw(name))
      command
          .add_option_function<std::string>(
              names, [=](const std::string &) { throw CLI::ValidationError(name, why); }, "")
          ->group("");
  }
}

void addSelection(CLI::App &command, Selection &selection) {
  addLaunchSelection(command, selection.launches);
  addRecordSelection(command, selection.records);
  command.add_option("--limit", selection.limit, "Stop after this many warp records");
}

Verb withSchema(CLI::App &command, std::string &path, std::string (*schema)(), Verb verb) {
  command.add_option("trace", path, "Trace file");
  auto *wanted = command.add_option("--schema", "Print the schema of --json, and nothing else")
                     ->check(CLI::IsMember({"json"}));
  command.callback([=, &path] {
    if (wanted->count() == 0 && path.empty())
      throw CLI::RequiredError("trace");
  });
  return [=, verb = std::move(verb)] {
    if (wanted->count() == 0)
      return verb();
    std::fputs(schema().c_str(), stdout);
    return int{kExitGood};
  };
}

} // namespace cupr::analysis
