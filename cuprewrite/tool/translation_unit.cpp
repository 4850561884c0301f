#include "translation_unit.h"

#include "cuprewrite/commandline/dependency_file.h"
#include "cuprewrite/headers/header_cache.h"
#include "device_part.h"
#include "devicelib/abi/access_types.h"
#include "devicelib/abi/augmented_mark.h"
#include "file_text.h"
#include "message.h"
#include "rewriting.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iostream>
#include <set>
#include <sstream>
#include <unistd.h>
#include <xxhash.h>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

bool isBelow(const fs::path &path, const fs::path &folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Whether this source is a copy that cuprewrite made: its first line says so.
bool isAugmented(const std::string &path) {
  const std::string text = fileText(path);
  return text.substr(0, text.find('\n')).find(abi::kAugmentedMark) != std::string::npos;
}

/// To a file, or to standard output when there is no name.
int writeText(const std::string &path, const std::string &text) {
  if (path.empty() || path == "-") {
    std::cout << text << std::flush;
    return 0;
  }
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? 0 : fail(fmt::format("'{}' can't be written", path));
}

} // namespace

std::string mirrorRoot(const std::string &source, const std::string &wanted) {
  const fs::path absolute = fs::weakly_canonical(source);
  const fs::path root = wanted.empty() ? fs::current_path() : fs::weakly_canonical(wanted);
  return isBelow(absolute, root) ? root.string() : absolute.parent_path().string();
}

TranslationUnit::TranslationUnit(const Installation &installation, const DriverOptions &options,
                                 Execution &execution, std::string source, std::string folder)
    : installation_(installation), options_(options), execution_(execution), source_(std::move(source)),
      folder_(std::move(folder)), root_(mirrorRoot(source_, options.root)), augmented_(source_),
      image_(installation, options, execution, options.targets(), folder_) {}

/// What every compilation of the source gets. `isPlaced`: with the folders of this source's copies. The rewriter knows which of those
/// must be searched before the user's. The order is that of the rewriter, which then has the same headers kept for it.
std::vector<std::string> TranslationUnit::flagsOf(bool isPlaced) const {
  std::vector<std::string> flags = installation_.cudaFlags();
  flags.push_back(options_.optimisation);
  if (options_.relocatable)
    flags.push_back("-fgpu-rdc");
  if (isPlaced &&
      isatty(STDERR_FILENO)) // what they print goes through a file, and to the terminal in the end
    flags.push_back("-fcolor-diagnostics");
  if (isPlaced && augmented_ != source_)
    // What the source names by a path that leads out of the root has no copy; of all else a header that is not
    // beside its includer must find the copy.
    flags.insert(flags.end(),
                 {"@" + file("include.flags"), "-iquote", fs::path(augmented_).parent_path().string(),
                  "-iquote", fs::weakly_canonical(source_).parent_path().string()});
  for (const std::string &include : options_.includes)
    flags.insert(flags.end(), {"-I", include});
  for (std::string &flag : options_.cudaFlags())
    flags.push_back(std::move(flag));
  return flags;
}

/// The beginning of clang's command for one side: all that says how a source is read, and no more.
Command TranslationUnit::reading(const char *side, const std::string &architecture,
                                 const std::vector<std::string> &numbers, bool isPlaced) const {
  Command command{"clang++-22",        "-x", "cuda", side, "--cuda-gpu-arch=" + architecture,
                  "-gline-tables-only"}; // of the host for the places of calls, in messages
  command.add("-fpass-plugin=" + installation_.library("cupr-pass.so"));
  if (!options_.trace)
    command.add(
        {"-Xclang", fmt::format("-plugin-arg-{}", abi::kAccessTypesPlugin), "-Xclang", abi::kNoAccessTypes});
  else
    command.add(options_.recording.languageOptions());
  return command.add(flagsOf(isPlaced)).add(numbers);
}

Command TranslationUnit::readingDevice(const DeviceCode &code, bool isPlaced) const {
  return reading("--cuda-device-only", code.target().architecture, options_.deviceNumbers.clangFlags(),
                 isPlaced);
}

/// The pass is for managed variables; it leaves other host code alone.
Command TranslationUnit::readingHost(bool isPlaced) const {
  return reading("--cuda-host-only", image_.codes().front()->target().architecture,
                 options_.hostCompilerFlags(), isPlaced);
}

/// What `compile`, as far as reading() makes it, gets beside its source.
std::vector<std::string> TranslationUnit::headerFlags(const Command &compile, bool isRepeated) const {
  if (execution_.shows())
    return {};
  std::vector<std::string> folders = options_.includes;
  folders.push_back(fs::weakly_canonical(source_).parent_path().string());
  return headers::cachedHeaders({compile.words(), folders, isRepeated});
}

/// Has headers written down that cuprewrite and the compiler will both read in the same way. Flags of one side alone are not cuprewrite's.
void TranslationUnit::keepHeaders() {
  std::vector<std::function<int()>> sides;
  const auto keep = [this](const Command &compile) {
    headerFlags(compile, /*isRepeated=*/true);
    return 0;
  };
  sides.push_back([&] { return keep(readingHost(/*isPlaced=*/false)); });
  if (options_.deviceNumbers.clangFlags().empty() && options_.hostFlags.empty())
    for (const auto &code : image_.codes())
      sides.push_back([&, code = code.get()] { return keep(readingDevice(*code, /*isPlaced=*/false)); });
  execution_.sideBySide(sides);
}

int TranslationUnit::build(const std::string &object) {
  if (options_.relocatable)
    unitId_ = makeUnitId(object);
  if (const int code = rewrite())
    return code;
  const auto device = [this] {
    return options_.relocatable
               ? makeParts()
               : image_.build([this](const DeviceCode &code) { return compileDevice(code); });
  };
  if (const int code = execution_.sideBySide({device, [this] { return compileHost(); }}))
    return code;
  if (const int code = join(object))
    return code;
  return options_.dependencies.wanted && !execution_.shows() ? publishDependencies(object) : 0;
}

int TranslationUnit::buildDevice(const std::string &output) {
  // Not rewritten: who launches these kernels passes what their source says. The pass finds another way for
  // the trace.
  if (const int code = image_.build([this](const DeviceCode &code) { return compileDevice(code); }))
    return code;
  const DeviceCode &only = *image_.codes().front();
  const std::string made = options_.action == DriverOptions::Action::Ptx ? only.ptx()
                           : options_.action == DriverOptions::Action::Cubin
                               ? only.cubin(only.target().machines.front())
                               : image_.image();
  if (const int code = run("copy", Command{"cp", made, output}))
    return code;
  return options_.dependencies.wanted && !execution_.shows() ? publishDependencies(output) : 0;
}

int TranslationUnit::join(const std::string &object) {
  if (options_.relocatable)
    return run("join", Command{"ld", "-r", "-o", object, file("host.o"), file("part.o")});
  const bool forCpu = options_.device != TargetDevice::Gpu;
  const std::string host = forCpu ? file("joined.o") : object;
  Command put{"cp"};
  // Without a kernel or a device variable there is nothing to register, and no image in the object.
  if (execution_.shows() || fileText(file("host.o")).find(".nv_fatbin") != std::string::npos)
    put = Command{"objcopy", "--update-section", ".nv_fatbin=" + image_.image()};
  if (const int code = run("image", put.add({file("host.o"), host})))
    return code;
  return forCpu ? run("join", Command{"ld", "-r", "-o", object, host, image_.cpuObject()}) : 0;
}

/// Two objects of one source, compiled with other flags or to other places, may meet in one program.
std::string TranslationUnit::makeUnitId(const std::string &object) const {
  const bool kept = options_.action == DriverOptions::Action::Compile;
  std::string id = fs::weakly_canonical(source_).string() + '\n' +
                   (kept ? fs::absolute(object).lexically_normal() : fs::path(object).filename()).string();
  for (const std::string &flag : options_.compileFlags)
    id += '\n' + flag;
  return fmt::format("{:016x}", XXH3_64bits(id.data(), id.size()));
}

/// Makes an object that carries the device code of all architectures to the device link.
int TranslationUnit::makeParts() {
  std::vector<std::string> symbols(image_.codes().size());
  std::vector<std::function<int()>> lanes;
  for (std::size_t i = 0; i < symbols.size(); ++i)
    lanes.push_back([&, i] {
      const DeviceCode &code = *image_.codes()[i];
      const int failed = compileDevice(code);
      return failed ? failed : makePart(code, symbols[i]);
    });
  if (const int code = execution_.sideBySide(lanes))
    return code;
  if (!execution_.shows()) {
    std::ofstream parts(file("part"), std::ios::binary);
    for (const auto &code : image_.codes())
      parts << fileText(code->partFile());
    parts.close();
    std::ofstream(file("part.s")) << devicePartAssembly(file("part"), joinedSymbols(symbols));
  }
  return run("part", Command{"clang++-22", "-c", file("part.s"), "-o", file("part.o")});
}

int TranslationUnit::makePart(const DeviceCode &code, std::string &symbols) const {
  const std::string symbolFile = code.partFile() + ".symbols", bitcode = code.partFile() + ".bc";
  if (const int failed =
          run("part", Command{"opt-22", "-load-pass-plugin=" + installation_.library("cupr-pass.so"),
                              "-passes=cupr-compatibility,cupr-part", "-cupr-part-symbols=" + symbolFile,
                              code.bitcode(), "-o", bitcode}))
    return failed;
  if (execution_.shows())
    return 0;
  DevicePart part;
  part.version = devicePartVersion();
  part.source = fs::weakly_canonical(source_).string();
  part.unit = unitId_;
  part.target = code.target();
  part.optimisation = options_.optimisation;
  part.assemblerFlags = options_.assemblerFlags;
  part.bitcode = fileText(bitcode);
  std::ofstream(code.partFile(), std::ios::binary) << part.bytes();
  symbols = fileText(symbolFile);
  return 0;
}

int TranslationUnit::rewrite() {
  if (!options_.trace || isAugmented(source_))
    return 0;
  keepHeaders();
  copies_ = file("copies");
  const std::vector<std::string> more{"--response-file", file("include.flags")};
  if (const int code =
          run("rewrite", rewriteCommand(installation_, options_, {source_}, root_, copies_, more)))
    return code;
  augmented_ = (fs::path(copies_) / fs::weakly_canonical(source_).lexically_relative(root_)).string();
  const bool keeps = !options_.keepFolder.empty() && options_.cudaSources.size() == 1; // else keepTogether()
  return keeps && !execution_.shows() ? publishCopies(copies_, options_.keepFolder) : 0;
}

int TranslationUnit::compileDevice(const DeviceCode &code) {
  Command compile = readingDevice(code, /*isPlaced=*/true);
  compile.add({"-emit-llvm", "-Xclang", "-emit-llvm-uselists", // passes of the back end heed the order
               "-c", "-mllvm", "-cupr-automatic=false"});
  compile.add(options_.deviceNumbers.codeFlags()).add(headerFlags(readingDevice(code, /*isPlaced=*/false)));
  if (options_.relocatable)
    compile.add("-cuid=" + unitId_);
  if (!options_.staticReport.empty())
    compile.add("-fno-discard-value-names"); // the report speaks of parameters and variables
  if (options_.verbose)
    compile.add("-v");
  compile.add(dependencyFlags(code.bitcode() + ".d")).add({augmented_, "-o", code.bitcode()});
  return run("device", compile);
}

int TranslationUnit::compileHost() {
  Command compile = readingHost(/*isPlaced=*/true);
  compile.add("-c").add(headerFlags(readingHost(/*isPlaced=*/false)));
  if (options_.relocatable) {
    // Kernels and variables go to a list, which the device link's object registers.
    compile.add({"--offload-new-driver", "-cuid=" + unitId_});
  } else {
    if (const int code = run("image", Command{"truncate", "--size=16", file("placeholder")}))
      return code;
    compile.add({"-Xclang", "-fcuda-include-gpubinary", "-Xclang", file("placeholder")});
  }
  compile.add(dependencyFlags(file("host.d"))).add({augmented_, "-o", file("host.o")});
  return run("host", compile);
}

/// One side of the original source: the host's when `architecture` is empty.
int TranslationUnit::side(const std::string &architecture, const std::vector<std::string> &flags,
                          const std::string &step) {
  const std::string &any = image_.codes().front()->target().architecture;
  Command command{"clang++-22", "-x", "cuda",
                  architecture.empty() ? "--cuda-host-only" : "--cuda-device-only",
                  "--cuda-gpu-arch=" + (architecture.empty() ? any : architecture)};
  command.add(sourceFlags());
  command.add(architecture.empty() ? options_.hostCompilerFlags() : options_.deviceNumbers.clangFlags());
  return run(step, command.add(flags).add(source_));
}

int TranslationUnit::preprocess(const std::string &output) {
  std::string text;
  if (const int code = side("", {"-E", "-o", file("host.ii")}, "preprocess"))
    return code;
  text += fileText(file("host.ii"));
  for (const auto &code : image_.codes()) {
    const std::string path = code->bitcode() + ".ii";
    if (const int failed = side(code->target().architecture, {"-E", "-o", path}, "preprocess"))
      return failed;
    text += fileText(path);
  }
  return execution_.shows() ? 0 : writeText(output, text);
}

int TranslationUnit::checkSyntax() {
  if (const int code = side("", {"-fsyntax-only"}, "check"))
    return code;
  for (const auto &code : image_.codes())
    if (const int failed = side(code->target().architecture, {"-fsyntax-only"}, "check"))
      return failed;
  return 0;
}

int TranslationUnit::writeDependencies() {
  const char *const kind = options_.dependencies.system ? "-M" : "-MM";
  if (const int code = side("", {kind, "-MF", file("host.d")}, "dependencies"))
    return code;
  for (const auto &code : image_.codes())
    if (const int failed =
            side(code->target().architecture, {kind, "-MF", code->bitcode() + ".d"}, "dependencies"))
      return failed;
  return execution_.shows() ? 0 : publishDependencies("");
}

std::vector<std::string> TranslationUnit::dependencyFlags(const std::string &file) const {
  if (!options_.dependencies.wanted)
    return {};
  return {options_.dependencies.system ? "-MD" : "-MMD", "-MF", file};
}

/// The file that a copy was made of, as the user's build would name it: relative, if that is how the
/// source was named. Other files stay as they are.
std::string TranslationUnit::originalOf(const std::string &path) const {
  fs::path original = path;
  if (!copies_.empty())
    if (const fs::path normal = fs::path(path).lexically_normal(); isBelow(normal, copies_))
      original = fs::path(root_) / normal.lexically_relative(copies_);
  if (original.is_absolute() && fs::path(source_).is_relative() && isBelow(original, fs::current_path()))
    original = original.lexically_relative(fs::current_path());
  return original.string();
}

/// One rule of all sides. `object` is what was made; empty: nothing was, the rule is all that is wanted.
int TranslationUnit::publishDependencies(const std::string &object) const {
  std::vector<std::string> files{source_};
  std::set<std::string> known{source_, originalOf(augmented_)};
  if (fs::path(source_).is_relative())
    known.insert(fs::path(source_).lexically_normal().string());
  std::vector<std::string> rules{file("host.d")};
  for (const auto &code : image_.codes())
    rules.push_back(code->bitcode() + ".d");
  for (const std::string &rule : rules)
    for (const std::string &path : commandline::prerequisitesOf(fileText(rule)))
      if (const std::string original = originalOf(path); !isBelow(path, installation_.quotedFolder()) &&
                                                         !headers::isOfCache(path) &&
                                                         known.insert(original).second)
        files.push_back(original);
  const DriverOptions::Dependencies &wanted = options_.dependencies;
  // A program is named by -o; an object of its sources, which is gone by then, is of no interest to make.
  const bool linked = options_.action == DriverOptions::Action::Link;
  const std::string ofSource = fs::path(source_).filename().replace_extension(".o").string();
  std::string target = linked            ? (options_.output.empty() ? "a.out" : options_.output)
                       : !object.empty() ? object
                                         : ofSource;
  std::vector<std::string> targets = wanted.targets;
  if (targets.empty())
    targets.push_back(commandline::makeQuoted(target));
  std::string path = wanted.file;
  if (path.empty() && object.empty())
    path = options_.output;
  else if (path.empty())
    path = fs::path(options_.output.empty() ? ofSource : options_.output).replace_extension(".d").string();
  return writeText(path, commandline::dependencyRule(targets, files, wanted.phony));
}

} // namespace cupr::tool
