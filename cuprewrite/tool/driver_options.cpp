/// The words of a command line: which are flags, where their values are, and what the rest is.
#include "driver_options.h"

#include "cuprewrite/commandline/nvcc_flags.h"
#include "cuprewrite/commandline/words.h"
#include "driver_flags.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string_view>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

using commandline::append;
using commandline::splitAt;

using Action = DriverOptions::Action;

class Parser {
public:
  explicit Parser(const std::vector<std::string> &arguments) : arguments_(arguments) {}

  DriverOptions parse(std::string &error) {
    while (at_ < arguments_.size() && error_.empty())
      argument(arguments_[at_++]);
    if (error_.empty())
      finish();
    if (!error_.empty())
      error = error_;
    return std::move(options_);
  }

private:
  std::string nextWord(std::string_view flag) {
    if (at_ == arguments_.size()) {
      error_ = fmt::format("{} needs a value", flag);
      return "";
    }
    return arguments_[at_++];
  }

  void argument(const std::string &text) {
    if (text.size() < 2 || text.front() != '-')
      return input(text);
    if (warning(text) || table(text) || joined(text) || linking(text))
      return;
    options_.compileFlags.push_back(text); // clang's, or clang says what is wrong with it
    // Flags of clang's whose value is the next word.
    static const std::string_view takeAWord[] = {"-idirafter",   "-iquote",  "-isysroot", "-Xclang", "-mllvm",
                                                 "-ivfsoverlay", "-iprefix", "-imacros",  "--param"};
    if (std::find(std::begin(takeAWord), std::end(takeAWord), text) != std::end(takeAWord))
      options_.compileFlags.push_back(nextWord(text));
  }

  bool table(const std::string &text) {
    std::optional<commandline::FlagUse> use = commandline::findFlag(flagsBesideNvccs(), arguments_, at_ - 1);
    if (!use)
      use = commandline::findFlag(commandline::nvccFlags(), arguments_, at_ - 1);
    if (!use)
      return false;
    at_ = use->next;
    if (use->lacksValue)
      error_ = fmt::format("{} needs a value", use->spelled);
    else
      flags_.apply(*use->flag, text, use->spelled, use->value);
    if (options_.action == Action::LinkWith) {
      append(options_.linker, {arguments_.begin() + static_cast<std::ptrdiff_t>(at_), arguments_.end()});
      at_ = arguments_.size();
    }
    return true;
  }

  /// Values that follow a letter without anything between.
  bool joined(const std::string &text) {
    const std::string value = text.substr(2);
    if (text.starts_with("--show-cost")) {
      options_.showCost = true;
      options_.costFile = text.substr(std::min(text.size(), std::string_view("--show-cost=").size()));
    } else if (text == "-O") {
      options_.optimisation = "-O1";
    } else if (text.starts_with("-O")) {
      options_.optimisation = text;
    } else if (text.starts_with("-I")) {
      options_.includes.push_back(value);
    } else if (text.starts_with("-D") || text.starts_with("-U")) {
      options_.compileFlags.push_back(text);
    } else if (text.starts_with("-L")) {
      options_.linkInputs.push_back(text);
    } else if (text.starts_with("-l")) {
      flags_.addLibrary(value);
    } else if (text.starts_with("-isystem")) {
      append(options_.compileFlags, {"-isystem", text.substr(8)});
    } else {
      return false;
    }
    return true;
  }

  /// nvcc's -Werror has a list, clang's is one word, or -Werror=NAME.
  bool warning(const std::string &text) {
    if (text != "-Werror" && text != "--Werror" && !text.starts_with("-Werror=") &&
        !text.starts_with("--Werror="))
      return false;
    static const std::string_view nvccs[] = {
        "all-warnings",           "cross-execution-space-call", "reorder",
        "default-stream-launch",  "missing-launch-bounds",      "ext-lambda-captures-this",
        "deprecated-declarations"};
    const auto known = [&](const std::string &list) {
      const std::vector<std::string> kinds = splitAt(list, ',');
      return !kinds.empty() && std::all_of(kinds.begin(), kinds.end(), [&](const std::string &kind) {
        return std::find(std::begin(nvccs), std::end(nvccs), kind) != std::end(nvccs);
      });
    };
    const std::size_t equals = text.find('=');
    std::string list = equals == std::string::npos ? "" : text.substr(equals + 1);
    if (equals == std::string::npos && at_ < arguments_.size() && known(arguments_[at_]))
      list = arguments_[at_++];
    if (!known(list)) {
      options_.compileFlags.push_back(text);
      return true;
    }
    for (const std::string &kind : splitAt(list, ','))
      if (kind == "all-warnings")
        options_.compileFlags.push_back("-Werror");
      else if (kind == "reorder" || kind == "deprecated-declarations")
        options_.compileFlags.push_back("-Werror=" + kind);
    return true; // the other kinds are nvcc's own warnings
  }

  bool linking(const std::string &text) {
    static const std::string_view known[] = {
        "-static",           "-pie",           "-no-pie",   "-static-pie",    "-rdynamic",
        "-static-libstdc++", "-static-libgcc", "-nostdlib", "-nodefaultlibs", "-s"};
    if (text == "-pthread") { // a macro for the compilation, a library for the link
      options_.compileFlags.push_back(text);
      options_.linkInputs.push_back(text);
      return true;
    }
    if (!text.starts_with("-Wl,") && !text.starts_with("-fuse-ld=") &&
        std::find(std::begin(known), std::end(known), text) == std::end(known))
      return false;
    options_.linkInputs.push_back(text);
    return true;
  }

  void input(const std::string &text) {
    if (text == "-") {
      error_ = "a program on standard input can't be rewritten: put it into a file";
      return;
    }
    const std::string extension = fs::path(text).extension().string();
    static const std::string_view host[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".c", ".i", ".ii"};
    static const std::string_view device[] = {".ptx", ".cubin", ".fatbin", ".gpu"};
    if (flags_.language == "cuda" || (flags_.language.empty() && extension == ".cu"))
      options_.cudaSources.push_back(text);
    else if (!flags_.language.empty() ||
             std::find(std::begin(host), std::end(host), extension) != std::end(host))
      options_.hostSources.push_back(text);
    else if (std::find(std::begin(device), std::end(device), extension) != std::end(device))
      error_ =
          fmt::format("{}: device code that is compiled already can't be traced: name the CUDA source, or "
                      "assemble it with the toolkit's ptxas",
                      text);
    else if (extension == ".cuh")
      error_ = fmt::format(
          "{}: a header is compiled with the source that includes it; -x cu makes it a source", text);
    else
      options_.linkInputs.push_back(text);
  }

  void finish() {
    if (flags_.inPlaceOf)
      options_.notes.clear();
    if (flags_.debugDevice && !flags_.optimiseDevice) {
      options_.optimisation = "-O0";
      options_.deviceNumbers.contracts = false;
    }
    options_.gpuTargets = flags_.targets.resolve(error_, options_.notes);
    if (!flags_.outputFolder.empty() && options_.output.empty())
      outputInto(flags_.outputFolder);
    else if (options_.output.ends_with('/'))
      outputInto(options_.output);
  }

  /// -odir D, or -o D/: the name is made of the source's.
  void outputInto(const fs::path &folder) {
    const std::size_t sources = options_.cudaSources.size() + options_.hostSources.size();
    const char *const ending = options_.action == Action::Compile     ? ".o"
                               : options_.action == Action::Ptx       ? ".ptx"
                               : options_.action == Action::Cubin     ? ".cubin"
                               : options_.action == Action::FatBinary ? ".fatbin"
                                                                      : nullptr;
    if (!ending) {
      options_.output.clear();
      if (options_.action == Action::Link)
        options_.output = (folder / "a.out").string();
    } else if (sources == 1) {
      const fs::path source =
          options_.cudaSources.empty() ? options_.hostSources.front() : options_.cudaSources.front();
      options_.output = (folder / source.stem()).string() + ending;
    } else {
      error_ = "-odir with several sources: compile them one by one";
    }
  }

  const std::vector<std::string> &arguments_;
  std::size_t at_ = 0;
  DriverFlags flags_;
  DriverOptions &options_ = flags_.options;
  std::string &error_ = flags_.error;
};

/// Flags of gcc's and clang's with which gcc has an instruction for a product and a sum, or that say what to do with them.
bool saysWhatIsFused(const std::string &flag) {
  static const std::string_view beginnings[] = {"-march=", "-mfma", "-mavx512", "-ffp-contract="};
  return std::ranges::any_of(beginnings,
                             [&](std::string_view beginning) { return flag.starts_with(beginning); });
}

} // namespace

std::vector<GpuTarget> DriverOptions::targets() const {
  return gpuTargets.empty() ? std::vector{commandline::defaultGpuTarget()} : gpuTargets;
}

std::vector<std::string> DriverOptions::cudaFlags() const {
  std::vector<std::string> flags = compileFlags;
  const auto isCmakes = [](const std::string &source) {
    return fs::path(source).filename() == "CMakeCUDACompilerId.cu";
  };
  if (std::ranges::none_of(cudaSources, isCmakes))
    flags.insert(flags.begin(), "-DCUPR_NVCC_MACRO");
  if (!hostFusingFlag().empty())
    flags.insert(flags.begin(), {"-Xarch_host", hostFusingFlag()});
  return flags;
}

std::string DriverOptions::hostFusingFlag() const {
  const bool said =
      std::ranges::any_of(compileFlags, saysWhatIsFused) || std::ranges::any_of(hostFlags, saysWhatIsFused);
  return said ? "" : "-ffp-contract=off";
}

std::vector<std::string> DriverOptions::hostCompilerFlags() const {
  std::vector<std::string> flags = hostFlags;
  if (!flags.empty()) // they may be meant for gcc
    flags.insert(flags.begin(), {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument"});
  return flags;
}

DriverOptions DriverOptions::parse(const std::vector<std::string> &arguments, std::string &error) {
  return Parser(arguments).parse(error);
}

std::vector<std::string> expandArguments(const std::vector<std::string> &arguments, std::string &error) {
  std::vector<std::string> all;
  const auto addEnvironment = [&](const char *name) {
    const char *const value = std::getenv(name);
    for (std::string &word : commandline::shellWords(value ? value : ""))
      all.push_back(std::move(word));
  };
  const auto others = std::ranges::find(arguments, "--link-with"); // another compiler's command
  addEnvironment("NVCC_PREPEND_FLAGS");
  all.insert(all.end(), arguments.begin(), others);
  addEnvironment("NVCC_APPEND_FLAGS");
  all.insert(all.end(), others, arguments.end());
  return commandline::withFilesRead(all, "", error);
}

} // namespace cupr::tool
