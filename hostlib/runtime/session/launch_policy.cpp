#include "launch_policy.h"

#include "hostlib/runtime/kernels/launch_site.h"
#include "hostlib/trace/clusters.h"

namespace cupr::host {

trace::Launch LaunchPolicy::shape(const LaunchRequest &request) const {
  trace::Launch launch;
  launch.grid = {request.grid.x, request.grid.y, request.grid.z};
  launch.block = {request.block.x, request.block.y, request.block.z};
  launch.dynamicShared = static_cast<std::uint32_t>(request.sharedBytes);
  for (unsigned i = 0; i < request.attributeCount; ++i)
    if (const cudaLaunchAttribute &attribute = request.attributes[i];
        attribute.id == cudaLaunchAttributeClusterDimension)
      setClusters({attribute.val.clusterDim.x, attribute.val.clusterDim.y, attribute.val.clusterDim.z},
                  launch);
  launch.time = events_.now();
  launch.ctas = selection_.blocks();
  return launch;
}

void LaunchPolicy::name(const Kernel &kernel, trace::Launch &launch) {
  launch.kernel = kernel.demangled;
  launch.mangled = kernel.name;
}

void LaunchPolicy::place(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch) {
  events_.streams().name(request.stream, launch);
  int device = 0;
  const cudaError_t known = device_ == DeviceKind::Cpu
                                ? CUPR_BACKEND(cudaStreamGetDevice)(request.stream, &device)
                                : CUPR_BACKEND(cudaGetDevice)(&device);
  if (known == cudaSuccess)
    launch.device = static_cast<std::uint32_t>(device);
  launch.module = modules_.moduleFor(request.kernel, kernel, launch.device);
  if (request.place)
    launch.place = *request.place;
}

trace::Launch LaunchPolicy::configuration(const LaunchRequest &request, const Kernel &kernel) const {
  trace::Launch launch = shape(request);
  name(kernel, launch);
  return launch;
}

trace::Launch LaunchPolicy::describe(const LaunchRequest &request, const Kernel &kernel) {
  trace::Launch launch = configuration(request, kernel);
  place(request, kernel, launch);
  return launch;
}

void LaunchPolicy::describe(const LaunchRequest &request, const Kernel &kernel, trace::Launch &launch) {
  name(kernel, launch);
  place(request, kernel, launch);
  if (const LaunchSite *site = currentLaunchSite()) {
    launch.file = site->file;
    launch.line = site->line;
  }
}

std::string LaunchPolicy::reasonAgainst(const Kernel &kernel) {
  return kernel.instrumented ? selection_.reasonAgainst(kernel.demangled) : kernel.reason;
}

} // namespace cupr::host
