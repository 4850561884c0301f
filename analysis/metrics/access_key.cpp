#include "access_key.h"

#include "analysis/model/names.h"

#include <fmt/format.h>

namespace cupr::analysis {

namespace {

/// Of a call that a site was inlined through: names are unmangled.
constexpr std::uint64_t kStepsPerFrame = 1000, kBytesPerFrame = 200;

} // namespace

AccessKey accessKeyOf(const Model &model, LaunchIndex kernel, const trace::Module &module,
                      const trace::Site &site) {
  AccessKey key{.kernel = kernel,
                .file = module.strings[site.file],
                .line = site.line,
                .column = site.column,
                .operation = site.operation,
                .function = userName(module.strings[site.function]),
                .callers = {},
                .callSites = {},
                .bytes = site.bytes};
  const auto place = [] { return std::string("the calls that its sites are inlined through"); };
  for (std::uint32_t at = site.frame; at != abi::kNoFrame; at = module.frames[at].parent) {
    const trace::Frame &frame = module.frames[at];
    const std::string &function = module.strings[frame.function], &file = module.strings[frame.file];
    model.limit().spend(kStepsPerFrame, place);
    model.limit().keep(kBytesPerFrame + function.size() + file.size(), place);
    key.callers.push_back(userName(function));
    key.callSites.push_back(fmt::format("{}:{}:{}", file, frame.line, frame.column));
  }
  return key;
}

} // namespace cupr::analysis
