#include "flags.h"

#include <algorithm>
#include <string_view>

namespace cupr::rewrite {

namespace {

/// Flags that take the next word as their value and mean nothing to a parse.
constexpr std::string_view kDroppedWithValue[] = {"-o",
                                                  "-MF",
                                                  "-MT",
                                                  "-MQ",
                                                  "-L",
                                                  "-l",
                                                  "-Xptxas",
                                                  "-Xlinker",
                                                  "-Xnvlink",
                                                  "-Xfatbin",
                                                  "-Xarchive",
                                                  "-ccbin",
                                                  "-t",
                                                  "-code",
                                                  "-optf",
                                                  "--options-file",
                                                  "-maxrregcount",
                                                  "--maxrregcount",
                                                  "-odir",
                                                  "--output-directory",
                                                  "--output-file",
                                                  "--compiler-bindir",
                                                  "--threads",
                                                  "--gpu-code",
                                                  "--library",
                                                  "--library-path",
                                                  "-diag-suppress",
                                                  "--diag-suppress",
                                                  "-Xcuda-ptxas",
                                                  "-rpath"};

/// Flags whose value is kept; nvcc's long spellings beside clang's.
struct Kept {
  std::string_view spelling, clang;
};
constexpr Kept kKeptWithValue[] = {{"-I", "-I"},
                                   {"-D", "-D"},
                                   {"-U", "-U"},
                                   {"-isystem", "-isystem"},
                                   {"-iquote", "-iquote"},
                                   {"-idirafter", "-idirafter"},
                                   {"-include", "-include"},
                                   {"-isysroot", "-isysroot"},
                                   {"--include-path", "-I"},
                                   {"--define-macro", "-D"},
                                   {"--undefine-macro", "-U"},
                                   {"--system-include", "-isystem"},
                                   {"--pre-include", "-include"},
                                   {"-std", "-std="},
                                   {"--std", "-std="}};

class Translation {
public:
  ParseFlags run(const std::vector<std::string> &flags) {
    for (std::size_t i = 0; i < flags.size(); ++i)
      take(flags, i);
    if (out_.architectures.empty())
      out_.architectures.push_back("sm_75");
    return std::move(out_);
  }

private:
  void take(const std::vector<std::string> &flags, std::size_t &i) {
    const std::string_view flag = flags[i];
    const auto value = [&]() -> std::string { return i + 1 < flags.size() ? flags[++i] : std::string(); };
    for (std::string_view dropped : kDroppedWithValue)
      if (flag == dropped) {
        value();
        return;
      }
    for (const auto &[name, joined] : {std::pair{"-arch", true},
                                       {"--gpu-architecture", true},
                                       {"-gencode", false},
                                       {"--generate-code", false},
                                       {"--offload-arch", true},
                                       {"--cuda-gpu-arch", true}})
      if (flag == name || (flag.starts_with(name) && flag.substr(std::string_view(name).size(), 1) == "=")) {
        addArchitecture(flag == name ? value() : std::string(flag.substr(std::string_view(name).size() + 1)));
        return;
      }
    if (flag == "-Xcompiler" || flag == "--compiler-options") {
      addHostFlags(value());
    } else if (flag.starts_with("-Xcompiler=")) {
      addHostFlags(std::string(flag.substr(11)));
    } else if (flag == "-default-stream" || flag == "--default-stream") {
      addDefaultStream(value());
    } else if (flag.starts_with("--default-stream=") || flag.starts_with("-default-stream=")) {
      addDefaultStream(std::string(flag.substr(flag.find('=') + 1)));
    } else if (flag == "-rdc=true" || flag == "--relocatable-device-code=true" || flag == "-dc" ||
               flag == "--device-c" || flag == "-fgpu-rdc") {
      out_.clang.push_back("-fgpu-rdc");
    } else if (flag == "-Xclang") {
      out_.clang.push_back("-Xclang");
      out_.clang.push_back(value());
    } else if (!takeKept(flag, value) && isLanguageFlag(flag)) {
      out_.clang.emplace_back(flag);
    }
  }

  template <class Value> bool takeKept(std::string_view flag, const Value &value) {
    for (const Kept &kept : kKeptWithValue) {
      if (!flag.starts_with(kept.spelling))
        continue;
      std::string_view rest = flag.substr(kept.spelling.size());
      const bool isShort = kept.spelling.size() == 2;
      if (!rest.empty() && rest.front() == '=' && kept.spelling.size() > 2)
        rest.remove_prefix(1);
      else if (!rest.empty() && !isShort && kept.spelling != "-isystem" && kept.spelling != "-iquote")
        continue; // a longer flag that starts alike
      addKept(kept.clang, rest.empty() ? value() : std::string(rest));
      return true;
    }
    return false;
  }

  void addKept(std::string_view clang, const std::string &value) {
    if (clang == "-I")
      out_.includeFolders.push_back(value);
    if (clang == "-std=") {
      out_.clang.push_back("-std=" + value);
      return;
    }
    out_.clang.emplace_back(clang);
    out_.clang.push_back(value);
  }

  /// Of the other flags, those that change the language.
  static bool isLanguageFlag(std::string_view flag) {
    for (std::string_view kept :
         {"-fopenmp",        "-fno-exceptions", "-fno-rtti", "-fshort-enums", "-fno-char8_t", "-fsigned-char",
          "-funsigned-char", "-fms-extensions", "-pthread",  "-fcuda-",       "-fgpu-",       "-ivfsoverlay",
          "--sysroot",       "-ansi",           "-nostdinc", "-stdlib=",      "-O",           "-fblocks",
          "-fdeclspec",      "-fpermissive"})
      if (flag.starts_with(kept))
        return true;
    return false;
  }

  /// `-Xcompiler -fopenmp,-Wall`
  void addHostFlags(const std::string &list) {
    std::vector<std::string> flags;
    for (std::size_t start = 0; start <= list.size();) {
      const std::size_t comma = std::min(list.find(',', start), list.size());
      flags.push_back(list.substr(start, comma - start));
      start = comma + 1;
    }
    for (std::size_t i = 0; i < flags.size(); ++i)
      take(flags, i);
  }

  void addDefaultStream(const std::string &value) {
    if (value == "per-thread")
      out_.clang.push_back("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1");
  }

  /// `sm_90`, `compute_80`, `arch=compute_80,code=[sm_80,sm_86]`.
  void addArchitecture(const std::string &value) {
    for (std::string_view prefix : {"compute_", "sm_"}) {
      const std::size_t at = value.find(prefix);
      if (at == std::string::npos)
        continue;
      const std::size_t start = at + prefix.size();
      std::size_t end = start;
      while (end < value.size() && std::isalnum(static_cast<unsigned char>(value[end])))
        ++end;
      const std::string architecture = "sm_" + value.substr(start, end - start);
      if (std::find(out_.architectures.begin(), out_.architectures.end(), architecture) ==
          out_.architectures.end())
        out_.architectures.push_back(architecture);
      return;
    }
  }

  ParseFlags out_;
};

} // namespace

ParseFlags parseFlags(const std::vector<std::string> &userFlags) { return Translation().run(userFlags); }

} // namespace cupr::rewrite
