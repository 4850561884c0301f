/// Who called: the paths of the calls of the CUDA API through the program's code, with functions and lines, and which call made an act.
///
/// A node of a path (trace::HostNode) is a place in the code. In the source it is one or more *frames*: the function that holds it,
/// and the functions inlined there.
#ifndef CUPR_ANALYSIS_HOST_PATHS_H
#define CUPR_ANALYSIS_HOST_PATHS_H

#include "model.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cupr::analysis {

/// Begins the name of the function that clang makes of a launch of a kernel.
inline constexpr std::string_view kLaunchStub = "__device_stub__";

struct PathFrame {
  enum class Kind : std::uint8_t {
    Function,
    Signal,  ///< a signal's handler was entered: a step without code
    Unknown, ///< code that is in no file
    Cut,     ///< what stands further out is not known
  };
  Kind kind = Kind::Function;
  std::string_view function; ///< never empty: where the name is not known, the object's and the offset
  std::string_view file;     ///< empty: not known
  std::uint32_t line = 0;    ///< of the call, or of the sample; 0: not known
  std::uint32_t column = 0;  ///< likewise, as debug information has it
  std::string_view object;   ///< path of the ELF file; empty: none
};

/// Takes the function that clang makes of a launch off the end of a path. Returns the kernel; nothing: the path is no launch's.
std::optional<std::string> takeLaunchStub(std::vector<PathFrame> &path);

/// The model must outlive this, and its texts live as long as both.
class HostPaths {
public:
  explicit HostPaths(const Model &model);

  /// The call that made the act of this order; nothing: none is known.
  std::optional<std::uint64_t> callOf(std::uint64_t order) const;
  /// Frames of one node, outermost first; not empty.
  std::vector<PathFrame> framesOf(std::uint32_t node) const;
  /// Of all nodes of a path, outermost first. Its cost is taken from the model's limit.
  std::vector<PathFrame> pathTo(std::uint32_t node) const;
  /// "main > step(int) > upload(Mesh&)"; empty: the path is not known.
  std::string textOf(std::uint32_t node) const;
  /// The path of the call that made an act; empty: it is not known.
  std::string pathOfAct(std::uint64_t order) const;

private:
  const Model &model_;
  const trace::HostBatch &host_;
  std::vector<std::pair<std::uint64_t, std::uint64_t>> calls_; ///< order and call, ascending
  std::vector<std::uint32_t>
      places_; ///< of nodes: index in the host's places; kNoHostIndex: none, or it says no function
  std::vector<std::string> names_; ///< of nodes without one
};

} // namespace cupr::analysis

#endif
