#include "nvcc_flags.h"

namespace cupr::commandline {
namespace {

constexpr FlagValue kAlone = FlagValue::None, kValue = FlagValue::Needed,
                    kListBehindEquals = FlagValue::BehindEquals;

/// In the order of `nvcc --help`.
constexpr Flag kFlags[] = {
    // Phases
    {"--cuda", "-cuda", kAlone},
    {"--cubin", "-cubin", kAlone},
    {"--fatbin", "-fatbin", kAlone},
    {"--ptx", "-ptx", kAlone},
    {"--optix-ir", "-optix-ir", kAlone},
    {"--ltoir", "-ltoir", kAlone},
    {"--preprocess", "-E", kAlone},
    {"--generate-dependencies", "-M", kAlone},
    {"--generate-nonsystem-dependencies", "-MM", kAlone},
    {"--generate-dependencies-with-compile", "-MD", kAlone},
    {"--generate-nonsystem-dependencies-with-compile", "-MMD", kAlone},
    {"--dependency-output", "-MF", kValue},
    {"--generate-dependency-targets", "-MP", kAlone},
    {"--compile", "-c", kAlone},
    {"--device-c", "-dc", kAlone},
    {"--device-w", "-dw", kAlone},
    {"--device-link", "-dlink", kAlone},
    {"--link", "-link", kAlone},
    {"--lib", "-lib", kAlone},
    {"--run", "-run", kAlone},
    // Files and paths
    {"--output-file", "-o", kValue},
    {"--pre-include", "-include", kValue},
    {"--objdir-as-tempdir", "-objtemp", kAlone},
    {"--library", "-l", kValue},
    {"--define-macro", "-D", kValue},
    {"--undefine-macro", "-U", kValue},
    {"--include-path", "-I", kValue},
    {"--system-include", "-isystem", kValue},
    {"--library-path", "-L", kValue},
    {"--output-directory", "-odir", kValue},
    {"--compiler-bindir", "-ccbin", kValue},
    {"--allow-unsupported-compiler", "-allow-unsupported-compiler", kAlone},
    {"--archiver-binary", "-arbin", kValue},
    {"--cudart", "-cudart", kValue},
    {"--cudadevrt", "-cudadevrt", kValue},
    {"--libdevice-directory", "-ldir", kValue},
    {"--target-directory", "-target-dir", kValue},
    {"--use-local-env", "-use-local-env", kAlone},
    {"--force-cl-env-setup", "-force-cl-env-setup", kAlone},
    // Compiler and linker
    {"--profile", "-pg", kAlone},
    {"--debug", "-g", kAlone},
    {"--device-debug", "-G", kAlone},
    {"--generate-line-info", "-lineinfo", kAlone},
    {"--optimization-info", "-opt-info", kValue},
    {"--optimize", "", kValue},
    {"--Ofast-compile", "-Ofc", kValue},
    {"--dopt", "-dopt", kValue},
    {"--dlink-time-opt", "-dlto", kAlone},
    {"--lto", "-lto", kAlone},
    {"--gen-opt-lto", "-gen-opt-lto", kAlone},
    {"--ftemplate-backtrace-limit", "-ftemplate-backtrace-limit", kValue},
    {"--ftemplate-depth", "-ftemplate-depth", kValue},
    {"--no-exceptions", "-noeh", kAlone},
    {"--shared", "-shared", kAlone},
    {"--x", "-x", kValue},
    {"--std", "-std", kValue},
    {"--no-host-device-initializer-list", "-nohdinitlist", kAlone},
    {"--no-host-device-move-forward", "-nohdmoveforward", kAlone},
    {"--expt-relaxed-constexpr", "-expt-relaxed-constexpr", kAlone},
    {"--extended-lambda", "-extended-lambda", kAlone},
    {"--expt-extended-lambda", "-expt-extended-lambda", kAlone},
    {"--machine", "-m", kValue},
    {"--m64", "-m64", kAlone},
    // Options of the phases
    {"--compiler-options", "-Xcompiler", kValue},
    {"--linker-options", "-Xlinker", kValue},
    {"--archive-options", "-Xarchive", kValue},
    {"--ptxas-options", "-Xptxas", kValue},
    {"--nvlink-options", "-Xnvlink", kValue},
    {"--fatbin-options", "-Xfatbin", kValue},
    // The driver
    {"--static-global-template-stub", "-static-global-template-stub", kValue},
    {"--device-entity-has-hidden-visibility", "-device-entity-has-hidden-visibility", kValue},
    {"--forward-unknown-to-host-compiler", "-forward-unknown-to-host-compiler", kAlone},
    {"--forward-unknown-to-host-linker", "-forward-unknown-to-host-linker", kAlone},
    {"--forward-unknown-opts", "-forward-unknown-opts", kAlone},
    {"--dont-use-profile", "-noprof", kAlone},
    {"--dryrun", "-dryrun", kAlone},
    {"--verbose", "-v", kAlone},
    {"--threads", "-t", kValue},
    {"--split-compile", "-split-compile", kValue},
    {"--split-compile-extended", "-split-compile-extended", kValue},
    {"--fdevice-time-trace", "-fdevice-time-trace", kValue},
    {"--clean-targets", "-clean", kAlone},
    {"--time", "-time", kValue},
    {"--run-args", "-run-args", kValue},
    {"--input-drive-prefix", "-idp", kValue},
    {"--dependency-drive-prefix", "-ddp", kValue},
    {"--drive-prefix", "-dp", kValue},
    {"--dependency-target-name", "-MT", kValue},
    {"--no-align-double", "", kAlone},
    {"--no-device-link", "-nodlink", kAlone},
    // GPU code
    {"--gpu-architecture", "-arch", kValue},
    {"--gpu-code", "-code", kValue},
    {"--generate-code", "-gencode", kValue},
    {"--relocatable-device-code", "-rdc", kValue},
    {"--entries", "-e", kValue},
    {"--maxrregcount", "-maxrregcount", kValue},
    {"--use_fast_math", "-use_fast_math", kAlone},
    {"--ftz", "-ftz", kValue},
    {"--prec-div", "-prec-div", kValue},
    {"--prec-sqrt", "-prec-sqrt", kValue},
    {"--fmad", "-fmad", kValue},
    {"--extra-device-vectorization", "-extra-device-vectorization", kAlone},
    {"--default-stream", "-default-stream", kValue},
    // Generic
    {"--disable-warnings", "-w", kAlone},
    {"--keep-device-functions", "-keep-device-functions", kAlone},
    {"--source-in-ptx", "-src-in-ptx", kAlone},
    {"--restrict", "-restrict", kAlone},
    {"--Wreorder", "-Wreorder", kAlone},
    {"--Wdefault-stream-launch", "-Wdefault-stream-launch", kAlone},
    {"--Wmissing-launch-bounds", "-Wmissing-launch-bounds", kAlone},
    {"--Wext-lambda-captures-this", "-Wext-lambda-captures-this", kAlone},
    {"--Wno-deprecated-gpu-targets", "-Wno-deprecated-gpu-targets", kAlone},
    {"--resource-usage", "-res-usage", kAlone},
    {"--extensible-whole-program", "-ewp", kAlone},
    {"--no-compress", "-no-compress", kAlone},
    {"--compress-mode", "-compress-mode", kValue},
    {"--qpp-config", "-qpp-config", kValue},
    {"--compile-as-tools-patch", "-astoolspatch", kAlone},
    {"--list-gpu-code", "-code-ls", kAlone},
    {"--list-gpu-arch", "-arch-ls", kAlone},
    {"--display-error-number", "-err-no", kAlone},
    {"--no-display-error-number", "-no-err-no", kAlone},
    {"--diag-error", "-diag-error", kValue},
    {"--diag-suppress", "-diag-suppress", kValue},
    {"--diag-warn", "-diag-warn", kValue},
    {"--host-linker-script", "-hls", kValue},
    {"--augment-host-linker-script", "-aug-hls", kAlone},
    {"--relocatable-link", "-r", kAlone},
    {"--brief-diagnostics", "-brief-diag", kValue},
    {"--jump-table-density", "-jtd", kValue},
    {"--relocatable-ptx", "-reloc-ptx", kAlone},
    {"--device-stack-protector", "-device-stack-protector", kValue},
    {"--frandom-seed", "-frandom-seed", kValue},
    {"--sanitize", "-sanitize", kValue},
    {"--jobserver", "-jobserver", kAlone},
    {"--help", "-h", kAlone},
    {"--version", "-V", kAlone},
    // Of older versions
    {"-Xcudafe", "", kValue},
    {"--Wno-deprecated-declarations", "", kAlone},
    {"--fdevice-syntax-only", "-fdevice-syntax-only", kAlone},
    {"--keep", "-keep", kAlone},
    {"--keep-dir", "-keep-dir", kValue},
    {"--save-temps", "-save-temps", kAlone},
    {"--Werror", "-Werror", kListBehindEquals},
};

} // namespace

std::span<const Flag> nvccFlags() { return kFlags; }

std::optional<FlagUse> findFlag(std::span<const Flag> flags, const std::vector<std::string> &words,
                                std::size_t at) {
  const std::string_view word = words[at];
  for (const Flag &flag : flags)
    for (const std::string_view name : {flag.name, flag.brief}) {
      if (name.empty() || !word.starts_with(name))
        continue;
      const std::string_view rest = word.substr(name.size());
      if (!rest.empty() && (rest.front() != '=' || flag.value == FlagValue::None))
        continue;
      FlagUse use{&flag, name, std::string(rest.substr(rest.empty() ? 0 : 1)), at + 1, /*lacksValue=*/false};
      if (rest.empty() && flag.value == FlagValue::Needed) {
        use.lacksValue = use.next == words.size();
        if (!use.lacksValue)
          use.value = words[use.next++];
      }
      return use;
    }
  return std::nullopt;
}

} // namespace cupr::commandline
