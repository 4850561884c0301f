/// Two tables tell what a flag means: ours, of the flags of nvcc that clang spells otherwise or doesn't have,
/// and clang's own for all others.
#include "flags.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/Support/VirtualFileSystem.h"
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

namespace cupr::rewrite {

namespace options = clang::options;

namespace {

/// What a flag of nvcc is to a parse by clang.
enum class Meaning {
  Nothing,       ///< outputs, optimisation, linking, or what clang does by itself
  ClangFlag,     ///< the same under another name
  Architecture,  ///< what is compiled for
  HostFlags,     ///< a list of flags for the host compiler
  DefaultStream, ///< which stream is number 0
  Relocatable,   ///< device linking
};

struct NvccFlag {
  std::string_view name, shortName;
  bool hasValue;
  Meaning meaning;
  std::string_view clang = ""; ///< for ClangFlag: what stands in front of the value
};

constexpr bool kValue = true, kAlone = false;

/// By nvcc's manual. Flags that both compilers have with one meaning are left to clang's table.
constexpr NvccFlag kNvccFlags[] = {
    {"--gpu-architecture", "-arch", kValue, Meaning::Architecture},
    {"--generate-code", "-gencode", kValue, Meaning::Architecture},
    {"--cuda-gpu-arch", "", kValue, Meaning::Architecture}, // clang's
    {"--offload-arch", "", kValue, Meaning::Architecture},  // clang's
    {"--compiler-options", "-Xcompiler", kValue, Meaning::HostFlags},
    {"--default-stream", "-default-stream", kValue, Meaning::DefaultStream},
    {"--relocatable-device-code", "-rdc", kValue, Meaning::Relocatable},
    {"--device-c", "-dc", kAlone, Meaning::Relocatable},
    {"--use_fast_math", "-use_fast_math", kAlone, Meaning::ClangFlag, "-ffast-math"},
    {"--no-exceptions", "-noeh", kAlone, Meaning::ClangFlag, "-fno-exceptions"},
    {"--include-path", "", kValue, Meaning::ClangFlag, "-I"},
    {"--define-macro", "", kValue, Meaning::ClangFlag, "-D"},
    {"--undefine-macro", "", kValue, Meaning::ClangFlag, "-U"},
    {"--system-include", "", kValue, Meaning::ClangFlag, "-isystem"},
    {"--pre-include", "", kValue, Meaning::ClangFlag, "-include"},
    {"--std", "-std", kValue, Meaning::ClangFlag, "-std="},
    {"--ftemplate-depth", "-ftemplate-depth", kValue, Meaning::ClangFlag, "-ftemplate-depth="},
    {"--x", "-x", kValue, Meaning::Nothing}, // a parse is always of CUDA
    {"--gpu-code", "-code", kValue, Meaning::Nothing},
    {"--ptxas-options", "-Xptxas", kValue, Meaning::Nothing},
    {"--nvlink-options", "-Xnvlink", kValue, Meaning::Nothing},
    {"--linker-options", "-Xlinker", kValue, Meaning::Nothing},
    {"--archive-options", "-Xarchive", kValue, Meaning::Nothing},
    {"--compiler-bindir", "-ccbin", kValue, Meaning::Nothing},
    {"--archiver-binary", "-arbin", kValue, Meaning::Nothing},
    {"--maxrregcount", "-maxrregcount", kValue, Meaning::Nothing},
    {"--output-file", "", kValue, Meaning::Nothing},
    {"--output-directory", "-odir", kValue, Meaning::Nothing},
    {"--objdir-as-tempdir", "-objtemp", kAlone, Meaning::Nothing},
    {"--library", "", kValue, Meaning::Nothing},
    {"--library-path", "", kValue, Meaning::Nothing},
    {"--libdevice-directory", "-ldir", kValue, Meaning::Nothing},
    {"--target-directory", "-target-dir", kValue, Meaning::Nothing},
    {"--cudart", "-cudart", kValue, Meaning::Nothing},
    {"--cudadevrt", "-cudadevrt", kValue, Meaning::Nothing},
    {"--threads", "-t", kValue, Meaning::Nothing},
    {"--split-compile", "-split-compile", kValue, Meaning::Nothing},
    {"--split-compile-extended", "-split-compile-extended", kValue, Meaning::Nothing},
    {"--machine", "-m", kValue, Meaning::Nothing},
    {"--optimization-info", "-opt-info", kValue, Meaning::Nothing},
    {"--optimize", "", kValue, Meaning::ClangFlag, "-O"},
    {"--Ofast-compile", "-Ofc", kValue, Meaning::Nothing},
    {"--dopt", "-dopt", kValue, Meaning::Nothing},
    {"--ftz", "-ftz", kValue, Meaning::Nothing},
    {"--prec-div", "-prec-div", kValue, Meaning::Nothing},
    {"--prec-sqrt", "-prec-sqrt", kValue, Meaning::Nothing},
    {"--fmad", "-fmad", kValue, Meaning::Nothing},
    {"--dependency-output", "", kValue, Meaning::Nothing},
    {"--dependency-target-name", "", kValue, Meaning::Nothing},
    {"--input-drive-prefix", "-idp", kValue, Meaning::Nothing},
    {"--dependency-drive-prefix", "-ddp", kValue, Meaning::Nothing},
    {"--drive-prefix", "-dp", kValue, Meaning::Nothing},
    {"--keep-dir", "-keep-dir", kValue, Meaning::Nothing},
    {"--time", "-time", kValue, Meaning::Nothing},
    {"--fdevice-time-trace", "-fdevice-time-trace", kValue, Meaning::Nothing},
    {"--run-args", "-run-args", kValue, Meaning::Nothing},
    {"--entries", "", kValue, Meaning::Nothing},
    {"--Werror", "-Werror", kAlone, Meaning::Nothing}, // its kinds look like inputs
    {"--diag-error", "-diag-error", kValue, Meaning::Nothing},
    {"--diag-suppress", "-diag-suppress", kValue, Meaning::Nothing},
    {"--diag-warn", "-diag-warn", kValue, Meaning::Nothing},
    {"-Xcudafe", "", kValue, Meaning::Nothing}, // of older versions
    {"--host-linker-script", "-hls", kValue, Meaning::Nothing},
    {"--augment-host-linker-script", "-aug-hls", kAlone, Meaning::Nothing},
    {"--brief-diagnostics", "-brief-diag", kValue, Meaning::Nothing},
    {"--jump-table-density", "-jtd", kValue, Meaning::Nothing},
    {"--static-global-template-stub", "-static-global-template-stub", kValue, Meaning::Nothing},
    {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", kValue,
     Meaning::Nothing},
    {"--device-stack-protector", "-device-stack-protector", kValue, Meaning::Nothing},
    {"--compress-mode", "-compress-mode", kValue, Meaning::Nothing},
    {"--frandom-seed", "-frandom-seed", kValue, Meaning::Nothing},
    {"--sanitize", "-sanitize", kValue, Meaning::Nothing},
    {"--qpp-config", "-qpp-config", kValue, Meaning::Nothing},
    // clang does these by itself.
    {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", kAlone, Meaning::Nothing},
    {"--extended-lambda", "-extended-lambda", kAlone, Meaning::Nothing},
    {"--expt-extended-lambda", "-expt-extended-lambda", kAlone, Meaning::Nothing},
    {"--no-host-device-initializer-list", "-nohdinitlist", kAlone, Meaning::Nothing},
    {"--no-host-device-move-forward", "-nohdmoveforward", kAlone, Meaning::Nothing},
    {"--allow-unsupported-compiler", "-allow-unsupported-compiler", kAlone, Meaning::Nothing},
    {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", kAlone, Meaning::Nothing},
    {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", kAlone, Meaning::Nothing},
    {"--forward-unknown-opts", "-forward-unknown-opts", kAlone, Meaning::Nothing},
    {"--generate-line-info", "-lineinfo", kAlone, Meaning::Nothing},
    {"--device-debug", "-G", kAlone, Meaning::Nothing},
    {"--debug", "", kAlone, Meaning::Nothing},
    {"--profile", "", kAlone, Meaning::Nothing},
    {"--restrict", "-restrict", kAlone, Meaning::Nothing},
    {"--dlink-time-opt", "-dlto", kAlone, Meaning::Nothing},
    {"--lto", "-lto", kAlone, Meaning::Nothing},
    {"--gen-opt-lto", "-gen-opt-lto", kAlone, Meaning::Nothing},
    {"--cuda", "-cuda", kAlone, Meaning::Nothing},
    {"--cubin", "-cubin", kAlone, Meaning::Nothing},
    {"--fatbin", "-fatbin", kAlone, Meaning::Nothing},
    {"--ptx", "-ptx", kAlone, Meaning::Nothing},
    {"--optix-ir", "-optix-ir", kAlone, Meaning::Nothing},
    {"--ltoir", "-ltoir", kAlone, Meaning::Nothing},
    {"--device-w", "-dw", kAlone, Meaning::Nothing},
    {"--device-link", "-dlink", kAlone, Meaning::Nothing},
    {"--no-device-link", "-nodlink", kAlone, Meaning::Nothing},
    {"--link", "-link", kAlone, Meaning::Nothing},
    {"--lib", "-lib", kAlone, Meaning::Nothing},
    {"--run", "-run", kAlone, Meaning::Nothing},
    {"--generate-dependencies", "", kAlone, Meaning::Nothing},
    {"--generate-nonsystem-dependencies", "", kAlone, Meaning::Nothing},
    {"--generate-dependencies-with-compile", "", kAlone, Meaning::Nothing},
    {"--generate-nonsystem-dependencies-with-compile", "", kAlone, Meaning::Nothing},
    {"--generate-dependency-targets", "", kAlone, Meaning::Nothing},
    {"--use-local-env", "-use-local-env", kAlone, Meaning::Nothing},
    {"--force-cl-env-setup", "-force-cl-env-setup", kAlone, Meaning::Nothing},
    {"--dont-use-profile", "-noprof", kAlone, Meaning::Nothing},
    {"--dryrun", "-dryrun", kAlone, Meaning::Nothing},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", kAlone, Meaning::Nothing},
    {"--keep", "-keep", kAlone, Meaning::Nothing},
    {"--clean-targets", "-clean", kAlone, Meaning::Nothing},
    {"--no-align-double", "", kAlone, Meaning::Nothing},
    {"--extra-device-vectorization", "-extra-device-vectorization", kAlone, Meaning::Nothing},
    {"--disable-warnings", "", kAlone, Meaning::Nothing},
    {"--keep-device-functions", "-keep-device-functions", kAlone, Meaning::Nothing},
    {"--source-in-ptx", "-src-in-ptx", kAlone, Meaning::Nothing},
    {"--resource-usage", "-res-usage", kAlone, Meaning::Nothing},
    {"--extensible-whole-program", "-ewp", kAlone, Meaning::Nothing},
    {"--no-compress", "-no-compress", kAlone, Meaning::Nothing},
    {"--compile-as-tools-patch", "-astoolspatch", kAlone, Meaning::Nothing},
    {"--list-gpu-code", "-code-ls", kAlone, Meaning::Nothing},
    {"--list-gpu-arch", "-arch-ls", kAlone, Meaning::Nothing},
    {"--display-error-number", "-err-no", kAlone, Meaning::Nothing},
    {"--no-display-error-number", "-no-err-no", kAlone, Meaning::Nothing},
    {"--relocatable-link", "", kAlone, Meaning::Nothing},
    {"--relocatable-ptx", "-reloc-ptx", kAlone, Meaning::Nothing},
    {"--jobserver", "-jobserver", kAlone, Meaning::Nothing},
    {"--Wreorder", "", kAlone, Meaning::Nothing},
    {"--Wdefault-stream-launch", "-Wdefault-stream-launch", kAlone, Meaning::Nothing},
    {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", kAlone, Meaning::Nothing},
    {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", kAlone, Meaning::Nothing},
    {"--Wno-deprecated-declarations", "", kAlone, Meaning::Nothing},
    {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", kAlone, Meaning::Nothing},
};

/// What clang has but a parse doesn't need, or must not get: it writes nothing and loads no plugins.
constexpr unsigned kDroppedGroups[] = {
    options::OPT_Action_Group, options::OPT_Link_Group, options::OPT_M_Group,
    options::OPT_W_Group,      options::OPT_R_Group,    options::OPT_g_Group,
    options::OPT_d_Group,      options::OPT_u_Group,    options::OPT_T_Group,
};
constexpr unsigned kDropped[] = {
    options::OPT_o,
    options::OPT_w,
    options::OPT_v,
    options::OPT__HASH_HASH_HASH,
    options::OPT_pipe,
    options::OPT_pg,
    options::OPT_r,
    options::OPT_rpath,
    options::OPT_mllvm,
    options::OPT_fplugin_EQ,
    options::OPT_fpass_plugin_EQ,
    options::OPT_ftime_trace,
    options::OPT_ftime_trace_EQ,
    options::OPT_save_temps,
    options::OPT_save_temps_EQ,
    options::OPT_offload_host_only,
    options::OPT_offload_device_only,
    options::OPT_offload_host_device,
    options::OPT_cuda_path_EQ,
    options::OPT_Xcuda_ptxas,
    options::OPT_Xcuda_fatbinary,
    options::OPT_resource_dir,
};

constexpr int kMaxNesting = 32; ///< of response files

class Translation {
public:
  ParseFlags run(const std::vector<std::string> &flags) {
    for (std::size_t i = 0; i < flags.size();)
      if (!takeNvcc(flags, i))
        takeClang(flags, i);
    if (out_.architectures.empty())
      out_.architectures.push_back("sm_75");
    return std::move(out_);
  }

private:
  /// Takes the flag at `i` and its value if it is in our table; `i` is then behind them.
  bool takeNvcc(const std::vector<std::string> &flags, std::size_t &i) {
    const std::string_view flag = flags[i];
    for (const NvccFlag &known : kNvccFlags)
      for (const std::string_view name : {known.name, known.shortName}) {
        if (name.empty() || !flag.starts_with(name))
          continue;
        const bool isJoined = flag.size() > name.size() && flag[name.size()] == '=';
        if (flag.size() > name.size() && !isJoined)
          continue;
        ++i;
        std::string value = isJoined ? std::string(flag.substr(name.size() + 1)) : "";
        if (known.hasValue && !isJoined && i < flags.size())
          value = flags[i++];
        take(known, value);
        return true;
      }
    return false;
  }

  void take(const NvccFlag &flag, const std::string &value) {
    switch (flag.meaning) {
    case Meaning::Nothing:
      break;
    case Meaning::ClangFlag: {
      std::size_t i = 0;
      takeClang({std::string(flag.clang) + value}, i);
      break;
    }
    case Meaning::Architecture:
      addArchitectures(value);
      break;
    case Meaning::HostFlags: {
      const std::vector<std::string> words = split(value, ", ");
      for (std::size_t i = 0; i < words.size();)
        takeClang(words, i); // the host compiler's -march is not the GPU's
      break;
    }
    case Meaning::DefaultStream:
      if (value == "per-thread")
        out_.clang.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
      break;
    case Meaning::Relocatable:
      if (!flag.hasValue || value == "true")
        out_.clang.push_back("-fgpu-rdc");
    }
  }

  /// Takes the flag at `i`, with its value, as clang's.
  void takeClang(const std::vector<std::string> &flags, std::size_t &i) {
    std::vector<const char *> words;
    for (const std::string &flag : flags)
      words.push_back(flag.c_str());
    const llvm::opt::InputArgList list(words.data(), words.data() + words.size());
    auto index = static_cast<unsigned>(i);
    const std::unique_ptr<llvm::opt::Arg> argument =
        clang::getDriverOptTable().ParseOneArg(list, index, llvm::opt::Visibility(options::ClangOption));
    const std::string &word = flags[i];
    i = std::max<std::size_t>(index, i + 1);
    if (!argument) // its value is missing: whoever compiles says so
      return;
    const llvm::opt::Option option = argument->getOption().getUnaliasedOption();
    if (option.getKind() == llvm::opt::Option::UnknownClass) {
      out_.unknown.push_back(word);
      return;
    }
    const auto is = [&](unsigned id) { return option.matches(id); };
    if (option.getKind() == llvm::opt::Option::InputClass ||
        std::any_of(std::begin(kDroppedGroups), std::end(kDroppedGroups), is) ||
        std::any_of(std::begin(kDropped), std::end(kDropped), is))
      return;
    if (option.matches(options::OPT_I))
      out_.includeFolders.push_back(argument->getValue());
    llvm::opt::ArgStringList rendered;
    argument->render(list, rendered);
    out_.clang.insert(out_.clang.end(), rendered.begin(), rendered.end());
  }

  static std::vector<std::string> split(const std::string &text, std::string_view separators) {
    std::vector<std::string> words;
    for (std::size_t start = 0; start < text.size();) {
      const std::size_t end = std::min(text.find_first_of(separators, start), text.size());
      if (end > start)
        words.push_back(text.substr(start, end - start));
      start = end + 1;
    }
    return words;
  }

  /// `sm_90`, `compute_80`, `arch=compute_80,code=[sm_80,sm_86]`, `all-major`. The code is parsed as the
  /// virtual architecture says, which comes first.
  void addArchitectures(const std::string &value) {
    if (value == "all")
      for (const char *number : {"75", "80", "86", "87", "88", "89", "90", "100", "103", "110", "120", "121"})
        addArchitecture(number);
    else if (value == "all-major")
      for (const char *number : {"75", "80", "90", "100", "120"})
        addArchitecture(number);
    for (std::string_view prefix : {"compute_", "sm_"}) {
      const std::size_t at = value.find(prefix);
      if (at == std::string::npos)
        continue;
      const std::size_t start = at + prefix.size();
      std::size_t end = start;
      while (end < value.size() && std::isalnum(static_cast<unsigned char>(value[end])))
        ++end;
      addArchitecture(value.substr(start, end - start));
      return;
    }
  }

  void addArchitecture(const std::string &number) {
    std::string name = "sm_" + number;
    if (std::find(out_.architectures.begin(), out_.architectures.end(), name) == out_.architectures.end())
      out_.architectures.push_back(std::move(name));
  }

  ParseFlags out_;
};

} // namespace

ParseFlags parseFlags(const std::vector<std::string> &userFlags) { return Translation().run(userFlags); }

std::vector<std::string> expandResponseFiles(const std::vector<std::string> &words, const std::string &folder,
                                             std::string &error) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::cl::ExpansionContext context(allocator, llvm::cl::TokenizeGNUCommandLine);
  const std::unique_ptr<llvm::vfs::FileSystem> files = llvm::vfs::createPhysicalFileSystem();
  if (!folder.empty() && files->setCurrentWorkingDirectory(folder))
    error = fmt::format("no such folder: '{}'", folder);
  context.setVFS(files.get());
  const llvm::SmallString<128> current(folder);
  context.setCurrentDir(current);
  llvm::SmallVector<const char *, 64> arguments;
  const auto add = [&](llvm::StringRef word) {
    if (word.starts_with("@") && !files->exists(word.drop_front()))
      error = fmt::format("no such response file: '{}'", word.drop_front().str());
    arguments.push_back(saver.save(word).data());
  };
  // A file may name others in nvcc's way, so again until nothing is left.
  std::vector<std::string> pending = words;
  bool found = true;
  for (int depth = 0; found && error.empty(); ++depth) {
    if (depth == kMaxNesting) {
      error = fmt::format("response files name each other, or are nested more than {} deep", kMaxNesting);
      break;
    }
    found = false;
    arguments.clear();
    for (std::size_t i = 0; i < pending.size(); ++i) {
      llvm::StringRef value;
      const llvm::StringRef word = pending[i];
      const bool isFile = word == "--options-file" || word == "-optf";
      if (isFile && i + 1 < pending.size())
        value = pending[++i];
      else if (word.starts_with("--options-file=") || word.starts_with("-optf="))
        value = word.split('=').second;
      else if (!isFile) {
        found |= word.starts_with("@");
        add(word);
        continue;
      }
      found = true;
      for (const llvm::StringRef file : llvm::split(value, ','))
        add("@" + file.str());
    }
    if (!error.empty())
      break;
    if (llvm::Error problem = context.expandResponseFiles(arguments))
      error = toString(std::move(problem));
    pending.assign(arguments.begin(), arguments.end());
  }
  return pending;
}

} // namespace cupr::rewrite
