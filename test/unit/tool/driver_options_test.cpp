#include "cuprewrite/tool/driver_options.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <sstream>

using cupr::tool::DriverOptions;
using cupr::tool::expandArguments;
using cupr::tool::GpuTarget;
using cupr::tool::TargetDevice;
using Words = std::vector<std::string>;

namespace {

DriverOptions parse(const std::string &line, std::string &error) {
  std::istringstream stream(line);
  Words words;
  for (std::string word; stream >> word;)
    words.push_back(word);
  return DriverOptions::parse(words, error);
}

DriverOptions parse(const std::string &line) {
  std::string error;
  DriverOptions options = parse(line, error);
  CHECK(error == "");
  return options;
}

std::string errorOf(const std::string &line) {
  std::string error;
  parse(line, error);
  return error;
}

} // namespace

TEST_CASE("inputs are sorted by what they are") {
  const DriverOptions options = parse("-o app a.cu b.cpp c.o lib.a -lm -L/opt/lib -lcudart -Wl,-rpath,/x");
  CHECK(options.action == DriverOptions::Action::Link);
  CHECK(options.output == "app");
  CHECK(options.cudaSources == Words{"a.cu"});
  CHECK(options.hostSources == Words{"b.cpp"});
  CHECK(options.linkInputs == Words{"c.o", "lib.a", "-lm", "-L/opt/lib", "-Wl,-rpath,/x"});
}

TEST_CASE("the memory to trace is a list of known names") {
  CHECK(parse("a.cu").recording.spaces == "");
  CHECK(parse("--spaces=global,shared a.cu").recording.spaces == "global,shared");
  CHECK(parse("--spaces local a.cu").recording.spaces == "local");
  for (const char *const line :
       {"--spaces=", "--spaces=shared,", "--spaces=Shared", "--spaces=global;shared"})
    CHECK(errorOf(line).find("expected a list of global, shared, constant, local") != std::string::npos);
}

TEST_CASE("clocks are recorded on request") {
  CHECK_FALSE(parse("--values a.cu").recording.clock);
  CHECK(parse("--clock a.cu").recording.clock);
}

TEST_CASE("timed variants are made on request, by one of the schemes") {
  CHECK(parse("a.cu").latency == "");
  CHECK(parse("--latency a.cu").latency == "dependency");
  CHECK(parse("--latency=use a.cu").latency == "use");
  CHECK(parse("--latency=fence a.cu").cudaSources == Words{"a.cu"});
  CHECK(errorOf("--latency=exact a.cu") == "--latency=exact: expected one of naive, fence, dependency, use");
}

TEST_CASE("-x cu makes any file a CUDA source") { CHECK(parse("-x cu a.cpp").cudaSources == Words{"a.cpp"}); }

TEST_CASE("every spelling of the architecture") {
  const std::vector<GpuTarget> expected{{"sm_90", {"sm_90"}, true}};
  for (const char *const line :
       {"-arch=sm_90", "-arch sm_90", "--gpu-architecture=sm_90", "--cuda-gpu-arch=sm_90",
        "--offload-arch=sm_90", "-gencode=arch=compute_90,code=[sm_90,compute_90]",
        "-arch=compute_90 -code=sm_90,compute_90",
        "--generate-code=arch=compute_90,code=sm_90 -gencode arch=compute_90,code=compute_90"})
    CHECK(parse(std::string(line) + " a.cu").gpuTargets == expected);
  CHECK(parse("a.cu").gpuTargets.empty());
  CHECK(parse("a.cu").targets() == std::vector<GpuTarget>{{"sm_75", {"sm_75"}, true}});
  CHECK(parse("-arch=sm_80 -arch=sm_90 a.cu").gpuTargets.size() == 2);
  CHECK(errorOf("-arch=volta a.cu") ==
        "-arch=volta: no GPU architecture that I know in 'volta'; expected sm_XX or compute_XX");
}

TEST_CASE("nvcc's flags become clang's") {
  const DriverOptions options = parse(
      "-Xcompiler -Wall,-fopenmp -maxrregcount=32 --use_fast_math -lineinfo --extended-lambda -O3 -std=c++17 "
      "-DA=1 -D B -Iinc -I inc2 -isystem /s -c a.cu");
  CHECK(options.action == DriverOptions::Action::Compile);
  CHECK(options.hostFlags == Words{"-Wall", "-fopenmp"});
  CHECK(options.assemblerFlags == Words{"--maxrregcount=32"});
  CHECK(options.optimisation == "-O3");
  CHECK(options.includes == Words{"inc", "inc2"});
  CHECK(options.compileFlags ==
        Words{"-D__CUDACC_EXTENDED_LAMBDA__", "-std=c++17", "-DA=1", "-DB", "-isystem", "/s"});
  CHECK(options.deviceNumbers.fastMath);
}

TEST_CASE("flags that change the device's numbers") {
  const auto clang = [](const std::string &flags) {
    return parse(flags + " a.cu").deviceNumbers.clangFlags();
  };
  const auto code = [](const std::string &flags) { return parse(flags + " a.cu").deviceNumbers.codeFlags(); };
  const Words exact{"-mllvm", "-nvvm-reflect-add=__CUDA_PREC_SQRT=1", "-mllvm", "-cupr-contract-library"};
  for (const char *const defaults : {"", "-ftz=false -prec-div=true --prec-sqrt true --fmad=true"}) {
    CHECK(clang(defaults).empty());
    CHECK(code(defaults) == exact);
  }
  CHECK(clang("-ftz=true") == Words{"-fgpu-flush-denormals-to-zero"});
  CHECK(code("-ftz=true") == exact);
  CHECK(clang("--fmad=false") == Words{"-ffp-contract=off"});
  CHECK(code("--fmad=false") == Words{"-mllvm", "-nvvm-reflect-add=__CUDA_PREC_SQRT=1"});
  CHECK(clang("-prec-div=false") == Words{"-fapprox-func"});
  CHECK(code("-prec-div=false -prec-sqrt=false") ==
        Words{"-mllvm", "-cupr-full-range-division", "-mllvm", "-cupr-contract-library"});
  const Words fast = clang("--use_fast_math");
  CHECK(Words(fast.begin(), fast.begin() + 3) ==
        Words{"-fgpu-flush-denormals-to-zero", "-fapprox-func", "-fgpu-approx-transcendentals"});
  CHECK(fast.back() == "-D__nv_tanhf=__nv_fast_tanhf");
  CHECK(std::find(fast.begin(), fast.end(), "-ffast-math") == fast.end());
  CHECK(code("--use_fast_math") == Words{"-mllvm", "-cupr-contract-library"});
  // What is said counts more than what --use_fast_math implies, in any order.
  for (const char *const line : {"--use_fast_math -ftz=false", "-ftz=false --use_fast_math"})
    CHECK(clang(line).front() == "-fapprox-func");
  CHECK(code("-prec-sqrt=true --use_fast_math") == exact);
  CHECK(clang("-ftz=true -ftz=false").empty());
  CHECK(clang("-G") == Words{"-ffp-contract=off"});
  CHECK(clang("-G -dopt=on").empty());
  for (const char *const flag : {"-ftz", "--prec-div", "--prec-sqrt", "-fmad"})
    CHECK(errorOf(std::string(flag) + "=maybe a.cu") == std::string(flag) + "=maybe: expected true or false");
  const DriverOptions options = parse("--use_fast_math -ftz=true a.cu"); // the host's are not among them
  CHECK(options.compileFlags.empty());
  CHECK(options.hostFlags.empty());
}

TEST_CASE("dependency files") {
  const auto dependencies = parse("-MMD -MP -MF a.d -MT a.o -MQ $(o)/b.o -c a.cu").dependencies;
  CHECK(dependencies.wanted);
  CHECK_FALSE(dependencies.system);
  CHECK(dependencies.phony);
  CHECK(dependencies.file == "a.d");
  CHECK(dependencies.targets == Words{"a.o", "$$(o)/b.o"});
  CHECK(parse("-MD -c a.cu").dependencies.system);
  CHECK_FALSE(parse("-c a.cu").dependencies.wanted);
  for (const char *const line : {"-M a.cu", "--generate-dependencies a.cu"})
    CHECK(parse(line).action == DriverOptions::Action::Dependencies);
  CHECK_FALSE(parse("-MM a.cu").dependencies.system);
}

TEST_CASE("options of its own") {
  CHECK(parse("a.cu").device == TargetDevice::Both);
  CHECK(parse("--device=cpu a.cu").device == TargetDevice::Cpu);
  CHECK(parse("--device=gpu a.cu").device == TargetDevice::Gpu);
  CHECK(errorOf("--device=tpu a.cu") == "--device=tpu: expected both, gpu or cpu");
  CHECK(parse("--keep=copies a.cu").keepFolder == "copies");
  CHECK(parse("--root=.. a.cu").root == "..");
  CHECK(parse("--show a.cu").show);
  CHECK_FALSE(parse("--no-trace a.cu").trace);
  CHECK(parse("--host-cpu=x86-64 a.cu").hostCpu == "x86-64");
  CHECK(parse("a.cu").hostCpu.empty());
  CHECK(parse("--log-accesses a.cu").logAccesses);
  CHECK_FALSE(parse("a.cu").logAccesses);
  CHECK(parse("--device-library=own.bc a.cu").deviceLibrary == "own.bc");
  CHECK(parse("--help").action == DriverOptions::Action::Help);
}

TEST_CASE("relocatable device code, as nvcc and clang spell it") {
  for (const char *const line :
       {"-rdc=true a.cu", "-rdc true a.cu", "--relocatable-device-code=true a.cu", "-fgpu-rdc a.cu"}) {
    CHECK(parse(line).relocatable);
    CHECK(parse(line).action == DriverOptions::Action::Link);
    CHECK(parse(line).cudaSources == Words{"a.cu"});
  }
  for (const char *const line : {"-dc a.cu", "--device-c a.cu", "-rdc=true -c a.cu"}) {
    CHECK(parse(line).relocatable);
    CHECK(parse(line).action == DriverOptions::Action::Compile);
  }
  for (const char *const line : {"a.cu", "-rdc=false a.cu", "-rdc=true -fno-gpu-rdc a.cu"})
    CHECK_FALSE(parse(line).relocatable);
  CHECK(parse("-dlink a.o b.o -o d.o").action == DriverOptions::Action::DeviceLink);
  CHECK(parse("--device-link a.o").linkInputs == Words{"a.o"});
  CHECK(errorOf("-rdc=maybe a.cu") == "-rdc=maybe: expected true or false");
}

TEST_CASE("what can't be done is an error, not a wrong program") {
  CHECK(errorOf("a.cu -o") == "-o needs a value");
}

TEST_CASE("a static report needs a name") {
  CHECK(parse("a.cu").staticReport == "");
  CHECK(parse("--static-report=r.json a.cu").staticReport == "r.json");
  CHECK(parse("--static-report - a.cu").staticReport == "-");
  CHECK(errorOf("--static-report= a.cu") ==
        "--static-report needs the name of a file, or - for standard output");
}

TEST_CASE("jobs are counted") {
  CHECK(parse("a.cu").jobs == 0);
  CHECK(parse("--jobs=3 a.cu").jobs == 3);
  CHECK(parse("-t 4 a.cu").jobs == 4); // nvcc's spelling
  CHECK(errorOf("--jobs=3x a.cu") == "--jobs=3x: '3x' is not a number of jobs");
}

TEST_CASE("line information in the GPU's code is asked for") {
  CHECK(!parse("-O2 a.cu").gpuLines);
  CHECK(parse("-lineinfo a.cu").gpuLines);
  CHECK(parse("-g a.cu").gpuLines);
  CHECK(parse("-G a.cu").gpuLines);
}

TEST_CASE("nvcc's own macro is asked for, but not where CMake wants to know which compiler it has") {
  CHECK(parse("-DA -march=native -c a.cu").cudaFlags() == Words{"-DCUPR_NVCC_MACRO", "-DA", "-march=native"});
  CHECK(parse("-DA -march=native -c x/CMakeCUDACompilerId.cu").cudaFlags() == Words{"-DA", "-march=native"});
}

TEST_CASE("host code's products and sums are not fused, unless the user says something of it") {
  CHECK(parse("-O3 -Xcompiler -Wall a.cu").cudaFlags() ==
        Words{"-Xarch_host", "-ffp-contract=off", "-DCUPR_NVCC_MACRO"});
  for (const char *const flag : {"-march=native", "-mfma", "-mfma4", "-mavx512f", "-ffp-contract=fast"})
    for (const std::string before : {"", "-Xcompiler ", "-Xcompiler -Wall,"})
      CHECK(parse(before + flag + " a.cu").hostFusingFlag().empty());
  CHECK(parse("-fmad=true -Xcompiler -mtune=native a.cu").hostFusingFlag() == "-ffp-contract=off");
}

TEST_CASE("flags that allow more of the language define nvcc's macros") {
  CHECK(parse("--expt-relaxed-constexpr a.cu").compileFlags == Words{"-D__CUDACC_RELAXED_CONSTEXPR__"});
  for (const char *const flag : {"-extended-lambda", "--expt-extended-lambda"})
    CHECK(parse(std::string(flag) + " a.cu").compileFlags == Words{"-D__CUDACC_EXTENDED_LAMBDA__"});
}

TEST_CASE("every flag of nvcc 13 is known") {
  // As `nvcc --help` of CUDA 13.0 lists them, with a value where they take one; the actions and our own
  // spellings have tests of their own.
  for (const char *const line : {"-objtemp",
                                 "-allow-unsupported-compiler",
                                 "-arbin ar",
                                 "-cudart none",
                                 "-cudart=shared",
                                 "-cudadevrt none",
                                 "-use-local-env",
                                 "-force-cl-env-setup",
                                 "-opt-info inline",
                                 "-Ofc max",
                                 "-dlto",
                                 "-lto",
                                 "-gen-opt-lto",
                                 "-nohdinitlist",
                                 "-nohdmoveforward",
                                 "-m64",
                                 "-m 64",
                                 "--machine=64",
                                 "-Xnvlink --verbose",
                                 "-static-global-template-stub=true",
                                 "-device-entity-has-hidden-visibility false",
                                 "-forward-unknown-to-host-compiler",
                                 "-forward-unknown-to-host-linker",
                                 "-forward-unknown-opts",
                                 "-noprof",
                                 "-split-compile 2",
                                 "-split-compile-extended=0",
                                 "-idp /",
                                 "-ddp /",
                                 "-dp /",
                                 "--no-align-double",
                                 "-nodlink",
                                 "-extra-device-vectorization",
                                 "-keep-device-functions",
                                 "-src-in-ptx",
                                 "-restrict",
                                 "-Wdefault-stream-launch",
                                 "-Wmissing-launch-bounds",
                                 "-Wext-lambda-captures-this",
                                 "-Wno-deprecated-gpu-targets",
                                 "-ewp",
                                 "-no-compress",
                                 "-qpp-config x",
                                 "-err-no",
                                 "-no-err-no",
                                 "-diag-error 20012",
                                 "-diag-suppress=177,20012",
                                 "-diag-warn 1",
                                 "-hls use-lcs",
                                 "-aug-hls",
                                 "-brief-diag true",
                                 "-jtd 50",
                                 "-reloc-ptx",
                                 "-device-stack-protector=false",
                                 "-compress-mode=size",
                                 "-frandom-seed 1",
                                 "-jobserver",
                                 "-Werror missing-launch-bounds,default-stream-launch"}) {
    INFO(line);
    const DriverOptions options = parse(std::string(line) + " a.cu");
    CHECK(options.cudaSources == Words{"a.cu"});
    CHECK(options.compileFlags.empty());
    CHECK(options.hostFlags.empty());
    CHECK(options.linkInputs.empty());
    CHECK(options.notes.empty());
  }
  for (const char *const line : {"-ccbin g++", "-ldir /x", "-target-dir x", "-keep", "--keep", "-save-temps",
                                 "-fdevice-time-trace -", "-e main", "-sanitize memcheck"}) {
    INFO(line);
    const DriverOptions options = parse(std::string(line) + " a.cu");
    CHECK(options.cudaSources == Words{"a.cu"});
    REQUIRE(options.notes.size() == 1);
    CHECK(options.notes.front().find("is ignored") != std::string::npos);
  }
  for (const char *const line : {"-cuda", "-optix-ir", "-ltoir", "-clean", "-astoolspatch", "-r"}) {
    INFO(line);
    CHECK(errorOf(std::string(line) + " a.cu").find(": ") != std::string::npos); // and what to do instead
  }
}

TEST_CASE("flags with a translation") {
  const auto compile = [](const std::string &line) { return parse(line + " a.cu").compileFlags; };
  CHECK(compile("-noeh") == Words{"-fno-exceptions"});
  CHECK(compile("-ftemplate-depth 100 -ftemplate-backtrace-limit=5") ==
        Words{"-ftemplate-depth=100", "-ftemplate-backtrace-limit=5"});
  CHECK(compile("-default-stream per-thread") == Words{"-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"});
  CHECK(compile("-default-stream legacy").empty());
  CHECK(compile("-w -Wreorder -Wno-deprecated-declarations") ==
        Words{"-w", "-Wreorder", "-Wno-deprecated-declarations"});
  CHECK(compile("-Werror all-warnings") == Words{"-Werror"});
  CHECK(compile("-Werror=reorder,cross-execution-space-call") == Words{"-Werror=reorder"});
  CHECK(compile("-Werror") == Words{"-Werror"});
  CHECK(compile("-Werror=format") == Words{"-Werror=format"});
  CHECK(compile("--pre-include a.h,b.h") == Words{"-include", "a.h", "-include", "b.h"});
  CHECK(compile("-isystem=/s") == Words{"-isystem", "/s"});
  CHECK(compile("-Xclang -ast-dump") == Words{"-Xclang", "-ast-dump"});
  CHECK(parse("-pg a.cu").hostFlags == Words{"-pg"});
  CHECK(parse("-res-usage a.cu").assemblerFlags == Words{"-v"});
  CHECK(parse("-G a.cu").optimisation == "-O0");
  CHECK(parse("-G -dopt=on -O3 a.cu").optimisation == "-O3");
  CHECK(parse("-shared -Xlinker -rpath,/x a.cu").linkInputs ==
        Words{"-shared", "-Xlinker", "-rpath", "-Xlinker", "/x"});
  CHECK(parse("-l a,b -L/x -L=y a.cu").linkInputs == Words{"-la", "-lb", "-L/x", "-Ly"});
  CHECK(errorOf("-m32 a.cu") == ""); // clang says that
  CHECK(errorOf("-m=32 a.cu") == "-m=32: programs are built for 64 bits only");
}

TEST_CASE("lists for other programs") {
  std::string error;
  const DriverOptions options = DriverOptions::parse(
      {"-Xcompiler", "-Wall -Wextra,-fPIC", "-Xcompiler=-DA=f(1\\,2)", "-Xfatbin=-compress-all", "a.cu"},
      error);
  CHECK(options.hostFlags == Words{"-Wall", "-Wextra", "-fPIC", "-DA=f(1,2)"});
  CHECK(options.fatBinaryFlags == Words{"-compress-all"});
}

TEST_CASE("what is built instead of a program") {
  using Action = DriverOptions::Action;
  CHECK(parse("-ptx a.cu").action == Action::Ptx);
  CHECK(parse("--cubin a.cu").action == Action::Cubin);
  CHECK(parse("-fatbin a.cu").action == Action::FatBinary);
  CHECK(parse("-E a.cu").action == Action::Preprocess);
  CHECK(parse("-lib -o x.a a.cu").action == Action::Archive);
  CHECK(parse("--list-gpu-code").action == Action::ListCode);
  CHECK(parse("-dw a.cu").action == Action::Compile);
  CHECK(parse("-c -link a.cu").action == Action::Link);
  CHECK(parse("-run -run-args 1,2 a.cu").runArguments == Words{"1", "2"});
}

TEST_CASE("folders for outputs") {
  CHECK(parse("-c -odir build x/a.cu").output == "build/a.o");
  CHECK(parse("-c -o build/ x/a.cu").output == "build/a.o");
  CHECK(parse("-ptx -odir build a.cu").output == "build/a.ptx");
  CHECK(parse("-c -odir build -o there.o a.cu").output == "there.o");
  CHECK(parse("-odir build a.cu").output == "build/a.out");
  CHECK(errorOf("-c -odir build a.cu b.cu") == "-odir with several sources: compile them one by one");
}

TEST_CASE("inputs that can't be sources say what to do") {
  CHECK(errorOf("-") == "a program on standard input can't be rewritten: put it into a file");
  CHECK(errorOf("a.ptx").find("a.ptx: device code that is compiled already") == 0);
  CHECK(errorOf("a.cuh").find("-x cu makes it a source") != std::string::npos);
  CHECK(parse("-x cu a.cuh").cudaSources == Words{"a.cuh"});
}

TEST_CASE("the runtime is ours, the driver's library only for those who use it") {
  CHECK(parse("a.cu -lcudart -lcudart_static -lcudadevrt").linkInputs.empty());
  CHECK(parse("a.cu -lcublas -lcurand").linkInputs == Words{"-lcublas", "-lcurand"});
  CHECK(parse("a.cu -lcuda").linkInputs.empty());
}

TEST_CASE("standing in for other commands") {
  CHECK(parse("--in-place-of /usr/local/cuda/bin/nvcc -c a.cu").cudaSources == Words{"a.cu"});
  const DriverOptions options = parse("--device=cpu --link-with g++ -O2 a.o -o app -lm");
  CHECK(options.action == DriverOptions::Action::LinkWith);
  CHECK(options.device == TargetDevice::Cpu);
  CHECK(options.linker == Words{"g++", "-O2", "a.o", "-o", "app", "-lm"});
}

TEST_CASE("flags from the environment stand around the others") {
  setenv("NVCC_PREPEND_FLAGS", "-O1 -g", 1);
  setenv("NVCC_APPEND_FLAGS", "-O3", 1);
  std::string error;
  CHECK(expandArguments({"a.cu"}, error) == Words{"-O1", "-g", "a.cu", "-O3"});
  unsetenv("NVCC_PREPEND_FLAGS");
  unsetenv("NVCC_APPEND_FLAGS");
}
