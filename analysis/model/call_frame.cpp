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

bool isCallerKnown(const trace::Frame &frame) {
  return frame.kind != abi::FrameKind::Indirect && frame.kind != abi::FrameKind::Merged;
}

std::string callPlace(const trace::Module &module, const trace::Frame &frame) {
  if (!isCallerKnown(frame))
    return {};
  const std::string &file = module.strings[frame.file];
  if (frame.kind == abi::FrameKind::Recursive)
    return fmt::format("{}:{}", file, frame.line);
  return fmt::format("{}:{}:{}", file, frame.line, frame.column);
}

} // namespace cupr::analysis
