#include "table.h"

namespace cupr::analysis {

namespace {

constexpr const ResultTable *kOfAll[] = {
    &kProgram,        &kKernelVolumes,  &kLaunches,        &kSupersteps,        &kCtaVolumes,
    &kSmVolumes,      &kTransfers,      &kLaunchPairs,     &kDistances,         &kTransferSizes,
    &kDegrees,        &kStrides,        &kBisections,      &kDependences,       &kAllocations,
    &kLines,          &kFindings,       &kAdvisorCuts,     &kAdvisorSupersteps, &kAdvisorInside,
    &kAdvisorAtomics, &kAdvisorParts,   &kAddressHistory,  &kThreadStrides,     &kCtaStrides,
    &kAccesses,       &kBankAccesses,   &kBankKernels,     &kProfileNodes,      &kProfileProcedures,
    &kProfileKinds,   &kProfileThreads, &kProfileSamplings};
constexpr const ResultTable *kOfJson[] = {&kVolumes,
                                          &kOtherMemory,
                                          &kKernels,
                                          &kCommunicationTransfers,
                                          &kLargestDependences,
                                          &kSources,
                                          &kCacheAccesses,
                                          &kCacheKernels,
                                          &kCacheAllocations,
                                          &kLatencyKernels,
                                          &kLatencyAccesses,
                                          &kLatencyLines,
                                          &kLatencyShapes,
                                          &kLatencyHistogram,
                                          &kLatencyMultiprocessors,
                                          &kLatencyWarps,
                                          &kLatencySeries,
                                          &kLatencyClasses,
                                          &kInstructionKernels,
                                          &kInstructionLines,
                                          &kRooflineKernels,
                                          &kRooflineLines,
                                          &kLatencySlowdowns,
                                          &kCacheReuse,
                                          &kCacheAllocationReuse,
                                          &kTraces};

} // namespace

const std::span<const ResultTable *const> kResultTables = kOfAll;
const std::span<const ResultTable *const> kJsonTables = kOfJson;

} // namespace cupr::analysis
