#include "cuprewrite/rewriter/flags.h"

#include <catch2/catch.hpp>

using namespace cupr::rewrite;
using Words = std::vector<std::string>;

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
                             "-std=c++17", "-D", "N=4"});
  CHECK(flags.architectures == Words{"sm_80", "sm_90"});
  CHECK(flags.includeFolders == Words{"include", "more"});
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
