/// cupr++: builds CUDA programs that trace their own memory accesses, in the manner
/// of a compiler driver.
#include "cuprewrite/report/static_report.h"
#include "driver_options.h"
#include "execution.h"
#include "file_text.h"
#include "hostlib/manual/manual.h"
#include "installation.h"
#include "message.h"
#include "program_link.h"
#include "rewriting.h"
#include "translation_unit.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <memory>
#include <string_view>

namespace fs = std::filesystem;
using namespace cupr::tool;

namespace {

constexpr const char *kHelp =
    R"(cupr++: compile and link CUDA C++ so that the program records its memory accesses

usage: cupr++ [options] file...

Takes nvcc's flags, and clang's usual ones: -c, -o, -I, -D, -O2, -std=, -arch=sm_90, -Xcompiler, -l, -L ...;
-rdc=true, -dc and -dlink for device code in several files; -MD, -MMD, -M, -MM for dependencies; -lib, -E,
-ptx, -cubin, -fatbin, -run. What has no use here is accepted, or an error that says what to do instead.
CUDA sources are rewritten (cuprewrite), compiled with clang 22, instrumented, and linked with the
runtime. Sources that are augmented already are only compiled.

Options of its own:
  --device=both|gpu|cpu  what the program can run on (default both: it looks for a GPU when it
                         starts, and takes the CPU device where there is none;
                         CUPR_DEVICE=gpu|cpu decides otherwise)
  --keep=DIR             keep the augmented copies in DIR (they are for you to read: several builds may write there)
  --spaces=LIST          memory to trace accesses of: global, shared, constant, local, texture, with commas
                         (default: global)
  --values[=LIST]        record what accesses read and write, exactly; LIST chooses: FILE:LINE, or a regular expression
                         for the names of the functions that make them, with commas between (default: all)
  --clock                record when: the multiprocessor's clock at each access
  --latency[=SCHEME]     make timed variants of kernels, which record how many cycles each access took, for CUPR_LATENCY=on;
                         SCHEME is what the second clock waits for: dependency (default: all that a load brings), fence,
                         naive (nothing), use (as dependency, where the first instruction needs it)
  --synchronisation      record barriers, fences, copy groups, mbarriers and shuffles, in order with the accesses of their warp
  --host-accesses        record what the host reads and writes of managed, pinned and registered memory while work that it has not
                         waited for runs, for 'cupranalyze check'
  --instructions         record how often each part of a kernel is executed, and what instructions it has, by class, for
                         'cupranalyze instructions'; not together with --latency
  --context-sites=N      places of accesses, each once for every chain of calls that leads to it, that a module may have (default
                         32768): above that functions have one for each call of them, below a frame [merged]; 0: one
  --root=DIR             project folder: headers with device code are rewritten below it (default:
                         the working folder if it holds the source, else the source's own)
  --keep-signature=REGEX functions whose qualified name matches keep their signature, as for cuprewrite: give it to
                         all files of a program where one file's use of a function is not seen by another
  --host-cpu=NAME        processor that kernels on the CPU device may count on, as for -march (default
                         x86-64-v3; x86-64: any)
  --no-trace             build the program plain: same devices, nothing recorded
  --device-library=FILE  bitcode with your own hooks, in place of the project's (devicelib/abi/hooks.def); GPU only
  --static-report=FILE   what the compiler knows of every memory access, and why it is traced or not: JSON
                         if the name ends in .json, else text; - is standard output
  --jobs=N               commands that may run at the same time (default: one per processor)
  --time=FILE            write what each command took, as comma-separated values
  --show-cost[=FILE]     what tracing costs each kernel: registers, spills, stack, shared memory, occupancy,
                         as a table, and as JSON into FILE
  --show                 print the commands instead of running them (-v: print and run them)
  --in-place-of=COMPILER stand in for that compiler, whose flags follow: for launchers of build systems
  --link-with COMMAND... run another compiler's link command, with the runtime, and link the device code of the
                         objects as well: cupr++ --link-with g++ main.o kernels.o -o app
  --help                 this text; --manual, --completion: the same for man and for bash

The GPU architecture is sm_75 unless -arch (-gencode, --cuda-gpu-arch) names others. -arch=sm_90 includes its PTX,
so that newer GPUs run it as well; -gencode only where it is named. Of several architectures the CPU device runs the
oldest, and --static-report tells of that one; --show-cost tells of each.
Environment: CUDA_PATH (default /usr/local/cuda; --cuda-path), NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS; CUPREWRITE_CACHE: folder
for CUDA's headers as clang has read them, or "off" (default: cuprewrite in XDG_CACHE_HOME, or ~/.cache/cuprewrite).

Programs read CUPR_* variables when they run: CUPR_TRACE (file or folder of the trace, "off" for none), CUPR_DEVICE
(gpu, cpu), CUPR_KERNELS (which to record) and many more. cupr-run --help lists them all, with their defaults.
)";

/// Intermediate files, gone at the end.
class WorkFolder {
public:
  WorkFolder() {
    std::string path = (fs::temp_directory_path() / "cuprxx-XXXXXX").string();
    if (mkdtemp(path.data()))
      path_ = path;
  }
  ~WorkFolder() {
    std::error_code ignored;
    if (!path_.empty())
      fs::remove_all(path_, ignored);
  }
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;
  const std::string &path() const { return path_; }

private:
  std::string path_;
};

/// What -M and its like say to clang of a host source.
std::vector<std::string> dependencyFlags(const DriverOptions &options) {
  const DriverOptions::Dependencies &wanted = options.dependencies;
  std::vector<std::string> flags;
  if (options.action == DriverOptions::Action::Dependencies)
    flags.push_back(wanted.system ? "-M" : "-MM");
  else if (wanted.wanted)
    flags.push_back(wanted.system ? "-MD" : "-MMD");
  else
    return flags;
  if (wanted.phony)
    flags.push_back("-MP");
  if (!wanted.file.empty())
    flags.insert(flags.end(), {"-MF", wanted.file});
  for (const std::string &target : wanted.targets)
    flags.insert(flags.end(), {"-MT", target});
  return flags;
}

/// Compiles, preprocesses or reads a source without device code, as the action says.
int buildHostSource(const Installation &installation, const DriverOptions &options, Execution &execution,
                    const std::string &source, const std::string &object) {
  using Action = DriverOptions::Action;
  const bool isC = fs::path(source).extension() == ".c";
  Command command{isC ? "clang-22" : "clang++-22", options.optimisation, "-isystem",
                  installation.cuda + "/include"};
  command.add(installation.hostFlags(isC));
  if (options.trace) // for the places of calls, and the loops around them
    command.add({"-gline-tables-only", "-fplugin=" + installation.library("cupr-language.so")})
        .add(options.recording.languageOptions());
  for (const std::string &include : options.includes)
    command.add("-I").add(include);
  if (const std::string fusing = options.hostFusingFlag(); !fusing.empty())
    command.add(fusing);
  for (const std::string &flag : options.compileFlags)
    if (!isC || !flag.starts_with("-std=c++")) // meant for the others
      command.add(flag);
  command.add(options.hostCompilerFlags()).add(dependencyFlags(options));
  if (options.verbose)
    command.add("-v");
  std::string output = object;
  if (options.action == Action::Preprocess || options.action == Action::Dependencies)
    output = options.output.empty() ? "-" : options.output;
  else if (options.dependencies.wanted && options.dependencies.file.empty() && options.action == Action::Link)
    command.add({"-MF", fs::path(source).filename().replace_extension(".d").string()});
  command.add(options.action == Action::Preprocess     ? std::vector<std::string>{"-E"}
              : options.action == Action::Dependencies ? std::vector<std::string>{}
              : options.action == Action::CheckSyntax  ? std::vector<std::string>{"-fsyntax-only"}
                                                       : std::vector<std::string>{"-c"});
  command.add(source);
  if (options.action != Action::CheckSyntax)
    command.add({"-o", output});
  if (output == "-" && !options.show)
    return command.run(); // with our standard output
  return execution.run("host", command);
}

/// Device code that was instrumented here, and where it comes from.
struct Instrumented {
  std::string source;
  const DeviceImage *image;
};

/// Adds up the reports of the images.
int writeStaticReport(const std::string &path, const std::vector<Instrumented> &images) {
  cupr::report::StaticReport whole;
  for (const Instrumented &part : images) {
    std::string error;
    whole.add(cupr::report::fromJson(fileText(part.image->staticReport()), error));
    if (!error.empty())
      return fail(fmt::format("the static report of a source can't be read: {}", error));
  }
  const std::string problem = cupr::report::write(whole, path);
  return problem.empty() ? 0 : fail("the static report: " + problem);
}

int writeCosts(const DriverOptions &options, const std::vector<Instrumented> &images) {
  std::vector<KernelCost> kernels;
  for (const Instrumented &part : images)
    for (KernelCost &kernel : part.image->costs(part.source))
      kernels.push_back(std::move(kernel));
  fmt::print("{}", costTable(kernels));
  if (options.costFile.empty())
    return 0;
  std::ofstream file(options.costFile);
  file << costJson(kernels);
  file.close();
  return file ? 0 : fail(fmt::format("the kernels' cost: '{}' can't be written", options.costFile));
}

/// What the user wants to know of the code that was instrumented here: in the sources, or, with
/// device linking, in the linked program.
int writeReports(const DriverOptions &options, const std::vector<std::unique_ptr<TranslationUnit>> &sources,
                 const ProgramLink &link) {
  std::vector<Instrumented> images;
  if (!options.relocatable)
    for (const auto &source : sources)
      images.push_back({source->source(), &source->image()});
  if (link.deviceImage())
    images.push_back({link.output(), link.deviceImage()});
  if (images.empty() && (options.showCost || !options.staticReport.empty()))
    return fail("--static-report and --show-cost: no device code is instrumented here");
  if (!options.staticReport.empty())
    if (const int code = writeStaticReport(options.staticReport, images))
      return code;
  return options.showCost ? writeCosts(options, images) : 0;
}

/// A line per command, as far as one is wanted.
int writeTimes(const DriverOptions &options, const Execution &execution) {
  if (options.timeFile.empty() || options.show)
    return 0;
  std::ofstream file(options.timeFile);
  file << "step,start_s,wall_s,cpu_s,output_bytes\n";
  for (const StepTime &time : execution.times()) {
    std::error_code missing;
    const std::uintmax_t bytes = fs::file_size(time.output, missing);
    file << fmt::format("{},{:.3f},{:.3f},{:.3f},{}\n", time.step, time.start, time.seconds, time.cpu,
                        missing ? 0 : bytes);
  }
  file.close();
  return file ? 0 : fail(fmt::format("the times: '{}' can't be written", options.timeFile));
}

/// Why these options can't be built with; empty when they can.
std::string problemOf(const DriverOptions &options) {
  using Action = DriverOptions::Action;
  const std::size_t sources = options.cudaSources.size() + options.hostSources.size();
  const bool deviceOnly =
      options.action == Action::Ptx || options.action == Action::Cubin || options.action == Action::FatBinary;
  const bool perSource = deviceOnly || options.action == Action::Compile ||
                         options.action == Action::Preprocess || options.action == Action::Dependencies ||
                         options.action == Action::CheckSyntax;
  if (sources + options.linkInputs.size() == 0)
    return "no input files; cupr++ --help explains the command line";
  if (perSource && sources == 0)
    return "no source file to compile";
  if (deviceOnly && !options.hostSources.empty())
    return fmt::format("{}: no CUDA source, and only its device code is asked for",
                       options.hostSources.front());
  if (perSource && !options.output.empty() && sources > 1)
    return "-o with one output for each source takes one source file";
  if (options.action == Action::Archive && options.output.empty())
    return "-lib needs a name for the library: -o libNAME.a";
  if (options.action == Action::Ptx && options.targets().size() > 1)
    return "-ptx makes code for one architecture: name one";
  if (options.action == Action::Cubin &&
      (options.targets().size() > 1 || options.targets().front().machines.size() > 1))
    return "-cubin makes code for one architecture: name one, or use -fatbin";
  if (!options.staticReport.empty() && !options.trace)
    return "--static-report tells what is traced: --no-trace leaves nothing to tell";
  if (options.showCost && (!options.trace || options.device == TargetDevice::Cpu))
    return "--show-cost compares plain with traced kernels on a GPU: not with --no-trace or --device=cpu";
  if (options.action == Action::Compile && options.relocatable &&
      (options.showCost || !options.staticReport.empty()))
    return "--static-report and --show-cost tell of the linked program: give them to the link, not with -dc";
  if (!options.dependencies.file.empty() && sources > 1)
    return "-MF takes one source file";
  for (const std::vector<std::string> *list : {&options.cudaSources, &options.hostSources})
    for (const std::string &source : *list)
      if (!fs::exists(source))
        return "no such file: " + source;
  return "";
}

/// What becomes of one CUDA source, and where.
int buildSource(const DriverOptions &options, TranslationUnit &unit, const std::string &object) {
  using Action = DriverOptions::Action;
  const auto outputAs = [&](const char *ending) {
    return options.output.empty() ? fs::path(unit.source()).filename().replace_extension(ending).string()
                                  : options.output;
  };
  switch (options.action) {
  case Action::Ptx:
    return unit.buildDevice(outputAs(".ptx"));
  case Action::Cubin:
    return unit.buildDevice(outputAs(".cubin"));
  case Action::FatBinary:
    return unit.buildDevice(outputAs(".fatbin"));
  case Action::Preprocess:
    return unit.preprocess(options.output);
  case Action::Dependencies:
    return unit.writeDependencies();
  case Action::CheckSyntax:
    return unit.checkSyntax();
  default:
    return unit.build(object);
  }
}

int archive(const DriverOptions &options, Execution &execution, const std::vector<std::string> &objects) {
  std::error_code ignored;
  if (!options.show)
    fs::remove(options.output, ignored);
  Command command{options.archiver, options.archiverFlags.empty() ? "rcs" : options.archiverFlags.front()};
  if (!options.archiverFlags.empty())
    command.add(std::vector<std::string>(options.archiverFlags.begin() + 1, options.archiverFlags.end()));
  return execution.run("archive", command.add(options.output).add(objects).add(options.linkInputs));
}

int build(const Installation &installation, const DriverOptions &options) {
  using Action = DriverOptions::Action;
  if (options.action != Action::LinkWith)
    if (const std::string problem = problemOf(options); !problem.empty())
      return fail(problem);
  const WorkFolder work;
  if (work.path().empty())
    return fail("no temporary folder can be made in " + fs::temp_directory_path().string());
  std::vector<std::string> objects;
  const auto objectFor = [&](const std::string &source, std::size_t index) {
    if (options.action != Action::Compile)
      // The name of a library's member is seen.
      return options.action == Action::Archive
                 ? fmt::format("{}/{}", work.path(),
                               fs::path(source).filename().replace_extension(".o").string())
                 : fmt::format("{}/{}.o", work.path(), index);
    return options.output.empty() ? fs::path(source).filename().replace_extension(".o").string()
                                  : options.output;
  };
  Execution execution(options.show, options.jobs ? options.jobs : processors(), options.verbose);
  std::vector<std::unique_ptr<TranslationUnit>> units;
  std::vector<std::function<int()>> lanes;
  for (const std::string &source : options.cudaSources) {
    const std::string folder = fmt::format("{}/unit{}", work.path(), objects.size());
    fs::create_directory(folder);
    const std::string object = objects.emplace_back(objectFor(source, objects.size()));
    units.push_back(std::make_unique<TranslationUnit>(installation, options, execution, source, folder));
    lanes.push_back([&, unit = units.back().get(), object] { return buildSource(options, *unit, object); });
  }
  for (const std::string &source : options.hostSources) {
    const std::string object = objects.emplace_back(objectFor(source, objects.size()));
    lanes.push_back(
        [&, source, object] { return buildHostSource(installation, options, execution, source, object); });
  }
  if (!options.keepFolder.empty() && options.trace && options.cudaSources.size() > 1)
    lanes.push_back([&] { return keepTogether(installation, options, execution, work.path()); });
  if (const int code = execution.sideBySide(lanes))
    return code;
  ProgramLink link(installation, options, execution, work.path());
  int code = 0;
  if (options.action == Action::Link || options.action == Action::LinkWith)
    code = link.build(objects);
  else if (options.action == Action::DeviceLink)
    code = link.buildDeviceObject(objects);
  else if (options.action == Action::Archive)
    code = archive(options, execution, objects);
  if (code)
    return code;
  if (!options.show)
    if (const int failed = writeReports(options, units, link))
      return failed;
  if (const int failed = writeTimes(options, execution))
    return failed;
  if (!options.run || options.action != Action::Link || options.show)
    return 0;
  return Command{fs::absolute(link.output()).string()}.add(options.runArguments).run();
}

/// The program that -run is given in place of something to build, or empty. Meson gives one, with quotes for the shell
/// that nvcc starts.
std::string programToRun(const DriverOptions &options) {
  if (!options.run || !options.cudaSources.empty() || !options.hostSources.empty() ||
      options.linkInputs.size() != 1)
    return "";
  std::string program = options.linkInputs[0];
  if (program.size() > 2 && program.front() == '"' && program.back() == '"')
    program = program.substr(1, program.size() - 2);
  const std::string extension = fs::path(program).extension();
  const bool isPart = extension == ".o" || extension == ".a" || extension == ".so";
  return !isPart && fs::is_regular_file(program) && ::access(program.c_str(), X_OK) == 0 ? program : "";
}

int printVersion(const Installation &installation) {
  fmt::print("cupr++ {} (build {}), in place of\n{}", CUPR_VERSION, installation.fingerprint(),
             installation.nvccVersion());
  std::fflush(stdout);
  return Command{"clang++-22", "--version"}.run();
}

void listCode(const DriverOptions &options) {
  for (const std::string &architecture : cupr::commandline::knownArchitectures())
    fmt::print("{}\n", options.virtualNames ? "compute_" + architecture.substr(3) : architecture);
}

} // namespace

int main(int count, char **values) {
  using Action = DriverOptions::Action;
  if (const std::string_view only = count >= 2 ? values[1] : "";
      only == "--manual" || only == "--completion") {
    fmt::print("{}",
               only == "--manual" ? cupr::manual::manualPage(kHelp) : cupr::manual::bashCompletion(kHelp));
    return 0;
  }
  std::string error;
  const std::vector<std::string> arguments = expandArguments({values + 1, values + count}, error);
  DriverOptions options;
  if (error.empty())
    options = DriverOptions::parse(arguments, error);
  if (!error.empty())
    return fail(error);
  if (options.action == Action::Help) {
    fmt::print("{}", kHelp);
    return 0;
  }
  if (options.action == Action::ListCode) {
    listCode(options);
    return 0;
  }
  if (!options.toolkit.empty())
    setenv("CUDA_PATH", options.toolkit.c_str(), /*overwrite=*/1); // for cuprewrite, too
  const Installation installation = Installation::find();
  if (const std::string problem = installation.problem(); !problem.empty())
    return fail(problem);
  if (options.action == Action::Version)
    return printVersion(installation);
  if (options.action == Action::Forward)
    return Command{"clang++-22"}.add(arguments).run();
  if (options.verbose) // CMake looks for the toolkit here
    fmt::print(stderr, "#$ TOP={}\n", installation.cuda);
  for (const std::string &note : options.notes)
    fmt::print(stderr, "cupr++: note: {}\n", note);
  // Code that a program loads by itself is run by a GPU.
  if (options.action == Action::Ptx || options.action == Action::Cubin || options.action == Action::FatBinary)
    options.device = TargetDevice::Gpu;
  if (const std::string program = programToRun(options); !program.empty() && !options.show)
    return Command{fs::absolute(program).string()}.add(options.runArguments).run();
  return build(installation, options);
}
