#include "roofline_options.h"

#include "analysis/engine/cache_model.h"
#include "analysis/metrics/access_costs.h"
#include "analysis/output/progress.h"

#include <cstdio>
#include <unistd.h>

namespace cupr::analysis {

namespace {

KernelTimes timesFrom(const std::string &path, const Model &model, const LaunchSelection &launches) {
  const Model timed(path);
  if (timed.header().process.deviceKind == "cpu")
    std::fprintf(stderr, "cupranalyze: warning: %s has times of the CPU device, not of a GPU\n",
                 path.c_str());
  KernelTimes times = plainTimes(model, launches, timed);
  if (times.empty())
    std::fprintf(
        stderr,
        "cupranalyze: warning: %s has no time of these kernels: run the program with CUPR_START=off and "
        "CUPR_UNTRACED=time\n",
        path.c_str());
  return times;
}

} // namespace

void addRooflineOptions(CLI::App &command, RooflineChoices &choices) {
  command
      .add_option("--ceilings", choices.ceilings,
                  "What the GPU can do at most: what examples/ceilings has printed there")
      ->option_text("FILE");
  command
      .add_option("--times", choices.times,
                  "Trace of the same program whose launches are not traced, but timed: how long kernels take")
      ->option_text("TRACE");
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
  const CacheUse use =
      cacheUse(model, *roofline.geometry,
               {.launches = choices.launches, .cold = choices.cold, .progress = quiet ? nullptr : &progress});
  roofline.lines = rooflineWork(instructionMixes(model, choices.launches), cacheCosts(model, use.sites));
  roofline.fill = kernelFill(model, choices.launches, *roofline.geometry);
  if (!choices.times.empty())
    roofline.times = timesFrom(choices.times, model, choices.launches);
  return roofline;
}

} // namespace cupr::analysis
