#include "driver_options.h"

#include "dependency_file.h"
#include "devicelib/abi/memory_space.h"
#include "text.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <llvm/Support/Allocator.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/StringSaver.h>
#include <span>
#include <string_view>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

using Action = DriverOptions::Action;

/// Words as a shell would read them, without its expansions.
std::vector<std::string> shellWords(const std::string &text) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char *, 16> words;
  llvm::cl::TokenizeGNUCommandLine(text, saver, words);
  return {words.begin(), words.end()};
}

/// The list that nvcc hands on to another program: commas and blanks stand between its members, and `\,` is a
/// comma in one.
std::vector<std::string> handedOn(const std::string &list) {
  constexpr char kComma = '\x01';
  std::string text = list;
  for (std::size_t at = 0; (at = text.find("\\,", at)) != std::string::npos;)
    text.replace(at, 2, 1, kComma);
  std::vector<std::string> words;
  for (const std::string &part : splitAt(text, ','))
    for (std::string &word : shellWords(part)) {
      std::replace(word.begin(), word.end(), kComma, ',');
      words.push_back(std::move(word));
    }
  return words;
}

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
  enum class Value { None, Needed };

  /// A flag of nvcc's, or of ours: `--name` or `-brief`; its value stands behind `=` or is the next word.
  struct Flag {
    std::string_view name;  ///< with its dashes
    std::string_view brief; ///< with its dash; may be empty
    Value value;
    void (Parser::*handle)(const std::string &value);
    std::string_view text = ""; ///< for note() and refuse()
  };

  static std::span<const Flag> flags();

  // What becomes of a flag.

  void ignore(const std::string &) {} // clang does it by itself, or it changes nothing here
  void note(const std::string &) { options_.notes.push_back(fmt::format("{} {}", spelled_, flag_->text)); }
  void refuse(const std::string &) { error_ = fmt::format("{} {}", spelled_, flag_->text); }

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
    if (table(text) || joined(text) || warning(text) || linking(text))
      return;
    options_.compileFlags.push_back(text); // clang's, or clang says what is wrong with it
    // Flags of clang's whose value is the next word.
    static const std::string_view takeAWord[] = {"-idirafter",   "-iquote",  "-isysroot", "-Xclang", "-mllvm",
                                                 "-ivfsoverlay", "-iprefix", "-imacros",  "--param"};
    if (std::find(std::begin(takeAWord), std::end(takeAWord), text) != std::end(takeAWord))
      options_.compileFlags.push_back(nextWord(text));
  }

  bool table(const std::string &text) {
    for (const Flag &flag : flags())
      for (const std::string_view name : {flag.name, flag.brief}) {
        if (name.empty() || !text.starts_with(name))
          continue;
        const std::string_view rest = std::string_view(text).substr(name.size());
        if (!rest.empty() && (flag.value == Value::None || rest.front() != '='))
          continue;
        flag_ = &flag;
        flagName_ = name;
        std::string value;
        if (flag.value == Value::Needed)
          value = rest.empty() ? nextWord(name) : std::string(rest.substr(1));
        if (error_.empty())
          (this->*flag.handle)(value);
        return true;
      }
    return false;
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
  const Flag *flag_ = nullptr; ///< the one that is handled
  std::string spelled_;        ///< it, as the user wrote it
  std::string flagName_;       ///< the same without its value
  std::string language_;
  std::string outputFolder_;
  bool debugDevice_ = false, optimiseDevice_ = false, inPlaceOf_ = false;
  GpuTargetFlags targets_;
  DriverOptions options_;
};

/// The order is that of `nvcc --help`; our own come first.
std::span<const Parser::Flag> Parser::flags() {
  static const Flag kFlags[] = {
      {"--device", "", Value::Needed, &Parser::setDevice},
      {"--keep", "", Value::None, &Parser::note, "without a folder is ignored: --keep=DIR keeps the copies"},
      {"-keep", "-save-temps", Value::None, &Parser::note,
       "is ignored: --keep=DIR keeps the augmented copies"},
      {"--save-temps", "", Value::None, &Parser::note, "is ignored: --keep=DIR keeps the augmented copies"},
      {"--keep", "", Value::Needed, &Parser::setKeepFolder}, // with `=`: the one without stands before
      {"--keep-dir", "-keep-dir", Value::Needed, &Parser::setKeepFolder},
      {"--spaces", "", Value::Needed, &Parser::setSpaces},
      {"--root", "", Value::Needed, &Parser::setRoot},
      {"--keep-signature", "", Value::Needed, &Parser::setKeepSignature},
      {"--no-trace", "", Value::None, &Parser::setNoTrace},
      {"--log-accesses", "", Value::None, &Parser::setLogAccesses},
      {"--static-report", "", Value::Needed, &Parser::setStaticReport},
      {"--jobs", "", Value::Needed, &Parser::setJobs},
      {"--show", "", Value::None, &Parser::setShow},
      {"--in-place-of", "", Value::Needed, &Parser::setInPlaceOf},
      {"--link-with", "", Value::Needed, &Parser::setLinkWith},

      // clang's
      {"--cuda-gpu-arch", "--offload-arch", Value::Needed, &Parser::addArchitecture},
      {"--no-cuda-include-ptx", "", Value::Needed, &Parser::leaveOutPtx},
      {"--cuda-include-ptx", "", Value::Needed, &Parser::ignore},
      {"-fgpu-rdc", "-fcuda-rdc", Value::None, &Parser::setClangRelocatable},
      {"-fno-gpu-rdc", "-fno-cuda-rdc", Value::None, &Parser::setClangWhole},
      {"-fsyntax-only", "-fdevice-syntax-only", Value::None, &Parser::setCheckSyntax},
      {"-S", "", Value::None, &Parser::refuse, "is clang's: --show prints its commands, -ptx makes PTX"},
      {"-dumpversion", "-dumpmachine", Value::None, &Parser::setForward},
      {"-###", "", Value::None, &Parser::setShow},
      {"-MQ", "", Value::Needed, &Parser::addQuotedTarget},
      {"--cuda-path", "", Value::Needed, &Parser::setToolkit},

      // Phases
      {"--cuda", "-cuda", Value::None, &Parser::refuse,
       "makes files for nvcc's own next step: use cuprewrite to see the rewritten sources"},
      {"--cubin", "-cubin", Value::None, &Parser::setCubin},
      {"--fatbin", "-fatbin", Value::None, &Parser::setFatBinary},
      {"--ptx", "-ptx", Value::None, &Parser::setPtx},
      {"--optix-ir", "-optix-ir", Value::None, &Parser::refuse, "is not supported: use nvcc for OptiX code"},
      {"--ltoir", "-ltoir", Value::None, &Parser::refuse,
       "is not supported: -dc makes objects that are optimised when they are linked"},
      {"--preprocess", "-E", Value::None, &Parser::setPreprocess},
      {"--generate-dependencies", "-M", Value::None, &Parser::setDependenciesAlone},
      {"--generate-nonsystem-dependencies", "-MM", Value::None, &Parser::setUserDependenciesAlone},
      {"--generate-dependencies-with-compile", "-MD", Value::None, &Parser::setDependencies},
      {"--generate-nonsystem-dependencies-with-compile", "-MMD", Value::None, &Parser::setUserDependencies},
      {"--dependency-output", "-MF", Value::Needed, &Parser::setDependencyFile},
      {"--generate-dependency-targets", "-MP", Value::None, &Parser::setPhony},
      {"--compile", "-c", Value::None, &Parser::setCompile},
      {"--device-c", "-dc", Value::None, &Parser::setCompileRelocatable},
      {"--device-w", "-dw", Value::None, &Parser::setCompileWhole},
      {"--device-link", "-dlink", Value::None, &Parser::setDeviceLink},
      {"--link", "-link", Value::None, &Parser::setLink},
      {"--lib", "-lib", Value::None, &Parser::setArchive},
      {"--run", "-run", Value::None, &Parser::setRun},

      // Files and paths
      {"--output-file", "-o", Value::Needed, &Parser::setOutput},
      {"--pre-include", "-include", Value::Needed, &Parser::addForcedIncludes},
      {"--objdir-as-tempdir", "-objtemp", Value::None, &Parser::ignore},
      {"--library", "-l", Value::Needed, &Parser::addLibraries},
      {"--define-macro", "-D", Value::Needed, &Parser::addMacro},
      {"--undefine-macro", "-U", Value::Needed, &Parser::addNoMacro},
      {"--include-path", "-I", Value::Needed, &Parser::addIncludes},
      {"--system-include", "-isystem", Value::Needed, &Parser::addSystemIncludes},
      {"--library-path", "-L", Value::Needed, &Parser::addLibraryFolders},
      {"--output-directory", "-odir", Value::Needed, &Parser::setOutputFolder},
      {"--compiler-bindir", "-ccbin", Value::Needed, &Parser::note,
       "is ignored: the host code is compiled by clang++-22"},
      {"--allow-unsupported-compiler", "-allow-unsupported-compiler", Value::None, &Parser::ignore},
      {"--archiver-binary", "-arbin", Value::Needed, &Parser::setArchiver},
      {"--cudart", "-cudart", Value::Needed, &Parser::ignore}, // libcupr holds the runtime
      {"--cudadevrt", "-cudadevrt", Value::Needed, &Parser::ignore},
      {"--libdevice-directory", "-ldir", Value::Needed, &Parser::note,
       "is ignored: CUDA_PATH names the toolkit"},
      {"--target-directory", "-target-dir", Value::Needed, &Parser::note,
       "is ignored: programs are built for this machine"},
      {"--use-local-env", "-use-local-env", Value::None, &Parser::ignore},
      {"--force-cl-env-setup", "-force-cl-env-setup", Value::None, &Parser::ignore},

      // Compiler and linker
      {"--profile", "-pg", Value::None, &Parser::setProfile},
      {"--debug", "-g", Value::None, &Parser::setDebug},
      {"--device-debug", "-G", Value::None, &Parser::setDeviceDebug},
      {"--generate-line-info", "-lineinfo", Value::None, &Parser::setLines},
      {"--optimization-info", "-opt-info", Value::Needed, &Parser::ignore},
      {"--optimize", "", Value::Needed, &Parser::setLevel},
      {"--Ofast-compile", "-Ofc", Value::Needed, &Parser::ignore},
      {"--dopt", "-dopt", Value::Needed, &Parser::setOptimisedDebug},
      {"--dlink-time-opt", "-dlto", Value::None, &Parser::ignore}, // device linking always does
      {"--lto", "-lto", Value::None, &Parser::ignore},
      {"--gen-opt-lto", "-gen-opt-lto", Value::None, &Parser::ignore},
      {"--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", Value::Needed,
       &Parser::setTemplateBacktrace},
      {"--ftemplate-depth", "-ftemplate-depth", Value::Needed, &Parser::setTemplateDepth},
      {"--no-exceptions", "-noeh", Value::None, &Parser::setNoExceptions},
      {"--shared", "-shared", Value::None, &Parser::setShared},
      {"--x", "-x", Value::Needed, &Parser::setLanguage},
      {"--std", "-std", Value::Needed, &Parser::setStandard},
      {"--no-host-device-initializer-list", "-nohdinitlist", Value::None, &Parser::ignore},
      {"--no-host-device-move-forward", "-nohdmoveforward", Value::None, &Parser::ignore},
      {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", Value::None, &Parser::ignore},
      {"--extended-lambda", "-extended-lambda", Value::None, &Parser::ignore},
      {"--expt-extended-lambda", "-expt-extended-lambda", Value::None, &Parser::ignore},
      {"--machine", "-m", Value::Needed, &Parser::setMachine},
      {"--m64", "-m64", Value::None, &Parser::ignore},

      // Options of the phases
      {"--compiler-options", "-Xcompiler", Value::Needed, &Parser::addCompilerOptions},
      {"--linker-options", "-Xlinker", Value::Needed, &Parser::addLinkerOptions},
      {"--archive-options", "-Xarchive", Value::Needed, &Parser::addArchiverOptions},
      {"--ptxas-options", "-Xptxas", Value::Needed, &Parser::addAssemblerOptions},
      {"--nvlink-options", "-Xnvlink", Value::Needed, &Parser::ignore}, // device code is linked as bitcode
      {"--fatbin-options", "-Xfatbin", Value::Needed, &Parser::addFatBinaryOptions},

      // The driver
      {"--static-global-template-stub", "-static-global-template-stub", Value::Needed, &Parser::ignore},
      {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", Value::Needed,
       &Parser::ignore},
      {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", Value::None,
       &Parser::ignore},
      {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", Value::None, &Parser::ignore},
      {"--forward-unknown-opts", "-forward-unknown-opts", Value::None, &Parser::ignore},
      {"--dont-use-profile", "-noprof", Value::None, &Parser::ignore},
      {"--dryrun", "-dryrun", Value::None, &Parser::setShow},
      {"--verbose", "-v", Value::None, &Parser::setVerbose},
      {"--threads", "-t", Value::Needed, &Parser::setJobs},
      {"--split-compile", "-split-compile", Value::Needed,
       &Parser::ignore}, // as many as there are processors
      {"--split-compile-extended", "-split-compile-extended", Value::Needed, &Parser::ignore},
      {"--fdevice-time-trace", "-fdevice-time-trace", Value::Needed, &Parser::note,
       "is ignored: --time=FILE says what each step took"},
      {"--clean-targets", "-clean", Value::None, &Parser::refuse, "removes files: leave that to your build"},
      {"--time", "-time", Value::Needed, &Parser::setTimeFile},
      {"--run-args", "-run-args", Value::Needed, &Parser::addRunArguments},
      {"--input-drive-prefix", "-idp", Value::Needed, &Parser::ignore}, // Windows
      {"--dependency-drive-prefix", "-ddp", Value::Needed, &Parser::ignore},
      {"--drive-prefix", "-dp", Value::Needed, &Parser::ignore},
      {"--dependency-target-name", "-MT", Value::Needed, &Parser::addDependencyTarget},
      {"--no-align-double", "", Value::None, &Parser::ignore},
      {"--no-device-link", "-nodlink", Value::None, &Parser::ignore}, // the link sees what is linked already

      // GPU code
      {"--gpu-architecture", "-arch", Value::Needed, &Parser::addArchitecture},
      {"--gpu-code", "-code", Value::Needed, &Parser::addCode},
      {"--generate-code", "-gencode", Value::Needed, &Parser::addSpecification},
      {"--relocatable-device-code", "-rdc", Value::Needed, &Parser::setRelocatable},
      {"--entries", "-e", Value::Needed, &Parser::note, "is ignored: code is made for all kernels"},
      {"--maxrregcount", "-maxrregcount", Value::Needed, &Parser::setRegisters},
      {"--use_fast_math", "-use_fast_math", Value::None, &Parser::setFastMath},
      {"--ftz", "-ftz", Value::Needed, &Parser::setFlushDenormals},
      {"--prec-div", "-prec-div", Value::Needed, &Parser::ignore}, // always exact; --use_fast_math is not
      {"--prec-sqrt", "-prec-sqrt", Value::Needed, &Parser::ignore},
      {"--fmad", "-fmad", Value::Needed, &Parser::setContraction},
      {"--extra-device-vectorization", "-extra-device-vectorization", Value::None, &Parser::ignore},
      {"--default-stream", "-default-stream", Value::Needed, &Parser::setDefaultStream},

      // Generic
      {"--disable-warnings", "-w", Value::None, &Parser::setNoWarnings},
      {"--keep-device-functions", "-keep-device-functions", Value::None, &Parser::ignore},
      {"--source-in-ptx", "-src-in-ptx", Value::None, &Parser::ignore},
      {"--restrict", "-restrict", Value::None, &Parser::ignore}, // a promise that needs not be used
      {"--Wreorder", "-Wreorder", Value::None, &Parser::setReorderWarning},
      {"--Wdefault-stream-launch", "-Wdefault-stream-launch", Value::None, &Parser::ignore},
      {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", Value::None, &Parser::ignore},
      {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", Value::None, &Parser::ignore},
      {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", Value::None, &Parser::ignore},
      {"--resource-usage", "-res-usage", Value::None, &Parser::setResourceUsage},
      {"--extensible-whole-program", "-ewp", Value::None, &Parser::ignore},
      {"--no-compress", "-no-compress", Value::None, &Parser::ignore},
      {"--compress-mode", "-compress-mode", Value::Needed, &Parser::ignore},
      {"--qpp-config", "-qpp-config", Value::Needed, &Parser::ignore},
      {"--compile-as-tools-patch", "-astoolspatch", Value::None, &Parser::refuse,
       "is not supported: use nvcc for patches of its tools"},
      {"--list-gpu-code", "-code-ls", Value::None, &Parser::setListCode},
      {"--list-gpu-arch", "-arch-ls", Value::None, &Parser::setListArchitectures},
      {"--display-error-number", "-err-no", Value::None, &Parser::ignore},
      {"--no-display-error-number", "-no-err-no", Value::None, &Parser::ignore},
      {"--diag-error", "-diag-error", Value::Needed, &Parser::ignore}, // numbers of nvcc's messages
      {"--diag-suppress", "-diag-suppress", Value::Needed, &Parser::ignore},
      {"--diag-warn", "-diag-warn", Value::Needed, &Parser::ignore},
      {"--host-linker-script", "-hls", Value::Needed, &Parser::ignore},
      {"--augment-host-linker-script", "-aug-hls", Value::None, &Parser::ignore},
      {"--relocatable-link", "-r", Value::None, &Parser::refuse, "is not supported: ld -r joins objects"},
      {"--brief-diagnostics", "-brief-diag", Value::Needed, &Parser::ignore},
      {"--jump-table-density", "-jtd", Value::Needed, &Parser::ignore},
      {"--relocatable-ptx", "-reloc-ptx", Value::None, &Parser::ignore},
      {"--device-stack-protector", "-device-stack-protector", Value::Needed, &Parser::ignore},
      {"--frandom-seed", "-frandom-seed", Value::Needed, &Parser::ignore}, // names don't depend on chance
      {"--sanitize", "-sanitize", Value::Needed, &Parser::note,
       "is ignored: run the program under compute-sanitizer"},
      {"--jobserver", "-jobserver", Value::None, &Parser::ignore},
      {"--help", "-h", Value::None, &Parser::setHelp},
      {"--version", "-V", Value::None, &Parser::setVersion},
  };
  return kFlags;
}

/// Appends a file's words; files that it names in turn are read too.
bool addOptionsFile(const std::string &path, std::vector<std::string> &words, unsigned depth,
                    std::string &error);

void expand(const std::vector<std::string> &arguments, std::vector<std::string> &words, unsigned depth,
            std::string &error) {
  for (std::size_t i = 0; i < arguments.size() && error.empty(); ++i) {
    const std::string &word = arguments[i];
    std::string files;
    if (word.starts_with("@") && fs::exists(word.substr(1)))
      files = word.substr(1);
    else if ((word == "--options-file" || word == "-optf") && i + 1 < arguments.size())
      files = arguments[++i];
    else if (word.starts_with("--options-file=") || word.starts_with("-optf="))
      files = word.substr(word.find('=') + 1);
    if (files.empty())
      words.push_back(word);
    for (const std::string &file : splitAt(files, ','))
      if (!addOptionsFile(file, words, depth + 1, error))
        return;
  }
}

bool addOptionsFile(const std::string &path, std::vector<std::string> &words, unsigned depth,
                    std::string &error) {
  std::ifstream file(path, std::ios::binary);
  if (!file || depth > 16) {
    error = file ? fmt::format("the options file {} names itself", path)
                 : fmt::format("the options file {} can't be read", path);
    return false;
  }
  expand(shellWords({std::istreambuf_iterator<char>(file), {}}), words, depth, error);
  return error.empty();
}

} // namespace

std::vector<GpuTarget> DriverOptions::targets() const {
  return gpuTargets.empty() ? std::vector{defaultGpuTarget()} : gpuTargets;
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
  const auto environment = [](const char *name) {
    const char *const value = std::getenv(name);
    return shellWords(value ? value : "");
  };
  std::vector<std::string> all = environment("NVCC_PREPEND_FLAGS"), words;
  all.insert(all.end(), arguments.begin(), arguments.end());
  const std::vector<std::string> behind = environment("NVCC_APPEND_FLAGS");
  all.insert(all.end(), behind.begin(), behind.end());
  expand(all, words, 0, error);
  return words;
}

} // namespace cupr::tool
