#include "roofline_options.h"

#include "analysis/engine/kept_caches.h"
#include "analysis/metrics/access_costs.h"
#include "analysis/output/progress.h"
#include "plain_times_option.h"

#include <unistd.h>

namespace cupr::analysis {

void addRooflineOptions(CLI::App &command, RooflineChoices &choices) {
  command
      .add_option("--ceilings", choices.ceilings,
                  "What the GPU can do at most: what examples/ceilings has printed there")
      ->option_text("FILE");
  addPlainTimes(command, choices.times);
}

Roofline rooflineOf(const Model &model, const RooflineChoices &choices, bool quiet) {
  Roofline roofline;
  if (!choices.ceilings.empty())
    roofline.ceilings = readCeilings(choices.ceilings);
  const std::string device = !choices.device.empty() ? choices.device
                             : roofline.ceilings     ? roofline.ceilings->device
                                                     : model.header().process.deviceName;
  if (const CacheGeometry *known = geometryOf(device))
    roofline.geometry = known;
  Progress progress("roofline", stderr, ::isatty(STDERR_FILENO) != 0);
  const CacheUse use = keptCacheUse(
      model, *roofline.geometry,
      {.launches = choices.launches, .cold = choices.cold, .progress = quiet ? nullptr : &progress});
  roofline.lines = rooflineWork(instructionMixes(model, choices.launches), cacheCosts(model, use.sites));
  roofline.fill = kernelFill(model, choices.launches, *roofline.geometry);
  if (!choices.times.empty()) {
    roofline.times = plainTimes(model, choices.launches, readPlainTimes(choices.times));
    if (roofline.times.empty())
      warnOfNoTimes(choices.times);
  }
  return roofline;
}

} // namespace cupr::analysis
