#include "cuprewrite/tool/driver_options.h"

#include <catch2/catch.hpp>
#include <sstream>

using cupr::tool::DriverOptions;
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
  CHECK(parse("a.cu").spaces == "");
  CHECK(parse("--spaces=global,shared a.cu").spaces == "global,shared");
  CHECK(parse("--spaces local a.cu").spaces == "local");
  for (const char *const line :
       {"--spaces=", "--spaces=shared,", "--spaces=Shared", "--spaces=global;shared"})
    CHECK(errorOf(line).find("expected a list of global, shared, constant, local") != std::string::npos);
}

TEST_CASE("-x cu makes any file a CUDA source") { CHECK(parse("-x cu a.cpp").cudaSources == Words{"a.cpp"}); }

TEST_CASE("every spelling of the architecture") {
  for (const char *const line :
       {"-arch=sm_90", "-arch sm_90", "--gpu-architecture=sm_90", "--cuda-gpu-arch=sm_90",
        "-gencode arch=compute_90,code=sm_90", "-gencode=arch=compute_90,code=[sm_90,compute_90]",
        "--generate-code=arch=compute_90,code=sm_90"})
    CHECK(parse(std::string(line) + " a.cu").architecture == "sm_90");
  CHECK(parse("-arch=sm_90a a.cu").architecture == "sm_90a");
  CHECK(parse("a.cu").architecture == "");
  CHECK(parse("-gencode arch=compute_80,code=sm_80 -gencode arch=compute_90,code=sm_90 a.cu").notes.size() ==
        1);
  CHECK(errorOf("-arch=volta a.cu") ==
        "-arch=volta: no GPU architecture that I know in 'volta'; expected sm_XX");
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
  CHECK(options.compileFlags == Words{"-ffast-math", "-std=c++17", "-DA=1", "-DB", "-isystem", "/s"});
}

TEST_CASE("dependency files belong to the host compilation") {
  CHECK(parse("-MMD -MF a.d -MT a.o -c a.cu").dependencyFlags == Words{"-MMD", "-MF", "a.d", "-MT", "a.o"});
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
  CHECK(parse("--log-accesses a.cu").logAccesses);
  CHECK_FALSE(parse("a.cu").logAccesses);
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
