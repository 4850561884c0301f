/// What code of the CPU device needs of the processor, and whether it is there.
///
/// Kernels are compiled for a kind of processor (`-cupr-host-cpu`, by default x86-64-v3). One without its
/// features would come to an instruction that it doesn't know, and SIGILL tells nobody why. So each
/// module says what its code may use, and launches of its kernels are refused where something is missing.
///
/// Features go by the compiler's names ("avx2"). Those that every x86-64 processor has, and those
/// that no compiler makes use of by itself, are not looked for.
#ifndef CUPR_CPU_PROCESSOR_H
#define CUPR_CPU_PROCESSOR_H

#include <string>
#include <string_view>

namespace cupr::cpu {

/// Whether this machine's processor (and its system) has the feature; true for those not looked for.
bool processorHas(std::string_view feature);

/// Those of `features` (with spaces between) that are not there, as "avx2, fma"; empty: none.
std::string missingFeatures(std::string_view features, bool (*has)(std::string_view feature));

} // namespace cupr::cpu

#endif
