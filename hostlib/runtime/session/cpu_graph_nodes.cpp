/// What the nodes of graphs do on the CPU device, which runs a graph node by node, and asks for each.
#include "devicelib/abi/cpu_device.h"
#include "hostlib/runtime/graphs/graph_transfer.h"
#include "session.h"

namespace cupr::host {
namespace {

/// Performs what the nodes of graphs do on the CPU device.
class NodesOnCpu final : public abi::GraphWatcher {
public:
  int launch(const abi::CpuGraphKernel &node, const abi::CpuGraphStep &step) override {
    const Kernel &kernel = findKernel(node.handle);
    const dim3 grid(node.grid[0], node.grid[1], node.grid[2]);
    const dim3 block(node.block[0], node.block[1], node.block[2]);
    cudaLaunchAttribute attributes[2] = {};
    unsigned count = 0;
    if (node.cluster[0]) {
      attributes[count].id = cudaLaunchAttributeClusterDimension;
      attributes[count++].val.clusterDim = {node.cluster[0], node.cluster[1], node.cluster[2]};
    }
    if (node.cluster[0] && node.cooperative) {
      attributes[count].id = cudaLaunchAttributeCooperative;
      attributes[count++].val.cooperative = 1;
    }
    const auto call = [&](const void *variant, void **arguments) {
      if (count) {
        const cudaLaunchConfig_t config{grid, block, node.sharedBytes, step.stream, attributes, count};
        return CUPR_BACKEND(cudaLaunchKernelExC)(&config, variant, arguments);
      }
      return node.cooperative ? CUPR_BACKEND(cudaLaunchCooperativeKernel)(variant, grid, block, arguments,
                                                                          node.sharedBytes, step.stream)
                              : CUPR_BACKEND(cudaLaunchKernel)(variant, grid, block, arguments,
                                                               node.sharedBytes, step.stream);
    };
    Session *const session = Session::current();
    if (!session)
      return call(node.handle, node.arguments);
    LaunchRequest request{node.handle,      grid,       block, nullptr, node.sharedBytes, step.stream,
                          node.cooperative, attributes, count};
    // The node has a trace argument that records nothing.
    request.arguments = node.arguments + (kernel.takesTrace() ? 1 : 0);
    const trace::GraphPlace place = placeOf(*session, step);
    request.place = &place;
    return session->launch(request, kernel, call);
  }

  void copied(const cudaMemcpy3DParms &copy, const abi::CpuGraphStep &step) override {
    if (Session *const session = Session::current())
      session->events().transferred(GraphTransfer::of(copy), step.stream, placeOf(*session, step));
  }
  void wasSet(const cudaMemsetParams &set, const abi::CpuGraphStep &step) override {
    if (Session *const session = Session::current())
      session->events().transferred(GraphTransfer::of(set), step.stream, placeOf(*session, step));
  }

private:
  /// A graph runs on the thread that launches it, from step 0 to its last one.
  static trace::GraphPlace placeOf(Session &session, const abi::CpuGraphStep &step) {
    static thread_local std::uint64_t graph = 0;
    if (step.number == 0)
      graph = session.events().nextGraphLaunch();
    return {graph, step.number, {step.after, step.after + step.afterCount}};
  }
};

} // namespace

void Session::watchGraphs() {
  static NodesOnCpu nodes;
  cuprCpuSetGraphWatcher(&nodes);
}

} // namespace cupr::host
