#include "api_launch.h"

namespace cupr::rewrite {

constexpr std::string_view kDriverGraph =
    "a launch as part of a graph that the driver's calls make is not traced";

/// hostlib/runtime/hooks/hook_launch.cpp, hook_graph.cpp and hook_driver.cpp have a hook for each that is traced.
constexpr LaunchFunction kLaunchFunctions[] = {
    {"cudaLaunchKernel", 0, ""},
    {"cudaLaunchKernelExC", 1, ""},
    {"cudaLaunchCooperativeKernel", 0, ""},
    {"cudaGraphAddKernelNode", -1, ""},
    {"cudaGraphKernelNodeSetParams", -1, ""},
    {"cudaGraphExecKernelNodeSetParams", -1, ""},
    {"cuLaunchKernel", -1, ""},
    {"cuLaunchKernelEx", -1, ""},
    {"cuLaunchCooperativeKernel", -1, ""},
    {"cuGraphAddKernelNode", -1, kDriverGraph},
};

const LaunchFunction *findLaunchFunction(std::string_view name) {
  for (const LaunchFunction &function : kLaunchFunctions)
    // The driver's header renames its functions: cuGraphAddKernelNode_v2, cuLaunchKernel_ptsz.
    if (name == function.name ||
        (name.starts_with(function.name) && name.substr(function.name.size()).starts_with("_")))
      return &function;
  return nullptr;
}

} // namespace cupr::rewrite
