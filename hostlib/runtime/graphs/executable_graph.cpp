#include "executable_graph.h"

#include "hostlib/runtime/driver/api_table.h"
#include "hostlib/runtime/driver/in_context.h"
#include "hostlib/runtime/kernels/registration.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <unordered_map>

namespace cupr::host {
namespace {

struct Source {
  std::size_t executables = 0;
  bool isDestroyed = false; ///< by the program
};

struct ExecutableGraphs {
  std::mutex mutex;
  std::unordered_map<cudaGraphExec_t, std::shared_ptr<ExecutableGraph>> executables;
  std::unordered_map<cudaGraph_t, Source> sources;
  std::unordered_map<cudaGraphNode_t, std::vector<cudaGraph_t>> conditionals;
};

ExecutableGraphs &executableGraphs() {
  static ExecutableGraphs *const instance =
      new ExecutableGraphs; // graphs may still be launched while static objects are destroyed
  return *instance;
}

CUfunction functionOf(const Driver &driver, const CUDA_KERNEL_NODE_PARAMS &given) {
  CUfunction function = given.func;
  if (!function && given.kern && driver.cuKernelGetFunction(&function, given.kern) != CUDA_SUCCESS)
    return nullptr;
  return function;
}

/// The handle of the program's kernel that this function is; null: it is none of them.
const void *handleOf(const Driver &driver, CUfunction function) {
  const char *name = nullptr;
  if (driver.cuFuncGetName(&name, function) != CUDA_SUCCESS || !name)
    return nullptr;
  for (const void *const handle : handlesNamed(name)) {
    cudaFunction_t candidate = nullptr;
    CUmodule module = nullptr, wanted = nullptr;
    if (CUPR_BACKEND(cudaGetFuncBySymbol)(&candidate, handle) == cudaSuccess &&
        driver.cuFuncGetModule(&module, candidate) == CUDA_SUCCESS &&
        driver.cuFuncGetModule(&wanted, function) == CUDA_SUCCESS && module == wanted)
      return handle;
  }
  return nullptr;
}

constexpr const char *kDeviceUpdatable = "kernels may change its node in the CUDA graph";

bool isDeviceUpdatable(const Driver &driver, CUgraphNode node) {
  CUlaunchAttributeValue value{};
  return driver.cuGraphKernelNodeGetAttribute(node, CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE,
                                              &value) == CUDA_SUCCESS &&
         value.deviceUpdatableKernelNode.deviceUpdatable;
}

void appendBodies(const Driver &driver, CUgraphNode conditional, std::uint32_t step,
                  std::vector<GraphKernel> &kernels);

/// Appends the kernel that the node is, or those in it, as it stands there in `read`.
void appendKernels(const Driver &driver, CUgraphNode node, CUgraphNode read, std::uint32_t step,
                   std::vector<GraphKernel> &kernels) {
  CUgraphNodeType type;
  CUDA_KERNEL_NODE_PARAMS given{};
  if (driver.cuGraphNodeGetType(read, &type) != CUDA_SUCCESS)
    return;
  if (type == CU_GRAPH_NODE_TYPE_KERNEL && driver.cuGraphKernelNodeGetParams(read, &given) == CUDA_SUCCESS) {
    kernels.emplace_back(driver, node, step, given);
    if (isDeviceUpdatable(driver, read))
      kernels.back().reason = kDeviceUpdatable;
  }
  if (type == CU_GRAPH_NODE_TYPE_CONDITIONAL)
    appendBodies(driver, read, step, kernels);
}

/// What else the bodies do is not told: they run any number of times.
void appendBodies(const Driver &driver, CUgraphNode conditional, std::uint32_t step,
                  std::vector<GraphKernel> &kernels) {
  const auto bodies = executableGraphs().conditionals.find(conditional);
  if (bodies == executableGraphs().conditionals.end())
    return;
  const std::size_t first = kernels.size();
  for (const cudaGraph_t body : bodies->second)
    for (const auto &inside : GraphShape::read(driver, body).executionOrder())
      appendKernels(driver, inside.node, inside.node, step, kernels);
  for (std::size_t i = first; i < kernels.size(); ++i)
    kernels[i].reason =
        "it is in the body of a conditional node of a CUDA graph, which runs any number of times";
}

/// Appends what the node of a step does, as it stands in `read`.
void append(const Driver &driver, std::uint32_t step, CUgraphNode read, GraphWork &work) {
  const CUgraphNode node = work.steps[step].node;
  appendKernels(driver, node, read, step, work.kernels);
  if (auto transfer = GraphTransfer::read(driver, read))
    work.transfers.push_back({node, step, std::move(*transfer)});
}

GraphWork workOf(const Driver &driver, const GraphShape &shape) {
  GraphWork work;
  work.steps = shape.executionOrder();
  for (std::uint32_t step = 0; step < work.steps.size(); ++step)
    append(driver, step, work.steps[step].node, work);
  return work;
}

void refuse(GraphWork &work, const char *reason) {
  for (GraphKernel &kernel : work.kernels)
    kernel.reason = reason;
}

const GraphShape::Node *findNode(const GraphShape &shape, CUgraphNode wanted) {
  for (const GraphShape::Node &node : shape.nodes) {
    if (node.handle == wanted)
      return &node;
    for (const GraphShape &inside : node.inside)
      if (const GraphShape::Node *const found = findNode(inside, wanted))
        return found;
  }
  return nullptr;
}

/// Its source is not needed by it any more.
void release(const Driver &driver, cudaGraph_t graph) {
  const auto source = executableGraphs().sources.find(graph);
  if (source == executableGraphs().sources.end() || --source->second.executables != 0)
    return;
  if (source->second.isDestroyed)
    driver.cuGraphDestroy(graph);
  executableGraphs().sources.erase(source);
}

} // namespace

GraphKernel::GraphKernel(const Driver &driver, CUgraphNode node, std::uint32_t step,
                         const CUDA_KERNEL_NODE_PARAMS &given)
    : node_(node), step_(step), plain_(given) {
  const InContext inContext(driver, given.ctx);
  const CUfunction function = functionOf(driver, given);
  handle_ = function ? handleOf(driver, function) : nullptr;
  if (!handle_)
    foreign_ = std::make_shared<const Kernel>(foreignKernel(driver, function));
  kernel_ = handle_ ? &findKernel(handle_) : foreign_.get();
  reason = kernel_->instrumented ? "" : kernel_->reason;
  plain_.kernelParams = plain_.extra = nullptr;
  if (!reason.empty())
    return;
  std::size_t offset = 0, bytes = 0;
  for (unsigned i = 0; i < kernel_->plainParameterCount(); ++i) {
    if (driver.cuFuncGetParamInfo(function, i, &offset, &bytes) != CUDA_SUCCESS) {
      reason = "the driver doesn't tell the sizes of its arguments";
      return;
    }
    if (!given.kernelParams) {
      reason = "its node in the CUDA graph has its arguments as one buffer (`extra`)";
      return;
    }
    const auto *const value = static_cast<const std::byte *>(given.kernelParams[i]);
    values_.emplace_back(value, value + bytes);
  }
  for (std::vector<std::byte> &value : values_)
    arguments_.push_back(value.data());
}

CUresult GraphKernel::setTraced(const Driver &driver, CUgraphExec executable, const TracedFunction &function,
                                CUfunction variant, const Trace &trace) {
  copyAttributes(function, variant);
  TracedArguments arguments(arguments_.data() + (kernel_->takesTrace() ? 1 : 0), *kernel_, trace);
  CUDA_KERNEL_NODE_PARAMS parameters = plain_;
  parameters.func = variant;
  parameters.kern = nullptr;
  parameters.kernelParams = arguments.get();
  const CUresult result = driver.cuGraphExecKernelNodeSetParams(executable, node_, &parameters);
  if (result == CUDA_SUCCESS)
    isTraced_ = wasTraced_ = true;
  else
    reason = fmt::format("its node in the CUDA graph could not be given the traced variant ({})",
                         driverErrorName(result));
  return result;
}

CUresult GraphKernel::setPlain(const Driver &driver, CUgraphExec executable) {
  if (!isTraced_)
    return CUDA_SUCCESS;
  CUDA_KERNEL_NODE_PARAMS parameters = plain_;
  parameters.kernelParams = arguments_.data();
  const CUresult result = driver.cuGraphExecKernelNodeSetParams(executable, node_, &parameters);
  isTraced_ = result != CUDA_SUCCESS;
  return result;
}

GraphKernel *GraphWork::kernel(CUgraphNode node) {
  const auto found = std::find_if(kernels.begin(), kernels.end(),
                                  [node](const GraphKernel &kernel) { return kernel.node() == node; });
  return found == kernels.end() ? nullptr : &*found;
}

GraphTransferNode *GraphWork::transfer(CUgraphNode node) {
  const auto found = std::find_if(transfers.begin(), transfers.end(),
                                  [node](const GraphTransferNode &each) { return each.node == node; });
  return found == transfers.end() ? nullptr : &*found;
}

void ExecutableGraph::setAllPlain(const Driver &driver) {
  for (GraphKernel &kernel : work.kernels)
    kernel.setPlain(driver, handle);
}

void keepExecutable(cudaGraphExec_t executable, cudaGraph_t graph, unsigned long long flags) {
  const Driver *const driver = Driver::get();
  if (!driver)
    return;
  auto known = std::make_shared<ExecutableGraph>();
  known->handle = executable;
  known->source = graph;
  known->shape = GraphShape::read(*driver, graph);
  known->fromDevice = flags & cudaGraphInstantiateFlagDeviceLaunch;
  const std::scoped_lock lock(executableGraphs().mutex);
  known->work = workOf(*driver, known->shape);
  if (known->fromDevice)
    refuse(known->work, "its CUDA graph may be launched by kernels");
  ++executableGraphs().sources[graph].executables;
  executableGraphs().executables[executable] = std::move(known);
}

void updateExecutable(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t node) {
  const Driver *const driver = Driver::get();
  const std::shared_ptr<ExecutableGraph> known = findExecutable(executable);
  if (!driver || !known)
    return;
  const GraphShape *mine = &known->shape;
  if (node) {
    const GraphShape::Node *const child = findNode(known->shape, node);
    if (!child || child->inside.empty())
      return;
    mine = &child->inside.front();
  }
  const GraphShape other = GraphShape::read(*driver, graph);
  const auto pairs = pairNodes(*mine, other);
  const std::scoped_lock lock(executableGraphs().mutex, known->mutex);
  if (!pairs) {
    // The nodes that were updated are plain now, with arguments that we can't tell.
    const std::vector<GraphShape::Step> updated = mine->executionOrder();
    for (GraphKernel &kernel : known->work.kernels)
      if (std::none_of(updated.begin(), updated.end(),
                       [&](const auto &step) { return step.node == kernel.node(); }))
        kernel.setPlain(*driver, executable);
    known->work = workOf(*driver, other);
    refuse(known->work, "its CUDA graph was updated from one whose nodes can't be assigned to its own");
    return;
  }
  const std::unordered_map<CUgraphNode, CUgraphNode> counterpart(pairs->begin(), pairs->end());
  std::unordered_map<CUgraphNode, GraphKernel *> kernels;
  for (GraphKernel &kernel : known->work.kernels)
    kernels[kernel.node()] = &kernel;
  std::unordered_map<CUgraphNode, GraphTransferNode *> transfers;
  for (GraphTransferNode &transfer : known->work.transfers)
    transfers[transfer.node] = &transfer;
  GraphWork work;
  work.steps = known->shape.executionOrder();
  for (std::uint32_t step = 0; step < work.steps.size(); ++step) {
    const CUgraphNode each = work.steps[step].node;
    const auto pair = counterpart.find(each);
    const auto kernel = kernels.find(each);
    const auto transfer = transfers.find(each);
    if (pair != counterpart.end()) {
      append(*driver, step, pair->second, work);
      if (kernel != kernels.end() && !work.kernels.empty() && work.kernels.back().node() == each)
        work.kernels.back().isEnabled = kernel->second->isEnabled;
      if (transfer != transfers.end() && !work.transfers.empty() && work.transfers.back().node == each)
        work.transfers.back().isEnabled = transfer->second->isEnabled;
    } else if (kernel != kernels.end()) {
      work.kernels.push_back(std::move(*kernel->second));
    } else if (transfer != transfers.end()) {
      work.transfers.push_back(
          {each, step, std::move(transfer->second->transfer), transfer->second->isEnabled});
    }
  }
  known->work = std::move(work);
  if (known->fromDevice)
    refuse(known->work, "its CUDA graph may be launched by kernels");
}

void changeKernel(cudaGraphExec_t executable, cudaGraphNode_t node, const void *handle, dim3 grid, dim3 block,
                  unsigned sharedBytes, void **arguments) {
  const Driver *const driver = Driver::get();
  const std::shared_ptr<ExecutableGraph> known = findExecutable(executable);
  if (!driver || !known)
    return;
  const std::scoped_lock lock(known->mutex);
  GraphKernel *const kernel = known->work.kernel(node);
  if (!kernel)
    return;
  const InContext inContext(*driver, kernel->context());
  cudaFunction_t function = nullptr;
  CUPR_BACKEND(cudaGetFuncBySymbol)(&function, handle);
  CUDA_KERNEL_NODE_PARAMS given{};
  given.func = function;
  given.gridDimX = grid.x;
  given.gridDimY = grid.y;
  given.gridDimZ = grid.z;
  given.blockDimX = block.x;
  given.blockDimY = block.y;
  given.blockDimZ = block.z;
  given.sharedMemBytes = sharedBytes;
  given.kernelParams = arguments;
  given.ctx = kernel->context();
  GraphKernel changed(*driver, node, kernel->step(), given);
  changed.isEnabled = kernel->isEnabled;
  if (known->fromDevice)
    changed.reason = kernel->reason;
  else if (isDeviceUpdatable(*driver, node))
    changed.reason = kDeviceUpdatable;
  *kernel = std::move(changed);
}

void changeTransfer(cudaGraphExec_t executable, cudaGraphNode_t node, GraphTransfer transfer) {
  const std::shared_ptr<ExecutableGraph> known = findExecutable(executable);
  if (!known)
    return;
  const std::scoped_lock lock(known->mutex);
  if (GraphTransferNode *const changed = known->work.transfer(node))
    changed->transfer = std::move(transfer);
}

void setEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, bool isEnabled) {
  const std::shared_ptr<ExecutableGraph> known = findExecutable(executable);
  if (!known)
    return;
  const std::scoped_lock lock(known->mutex);
  if (GraphKernel *const kernel = known->work.kernel(node))
    kernel->isEnabled = isEnabled;
  if (GraphTransferNode *const transfer = known->work.transfer(node))
    transfer->isEnabled = isEnabled;
}

void keepConditional(cudaGraphNode_t node, const cudaGraph_t *bodies, std::size_t count) {
  const std::scoped_lock lock(executableGraphs().mutex);
  executableGraphs().conditionals[node].assign(bodies, bodies + count);
}

void forgetNode(cudaGraphNode_t node) {
  const Driver *const driver = Driver::get();
  if (!driver)
    return;
  const std::scoped_lock lock(executableGraphs().mutex);
  executableGraphs().conditionals.erase(node);
  for (const auto &[handle, known] : executableGraphs().executables) {
    const std::scoped_lock own(known->mutex);
    if (GraphKernel *const kernel = known->work.kernel(node)) {
      kernel->setPlain(*driver, known->handle);
      kernel->reason = "its node has been removed from the CUDA graph";
    }
  }
}

void forgetExecutable(cudaGraphExec_t executable) {
  const Driver *const driver = Driver::get();
  const std::scoped_lock lock(executableGraphs().mutex);
  const auto known = executableGraphs().executables.find(executable);
  if (known == executableGraphs().executables.end())
    return;
  release(*driver, known->second->source);
  executableGraphs().executables.erase(known);
}

void forgetGraphs() {
  const Driver *const driver = Driver::get();
  const std::scoped_lock lock(executableGraphs().mutex);
  for (const auto &[handle, known] : executableGraphs().executables) {
    const std::scoped_lock own(known->mutex);
    known->setAllPlain(*driver);
  }
  for (const auto &[graph, source] : executableGraphs().sources)
    if (source.isDestroyed)
      driver->cuGraphDestroy(graph);
  executableGraphs().executables.clear();
  executableGraphs().sources.clear();
  executableGraphs().conditionals.clear();
}

bool destroyLater(cudaGraph_t graph) {
  const std::scoped_lock lock(executableGraphs().mutex);
  const auto source = executableGraphs().sources.find(graph);
  if (source == executableGraphs().sources.end())
    return false;
  source->second.isDestroyed = true;
  return true;
}

std::shared_ptr<ExecutableGraph> findExecutable(cudaGraphExec_t executable) {
  const std::scoped_lock lock(executableGraphs().mutex);
  const auto known = executableGraphs().executables.find(executable);
  return known == executableGraphs().executables.end() ? nullptr : known->second;
}

} // namespace cupr::host
