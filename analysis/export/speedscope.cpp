/// A stack is the functions that led to an access by calls, inlined or not, outermost first, and its source line; weights
/// are bytes. The format: https://github.com/jlfwong/speedscope/wiki/Importing-from-custom-sources
#include "result_exports.h"

#include "analysis/model/call_frame.h"
#include "analysis/model/names.h"
#include "analysis/output/json.h"

#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

namespace cupr::analysis {

namespace {

struct Frame {
  std::string name, file;
  std::uint32_t line = 0; ///< 0: of the whole function
  auto operator<=>(const Frame &) const = default;
};

class Profiles {
public:
  Profiles(const Model &model, const Communication &communication)
      : model_(model), communication_(communication) {
    for (const SiteVolume &site : communication.sites)
      stacks_.push_back(stackOf(site));
  }

  std::string text(const std::string &program) {
    json_.beginObject().field("$schema", "https://www.speedscope.app/file-format-schema.json");
    json_.field("exporter", "cuprewrite").field("name", program);
    json_.key("shared").beginObject().key("frames").beginArray();
    for (const Frame *frame : frames_) {
      json_.beginObject().field("name", frame->name);
      if (!frame->file.empty())
        json_.field("file", frame->file);
      if (frame->line != 0)
        json_.field("line", frame->line);
      json_.endObject();
    }
    json_.endArray().endObject().key("profiles").beginArray();
    profile("bytes accessed", [](const SiteVolume &site) { return site.counts.bytes(); });
    profile("bytes read that earlier launches wrote",
            [](const SiteVolume &site) { return site.readCommunicated; });
    profile("bytes of excess sectors",
            [](const SiteVolume &site) { return 32 * (site.sectors - site.leastSectors); });
    json_.endArray().field("activeProfileIndex", 0).endObject();
    return json_.take() + '\n';
  }

private:
  std::size_t indexOf(Frame frame) {
    const auto [entry, isNew] = indices_.emplace(std::move(frame), frames_.size());
    if (isNew)
      frames_.push_back(&entry->first);
    return entry->second;
  }

  std::vector<std::size_t> stackOf(const SiteVolume &volume) {
    const trace::Site &site = *volume.site;
    const std::vector<std::string> &strings = volume.module->strings;
    const std::string &file = strings[site.file];
    std::vector<std::size_t> stack; // innermost first
    const std::string base = std::filesystem::path(file).filename().string();
    stack.push_back(indexOf({fmt::format("{} {}:{}", abi::operationName(site.operation),
                                         base.empty() ? "unknown" : base, site.line),
                             file, site.line}));
    stack.push_back(indexOf({userName(strings[site.function]), file, 0}));
    for (std::uint32_t at = site.frame; at != abi::kNoFrame; at = volume.module->frames[at].parent) {
      const trace::Frame &frame = volume.module->frames[at];
      stack.push_back(indexOf({callerName(*volume.module, frame), strings[frame.file], 0}));
    }
    const auto place = [] { return std::string("the calls that lead to its sites"); };
    model_.limit().spend(kStepsPerFrame * stack.size(), place);
    model_.limit().keep(kBytesPerFrame * stack.size(), place);
    return {stack.rbegin(), stack.rend()};
  }

  void profile(const char *name, const std::function<std::uint64_t(const SiteVolume &)> &weightOf) {
    std::vector<std::size_t> samples;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < stacks_.size(); ++i)
      if (const std::uint64_t weight = weightOf(communication_.sites[i]); weight != 0) {
        samples.push_back(i);
        sum += weight;
      }
    json_.beginObject().field("type", "sampled").field("name", name).field("unit", "bytes");
    json_.field("startValue", 0).field("endValue", sum).key("samples").beginArray();
    for (const std::size_t i : samples) {
      json_.beginArray();
      for (const std::size_t frame : stacks_[i])
        json_.value(frame);
      json_.endArray();
    }
    json_.endArray().key("weights").beginArray();
    for (const std::size_t i : samples)
      json_.value(weightOf(communication_.sites[i]));
    json_.endArray().endObject();
  }

  /// What is kept is a number, and its text for each profile.
  static constexpr std::uint64_t kStepsPerFrame = 1000, kBytesPerFrame = 40;
  const Model &model_;
  const Communication &communication_;
  std::map<Frame, std::size_t> indices_;
  std::vector<const Frame *> frames_; ///< by index
  std::vector<std::vector<std::size_t>> stacks_;
  Json json_;
};

} // namespace

void resultsToSpeedscope(const ResultSource &source, ByteSink &sink) {
  sink.write(
      Profiles(source.model, source.results.communication).text(source.model.header().process.program));
  sink.finish();
}

} // namespace cupr::analysis
