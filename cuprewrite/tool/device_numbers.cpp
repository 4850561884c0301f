#include "device_numbers.h"

#include "cuprewrite/commandline/words.h"

#include <string_view>

namespace cupr::tool {
namespace {

/// Functions of libdevice that nvcc replaces under --use_fast_math, and -fgpu-approx-transcendentals does
/// not.
constexpr std::string_view kApproximated[] = {"exp", "exp10", "log10", "pow", "tan", "tanh"};

} // namespace

std::vector<std::string> DeviceNumbers::clangFlags() const {
  std::vector<std::string> flags;
  if (flushesDenormals.value_or(fastMath))
    flags.push_back("-fgpu-flush-denormals-to-zero");
  if (!dividesExactly.value_or(!fastMath)) // marks divisions; NaN and infinity stay, unlike with -ffast-math
    flags.push_back("-fapprox-func");
  if (!contracts.value_or(true))
    flags.push_back("-ffp-contract=off");
  if (fastMath) {
    flags.push_back("-fgpu-approx-transcendentals");
    for (const std::string_view name : kApproximated)
      flags.push_back("-D__nv_" + std::string(name) + "f=__nv_fast_" + std::string(name) + "f");
  }
  return flags;
}

std::vector<std::string> DeviceNumbers::codeFlags() const {
  std::vector<std::string> flags;
  if (rootsExactly.value_or(!fastMath)) // clang would answer libdevice that they need not be
    commandline::append(flags, {"-mllvm", "-nvvm-reflect-add=__CUDA_PREC_SQRT=1"});
  if (!dividesExactly.value_or(!fastMath) && !fastMath)
    commandline::append(flags, {"-mllvm", "-cupr-full-range-division"});
  if (contracts.value_or(true))
    commandline::append(flags, {"-mllvm", "-cupr-contract-library"});
  return flags;
}

} // namespace cupr::tool
