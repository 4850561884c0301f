/// cupr++: builds CUDA programs that trace their own memory accesses, in the manner
/// of a compiler driver.
#include "cuprewrite/report/static_report.h"
#include "driver_options.h"
#include "execution.h"
#include "installation.h"
#include "message.h"
#include "program_link.h"
#include "translation_unit.h"

#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>

namespace fs = std::filesystem;
using namespace cupr::tool;

namespace {

constexpr const char *kHelp =
    R"(cupr++: compile and link CUDA C++ so that the program records its memory accesses

usage: cupr++ [options] file...

Takes nvcc's and clang's usual flags (-c, -o, -I, -D, -O2, -std=, -arch=sm_90, -Xcompiler, -l, -L ...;
-rdc=true, -dc and -dlink for device code in several files).
CUDA sources are rewritten (cuprewrite), compiled with clang 22, instrumented, and linked with the
runtime. Sources that are augmented already are only compiled.

Options of its own:
  --device=both|gpu|cpu  what the program can run on (default both: it looks for a GPU when it
                         starts, and takes the CPU device where there is none;
                         CUPR_DEVICE=gpu|cpu decides otherwise)
  --keep=DIR             keep the augmented copies in DIR
  --spaces=LIST          memory to trace accesses of: global, shared, constant, local, with commas between
                         (default: global)
  --root=DIR             project folder: headers with device code are rewritten below it (default:
                         the working folder if it holds the source, else the source's own)
  --no-trace             build the program plain: same devices, nothing recorded
  --static-report=FILE   what the compiler knows of every memory access, and why it is traced or not: JSON
                         if the name ends in .json, else text; - is standard output
  --jobs=N               commands that may run at the same time (default: one per processor)
  --time=FILE            write what each command took, as comma-separated values
  --show-cost[=FILE]     what tracing costs each kernel: registers, spills, stack, shared memory, occupancy,
                         as a table, and as JSON into FILE
  --show                 print the commands instead of running them
  --help                 this text

The GPU architecture is sm_75 unless -arch (-gencode, --cuda-gpu-arch) names another; its PTX is
included, so newer GPUs run it as well. Environment: CUDA_PATH (default /usr/local/cuda).

Programs read, when they run: CUPR_TRACE (file or folder of the trace, "off" for none; default
<program>.<pid>.cuprtrace in the working directory), CUPR_DEVICE (gpu, cpu), CUPR_BUFFER (bytes of
record buffer per stream, 32M), CUPR_PAGE (64K), CUPR_CONSUMERS (threads that take records from the
GPU, per stream), CUPR_CPU_THREADS (threads of the CPU device; 1 runs
the blocks in order, so that a trace is reproducible). What they record: CUPR_KERNELS (a regular
expression on demangled names), CUPR_LAUNCHES (SKIP:COUNT), CUPR_CTAS (FIRST-LAST, linear numbers of
blocks), CUPR_SAMPLE (one block in N), CUPR_NVTX (launches inside ranges whose name matches), CUPR_START
(off: nothing before the program calls cuprStart() of <cupr/control.h>, or cudaProfilerStart()).
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

int compileHostSource(const Installation &installation, const DriverOptions &options, Execution &execution,
                      const std::string &source, const std::string &object) {
  Command command{"clang++-22", "-c", options.optimisation, "-isystem", installation.cuda + "/include"};
  for (const std::string &include : options.includes)
    command.add("-I").add(include);
  command.add(options.compileFlags).add(options.hostFlags).add(options.dependencyFlags);
  return execution.run("host", command.add({source, "-o", object}));
}

/// Adds up the reports of the translation units.
int writeStaticReport(const std::string &path, const std::vector<const TranslationUnit *> &units) {
  cupr::report::StaticReport whole;
  for (const TranslationUnit *unit : units) {
    std::ifstream file(unit->staticReport(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::string error;
    whole.add(cupr::report::fromJson(text, error));
    if (!error.empty())
      return fail(fmt::format("the static report of a source can't be read: {}", error));
  }
  const std::string problem = cupr::report::write(whole, path);
  return problem.empty() ? 0 : fail("the static report: " + problem);
}

int writeCosts(const DriverOptions &options, const std::vector<const TranslationUnit *> &units) {
  std::vector<KernelCost> kernels;
  for (const TranslationUnit *unit : units)
    for (KernelCost &kernel : unit->kernelCosts())
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
                 const TranslationUnit *linked) {
  std::vector<const TranslationUnit *> units;
  if (!options.relocatable)
    for (const auto &source : sources)
      units.push_back(source.get());
  if (linked)
    units.push_back(linked);
  if (units.empty() && (options.showCost || !options.staticReport.empty()))
    return fail("--static-report and --show-cost: no device code is instrumented here");
  if (!options.staticReport.empty())
    if (const int code = writeStaticReport(options.staticReport, units))
      return code;
  return options.showCost ? writeCosts(options, units) : 0;
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

int build(const Installation &installation, const DriverOptions &options) {
  const std::size_t sources = options.cudaSources.size() + options.hostSources.size();
  if (sources + options.linkInputs.size() == 0)
    return fail("no input files; cupr++ --help explains the command line");
  const bool compileOnly = options.action == DriverOptions::Action::Compile;
  if (compileOnly && sources == 0)
    return fail("-c, but no source file");
  if (compileOnly && !options.output.empty() && sources > 1)
    return fail("-o with -c takes one source file");
  if (!options.staticReport.empty() && !options.trace)
    return fail("--static-report tells what is traced: --no-trace leaves nothing to tell");
  if (options.showCost && (!options.trace || options.device == TargetDevice::Cpu))
    return fail(
        "--show-cost compares plain with traced kernels on a GPU: not with --no-trace or --device=cpu");
  if (compileOnly && options.relocatable && (options.showCost || !options.staticReport.empty()))
    return fail(
        "--static-report and --show-cost tell of the linked program: give them to the link, not with -dc");
  for (const std::vector<std::string> *list : {&options.cudaSources, &options.hostSources})
    for (const std::string &source : *list)
      if (!fs::exists(source))
        return fail("no such file: " + source);

  const WorkFolder work;
  if (work.path().empty())
    return fail("no temporary folder can be made in " + fs::temp_directory_path().string());
  std::vector<std::string> objects;
  const auto objectFor = [&](const std::string &source, std::size_t index) {
    if (!compileOnly)
      return fmt::format("{}/{}.o", work.path(), index);
    return options.output.empty() ? fs::path(source).filename().replace_extension(".o").string()
                                  : options.output;
  };
  Execution execution(options.show, options.jobs ? options.jobs : processors());
  std::vector<std::unique_ptr<TranslationUnit>> units;
  std::vector<std::function<int()>> lanes;
  for (const std::string &source : options.cudaSources) {
    const std::string folder = fmt::format("{}/unit{}", work.path(), objects.size());
    fs::create_directory(folder);
    const std::string object = objects.emplace_back(objectFor(source, objects.size()));
    units.push_back(std::make_unique<TranslationUnit>(installation, options, execution, source, folder));
    lanes.push_back([unit = units.back().get(), object] { return unit->build(object); });
  }
  for (const std::string &source : options.hostSources) {
    const std::string object = objects.emplace_back(objectFor(source, objects.size()));
    lanes.push_back(
        [&, source, object] { return compileHostSource(installation, options, execution, source, object); });
  }
  if (options.keepFolder.empty()) {
    if (const int code = execution.sideBySide(lanes))
      return code;
  } else {
    for (const std::function<int()> &lane : lanes) // copies of a header go to the same place
      if (const int code = lane())
        return code;
  }
  ProgramLink link(installation, options, execution, work.path());
  if (!compileOnly)
    if (const int code = options.action == DriverOptions::Action::DeviceLink ? link.buildDeviceObject(objects)
                                                                             : link.build(objects))
      return code;
  if (!options.show)
    if (const int code = writeReports(options, units, link.deviceProgram()))
      return code;
  return writeTimes(options, execution);
}

/// Questions that are clang's to answer: versions, preprocessing, dependencies.
int forward(const Installation &installation, const std::vector<std::string> &arguments) {
  Command command{"clang++-22"};
  command.add(installation.cudaFlags());
  return command.add(arguments).run();
}

} // namespace

int main(int count, char **values) {
  const std::vector<std::string> arguments(values + 1, values + count);
  std::string error;
  const DriverOptions options = DriverOptions::parse(arguments, error);
  if (!error.empty())
    return fail(error);
  if (options.action == DriverOptions::Action::Help) {
    fmt::print("{}", kHelp);
    return 0;
  }
  const Installation installation = Installation::find();
  if (const std::string problem = installation.problem(); !problem.empty())
    return fail(problem);
  if (options.action == DriverOptions::Action::Forward)
    return forward(installation, arguments);
  for (const std::string &note : options.notes)
    fmt::print(stderr, "cupr++: note: {}\n", note);
  return build(installation, options);
}
