/// The loops of the program's source, as extents in its text, and in which of them a place lies.
///
/// A loop of the source is the same thing on the host and on the device, and stays it at any level of optimisation: what is unrolled, peeled or
/// moved keeps its line and column. Nothing is noted at run time; whoever knows the place of a call or an access in a
/// function, and the extents of loops, knows in which loops of that function it lies. Clang knows them.
///
///     for (int i = first(); i < n; ++i)         // For; `int i = first()` is Entry: it is done once
///       each([&](int x) { step(x, i); });       // the lambda's body is Function: its code is in no loop of its own
///
/// A table is a list of texts, one for each extent: "for 12:3-14:7 TAB /home/me/app.cu". Points are those of the first and the last token.
///
/// - *Of the device*, the named metadata kSourceLoops has a string for each, and the pass puts those that hold a place of a site into the
///   device variable CUPR_SOURCE_LOOPS of the module, a line each, in the user's columns.
/// - *Of the host*, the ELF section kLoopSection of objects has them, each ended by a NUL, in the columns that debug information has. It
///   is not loaded, and linkers keep one of equal texts (SHF_MERGE and SHF_STRINGS).
#ifndef CUPR_ABI_SOURCE_LOOPS_H
#define CUPR_ABI_SOURCE_LOOPS_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#define CUPR_SOURCE_LOOPS "__cupr_source_loops"

namespace cupr {
namespace abi {

constexpr const char *kSourceLoops = "cupr.source.loops", *const kLoopSection = ".cupr_loops";

enum class LoopKind : std::uint8_t {
#define CUPR_LOOP_KIND(enumerator, name) enumerator,
#include "loop_kind.def"
};

constexpr unsigned kLoopKinds = 0
#define CUPR_LOOP_KIND(enumerator, name) +1
#include "loop_kind.def"
    ;

inline const char *loopKindName(LoopKind kind) {
  switch (kind) {
#define CUPR_LOOP_KIND(enumerator, name)                                                                     \
  case LoopKind::enumerator:                                                                                 \
    return name;
#include "loop_kind.def"
  }
  return "unknown loop";
}

inline bool isLoop(LoopKind kind) { return kind != LoopKind::Function && kind != LoopKind::Entry; }

struct SourcePoint {
  std::uint32_t line, column; ///< from 1; a column of 0: not known, as if before the line's first
};
inline bool operator<(SourcePoint a, SourcePoint b) {
  return std::tie(a.line, a.column) < std::tie(b.line, b.column);
}
inline bool operator==(SourcePoint a, SourcePoint b) { return a.line == b.line && a.column == b.column; }

struct SourceLoop {
  LoopKind kind;
  SourcePoint begin, end; ///< of the first and the last token
};
inline bool operator==(const SourceLoop &a, const SourceLoop &b) {
  return a.kind == b.kind && a.begin == b.begin && a.end == b.end;
}
/// What every extent keeps to.
inline bool isSound(const SourceLoop &loop) {
  return static_cast<unsigned>(loop.kind) < kLoopKinds && loop.begin.line != 0 && !(loop.end < loop.begin);
}

inline std::string loopText(const SourceLoop &loop, const std::string &file) {
  return std::string(loopKindName(loop.kind)) + " " + std::to_string(loop.begin.line) + ":" +
         std::to_string(loop.begin.column) + "-" + std::to_string(loop.end.line) + ":" +
         std::to_string(loop.end.column) + "\t" + file;
}

/// False: the text is none of an extent.
inline bool readLoop(const std::string &text, SourceLoop &loop, std::string &file) {
  char name[16] = "";
  const std::size_t tab = text.find('\t');
  if (tab == std::string::npos || std::sscanf(text.c_str(), "%15s %u:%u-%u:%u", name, &loop.begin.line,
                                              &loop.begin.column, &loop.end.line, &loop.end.column) != 5)
    return false;
  unsigned kind = 0;
  while (kind < kLoopKinds && std::strcmp(loopKindName(static_cast<LoopKind>(kind)), name) != 0)
    ++kind;
  loop.kind = static_cast<LoopKind>(kind);
  file = text.substr(tab + 1);
  return isSound(loop);
}

/// The extents of one file. They may come in any order and several times, and need not lie within each other: files may differ from unit to unit.
class LoopNest {
public:
  explicit LoopNest(std::vector<SourceLoop> loops) : loops_(std::move(loops)) {
    std::sort(loops_.begin(), loops_.end(), [](const SourceLoop &a, const SourceLoop &b) {
      return std::tie(a.begin, b.end, a.kind) < std::tie(b.begin, a.end, b.kind);
    });
    // Loops of one extent come from one macro: no place tells them apart.
    loops_.erase(std::unique(loops_.begin(), loops_.end(),
                             [](const SourceLoop &a, const SourceLoop &b) {
                               return a.begin == b.begin && a.end == b.end &&
                                      (a.kind == b.kind || (isLoop(a.kind) && isLoop(b.kind)));
                             }),
                 loops_.end());
    std::vector<std::size_t> open;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      while (!open.empty() && loops_[open.back()].end < loops_[i].begin)
        open.pop_back();
      outer_.push_back(open.empty() ? kNone : open.back());
      open.push_back(i);
    }
  }

  const std::vector<SourceLoop> &loops() const { return loops_; }

  /// Calls `visit(index)` for the extents around the place, the innermost first, until that is false. Returns how many extents it has looked at.
  template <typename Visit> std::size_t around(SourcePoint place, Visit visit) const {
    std::size_t looked = 1;
    const auto behind =
        std::upper_bound(loops_.begin(), loops_.end(), place,
                         [](SourcePoint point, const SourceLoop &loop) { return point < loop.begin; });
    // Whatever begins before the place and ends behind it was open when the last of these began.
    for (std::size_t i = behind == loops_.begin() ? kNone : behind - loops_.begin() - 1; i != kNone;
         i = outer_[i], ++looked)
      if (!(loops_[i].end < place) && !visit(i))
        break;
    return looked;
  }

  /// Adds the loops that the place lies in, the innermost first, those of its own function. Returns as above.
  std::size_t loopsAt(SourcePoint place, std::vector<SourceLoop> &to) const {
    bool isBefore = false; // the next loop
    return around(place, [&](std::size_t index) {
      const SourceLoop &loop = loops_[index];
      if (isLoop(loop.kind)) {
        if (!isBefore)
          to.push_back(loop);
        isBefore = false;
      } else if (loop.kind == LoopKind::Entry) {
        isBefore = true;
      }
      return loop.kind != LoopKind::Function;
    });
  }

private:
  static constexpr std::size_t kNone = SIZE_MAX;
  std::vector<SourceLoop> loops_;
  std::vector<std::size_t> outer_; ///< the extent that was open when this one began
};

} // namespace abi
} // namespace cupr

#endif
