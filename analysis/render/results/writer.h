/// Where members of the results go, and what several of them need.
#ifndef CUPR_ANALYSIS_RENDER_RESULTS_WRITER_H
#define CUPR_ANALYSIS_RENDER_RESULTS_WRITER_H

#include "analysis/metrics/results.h"
#include "analysis/output/json.h"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cupr::analysis {

/// Fields of the object that is open.
void countFields(Json &json, const trace::Counts &counts);

struct ResultsWriter {
  ResultsWriter(const Model &model, const Results &results,
                const std::function<void(std::string_view)> &write);

  /// Hands on what is there, so that memory doesn't grow with the text.
  void put() {
    constexpr std::uint64_t kStepsPerCharacter = 10;
    model.limit().spend(kStepsPerCharacter * json.text().size(),
                        [] { return std::string("writing results"); });
    write(json.take());
  }
  void putWhenLarge() {
    if (json.text().size() > (1u << 20))
      put();
  }

  std::uint64_t idOf(LaunchIndex launch) const {
    return static_cast<std::uint64_t>(model.launches()[launch].launch.id);
  }
  // Fields of the object that is open.
  void launchOrHost(const char *key, LaunchIndex launch);
  void counts(const trace::Counts &counts) { countFields(json, counts); }
  void launchVolume(const LaunchVolume &volume);
  /// The largest; all others are one entry.
  void strides(const char *key, const StrideVolume &volume);

  const Model &model;
  const Results &results;
  const Communication &communication;
  const std::function<void(std::string_view)> &write;
  Json json{Json::Style::Line};
  std::vector<std::string> kernels; ///< in the order of their first launch
  std::map<std::string, std::size_t> kernelIndex;
};

} // namespace cupr::analysis

#endif
