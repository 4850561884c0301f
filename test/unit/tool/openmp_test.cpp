#include "cuprewrite/tool/openmp.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using cupr::tool::DriverOptions;
using cupr::tool::OpenMp;
namespace fs = std::filesystem;

TEST_CASE("the newest OpenMP that is whole") {
  const fs::path parent = fs::temp_directory_path() / ("openmp_test." + std::to_string(getpid()));
  const auto install = [&](const std::string &llvm, const std::string &clang, bool header) {
    const fs::path include = parent / llvm / "lib/clang" / clang / "include";
    fs::create_directories(include);
    std::ofstream(parent / llvm / "lib/libomp.so") << "library";
    if (header)
      std::ofstream(include / "omp.h") << "header";
  };
  fs::create_directories(parent / "x86_64-linux-gnu");
  CHECK(OpenMp::find(parent).headerFolder.empty());
  CHECK(OpenMp::find(parent / "missing").libraryFolder.empty());
  install("llvm-9", "9.0.1", true);
  install("llvm-14", "14.0.6", true);
  install("llvm-22", "22", false);
  CHECK(OpenMp::find(parent).headerFolder == parent / "llvm-14/lib/clang/14.0.6/include");
  CHECK(OpenMp::find(parent).libraryFolder == parent / "llvm-14/lib");
  install("llvm-22", "22", true);
  CHECK(OpenMp::find(parent).libraryFolder == parent / "llvm-22/lib");
  fs::remove_all(parent);
}

TEST_CASE("who wants OpenMP") {
  const auto wanted = [](const std::vector<std::string> &arguments) {
    std::string error;
    return OpenMp::isWanted(DriverOptions::parse(arguments, error));
  };
  CHECK(wanted({"-Xcompiler", "-Wall,-fopenmp", "a.cu"}));
  CHECK(wanted({"-Xcompiler=-fopenmp=libomp", "a.cu"}));
  CHECK(wanted({"a.o", "-lgomp"}));
  CHECK_FALSE(wanted({"-Xcompiler", "-fopenmp-simd", "a.cu"}));
  CHECK_FALSE(wanted({"a.cu", "-lm"}));
}
