#include "call_frame.h"

#include "names.h"

#include <fmt/format.h>

namespace cupr::analysis {

std::string callerName(const trace::Module &module, const trace::Frame &frame) {
  switch (frame.kind) {
  case abi::FrameKind::Inlined:
  case abi::FrameKind::Called:
    break;
  case abi::FrameKind::
      Recursive: // no blank: what stands in front of one is a return type to those who shorten names
    return "[recursion]" + shortName(userName(module.strings[frame.function]));
  case abi::FrameKind::Indirect:
  case abi::FrameKind::Merged:
    return fmt::format("[{}]", abi::frameKindName(frame.kind));
  }
  return userName(module.strings[frame.function]);
}

std::string callPlace(const trace::Module &module, const trace::Frame &frame) {
  const std::string &file = module.strings[frame.file];
  switch (frame.kind) {
  case abi::FrameKind::Indirect:
  case abi::FrameKind::Merged:
    return {};
  case abi::FrameKind::Recursive:
    return fmt::format("{}:{}", file, frame.line);
  case abi::FrameKind::Inlined:
  case abi::FrameKind::Called:
    break;
  }
  return fmt::format("{}:{}:{}", file, frame.line, frame.column);
}

} // namespace cupr::analysis
