#include "graph_kernels.h"

#include "driver.h"

#include <mutex>
#include <unordered_map>

namespace cupr::host {
namespace {

struct Table {
  std::mutex mutex;
  std::unordered_map<cudaGraphExec_t, std::vector<GraphKernel>> graphs;
};

Table &table() {
  static Table *const instance = new Table; // graphs may still be launched while static objects are destroyed
  return *instance;
}

/// Through the driver: an error of the runtime's calls would show in the program's cudaGetLastError.
void collect(const Driver &driver, CUgraph graph, std::vector<GraphKernel> &kernels) {
  std::size_t count = 0;
  if (driver.cuGraphGetNodes(graph, nullptr, &count) != CUDA_SUCCESS)
    return;
  std::vector<CUgraphNode> nodes(count);
  if (driver.cuGraphGetNodes(graph, nodes.data(), &count) != CUDA_SUCCESS)
    return;
  for (const CUgraphNode node : nodes) {
    CUgraphNodeType type;
    if (driver.cuGraphNodeGetType(node, &type) != CUDA_SUCCESS)
      continue;
    CUgraph child;
    if (type == CU_GRAPH_NODE_TYPE_GRAPH &&
        driver.cuGraphChildGraphNodeGetGraph(node, &child) == CUDA_SUCCESS)
      collect(driver, child, kernels);
    CUDA_KERNEL_NODE_PARAMS given{};
    if (type != CU_GRAPH_NODE_TYPE_KERNEL || driver.cuGraphKernelNodeGetParams(node, &given) != CUDA_SUCCESS)
      continue;
    const char *name = nullptr;
    if (given.func)
      driver.cuFuncGetName(&name, given.func);
    else if (given.kern)
      driver.cuKernelGetName(&name, given.kern);
    kernels.push_back({node, name ? name : "(unknown kernel)",
                       dim3(given.gridDimX, given.gridDimY, given.gridDimZ),
                       dim3(given.blockDimX, given.blockDimY, given.blockDimZ), given.sharedMemBytes});
  }
}

} // namespace

void keepGraph(cudaGraphExec_t executable, cudaGraph_t graph) {
  const Driver *const driver = Driver::get();
  if (!driver)
    return;
  std::vector<GraphKernel> kernels;
  collect(*driver, graph, kernels);
  const std::scoped_lock lock(table().mutex);
  table().graphs[executable] = std::move(kernels);
}

void changeGraphKernel(cudaGraphExec_t executable, const GraphKernel &kernel) {
  const std::scoped_lock lock(table().mutex);
  for (GraphKernel &known : table().graphs[executable])
    if (known.node == kernel.node)
      known = kernel;
}

void forgetGraph(cudaGraphExec_t executable) {
  const std::scoped_lock lock(table().mutex);
  table().graphs.erase(executable);
}

std::vector<GraphKernel> kernelsOf(cudaGraphExec_t executable) {
  const std::scoped_lock lock(table().mutex);
  const auto known = table().graphs.find(executable);
  return known == table().graphs.end() ? std::vector<GraphKernel>() : known->second;
}

} // namespace cupr::host
