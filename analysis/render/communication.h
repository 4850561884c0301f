/// Communication as text.
#ifndef CUPR_ANALYSIS_RENDER_COMMUNICATION_H
#define CUPR_ANALYSIS_RENDER_COMMUNICATION_H

#include "analysis/engine/communication.h"
#include "analysis/metrics/shown_part.h"

#include <string>

namespace cupr::analysis {

/// Tables for people; the list of transfers between CTAs holds the `top` largest.
/// Pairs and transfers: those that a launch that is shown has part in.
std::string communicationText(const Model &model, const Communication &communication, std::size_t top,
                              const ShownPart &shown);

/// What was accessed and communicated in all; ends with an empty line.
std::string volumeText(const ProgramVolume &volume);

/// `launch 3 (kernel)` or `host`.
std::string superstepText(const Model &model, LaunchIndex superstep);
/// `x`, `x,y` or `x,y,z`, as many numbers as the grid has dimensions.
std::string ctaText(const Model &model, LaunchIndex superstep, std::uint32_t cta);

} // namespace cupr::analysis

#endif
