/// A place of a dependence, as people and exports read it.
#ifndef CUPR_ANALYSIS_RENDER_PLACE_TEXT_H
#define CUPR_ANALYSIS_RENDER_PLACE_TEXT_H

#include "analysis/engine/communication.h"

#include <string>
#include <string_view>

namespace cupr::analysis {

/// Texts are the model's.
struct PlaceText {
  std::string_view kernel = "host", file = "";
  std::uint32_t line = 0, column = 0;
  std::string_view operation = "copy or set";
};

inline PlaceText placeText(const Model &model, const Communication &communication, const KernelSite &place) {
  if (place.launch == kHost)
    return {};
  const SiteVolume &site = communication.sites[place.site];
  return {model.launches()[place.launch].kernel, site.module->strings[site.site->file], site.site->line,
          site.site->column, abi::operationName(site.site->operation)};
}

} // namespace cupr::analysis

#endif
