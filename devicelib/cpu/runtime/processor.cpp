#include "processor.h"

namespace cupr::cpu {

bool processorHas(std::string_view feature) {
  __builtin_cpu_init(); // modules are registered by constructors, perhaps before the compiler's own
#define CUPR_FEATURE(name)                                                                                   \
  if (feature == name)                                                                                       \
    return __builtin_cpu_supports(name);
  CUPR_FEATURE("sse3")
  CUPR_FEATURE("ssse3")
  CUPR_FEATURE("sse4.1")
  CUPR_FEATURE("sse4.2")
  CUPR_FEATURE("sse4a")
  CUPR_FEATURE("popcnt")
  CUPR_FEATURE("cx16")
  CUPR_FEATURE("movbe")
  CUPR_FEATURE("lzcnt")
  CUPR_FEATURE("bmi")
  CUPR_FEATURE("bmi2")
  CUPR_FEATURE("tbm")
  CUPR_FEATURE("avx")
  CUPR_FEATURE("avx2")
  CUPR_FEATURE("fma")
  CUPR_FEATURE("fma4")
  CUPR_FEATURE("xop")
  CUPR_FEATURE("f16c")
  CUPR_FEATURE("aes")
  CUPR_FEATURE("pclmul")
  CUPR_FEATURE("adx")
  CUPR_FEATURE("sha")
  CUPR_FEATURE("gfni")
  CUPR_FEATURE("vaes")
  CUPR_FEATURE("vpclmulqdq")
  CUPR_FEATURE("avx512f")
  CUPR_FEATURE("avx512cd")
  CUPR_FEATURE("avx512bw")
  CUPR_FEATURE("avx512dq")
  CUPR_FEATURE("avx512vl")
  CUPR_FEATURE("avx512ifma")
  CUPR_FEATURE("avx512vbmi")
  CUPR_FEATURE("avx512vbmi2")
  CUPR_FEATURE("avx512vnni")
  CUPR_FEATURE("avx512bitalg")
  CUPR_FEATURE("avx512vpopcntdq")
  CUPR_FEATURE("avx512bf16")
  CUPR_FEATURE("avx512fp16")
  CUPR_FEATURE("avxvnni")
  CUPR_FEATURE("avxifma")
  CUPR_FEATURE("avxneconvert")
  CUPR_FEATURE("avxvnniint8")
  CUPR_FEATURE("avxvnniint16")
  CUPR_FEATURE("sha512")
  CUPR_FEATURE("sm3")
  CUPR_FEATURE("sm4")
#undef CUPR_FEATURE
  return true;
}

std::string missingFeatures(std::string_view features, bool (*has)(std::string_view feature)) {
  std::string missing;
  while (!features.empty()) {
    const std::string_view feature = features.substr(0, features.find(' '));
    features.remove_prefix(feature.size() == features.size() ? feature.size() : feature.size() + 1);
    if (!feature.empty() && !has(feature))
      missing.append(missing.empty() ? "" : ", ").append(feature);
  }
  return missing;
}

} // namespace cupr::cpu
