#include "cuprewrite/rewriter/flags.h"

#include <catch2/catch.hpp>

using namespace cupr::rewrite;
using Words = std::vector<std::string>;

static Words clangOf(const Words &flags) { return parseFlags(flags).clang; }

TEST_CASE("nvcc's flags become a parse's flags") {
  const ParseFlags flags = parseFlags({"-O3",
                                       "-lineinfo",
                                       "-gencode",
                                       "arch=compute_80,code=sm_80",
                                       "--generate-code=arch=compute_90,code=[sm_90,compute_90]",
                                       "-rdc=true",
                                       "-Xcompiler",
                                       "-fopenmp,-Wall,-DHOST=1",
                                       "-Iinclude",
                                       "-I",
                                       "more",
                                       "-std=c++17",
                                       "--expt-relaxed-constexpr",
                                       "--extended-lambda",
                                       "-o",
                                       "app",
                                       "-Xptxas",
                                       "-v",
                                       "-DN=4",
                                       "-lcublas",
                                       "-L/x",
                                       "-ccbin",
                                       "g++"});
  CHECK(flags.clang == Words{"-O3", "-fgpu-rdc", "-fopenmp", "-D", "HOST=1", "-I", "include", "-I", "more",
                             "-std=c++17", "-D", "__CUDACC_RELAXED_CONSTEXPR__", "-D",
                             "__CUDACC_EXTENDED_LAMBDA__", "-D", "N=4"});
  CHECK(flags.architectures == Words{"sm_80", "sm_90"});
  CHECK(flags.includeFolders == Words{"include", "more"});
  CHECK(flags.unknown.empty());
}

TEST_CASE("Long spellings and joined values") {
  const ParseFlags flags = parseFlags({"--include-path=a", "--define-macro", "X", "--std", "c++20",
                                       "-isystem", "s", "-isystem/t", "--pre-include=p.h", "-arch=sm_90a",
                                       "-arch", "compute_90a", "--default-stream=per-thread"});
  CHECK(flags.clang == Words{"-I", "a", "-D", "X", "-std=c++20", "-isystem", "s", "-isystem", "/t",
                             "-include", "p.h", "-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  CHECK(flags.architectures == Words{"sm_90a"});
}

TEST_CASE("Without an architecture it is the oldest that CUDA 13 knows") {
  CHECK(parseFlags({}).architectures == Words{"sm_75"});
  CHECK(parseFlags({"-arch=native"}).architectures == Words{"sm_75"});
}

TEST_CASE("All architectures are many, all major ones some") {
  CHECK(parseFlags({"-arch=all-major"}).architectures ==
        Words{"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"});
  CHECK(parseFlags({"-arch", "all"}).architectures.size() ==
        10); // clang 22 makes no code for sm_88 and sm_110
  CHECK(parseFlags({"-gencode", "arch=compute_80,code=sm_80", "-gencode=arch=compute_80,code=sm_86"})
            .architectures == Words{"sm_80"});
}

TEST_CASE("What changes no meaning is dropped, with its value") {
  for (const Words &flags : std::vector<Words>{{"-maxrregcount", "32"},
                                               {"-maxrregcount=32"},
                                               {"-dlink"},
                                               {"-keep"},
                                               {"--keep-dir", "d"},
                                               {"-dryrun"},
                                               {"-m", "64"},
                                               {"-x", "cu"},
                                               {"-x=cu"},
                                               {"-Xptxas=-O3,-v"},
                                               {"-Xlinker", "-rpath=/x"},
                                               {"-Xcudafe", "--diag_suppress=1"},
                                               {"-diag-suppress=177,550"},
                                               {"-Werror", "all-warnings"},
                                               {"-Werror=cross-execution-space-call"},
                                               {"-Werror"},
                                               {"-t", "0"},
                                               {"--threads=4"},
                                               {"-split-compile", "0"},
                                               {"-MD", "-MF", "a.d", "-MT", "a.o"},
                                               {"-c", "a.cu"},
                                               {"--compile"},
                                               {"-g", "-G", "-lineinfo", "--device-debug"},
                                               {"-cudart", "shared"},
                                               {"-cudart=static"},
                                               {"-forward-unknown-to-host-compiler"},
                                               {"-code=sm_90"},
                                               {"-rdc=false"},
                                               {"--use_fast_math", "--fmad=false", "-ftz=true"},
                                               {"-lm", "-L", "lib", "-Wl,-z,now"},
                                               {"-fpass-plugin=x.so"},
                                               {"--cuda-path=/elsewhere"},
                                               {"-mllvm", "-debug"},
                                               {"-save-temps"}}) {
    INFO(flags.front());
    const ParseFlags parsed = parseFlags(flags);
    CHECK(parsed.clang.empty());
    CHECK(parsed.unknown.empty());
    CHECK(parsed.architectures == Words{"sm_75"});
  }
}

TEST_CASE("What changes the language is kept") {
  CHECK(clangOf({"-fno-exceptions"}) == Words{"-fno-exceptions"});
  CHECK(clangOf({"--no-exceptions"}) == Words{"-fno-exceptions"});
  CHECK(clangOf({"-Xcompiler=-mavx2"}) == Words{"-mavx2"});
  CHECK(clangOf({"-Xcompiler", "-march=native -fsigned-char"}) == Words{"-march=native", "-fsigned-char"});
  CHECK(clangOf({"--compiler-options=-DA,-DB"}) == Words{"-D", "A", "-D", "B"});
  CHECK(clangOf({"-Wall", "-Wno-register", "-Wextra", "-Xcompiler", "-Wno-error=narrowing,-Wshadow"}) ==
        Words{"-Wno-register", "-Wno-error=narrowing"});
  CHECK(clangOf({"-dc"}) == Words{"-fgpu-rdc"});
  CHECK(clangOf({"-UX", "-DY"}) == Words{"-U", "X", "-D", "Y"});
  CHECK(clangOf({"-Xclang", "-fms-extensions"}) == Words{"-Xclang", "-fms-extensions"});
}

TEST_CASE("Flags that neither compiler has are told") {
  CHECK(parseFlags({"-DX", "--frobnicate", "-Xcompiler", "-fgnu-only-thing"}).unknown ==
        Words{"--frobnicate", "-fgnu-only-thing"});
}
