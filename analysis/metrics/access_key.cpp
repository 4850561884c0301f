#include "access_key.h"

#include "analysis/model/call_frame.h"
#include "analysis/model/names.h"

namespace cupr::analysis {

namespace {

/// Of a call that led to a site: names are unmangled.
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
  const auto place = [] { return std::string("the calls that lead to its sites"); };
  for (std::uint32_t at = site.frame; at != abi::kNoFrame; at = module.frames[at].parent) {
    const trace::Frame &frame = module.frames[at];
    const std::string &function = module.strings[frame.function], &file = module.strings[frame.file];
    model.limit().spend(kStepsPerFrame, place);
    model.limit().keep(kBytesPerFrame + function.size() + file.size(), place);
    key.callers.push_back(callerName(module, frame));
    key.callSites.push_back(callPlace(module, frame));
  }
  return key;
}

} // namespace cupr::analysis
