#include "driver_options.h"

#include "cuprewrite/commandline/nvcc_flags.h"
#include "cuprewrite/commandline/words.h"
#include "dependency_file.h"
#include "devicelib/abi/memory_space.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <string_view>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

using commandline::handedOn;
using commandline::splitAt;

using Action = DriverOptions::Action;

using commandline::FlagValue;

/// Ours, and of clang's those that are more than a word for the compilation.
constexpr commandline::Flag kFlagsBesideNvccs[] = {
    {"--device", "", FlagValue::Needed},
    {"--keep", "-keep", FlagValue::BehindEquals},
    {"--spaces", "", FlagValue::Needed},
    {"--root", "", FlagValue::Needed},
    {"--keep-signature", "", FlagValue::Needed},
    {"--no-trace", "", FlagValue::None},
    {"--log-accesses", "", FlagValue::None},
    {"--static-report", "", FlagValue::Needed},
    {"--jobs", "", FlagValue::Needed},
    {"--show", "", FlagValue::None},
    {"--in-place-of", "", FlagValue::Needed},
    {"--link-with", "", FlagValue::Needed},

    // clang's
    {"--cuda-gpu-arch", "--offload-arch", FlagValue::Needed},
    {"--no-cuda-include-ptx", "", FlagValue::Needed},
    {"--cuda-include-ptx", "", FlagValue::Needed},
    {"-fgpu-rdc", "-fcuda-rdc", FlagValue::None},
    {"-fno-gpu-rdc", "-fno-cuda-rdc", FlagValue::None},
    {"-fsyntax-only", "-fdevice-syntax-only", FlagValue::None},
    {"-S", "", FlagValue::None},
    {"-dumpversion", "-dumpmachine", FlagValue::None},
    {"-###", "", FlagValue::None},
    {"-MQ", "", FlagValue::Needed},
    {"--cuda-path", "", FlagValue::Needed},
};

constexpr std::string_view kKeepInstead = "is ignored: --keep=DIR keeps the augmented copies";

class Parser {
public:
  Parser(const std::vector<std::string> &arguments, std::string &error)
      : arguments_(arguments), error_(error) {}

  DriverOptions parse() {
    while (at_ < arguments_.size() && error_.empty())
      argument(arguments_[at_++]);
    if (error_.empty())
      finish();
    return std::move(options_);
  }

private:
  /// What becomes of a flag.
  struct Handler {
    std::string_view name; ///< as in the table of flags
    void (Parser::*handle)(const std::string &value);
    std::string_view text = ""; ///< for note() and refuse()
  };

  static const Handler *handlerOf(std::string_view name);

  void note(const std::string &) { options_.notes.push_back(fmt::format("{} {}", spelled_, handler_->text)); }
  void refuse(const std::string &) { error_ = fmt::format("{} {}", spelled_, handler_->text); }

  void setHelp(const std::string &) { options_.action = Action::Help; }
  void setVersion(const std::string &) { options_.action = Action::Version; }
  void setCompile(const std::string &) { options_.action = Action::Compile; }
  void setCompileRelocatable(const std::string &) {
    options_.action = Action::Compile;
    options_.relocatable = true;
  }
  void setCompileWhole(const std::string &) {
    options_.action = Action::Compile;
    options_.relocatable = false;
  }
  void setDeviceLink(const std::string &) {
    options_.action = Action::DeviceLink;
    options_.relocatable = true;
  }
  void setLink(const std::string &) { options_.action = Action::Link; }
  void setArchive(const std::string &) { options_.action = Action::Archive; }
  void setPtx(const std::string &) { options_.action = Action::Ptx; }
  void setCubin(const std::string &) { options_.action = Action::Cubin; }
  void setFatBinary(const std::string &) { options_.action = Action::FatBinary; }
  void setPreprocess(const std::string &) { options_.action = Action::Preprocess; }
  void setCheckSyntax(const std::string &) { options_.action = Action::CheckSyntax; }
  void setForward(const std::string &) { options_.action = Action::Forward; }
  void setListCode(const std::string &) { options_.action = Action::ListCode; }
  void setListArchitectures(const std::string &) {
    options_.action = Action::ListCode;
    options_.virtualNames = true;
  }
  void setRun(const std::string &) { options_.run = true; }
  void addRunArguments(const std::string &value) { append(options_.runArguments, handedOn(value)); }
  /// The value is the compiler that we stand for: what names its parts is not the user's wish.
  void setInPlaceOf(const std::string &) { inPlaceOf_ = true; }
  void setLinkWith(const std::string &value) {
    options_.action = Action::LinkWith;
    options_.linker = {value};
    options_.linker.insert(options_.linker.end(), arguments_.begin() + static_cast<std::ptrdiff_t>(at_),
                           arguments_.end());
    at_ = arguments_.size();
  }

  void setShow(const std::string &) { options_.show = true; }
  void setVerbose(const std::string &) { options_.verbose = true; }
  void setNoTrace(const std::string &) { options_.trace = false; }
  void setLogAccesses(const std::string &) { options_.logAccesses = true; }
  void setRoot(const std::string &value) { options_.root = value; }
  void setKeepSignature(const std::string &value) { options_.keepSignature = value; }
  void setKeep(const std::string &value) {
    if (value.empty())
      options_.notes.push_back(fmt::format("{} {}", spelled_, kKeepInstead));
    else
      setKeepFolder(value);
  }
  void setKeepFolder(const std::string &value) { options_.keepFolder = value; }
  void setTimeFile(const std::string &value) { options_.timeFile = value; }
  void setJobs(const std::string &value) {
    const char *const end = value.data() + value.size();
    if (const auto [read, problem] = std::from_chars(value.data(), end, options_.jobs);
        problem != std::errc() || read != end)
      error_ = fmt::format("{}: '{}' is not a number of jobs", spelled_, value);
  }
  void setStaticReport(const std::string &value) {
    options_.staticReport = value;
    if (value.empty())
      error_ = "--static-report needs the name of a file, or - for standard output";
  }
  void setSpaces(const std::string &value) {
    options_.spaces = value;
    if (abi::SpaceSet set = 0; !abi::parseSpaces(value.c_str(), set))
      error_ = fmt::format("--spaces={}: expected a list of global, shared, constant, local", value);
  }
  void setDevice(const std::string &value) {
    if (value == "both")
      options_.device = TargetDevice::Both;
    else if (value == "gpu")
      options_.device = TargetDevice::Gpu;
    else if (value == "cpu")
      options_.device = TargetDevice::Cpu;
    else
      error_ = fmt::format("--device={}: expected both, gpu or cpu", value);
  }

  void setToolkit(const std::string &value) { options_.toolkit = value; }
  void setOutput(const std::string &value) { options_.output = value; }
  void setOutputFolder(const std::string &value) { outputFolder_ = value; }
  void setLanguage(const std::string &value) { language_ = value == "cu" ? "cuda" : value; }
  void setMachine(const std::string &value) {
    if (value != "64")
      error_ = fmt::format("{}: programs are built for 64 bits only", spelled_);
  }

  void addArchitecture(const std::string &value) { architectureProblem(targets_.addArchitecture(value)); }
  void addCode(const std::string &value) { architectureProblem(targets_.addCode(value)); }
  void addSpecification(const std::string &value) { architectureProblem(targets_.addSpecification(value)); }
  void leaveOutPtx(const std::string &value) { targets_.leaveOutPtx(value); }
  void architectureProblem(const std::string &problem) {
    if (!problem.empty())
      error_ = fmt::format("{}: {}", spelled_, problem);
  }
  void setRelocatable(const std::string &value) { options_.relocatable = truth(value); }
  void setClangRelocatable(const std::string &) { options_.relocatable = true; }
  void setClangWhole(const std::string &) { options_.relocatable = false; }

  void addIncludes(const std::string &value) { append(options_.includes, splitAt(value, ',')); }
  void addSystemIncludes(const std::string &value) {
    for (const std::string &folder : splitAt(value, ','))
      append(options_.compileFlags, {"-isystem", folder});
  }
  void addForcedIncludes(const std::string &value) {
    for (const std::string &header : splitAt(value, ','))
      append(options_.compileFlags, {"-include", header});
  }
  void addMacro(const std::string &value) { options_.compileFlags.push_back("-D" + value); }
  void addNoMacro(const std::string &value) { options_.compileFlags.push_back("-U" + value); }
  void setStandard(const std::string &value) { options_.compileFlags.push_back("-std=" + value); }
  void setLevel(const std::string &value) { options_.optimisation = "-O" + value; }
  void setTemplateDepth(const std::string &value) {
    options_.compileFlags.push_back("-ftemplate-depth=" + value);
  }
  void setTemplateBacktrace(const std::string &value) {
    options_.compileFlags.push_back("-ftemplate-backtrace-limit=" + value);
  }
  void setNoExceptions(const std::string &) { options_.compileFlags.push_back("-fno-exceptions"); }
  void setProfile(const std::string &) { options_.hostFlags.push_back("-pg"); }
  void setDebug(const std::string &) {
    options_.compileFlags.push_back("-g");
    options_.gpuLines = true;
  }
  void setDeviceDebug(const std::string &) {
    debugDevice_ = true;
    options_.gpuLines = true;
    options_.compileFlags.push_back("-g");
  }
  void setOptimisedDebug(const std::string &) { optimiseDevice_ = true; }
  void setLines(const std::string &) { options_.gpuLines = true; }
  void setFastMath(const std::string &) {
    append(options_.deviceFlags, {"-ffast-math", "-fgpu-flush-denormals-to-zero"});
  }
  void setFlushDenormals(const std::string &value) {
    options_.deviceFlags.push_back(truth(value) ? "-fgpu-flush-denormals-to-zero"
                                                : "-fno-gpu-flush-denormals-to-zero");
  }
  void setContraction(const std::string &value) {
    options_.deviceFlags.push_back(truth(value) ? "-ffp-contract=fast" : "-ffp-contract=off");
  }
  void setDefaultStream(const std::string &value) {
    if (value == "per-thread")
      options_.compileFlags.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
    else if (value != "legacy" && value != "null")
      error_ = fmt::format("{}: expected legacy or per-thread", spelled_);
  }
  void setRegisters(const std::string &value) {
    options_.assemblerFlags.push_back("--maxrregcount=" + value);
  }
  void setResourceUsage(const std::string &) { options_.assemblerFlags.push_back("-v"); }
  void setNoWarnings(const std::string &) { options_.compileFlags.push_back("-w"); }
  void setReorderWarning(const std::string &) { options_.compileFlags.push_back("-Wreorder"); }

  void addCompilerOptions(const std::string &value) { append(options_.hostFlags, handedOn(value)); }
  void addAssemblerOptions(const std::string &value) { append(options_.assemblerFlags, handedOn(value)); }
  void addFatBinaryOptions(const std::string &value) { append(options_.fatBinaryFlags, handedOn(value)); }
  void addArchiverOptions(const std::string &value) { append(options_.archiverFlags, handedOn(value)); }
  void addLinkerOptions(const std::string &value) {
    for (const std::string &part : handedOn(value))
      append(options_.linkInputs, {"-Xlinker", part});
  }
  void setArchiver(const std::string &value) { options_.archiver = value; }
  void addLibraries(const std::string &value) {
    for (const std::string &library : splitAt(value, ','))
      addLibrary(library);
  }
  void addLibraryFolders(const std::string &value) {
    for (const std::string &folder : splitAt(value, ','))
      options_.linkInputs.push_back("-L" + folder);
  }
  void setShared(const std::string &) { options_.linkInputs.push_back("-shared"); }

  void setDependencies(const std::string &) { options_.dependencies.wanted = true; }
  void setUserDependencies(const std::string &) {
    options_.dependencies.wanted = true;
    options_.dependencies.system = false;
  }
  void setDependenciesAlone(const std::string &) { options_.action = Action::Dependencies; }
  void setUserDependenciesAlone(const std::string &) {
    options_.action = Action::Dependencies;
    options_.dependencies.system = false;
  }
  void setPhony(const std::string &) { options_.dependencies.phony = true; }
  void setDependencyFile(const std::string &value) { options_.dependencies.file = value; }
  void addDependencyTarget(const std::string &value) { options_.dependencies.targets.push_back(value); }
  void addQuotedTarget(const std::string &value) {
    options_.dependencies.targets.push_back(makeQuoted(value));
  }

  // How they are found.

  bool truth(const std::string &value) {
    if (value != "true" && value != "false")
      error_ = fmt::format("{}={}: expected true or false", flagName_, value);
    return value == "true";
  }

  void append(std::vector<std::string> &list, const std::vector<std::string> &words) {
    list.insert(list.end(), words.begin(), words.end());
  }

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
    spelled_ = text;
    if (warning(text) || table() || joined(text) || linking(text))
      return;
    options_.compileFlags.push_back(text); // clang's, or clang says what is wrong with it
    // Flags of clang's whose value is the next word.
    static const std::string_view takeAWord[] = {"-idirafter",   "-iquote",  "-isysroot", "-Xclang", "-mllvm",
                                                 "-ivfsoverlay", "-iprefix", "-imacros",  "--param"};
    if (std::find(std::begin(takeAWord), std::end(takeAWord), text) != std::end(takeAWord))
      options_.compileFlags.push_back(nextWord(text));
  }

  bool table() {
    std::optional<commandline::FlagUse> use = commandline::findFlag(kFlagsBesideNvccs, arguments_, at_ - 1);
    if (!use)
      use = commandline::findFlag(commandline::nvccFlags(), arguments_, at_ - 1);
    if (!use)
      return false;
    at_ = use->next;
    flagName_ = use->spelled;
    handler_ = handlerOf(use->flag->name);
    if (use->lacksValue)
      error_ = fmt::format("{} needs a value", flagName_);
    else if (handler_) // of the others clang does what they ask for by itself, or they change nothing here
      (this->*handler_->handle)(use->value);
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
      addLibrary(value);
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

  void addLibrary(const std::string &name) {
    // libcupr holds the runtime; every link gets the driver, as far as the program calls it.
    static const std::string_view ours[] = {"cudart", "cudart_static", "cudadevrt", "cuda"};
    if (std::find(std::begin(ours), std::end(ours), name) == std::end(ours))
      options_.linkInputs.push_back("-l" + name);
  }

  void input(const std::string &text) {
    if (text == "-") {
      error_ = "a program on standard input can't be rewritten: put it into a file";
      return;
    }
    const std::string extension = fs::path(text).extension().string();
    static const std::string_view host[] = {".cpp", ".cc", ".cxx", ".c++", ".C", ".c", ".i", ".ii"};
    static const std::string_view device[] = {".ptx", ".cubin", ".fatbin", ".gpu"};
    if (language_ == "cuda" || (language_.empty() && extension == ".cu"))
      options_.cudaSources.push_back(text);
    else if (!language_.empty() || std::find(std::begin(host), std::end(host), extension) != std::end(host))
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
    if (inPlaceOf_)
      options_.notes.clear();
    if (debugDevice_ && !optimiseDevice_)
      options_.optimisation = "-O0";
    options_.gpuTargets = targets_.resolve(error_, options_.notes);
    if (!outputFolder_.empty() && options_.output.empty())
      outputInto(outputFolder_);
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
  std::string &error_;
  std::size_t at_ = 0;
  const Handler *handler_ = nullptr; ///< of the flag that is handled
  std::string spelled_;              ///< the flag, as the user wrote it
  std::string flagName_;             ///< the same without its value
  std::string language_;
  std::string outputFolder_;
  bool debugDevice_ = false, optimiseDevice_ = false, inPlaceOf_ = false;
  commandline::GpuTargetFlags targets_;
  DriverOptions options_;
};

/// By name; the order is that of the tables of flags. A flag without one is ignored.
const Parser::Handler *Parser::handlerOf(std::string_view name) {
  static const Handler kHandlers[] = {
      {"--device", &Parser::setDevice},
      {"--keep", &Parser::setKeep},
      {"--keep-dir", &Parser::setKeepFolder},
      {"--save-temps", &Parser::note, kKeepInstead},
      {"--spaces", &Parser::setSpaces},
      {"--root", &Parser::setRoot},
      {"--keep-signature", &Parser::setKeepSignature},
      {"--no-trace", &Parser::setNoTrace},
      {"--log-accesses", &Parser::setLogAccesses},
      {"--static-report", &Parser::setStaticReport},
      {"--jobs", &Parser::setJobs},
      {"--show", &Parser::setShow},
      {"--in-place-of", &Parser::setInPlaceOf},
      {"--link-with", &Parser::setLinkWith},

      // clang's
      {"--cuda-gpu-arch", &Parser::addArchitecture},
      {"--no-cuda-include-ptx", &Parser::leaveOutPtx},
      {"-fgpu-rdc", &Parser::setClangRelocatable},
      {"-fno-gpu-rdc", &Parser::setClangWhole},
      {"-fsyntax-only", &Parser::setCheckSyntax},
      {"-S", &Parser::refuse, "is clang's: --show prints its commands, -ptx makes PTX"},
      {"-dumpversion", &Parser::setForward},
      {"-###", &Parser::setShow},
      {"-MQ", &Parser::addQuotedTarget},
      {"--cuda-path", &Parser::setToolkit},

      // Phases
      {"--cuda", &Parser::refuse,
       "makes files for nvcc's own next step: use cuprewrite to see the rewritten sources"},
      {"--cubin", &Parser::setCubin},
      {"--fatbin", &Parser::setFatBinary},
      {"--ptx", &Parser::setPtx},
      {"--optix-ir", &Parser::refuse, "is not supported: use nvcc for OptiX code"},
      {"--ltoir", &Parser::refuse,
       "is not supported: -dc makes objects that are optimised when they are linked"},
      {"--preprocess", &Parser::setPreprocess},
      {"--generate-dependencies", &Parser::setDependenciesAlone},
      {"--generate-nonsystem-dependencies", &Parser::setUserDependenciesAlone},
      {"--generate-dependencies-with-compile", &Parser::setDependencies},
      {"--generate-nonsystem-dependencies-with-compile", &Parser::setUserDependencies},
      {"--dependency-output", &Parser::setDependencyFile},
      {"--generate-dependency-targets", &Parser::setPhony},
      {"--compile", &Parser::setCompile},
      {"--device-c", &Parser::setCompileRelocatable},
      {"--device-w", &Parser::setCompileWhole},
      {"--device-link", &Parser::setDeviceLink},
      {"--link", &Parser::setLink},
      {"--lib", &Parser::setArchive},
      {"--run", &Parser::setRun},
      // Files and paths
      {"--output-file", &Parser::setOutput},
      {"--pre-include", &Parser::addForcedIncludes},
      {"--library", &Parser::addLibraries},
      {"--define-macro", &Parser::addMacro},
      {"--undefine-macro", &Parser::addNoMacro},
      {"--include-path", &Parser::addIncludes},
      {"--system-include", &Parser::addSystemIncludes},
      {"--library-path", &Parser::addLibraryFolders},
      {"--output-directory", &Parser::setOutputFolder},
      {"--compiler-bindir", &Parser::note, "is ignored: the host code is compiled by clang++-22"},
      {"--archiver-binary", &Parser::setArchiver},
      // --cudart: libcupr holds the runtime
      {"--libdevice-directory", &Parser::note, "is ignored: CUDA_PATH names the toolkit"},
      {"--target-directory", &Parser::note, "is ignored: programs are built for this machine"},
      // Compiler and linker
      {"--profile", &Parser::setProfile},
      {"--debug", &Parser::setDebug},
      {"--device-debug", &Parser::setDeviceDebug},
      {"--generate-line-info", &Parser::setLines},
      {"--optimize", &Parser::setLevel},
      {"--dopt", &Parser::setOptimisedDebug},
      // --dlink-time-opt: device linking always does
      {"--ftemplate-backtrace-limit", &Parser::setTemplateBacktrace},
      {"--ftemplate-depth", &Parser::setTemplateDepth},
      {"--no-exceptions", &Parser::setNoExceptions},
      {"--shared", &Parser::setShared},
      {"--x", &Parser::setLanguage},
      {"--std", &Parser::setStandard},
      {"--machine", &Parser::setMachine},
      // Options of the phases
      {"--compiler-options", &Parser::addCompilerOptions},
      {"--linker-options", &Parser::addLinkerOptions},
      {"--archive-options", &Parser::addArchiverOptions},
      {"--ptxas-options", &Parser::addAssemblerOptions},
      // --nvlink-options: device code is linked as bitcode
      {"--fatbin-options", &Parser::addFatBinaryOptions},
      // The driver
      {"--dryrun", &Parser::setShow},
      {"--verbose", &Parser::setVerbose},
      {"--threads", &Parser::setJobs},
      // --split-compile: as many as there are processors
      {"--fdevice-time-trace", &Parser::note, "is ignored: --time=FILE says what each step took"},
      {"--clean-targets", &Parser::refuse, "removes files: leave that to your build"},
      {"--time", &Parser::setTimeFile},
      {"--run-args", &Parser::addRunArguments},
      // --input-drive-prefix: Windows
      {"--dependency-target-name", &Parser::addDependencyTarget},
      // --no-device-link: the link sees what is linked already
      // GPU code
      {"--gpu-architecture", &Parser::addArchitecture},
      {"--gpu-code", &Parser::addCode},
      {"--generate-code", &Parser::addSpecification},
      {"--relocatable-device-code", &Parser::setRelocatable},
      {"--entries", &Parser::note, "is ignored: code is made for all kernels"},
      {"--maxrregcount", &Parser::setRegisters},
      {"--use_fast_math", &Parser::setFastMath},
      {"--ftz", &Parser::setFlushDenormals},
      // --prec-div: always exact; --use_fast_math is not
      {"--fmad", &Parser::setContraction},
      {"--default-stream", &Parser::setDefaultStream},
      // Generic
      {"--disable-warnings", &Parser::setNoWarnings},
      // --restrict: a promise that needs not be used
      {"--Wreorder", &Parser::setReorderWarning},
      {"--resource-usage", &Parser::setResourceUsage},
      {"--compile-as-tools-patch", &Parser::refuse, "is not supported: use nvcc for patches of its tools"},
      {"--list-gpu-code", &Parser::setListCode},
      {"--list-gpu-arch", &Parser::setListArchitectures},
      // --diag-error: numbers of nvcc's messages
      {"--relocatable-link", &Parser::refuse, "is not supported: ld -r joins objects"},
      // --frandom-seed: names don't depend on chance
      {"--sanitize", &Parser::note, "is ignored: run the program under compute-sanitizer"},
      {"--help", &Parser::setHelp},
      {"--version", &Parser::setVersion},
  };
  const auto *const found = std::find_if(std::begin(kHandlers), std::end(kHandlers),
                                         [&](const Handler &handler) { return handler.name == name; });
  return found == std::end(kHandlers) ? nullptr : found;
}

} // namespace

std::vector<GpuTarget> DriverOptions::targets() const {
  return gpuTargets.empty() ? std::vector{commandline::defaultGpuTarget()} : gpuTargets;
}

std::vector<std::string> DriverOptions::hostCompilerFlags() const {
  std::vector<std::string> flags = hostFlags;
  if (!flags.empty()) // they may be meant for gcc
    flags.insert(flags.begin(), {"-Wno-unknown-warning-option", "-Wno-ignored-optimization-argument"});
  return flags;
}

DriverOptions DriverOptions::parse(const std::vector<std::string> &arguments, std::string &error) {
  return Parser(arguments, error).parse();
}

std::vector<std::string> expandArguments(const std::vector<std::string> &arguments, std::string &error) {
  std::vector<std::string> all;
  const auto addEnvironment = [&](const char *name) {
    const char *const value = std::getenv(name);
    for (std::string &word : commandline::shellWords(value ? value : ""))
      all.push_back(std::move(word));
  };
  addEnvironment("NVCC_PREPEND_FLAGS");
  all.insert(all.end(), arguments.begin(), arguments.end());
  addEnvironment("NVCC_APPEND_FLAGS");
  return commandline::withFilesRead(all, "", error);
}

} // namespace cupr::tool
