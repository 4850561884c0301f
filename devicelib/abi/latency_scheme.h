/// The ways in which a timed kernel measures how long an access takes (latency_scheme.def).
///
/// One clock is read in front of the access and one behind it. A machine that goes on while a load is under way reads the second one
/// too early, unless something makes it wait (H. Kanda et al., An Instrumentation Method for Analyzing Efficiency of Memory Access in
/// CUDA Programs, 2011, section 5.1: a fence for memory that is written, a data dependency for memory that is only read).
#ifndef CUPR_ABI_LATENCY_SCHEME_H
#define CUPR_ABI_LATENCY_SCHEME_H

#include <cstdint>
#include <cstring>

namespace cupr {
namespace abi {

enum class LatencyScheme : std::uint8_t {
#define CUPR_LATENCY_SCHEME(enumerator, name) enumerator,
#include "latency_scheme.def"
};

constexpr unsigned kLatencySchemes = 0
#define CUPR_LATENCY_SCHEME(enumerator, name) +1
#include "latency_scheme.def"
    ;

/// Empty: none.
inline const char *schemeName(LatencyScheme scheme) {
  switch (scheme) {
#define CUPR_LATENCY_SCHEME(enumerator, name)                                                                \
  case LatencyScheme::enumerator:                                                                            \
    return name;
#include "latency_scheme.def"
  }
  return "unknown scheme";
}

/// All but None: `naive, fence ...`.
constexpr const char *kSchemeNames = &(
#define CUPR_LATENCY_SCHEME(enumerator, name) ", " name
#include "latency_scheme.def"
    )[4]; // without the first one, which has no name, and the commas

/// False: it is the name of none.
inline bool parseScheme(const char *text, LatencyScheme &scheme) {
  for (unsigned number = 1; number < kLatencySchemes; ++number)
    if (std::strcmp(text, schemeName(static_cast<LatencyScheme>(number))) == 0) {
      scheme = static_cast<LatencyScheme>(number);
      return true;
    }
  return false;
}

} // namespace abi
} // namespace cupr

#endif
