/// Two tables tell which flags there are: that of nvcc's (commandline/nvcc_flags.h), and clang's own for all
/// others.
#include "flags.h"

#include "cuprewrite/commandline/gpu_targets.h"
#include "cuprewrite/commandline/nvcc_flags.h"
#include "cuprewrite/commandline/words.h"

#include "clang/Options/Options.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Option/OptTable.h"

#include <algorithm>
#include <optional>
#include <string_view>

namespace cupr::rewrite {

namespace options = clang::options;

namespace {

/// What a flag of nvcc is to a parse by clang.
enum class Meaning {
  ClangFlag,     ///< the same under another name
  Architecture,  ///< what is compiled for
  HostFlags,     ///< a list of flags for the host compiler
  DefaultStream, ///< which stream is number 0
  Relocatable,   ///< device linking
};

struct NvccMeaning {
  std::string_view name;
  Meaning meaning;
  std::string_view clang = ""; ///< for ClangFlag: what stands in front of the value
};

/// Of the flags that mean something.
constexpr NvccMeaning kMeanings[] = {
    {"--cuda-gpu-arch", Meaning::Architecture},
    {"--gpu-architecture", Meaning::Architecture},
    {"--generate-code", Meaning::Architecture},
    {"--compiler-options", Meaning::HostFlags},
    {"--default-stream", Meaning::DefaultStream},
    {"--relocatable-device-code", Meaning::Relocatable},
    {"--device-c", Meaning::Relocatable},
    {"--no-exceptions", Meaning::ClangFlag, "-fno-exceptions"},
    {"--include-path", Meaning::ClangFlag, "-I"},
    {"--define-macro", Meaning::ClangFlag, "-D"},
    {"--extended-lambda", Meaning::ClangFlag, "-D__CUDACC_EXTENDED_LAMBDA__"},
    {"--expt-extended-lambda", Meaning::ClangFlag, "-D__CUDACC_EXTENDED_LAMBDA__"},
    {"--expt-relaxed-constexpr", Meaning::ClangFlag, "-D__CUDACC_RELAXED_CONSTEXPR__"},
    {"--undefine-macro", Meaning::ClangFlag, "-U"},
    {"--system-include", Meaning::ClangFlag, "-isystem"},
    {"--pre-include", Meaning::ClangFlag, "-include"},
    {"--std", Meaning::ClangFlag, "-std="},
    {"--ftemplate-depth", Meaning::ClangFlag, "-ftemplate-depth="},
    {"--optimize", Meaning::ClangFlag, "-O"},
};

/// clang's, that nvcc's have the meaning of.
constexpr commandline::Flag kArchitectureFlags[] = {
    {"--cuda-gpu-arch", "--offload-arch", commandline::FlagValue::Needed}};

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
  /// Takes the flag at `i` and its value if it is one of nvcc's; `i` is then behind them.
  bool takeNvcc(const std::vector<std::string> &flags, std::size_t &i) {
    std::optional<commandline::FlagUse> use = commandline::findFlag(kArchitectureFlags, flags, i);
    if (!use)
      use = commandline::findFlag(commandline::nvccFlags(), flags, i);
    if (!use)
      return false;
    i = use->next;
    for (const NvccMeaning &meaning : kMeanings)
      if (meaning.name == use->flag->name)
        take(meaning, *use);
    return true;
  }

  void take(const NvccMeaning &flag, const commandline::FlagUse &use) {
    const std::string &value = use.value;
    switch (flag.meaning) {
    case Meaning::ClangFlag: {
      std::size_t i = 0;
      takeClang({std::string(flag.clang) + value}, i);
      break;
    }
    case Meaning::Architecture:
      addArchitectures(value);
      break;
    case Meaning::HostFlags: {
      const std::vector<std::string> words = commandline::handedOn(value);
      for (std::size_t i = 0; i < words.size();)
        takeClang(words, i); // the host compiler's -march is not the GPU's
      break;
    }
    case Meaning::DefaultStream:
      if (value == "per-thread")
        out_.clang.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
      break;
    case Meaning::Relocatable:
      if (use.flag->value == commandline::FlagValue::None || value == "true")
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
    // What clang calls an error unless it is told not to would end the parse.
    const bool allows = option.matches(options::OPT_W_Group) && word.starts_with("-Wno-");
    if (option.getKind() == llvm::opt::Option::InputClass ||
        (!allows && std::any_of(std::begin(kDroppedGroups), std::end(kDroppedGroups), is)) ||
        std::any_of(std::begin(kDropped), std::end(kDropped), is))
      return;
    if (option.matches(options::OPT_I))
      out_.includeFolders.push_back(argument->getValue());
    llvm::opt::ArgStringList rendered;
    argument->render(list, rendered);
    out_.clang.insert(out_.clang.end(), rendered.begin(), rendered.end());
  }

  /// `sm_90`, `compute_80`, `arch=compute_80,code=[sm_80,sm_86]`, `all-major`. The code is parsed as the
  /// virtual architecture says, which comes first.
  void addArchitectures(const std::string &value) {
    if (value == "all" || value == "all-major")
      for (const std::string &member : commandline::architectureGroup(value))
        addArchitecture(member.substr(3));
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

} // namespace cupr::rewrite
