#include "translation_unit.h"

#include "device_part.h"
#include "occupancy.h"
#include "register_limit.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <unistd.h>
#include <xxhash.h>

namespace fs = std::filesystem;

namespace cupr::tool {
namespace {

/// The head of a fat binary, which the CPU-only image imitates.
struct ImageHead {
  std::uint32_t magic = 0xBA55ED50;
  std::uint16_t version = 1;
  std::uint16_t headBytes = 16;
  std::uint64_t payloadBytes = 0;
};

/// Lines are for the site table. Assembling those in the GPU's code takes a fifth longer.
constexpr const char *kStripLines = "-cupr-strip-lines";

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Whether PTX has a hook as a function, which the pass calls (pass/link_hooks.h).
bool definesHook(const std::string &ptx) {
  static const char *const hooks[] = {
      ".func __cupr_called_",
#define CUPR_HOOK(identifier, symbol) ".func " symbol "(",
#include "devicelib/abi/hooks.def"
  };
  return std::any_of(std::begin(hooks), std::end(hooks),
                     [&](const char *hook) { return ptx.find(hook) != std::string::npos; });
}

bool isBelow(const fs::path &path, const fs::path &folder) {
  const fs::path relative = path.lexically_relative(folder);
  return !relative.empty() && *relative.begin() != "..";
}

/// Whether this source is a copy that cuprewrite made: its first line says so.
bool isAugmented(const std::string &path) {
  const std::string text = readFile(path);
  return text.substr(0, text.find('\n')).find("// augmented by cuprewrite") != std::string::npos;
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
      folder_(std::move(folder)), augmented_(source_),
      architecture_(options.architecture.empty() ? "sm_75" : options.architecture) {}

/// What every compilation of the source gets. The rewriter knows which folders of copies must be
/// searched before the user's.
std::vector<std::string> TranslationUnit::sourceFlags() const {
  std::vector<std::string> flags = installation_.cudaFlags();
  if (isatty(STDERR_FILENO)) // what they print goes through a file, and to the terminal in the end
    flags.push_back("-fcolor-diagnostics");
  if (augmented_ != source_)
    // What the source names by a path that leads out of the root has no copy.
    flags.insert(flags.end(), {"@" + file("include.flags"), "-iquote",
                               fs::weakly_canonical(source_).parent_path().string()});
  for (const std::string &include : options_.includes)
    flags.insert(flags.end(), {"-I", include});
  flags.insert(flags.end(), options_.compileFlags.begin(), options_.compileFlags.end());
  return flags;
}

int TranslationUnit::inTurn(std::initializer_list<Step> steps) {
  for (const Step step : steps)
    if (const int code = (this->*step)())
      return code;
  return 0;
}

int TranslationUnit::build(const std::string &object) {
  if (options_.relocatable)
    unitId_ = makeUnitId(object);
  if (const int code = rewrite())
    return code;
  const auto device = [this] {
    if (const int code = compileDevice())
      return code;
    return options_.relocatable ? makePart() : buildImages();
  };
  if (const int code = execution_.sideBySide({device, [this] { return compileHost(); }}))
    return code;
  return join(object);
}

int TranslationUnit::join(const std::string &object) {
  if (options_.relocatable)
    return run("join", Command{"ld", "-r", "-o", object, file("host.o"), file("part.o")});
  const std::string host = forCpu() ? file("joined.o") : object;
  Command put{"cp"};
  // Without a kernel or a device variable there is nothing to register, and no image in the object.
  if (execution_.shows() || readFile(file("host.o")).find(".nv_fatbin") != std::string::npos)
    put = Command{"objcopy", "--update-section", ".nv_fatbin=" + file("image.fatbin")};
  if (const int code = run("image", put.add({file("host.o"), host})))
    return code;
  return forCpu() ? run("join", Command{"ld", "-r", "-o", object, host, file("cpu.o")}) : 0;
}

int TranslationUnit::buildImages() {
  return inTurn(
      {&TranslationUnit::instrument, &TranslationUnit::compileForGpu, &TranslationUnit::compileForCpu});
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

/// An object that carries the device code to the device link.
int TranslationUnit::makePart() {
  if (const int code =
          run("part", Command{"opt-22", "-load-pass-plugin=" + installation_.library("cupr-pass.so"),
                              "-passes=cupr-part", "-cupr-part-symbols=" + file("part.symbols"),
                              file("device.bc"), "-o", file("part.bc")}))
    return code;
  if (!execution_.shows()) {
    DevicePart part;
    part.version = devicePartVersion();
    part.source = fs::weakly_canonical(source_).string();
    part.architecture = architecture_;
    part.optimisation = options_.optimisation;
    part.assemblerFlags = options_.assemblerFlags;
    part.bitcode = readFile(file("part.bc"));
    std::ofstream(file("part"), std::ios::binary) << part.bytes();
    std::ofstream(file("part.s")) << devicePartAssembly(file("part"), readFile(file("part.symbols")));
  }
  return run("part", Command{"clang++-22", "-c", file("part.s"), "-o", file("part.o")});
}

int TranslationUnit::rewrite() {
  if (!options_.trace || isAugmented(source_))
    return 0;
  copies_ = options_.keepFolder.empty() ? file("copies") : options_.keepFolder;
  const std::string root = mirrorRoot(source_, options_.root);
  Command command{installation_.program("cuprewrite"),
                  "-q",
                  "-o",
                  copies_,
                  "--root",
                  root,
                  "--response-file",
                  file("include.flags"),
                  source_};
  if (options_.relocatable)
    command.add("--device-linked");
  command.add("--");
  // Flags with the original's includes: the copies do not exist yet.
  for (const std::string &include : options_.includes)
    command.add("-I").add(include);
  command.add(options_.compileFlags).add("--cuda-gpu-arch=" + architecture_);
  if (options_.relocatable)
    command.add("-fgpu-rdc");
  if (const int code = run("rewrite", command))
    return code;
  augmented_ = (fs::path(copies_) / fs::weakly_canonical(source_).lexically_relative(root)).string();
  return 0;
}

int TranslationUnit::compileDevice() {
  Command compile{"clang++-22",
                  "-x",
                  "cuda",
                  "--cuda-device-only",
                  "--cuda-gpu-arch=" + architecture_,
                  "-emit-llvm",
                  "-c",
                  options_.optimisation,
                  "-gline-tables-only"};
  if (options_.relocatable)
    compile.add({"-fgpu-rdc", "-cuid=" + unitId_});
  if (!options_.staticReport.empty())
    compile.add("-fno-discard-value-names"); // the report speaks of parameters and variables
  compile.add(sourceFlags()).add({augmented_, "-o", file("device.bc")});
  return run("device", compile);
}

int TranslationUnit::instrument() {
  if (!options_.trace)
    return 0;
  std::string passes = options_.optimisation == "-O0" ? "cupr-instrument" : "cupr-instrument-optimized";
  if (!forCpu()) // nobody else needs the module without hooks
    passes += ",cupr-link-hooks";
  Command instrument{"opt-22",
                     "-load-pass-plugin=" + installation_.library("cupr-pass.so"),
                     fmt::format("-passes={}", passes),
                     "-cupr-system-folder=/usr/",
                     "-cupr-system-folder=" + fs::weakly_canonical(installation_.cuda).string(),
                     "-cupr-system-folder=" + installation_.cuda,
                     "-cupr-system-folder=" + installation_.includeFolder()};
  if (!options_.spaces.empty())
    instrument.add("-cupr-spaces=" + options_.spaces);
  if (!options_.staticReport.empty())
    instrument.add("-cupr-static-report=" + staticReport());
  if (!forCpu() && !options_.gpuLines)
    instrument.add(kStripLines);
  return run("instrument", instrument.add({file("device.bc"), "-o", instrumented()}));
}

int TranslationUnit::compileForGpu() {
  if (!forGpu())
    return 0;
  std::string module = instrumented();
  if (options_.trace && forCpu()) {
    module = file("gpu.bc");
    Command link{"opt-22", "-load-pass-plugin=" + installation_.library("cupr-pass.so"),
                 "-passes=cupr-link-hooks"};
    if (!options_.gpuLines)
      link.add(kStripLines);
    if (const int code = run("link hooks", link.add({instrumented(), "-o", module})))
      return code;
  }
  if (const int code = run("PTX", Command{"clang++-22", "-x", "ir", "--target=nvptx64-nvidia-cuda",
                                          "-march=" + architecture_, "-S", backEndLevel(), "-Xclang",
                                          "-disable-llvm-passes", "-Wno-unused-command-line-argument", module,
                                          "-o", file("gpu.ptx")}))
    return code;
  if (const int code = assemble(file("gpu.ptx"), file("gpu.cubin")))
    return code;
  const std::string number = architecture_.substr(3);
  return run("image", Command{installation_.cudaProgram("fatbinary"), "-64", "--create", file("image.fatbin"),
                              fmt::format("--image3=kind=elf,sm={},file={}", number, file("gpu.cubin")),
                              fmt::format("--image3=kind=ptx,sm={},file={}", number, file("gpu.ptx"))});
}

/// PTX to cubin. Where hooks are functions of their own the code is assembled as relocatable and linked:
/// otherwise ptxas would compile them again for each kernel. Not always, since addresses of shared memory
/// then cost an instruction more.
int TranslationUnit::assemble(const std::string &ptx, const std::string &cubin) {
  const std::string text = execution_.shows() ? "" : readFile(ptx);
  if (const int code = assembleOnce(ptx, text, cubin))
    return code;
  const std::string limited = limitRegisters(text, kernels_);
  if (limited.empty())
    return 0;
  std::ofstream(ptx, std::ios::binary) << limited;
  return assembleOnce(ptx, limited, cubin);
}

int TranslationUnit::assembleOnce(const std::string &ptx, const std::string &text, const std::string &cubin) {
  const bool relocatable = definesHook(text);
  const std::string assembled = relocatable ? cubin + ".unlinked.cubin" : cubin; // nvlink looks at the ending
  Command assemble{installation_.cudaProgram("ptxas"), "-m64", assemblerLevel(),
                   "--gpu-name=" + architecture_};
  Command link{installation_.cudaProgram("nvlink"), "-arch=" + architecture_};
  if (relocatable) // a hook with more registers would keep kernels from running in blocks of 1024 threads
    assemble.add("--compile-only").add("--device-function-maxrregcount=64");
  if (const unsigned threads = execution_.threadsFor(); threads > 1 && assemblerLevel() != "-O0")
    assemble.add(fmt::format("--split-compile={}", threads));
  std::string assemblerOutput, linkerOutput;
  const bool userAsks = std::find(options_.assemblerFlags.begin(), options_.assemblerFlags.end(), "-v") !=
                        options_.assemblerFlags.end();
  if (!userAsks)
    assemble.add("-v");
  link.add("-v");
  assemble.add({ptx, "-o", assembled}).add(options_.assemblerFlags);
  if (const int code = run("ptxas", assemble, &assemblerOutput))
    return code;
  if (relocatable)
    if (const int code = run("nvlink", link.add({assembled, "-o", cubin}), &linkerOutput))
      return code;
  execution_.print(userAsks ? assemblerOutput : withoutFigures(assemblerOutput));
  execution_.print(withoutFigures(linkerOutput));
  kernels_ = figuresOf(assemblerOutput, text);
  takeLinked(kernels_, linkerOutput, reservedSharedBytes(architecture_));
  return 0;
}

/// An image for programs without GPU code: a mark, and an id that is the code's hash.
void TranslationUnit::writeCpuOnlyImage() const {
  const std::string code = readFile(instrumented());
  const XXH128_hash_t hash = XXH3_128bits(code.data(), code.size());
  std::string payload = "CUPRCPU1";
  payload.append(reinterpret_cast<const char *>(&hash), sizeof hash);
  ImageHead head;
  head.payloadBytes = payload.size();
  std::ofstream image(file("image.fatbin"), std::ios::binary);
  image.write(reinterpret_cast<const char *>(&head), sizeof head);
  image.write(payload.data(), static_cast<std::streamsize>(payload.size()));
}

std::string TranslationUnit::imageId() const {
  if (execution_.shows())
    return "HASH-OF-THE-IMAGE";
  const std::string image = readFile(file("image.fatbin"));
  ImageHead head;
  if (image.size() < sizeof head)
    return "";
  std::memcpy(&head, image.data(), sizeof head);
  const std::size_t bytes = std::min<std::size_t>(image.size(), head.headBytes + head.payloadBytes);
  const XXH128_hash_t hash = XXH3_128bits(image.data(), bytes);
  return fmt::format("{:016x}{:016x}", hash.low64, hash.high64);
}

int TranslationUnit::compileForCpu() {
  if (!forCpu())
    return 0;
  if (!forGpu() && !execution_.shows())
    writeCpuOnlyImage();
  Command retarget{"opt-22", "-load-pass-plugin=" + installation_.library("cupr-retarget.so"),
                   "-passes=cupr-retarget", "-cupr-module-id=" + imageId()};
  if (options_.logAccesses)
    retarget.add("-cupr-log-accesses");
  if (const int code = run("retarget", retarget.add({instrumented(), "-o", file("cpu.bc")})))
    return code;
  return run("CPU device",
             Command{"clang++-22", options_.optimisation, "-fPIC", "-x", "ir", "-c", "-Wno-override-module",
                     "-Wno-unused-command-line-argument", file("cpu.bc"), "-o", file("cpu.o")});
}

int TranslationUnit::compileHost() {
  Command compile{
      "clang++-22",         "-x", "cuda", "--cuda-host-only", "--cuda-gpu-arch=" + architecture_, "-c",
      options_.optimisation};
  if (options_.relocatable) {
    // Kernels and variables go to a list, which the device link's object registers.
    compile.add({"-fgpu-rdc", "--offload-new-driver", "-cuid=" + unitId_});
  } else {
    if (const int code = run("image", Command{"truncate", "--size=16", file("placeholder")}))
      return code;
    compile.add({"-Xclang", "-fcuda-include-gpubinary", "-Xclang", file("placeholder")});
  }
  compile.add(sourceFlags()).add(options_.hostFlags).add(options_.dependencyFlags);
  compile.add({augmented_, "-o", file("host.o")});
  return run("host", compile);
}

} // namespace cupr::tool
