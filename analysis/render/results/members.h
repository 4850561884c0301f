/// One function for each member of docs/results.schema.json, or a few that belong together. They only render:
/// every figure comes from a metric.
#ifndef CUPR_ANALYSIS_RENDER_RESULTS_MEMBERS_H
#define CUPR_ANALYSIS_RENDER_RESULTS_MEMBERS_H

#include "writer.h"

namespace cupr::analysis {

void program(ResultsWriter &to);
void volume(ResultsWriter &to);
/// The members that `volume` writes.
void programVolume(Json &json, const ProgramVolume &volume);

void kernels(ResultsWriter &to);
void launches(ResultsWriter &to);
void supersteps(ResultsWriter &to);

void distances(ResultsWriter &to);
void transferSizes(ResultsWriter &to);
void degrees(ResultsWriter &to);
void bisection(ResultsWriter &to);
void strides(ResultsWriter &to);
/// If they were asked for.
void ctaStrides(ResultsWriter &to);
void pairs(ResultsWriter &to);
void transferList(ResultsWriter &to);

void kernelMatrix(ResultsWriter &to);
void density(ResultsWriter &to);

void dependences(ResultsWriter &to);
void allocations(ResultsWriter &to);
void lines(ResultsWriter &to);
void sources(ResultsWriter &to);
void findingList(ResultsWriter &to);
void advisor(ResultsWriter &to);

} // namespace cupr::analysis

#endif
