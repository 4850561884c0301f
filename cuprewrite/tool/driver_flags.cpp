/// Long, since each flag has a line in the tables, and many a function of their own.
///
/// Of a flag without a function clang does what it asks for by itself, or it changes nothing here; comments
/// in the table of functions say which.
#include "driver_flags.h"

#include "cuprewrite/commandline/dependency_file.h"
#include "cuprewrite/commandline/words.h"
#include "devicelib/abi/latency_scheme.h"
#include "devicelib/abi/memory_space.h"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <iterator>

namespace cupr::tool {
namespace {

using commandline::append;
using commandline::FlagValue;
using commandline::handedOn;
using commandline::splitAt;

using Action = DriverOptions::Action;

/// Ours, and of clang's those that are more than a word for the compilation.
constexpr commandline::Flag kFlagsBesideNvccs[] = {
    {"--device", "", FlagValue::Needed},
    {"--keep", "-keep", FlagValue::BehindEquals},
    {"--spaces", "", FlagValue::Needed},
    {"--values", "", FlagValue::BehindEquals},
    {"--clock", "", FlagValue::None},
    {"--latency", "", FlagValue::BehindEquals},
    {"--synchronisation", "", FlagValue::None},
    {"--host-accesses", "", FlagValue::None},
    {"--instructions", "", FlagValue::None},
    {"--context-sites", "", FlagValue::Needed},
    {"--root", "", FlagValue::Needed},
    {"--keep-signature", "", FlagValue::Needed},
    {"--no-trace", "", FlagValue::None},
    {"--host-cpu", "", FlagValue::Needed},
    {"--log-accesses", "", FlagValue::None},
    {"--device-library", "", FlagValue::Needed},
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

/// One flag, as it is applied.
class Use {
public:
  struct Handler {
    std::string_view name; ///< as in the table of flags
    void (Use::*handle)(const std::string &value);
    std::string_view text = ""; ///< for note() and refuse(); for define() the macro
  };

  Use(DriverFlags &flags, const Handler &handler, std::string_view spelled, std::string_view name)
      : flags_(flags), handler_(handler), spelled_(spelled), name_(name) {}
  void run(const std::string &value) { (this->*handler_.handle)(value); }

  static const Handler *handlerOf(std::string_view name);

private:
  void note(const std::string &) { options_.notes.push_back(fmt::format("{} {}", spelled_, handler_.text)); }
  void refuse(const std::string &) { error_ = fmt::format("{} {}", spelled_, handler_.text); }

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
  void setInPlaceOf(const std::string &) { flags_.inPlaceOf = true; }
  void setLinkWith(const std::string &value) {
    options_.action = Action::LinkWith;
    options_.linker = {value}; // and all words that follow
  }

  void setShow(const std::string &) { options_.show = true; }
  void setVerbose(const std::string &) { options_.verbose = true; }
  void setNoTrace(const std::string &) { options_.trace = false; }
  void setHostCpu(const std::string &value) { options_.hostCpu = value; }
  void setLogAccesses(const std::string &) { options_.logAccesses = true; }
  void setDeviceLibrary(const std::string &value) { options_.deviceLibrary = value; }
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
    if (!readNumber(value, options_.jobs))
      error_ = fmt::format("{}: '{}' is not a number of jobs", spelled_, value);
  }
  void setStaticReport(const std::string &value) {
    options_.staticReport = value;
    if (value.empty())
      error_ = "--static-report needs the name of a file, or - for standard output";
  }
  void setSpaces(const std::string &value) {
    options_.recording.spaces = value;
    if (abi::SpaceSet set = 0; !abi::parseSpaces(value.c_str(), set))
      error_ = fmt::format("--spaces={}: expected a list of {}", value, abi::kSpaceNames);
  }
  void setClock(const std::string &) { options_.recording.clock = true; }
  void setLatency(const std::string &value) {
    options_.latency = value.empty() ? abi::schemeName(abi::LatencyScheme::Dependency) : value;
    if (abi::LatencyScheme scheme{}; !abi::parseScheme(options_.latency.c_str(), scheme))
      error_ = fmt::format("--latency={}: expected one of {}", value, abi::kSchemeNames);
    refuseBoth();
  }
  void setSynchronisation(const std::string &) { options_.recording.synchronisation = true; }
  void setHostAccesses(const std::string &) { options_.recording.hostAccesses = true; }
  void setInstructions(const std::string &) {
    options_.recording.instructions = true;
    refuseBoth();
  }
  void refuseBoth() {
    if (options_.recording.instructions && !options_.latency.empty())
      error_ = "--instructions and --latency can't be had in one build: counting would stand between clocks";
  }
  void setContextSites(const std::string &value) {
    unsigned sites = 0;
    if (!readNumber(value, sites))
      error_ = fmt::format("{}: '{}' is not a number of sites", spelled_, value);
    options_.recording.contextSites = sites;
  }
  void setValues(const std::string &value) { options_.recording.values = value.empty() ? "all" : value; }
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
  void setOutputFolder(const std::string &value) { flags_.outputFolder = value; }
  void setLanguage(const std::string &value) { flags_.language = value == "cu" ? "cuda" : value; }
  void setMachine(const std::string &value) {
    if (value != "64")
      error_ = fmt::format("{}: programs are built for 64 bits only", spelled_);
  }

  void addArchitecture(const std::string &value) {
    architectureProblem(flags_.targets.addArchitecture(value));
  }
  void addCode(const std::string &value) { architectureProblem(flags_.targets.addCode(value)); }
  void addSpecification(const std::string &value) {
    architectureProblem(flags_.targets.addSpecification(value));
  }
  void leaveOutPtx(const std::string &value) { flags_.targets.leaveOutPtx(value); }
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
  void define(const std::string &) { addMacro(std::string(handler_.text)); }
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
    flags_.debugDevice = true;
    options_.gpuLines = true;
    options_.compileFlags.push_back("-g");
  }
  void setOptimisedDebug(const std::string &) { flags_.optimiseDevice = true; }
  void setLines(const std::string &) { options_.gpuLines = true; }
  void setFastMath(const std::string &) { options_.deviceNumbers.fastMath = true; }
  void setFlushDenormals(const std::string &value) { options_.deviceNumbers.flushesDenormals = truth(value); }
  void setExactDivision(const std::string &value) { options_.deviceNumbers.dividesExactly = truth(value); }
  void setExactRoots(const std::string &value) { options_.deviceNumbers.rootsExactly = truth(value); }
  void setContraction(const std::string &value) { options_.deviceNumbers.contracts = truth(value); }
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
      flags_.addLibrary(library);
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
    options_.dependencies.targets.push_back(commandline::makeQuoted(value));
  }

  static bool readNumber(const std::string &value, unsigned &number) {
    const char *const end = value.data() + value.size();
    const auto [read, problem] = std::from_chars(value.data(), end, number);
    return problem == std::errc() && read == end;
  }

  bool truth(const std::string &value) {
    if (value != "true" && value != "false")
      error_ = fmt::format("{}={}: expected true or false", name_, value);
    return value == "true";
  }

  DriverFlags &flags_;
  DriverOptions &options_ = flags_.options;
  std::string &error_ = flags_.error;
  const Handler &handler_;
  const std::string_view spelled_, name_;
};

/// By name; the order is that of the tables of flags. A flag without one is ignored.
const Use::Handler *Use::handlerOf(std::string_view name) {
  static const Handler kHandlers[] = {
      {"--device", &Use::setDevice},
      {"--keep", &Use::setKeep},
      {"--keep-dir", &Use::setKeepFolder},
      {"--save-temps", &Use::note, kKeepInstead},
      {"--spaces", &Use::setSpaces},
      {"--values", &Use::setValues},
      {"--clock", &Use::setClock},
      {"--latency", &Use::setLatency},
      {"--synchronisation", &Use::setSynchronisation},
      {"--host-accesses", &Use::setHostAccesses},
      {"--instructions", &Use::setInstructions},
      {"--context-sites", &Use::setContextSites},
      {"--root", &Use::setRoot},
      {"--keep-signature", &Use::setKeepSignature},
      {"--no-trace", &Use::setNoTrace},
      {"--host-cpu", &Use::setHostCpu},
      {"--log-accesses", &Use::setLogAccesses},
      {"--device-library", &Use::setDeviceLibrary},
      {"--static-report", &Use::setStaticReport},
      {"--jobs", &Use::setJobs},
      {"--show", &Use::setShow},
      {"--in-place-of", &Use::setInPlaceOf},
      {"--link-with", &Use::setLinkWith},

      // clang's
      {"--cuda-gpu-arch", &Use::addArchitecture},
      {"--no-cuda-include-ptx", &Use::leaveOutPtx},
      {"-fgpu-rdc", &Use::setClangRelocatable},
      {"-fno-gpu-rdc", &Use::setClangWhole},
      {"-fsyntax-only", &Use::setCheckSyntax},
      {"-S", &Use::refuse, "is clang's: --show prints its commands, -ptx makes PTX"},
      {"-dumpversion", &Use::setForward},
      {"-###", &Use::setShow},
      {"-MQ", &Use::addQuotedTarget},
      {"--cuda-path", &Use::setToolkit},

      // Phases
      {"--cuda", &Use::refuse,
       "makes files for nvcc's own next step: use cuprewrite to see the rewritten sources"},
      {"--cubin", &Use::setCubin},
      {"--fatbin", &Use::setFatBinary},
      {"--ptx", &Use::setPtx},
      {"--optix-ir", &Use::refuse, "is not supported: use nvcc for OptiX code"},
      {"--ltoir", &Use::refuse,
       "is not supported: -dc makes objects that are optimised when they are linked"},
      {"--preprocess", &Use::setPreprocess},
      {"--generate-dependencies", &Use::setDependenciesAlone},
      {"--generate-nonsystem-dependencies", &Use::setUserDependenciesAlone},
      {"--generate-dependencies-with-compile", &Use::setDependencies},
      {"--generate-nonsystem-dependencies-with-compile", &Use::setUserDependencies},
      {"--dependency-output", &Use::setDependencyFile},
      {"--generate-dependency-targets", &Use::setPhony},
      {"--compile", &Use::setCompile},
      {"--device-c", &Use::setCompileRelocatable},
      {"--device-w", &Use::setCompileWhole},
      {"--device-link", &Use::setDeviceLink},
      {"--link", &Use::setLink},
      {"--lib", &Use::setArchive},
      {"--run", &Use::setRun},
      // Files and paths
      {"--output-file", &Use::setOutput},
      {"--pre-include", &Use::addForcedIncludes},
      {"--library", &Use::addLibraries},
      {"--define-macro", &Use::addMacro},
      {"--undefine-macro", &Use::addNoMacro},
      {"--include-path", &Use::addIncludes},
      {"--system-include", &Use::addSystemIncludes},
      {"--library-path", &Use::addLibraryFolders},
      {"--output-directory", &Use::setOutputFolder},
      {"--compiler-bindir", &Use::note, "is ignored: the host code is compiled by clang++-22"},
      {"--archiver-binary", &Use::setArchiver},
      // --cudart: libcupr holds the runtime
      {"--libdevice-directory", &Use::note, "is ignored: CUDA_PATH names the toolkit"},
      {"--target-directory", &Use::note, "is ignored: programs are built for this machine"},
      // Compiler and linker
      {"--profile", &Use::setProfile},
      {"--debug", &Use::setDebug},
      {"--device-debug", &Use::setDeviceDebug},
      {"--generate-line-info", &Use::setLines},
      {"--optimize", &Use::setLevel},
      {"--dopt", &Use::setOptimisedDebug},
      // --dlink-time-opt: device linking always does
      {"--ftemplate-backtrace-limit", &Use::setTemplateBacktrace},
      {"--ftemplate-depth", &Use::setTemplateDepth},
      {"--no-exceptions", &Use::setNoExceptions},
      {"--shared", &Use::setShared},
      {"--x", &Use::setLanguage},
      {"--std", &Use::setStandard},
      {"--expt-relaxed-constexpr", &Use::define, "__CUDACC_RELAXED_CONSTEXPR__"},
      {"--extended-lambda", &Use::define, "__CUDACC_EXTENDED_LAMBDA__"},
      {"--expt-extended-lambda", &Use::define, "__CUDACC_EXTENDED_LAMBDA__"},
      {"--machine", &Use::setMachine},
      // Options of the phases
      {"--compiler-options", &Use::addCompilerOptions},
      {"--linker-options", &Use::addLinkerOptions},
      {"--archive-options", &Use::addArchiverOptions},
      {"--ptxas-options", &Use::addAssemblerOptions},
      // --nvlink-options: device code is linked as bitcode
      {"--fatbin-options", &Use::addFatBinaryOptions},
      // The driver
      {"--dryrun", &Use::setShow},
      {"--verbose", &Use::setVerbose},
      {"--threads", &Use::setJobs},
      // --split-compile: as many as there are processors
      {"--fdevice-time-trace", &Use::note, "is ignored: --time=FILE says what each step took"},
      {"--clean-targets", &Use::refuse, "removes files: leave that to your build"},
      {"--time", &Use::setTimeFile},
      {"--run-args", &Use::addRunArguments},
      // --input-drive-prefix: Windows
      {"--dependency-target-name", &Use::addDependencyTarget},
      // --no-device-link: the link sees what is linked already
      // GPU code
      {"--gpu-architecture", &Use::addArchitecture},
      {"--gpu-code", &Use::addCode},
      {"--generate-code", &Use::addSpecification},
      {"--relocatable-device-code", &Use::setRelocatable},
      {"--entries", &Use::note, "is ignored: code is made for all kernels"},
      {"--maxrregcount", &Use::setRegisters},
      {"--use_fast_math", &Use::setFastMath},
      {"--ftz", &Use::setFlushDenormals},
      {"--prec-div", &Use::setExactDivision},
      {"--prec-sqrt", &Use::setExactRoots},
      {"--fmad", &Use::setContraction},
      {"--default-stream", &Use::setDefaultStream},
      // Generic
      {"--disable-warnings", &Use::setNoWarnings},
      // --restrict: a promise that needs not be used
      {"--Wreorder", &Use::setReorderWarning},
      {"--resource-usage", &Use::setResourceUsage},
      {"--compile-as-tools-patch", &Use::refuse, "is not supported: use nvcc for patches of its tools"},
      {"--list-gpu-code", &Use::setListCode},
      {"--list-gpu-arch", &Use::setListArchitectures},
      // --diag-error: numbers of nvcc's messages
      {"--relocatable-link", &Use::refuse, "is not supported: ld -r joins objects"},
      // --frandom-seed: names don't depend on chance
      {"--sanitize", &Use::note, "is ignored: run the program under compute-sanitizer"},
      {"--help", &Use::setHelp},
      {"--version", &Use::setVersion},
  };
  const auto *const found = std::find_if(std::begin(kHandlers), std::end(kHandlers),
                                         [&](const Handler &handler) { return handler.name == name; });
  return found == std::end(kHandlers) ? nullptr : found;
}

} // namespace

std::span<const commandline::Flag> flagsBesideNvccs() { return kFlagsBesideNvccs; }

void DriverFlags::apply(const commandline::Flag &flag, std::string_view spelled, std::string_view name,
                        const std::string &value) {
  if (const Use::Handler *handler = Use::handlerOf(flag.name))
    Use(*this, *handler, spelled, name).run(value);
}

void DriverFlags::addLibrary(const std::string &name) {
  // libcupr holds the runtime; every link gets the driver, as far as the program calls it.
  static const std::string_view ours[] = {"cudart", "cudart_static", "cudadevrt", "cuda"};
  if (std::find(std::begin(ours), std::end(ours), name) == std::end(ours))
    options.linkInputs.push_back(name == "gomp" ? "-lomp" : "-l" + name); // gcc's OpenMP is not clang's
}

} // namespace cupr::tool
