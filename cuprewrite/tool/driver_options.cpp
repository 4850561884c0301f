#include "driver_options.h"

#include "devicelib/abi/memory_space.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>

namespace cupr::tool {
namespace {

bool startsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::vector<std::string> splitCommas(const std::string &text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t comma = std::min(text.find(',', at), text.size());
    if (comma > at)
      parts.push_back(text.substr(at, comma - at));
    at = comma + 1;
  }
  return parts;
}

/// `sm_90` from sm_90, compute_90, arch=compute_90,code=[sm_90,compute_90]; empty when there is none.
std::string architectureIn(const std::string &text) {
  for (const char *const prefix : {"sm_", "compute_"})
    if (const std::size_t at = text.rfind(prefix); at != std::string::npos) {
      std::size_t end = at + std::string_view(prefix).size();
      const std::size_t digits = end;
      while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == 'a'))
        ++end;
      if (end > digits)
        return "sm_" + text.substr(digits, end - digits);
    }
  return "";
}

class Parser {
public:
  Parser(const std::vector<std::string> &arguments, std::string &error)
      : arguments_(arguments), error_(error) {}

  DriverOptions parse() {
    while (at_ < arguments_.size() && error_.empty())
      argument(arguments_[at_++]);
    return std::move(options_);
  }

private:
  /// The value of a flag written as `-flag value`, `-flag=value` or, when `joined`, `-flagvalue`.
  std::optional<std::string> value(const std::string &argument, std::initializer_list<std::string_view> names,
                                   bool joined = false) {
    for (const std::string_view name : names) {
      if (argument == name) {
        if (at_ == arguments_.size()) {
          error_ = fmt::format("{} needs a value", name);
          return "";
        }
        return arguments_[at_++];
      }
      if (startsWith(argument, name)) {
        if (argument[name.size()] == '=')
          return argument.substr(name.size() + 1);
        if (joined)
          return argument.substr(name.size());
      }
    }
    return std::nullopt;
  }

  void append(std::vector<std::string> &list, std::initializer_list<std::string> words) {
    list.insert(list.end(), words);
  }

  void argument(const std::string &text) {
    if (own(text) || nvccOnly(text) || compilation(text) || linking(text))
      return;
    options_.gpuLines |= text == "-g";
    if (startsWith(text, "-"))
      options_.compileFlags.push_back(text); // clang's, or clang says what is wrong with it
    else
      input(text);
  }

  bool own(const std::string &text) {
    if (text == "--help" || text == "-h") {
      options_.action = DriverOptions::Action::Help;
    } else if (text == "--version" || text == "-V" || text == "-E" || text == "-S" ||
               text == "-dumpversion" || text == "-###" || text == "-v" || text == "-M" || text == "-MM" ||
               text == "-fsyntax-only") {
      options_.action = DriverOptions::Action::Forward;
    } else if (text == "--show") {
      options_.show = true;
    } else if (text == "--no-trace") {
      options_.trace = false;
    } else if (text == "--log-accesses") {
      options_.logAccesses = true;
    } else if (startsWith(text, "--keep=")) {
      options_.keepFolder = text.substr(7);
    } else if (startsWith(text, "--root=")) {
      options_.root = text.substr(7);
    } else if (text == "--show-cost" || startsWith(text, "--show-cost=")) {
      options_.showCost = true;
      options_.costFile = text.substr(std::min(text.size(), std::string_view("--show-cost=").size()));
    } else if (const auto times = value(text, {"--time", "-time"})) {
      options_.timeFile = *times;
    } else if (const auto jobs = value(text, {"--jobs", "--threads", "-t"})) {
      const auto [end, problem] = std::from_chars(jobs->data(), jobs->data() + jobs->size(), options_.jobs);
      if ((problem != std::errc() || end != jobs->data() + jobs->size()) && error_.empty())
        error_ = fmt::format("{}: '{}' is not a number of jobs", text, *jobs);
    } else if (const auto report = value(text, {"--static-report"})) {
      options_.staticReport = *report;
      if (report->empty() && error_.empty())
        error_ = "--static-report needs the name of a file, or - for standard output";
    } else if (const auto spaces = value(text, {"--spaces"})) {
      options_.spaces = *spaces;
      if (abi::SpaceSet set = 0; error_.empty() && !abi::parseSpaces(spaces->c_str(), set))
        error_ = fmt::format("--spaces={}: expected a list of global, shared, constant, local", *spaces);
    } else if (const auto device = value(text, {"--device"}); device && startsWith(text, "--device")) {
      if (*device == "both")
        options_.device = TargetDevice::Both;
      else if (*device == "gpu")
        options_.device = TargetDevice::Gpu;
      else if (*device == "cpu")
        options_.device = TargetDevice::Cpu;
      else
        error_ = fmt::format("--device={}: expected both, gpu or cpu", *device);
    } else {
      return false;
    }
    return true;
  }

  /// Flags of nvcc that clang spells otherwise, or has no use for.
  bool nvccOnly(const std::string &text) {
    static const std::string_view ignored[] = {"--expt-relaxed-constexpr",
                                               "-expt-relaxed-constexpr",
                                               "--expt-extended-lambda",
                                               "-expt-extended-lambda",
                                               "--extended-lambda",
                                               "-extended-lambda",
                                               "-dlto",
                                               "--dlink-time-opt",
                                               "-forward-unknown-to-host-compiler",
                                               "--forward-unknown-to-host-compiler"};
    if (std::find(std::begin(ignored), std::end(ignored), text) != std::end(ignored))
      return true; // clang does these by itself, or cupr++ does
    if (text == "-lineinfo" || text == "--generate-line-info") {
      options_.gpuLines = true;
    } else if (text == "--use_fast_math" || text == "-use_fast_math") {
      options_.compileFlags.push_back("-ffast-math");
    } else if (text == "-G" || text == "--device-debug") {
      options_.optimisation = "-O0";
      options_.gpuLines = true;
      options_.compileFlags.push_back("-g");
    } else if (const auto arch =
                   value(text, {"-arch", "--gpu-architecture", "--cuda-gpu-arch", "--offload-arch",
                                "-gencode", "--generate-code", "-code", "--gpu-code"})) {
      if (const std::string found = architectureIn(*arch); !found.empty()) {
        if (!options_.architecture.empty() && options_.architecture != found)
          options_.notes.push_back(fmt::format("several GPU architectures are named; building for {} only",
                                               options_.architecture));
        else
          options_.architecture = found;
      } else if (*arch != "native" && *arch != "all" && *arch != "all-major") {
        error_ = fmt::format("{}: no GPU architecture that I know in '{}'; expected sm_XX", text, *arch);
      }
    } else if (const auto registers = value(text, {"-maxrregcount", "--maxrregcount"})) {
      options_.assemblerFlags.push_back("--maxrregcount=" + *registers);
    } else if (const auto assembler = value(text, {"-Xptxas", "--ptxas-options"})) {
      for (const std::string &part : splitCommas(*assembler))
        options_.assemblerFlags.push_back(part);
    } else if (const auto host = value(text, {"-Xcompiler", "--compiler-options"})) {
      for (const std::string &part : splitCommas(*host))
        options_.hostFlags.push_back(part);
    } else if (const auto rdc = value(text, {"-rdc", "--relocatable-device-code"})) {
      options_.relocatable = *rdc == "true";
      if (*rdc != "true" && *rdc != "false")
        error_ = fmt::format("-rdc={}: expected true or false", *rdc);
    } else if (text == "-fgpu-rdc" || text == "-fno-gpu-rdc") {
      options_.relocatable = text == "-fgpu-rdc";
    } else if (text == "-dc" || text == "--device-c") {
      options_.relocatable = true;
      options_.action = DriverOptions::Action::Compile;
    } else if (text == "-dlink" || text == "--device-link") {
      options_.relocatable = true;
      options_.action = DriverOptions::Action::DeviceLink;
    } else if (const auto compiler = value(text, {"-ccbin", "--compiler-bindir"})) {
      options_.notes.push_back(
          fmt::format("-ccbin {} is ignored: the host code is compiled by clang++-22", *compiler));
    } else if (const auto language = value(text, {"-x", "--x"})) {
      language_ = *language == "cu" ? "cuda" : *language;
    } else if (startsWith(text, "-cudart") || startsWith(text, "--cudart")) {
      value(text, {"-cudart", "--cudart"}); // libcupr holds the runtime
    } else {
      return false;
    }
    return true;
  }

  bool compilation(const std::string &text) {
    if (text == "-c" || text == "--compile") {
      options_.action = DriverOptions::Action::Compile;
    } else if (const auto output = value(text, {"-o", "--output-file"})) {
      options_.output = *output;
    } else if (const auto include = value(text, {"-I", "--include-path"}, /*joined=*/true)) {
      options_.includes.push_back(*include);
    } else if (const auto system = value(text, {"-isystem", "--system-include"})) {
      append(options_.compileFlags, {"-isystem", *system});
    } else if (const auto forced = value(text, {"-include", "--pre-include"})) {
      append(options_.compileFlags, {"-include", *forced});
    } else if (const auto define = value(text, {"-D", "--define-macro"}, /*joined=*/true)) {
      options_.compileFlags.push_back("-D" + *define);
    } else if (const auto undefine = value(text, {"-U", "--undefine-macro"}, /*joined=*/true)) {
      options_.compileFlags.push_back("-U" + *undefine);
    } else if (const auto standard = value(text, {"-std", "--std"})) {
      options_.compileFlags.push_back("-std=" + *standard);
    } else if (const auto level = value(text, {"--optimize"})) {
      options_.optimisation = "-O" + *level;
    } else if (startsWith(text, "-O")) {
      options_.optimisation = text == "-O" ? "-O1" : text;
    } else if (text == "-MD" || text == "-MMD" || text == "-MP") {
      options_.dependencyFlags.push_back(text);
    } else if (const auto file = value(text, {"-MF", "-MT", "-MQ"})) {
      append(options_.dependencyFlags, {text.substr(0, 3), *file});
    } else {
      return false;
    }
    return true;
  }

  bool linking(const std::string &text) {
    if (startsWith(text, "-lcudart") || text == "-lcuda" || text == "-lcudadevrt")
      return true; // libcupr holds the runtime; every link gets the driver, as far as the program calls it
    if (startsWith(text, "-Wl,") || text == "-static" || text == "-shared" || text == "-pie" ||
        text == "-no-pie" || text == "-static-pie" || text == "-rdynamic" || text == "-static-libstdc++" ||
        text == "-static-libgcc" || text == "-pthread" || (startsWith(text, "-l") && text.size() > 2)) {
      options_.linkInputs.push_back(text);
    } else if (const auto folder = value(text, {"-L", "--library-path"}, /*joined=*/true)) {
      options_.linkInputs.push_back("-L" + *folder);
    } else if (const auto library = value(text, {"-l", "--library"})) {
      options_.linkInputs.push_back("-l" + *library);
    } else if (const auto linker = value(text, {"-Xlinker", "--linker-options"})) {
      append(options_.linkInputs, {"-Xlinker", *linker});
    } else {
      return false;
    }
    return true;
  }

  void input(const std::string &text) {
    const std::string extension = std::filesystem::path(text).extension().string();
    if (language_ == "cuda" || (language_.empty() && extension == ".cu")) {
      options_.cudaSources.push_back(text);
    } else if (!language_.empty() || extension == ".cpp" || extension == ".cc" || extension == ".cxx" ||
               extension == ".C" || extension == ".c") {
      options_.hostSources.push_back(text);
    } else {
      options_.linkInputs.push_back(text);
    }
  }

  const std::vector<std::string> &arguments_;
  std::string &error_;
  std::size_t at_ = 0;
  std::string language_;
  DriverOptions options_;
};

} // namespace

DriverOptions DriverOptions::parse(const std::vector<std::string> &arguments, std::string &error) {
  return Parser(arguments, error).parse();
}

} // namespace cupr::tool
