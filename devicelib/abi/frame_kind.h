/// What frames of a site table stand for (frame_kind.def).
#ifndef CUPR_ABI_FRAME_KIND_H
#define CUPR_ABI_FRAME_KIND_H

#include <cstdint>

namespace cupr {
namespace abi {

enum class FrameKind : std::uint8_t {
#define CUPR_FRAME_KIND(enumerator, name) enumerator,
#include "frame_kind.def"
};

constexpr unsigned kFrameKinds = 0
#define CUPR_FRAME_KIND(enumerator, name) +1
#include "frame_kind.def"
    ;

inline const char *frameKindName(FrameKind kind) {
  switch (kind) {
#define CUPR_FRAME_KIND(enumerator, name)                                                                    \
  case FrameKind::enumerator:                                                                                \
    return name;
#include "frame_kind.def"
  }
  return "unknown frame";
}

} // namespace abi
} // namespace cupr

#endif
