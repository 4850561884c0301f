// Graphs and stream capture: what each kind of node does, the order, copies of graphs, updates, and the errors.
#include "check.h"
#include <cstring>
#include <vector>

__global__ void add(int *p, int v) { p[threadIdx.x] += v; }
__global__ void multiply(int *p, int v) { p[threadIdx.x] *= v; }
__device__ int symbol;

#define FAILS(error, call)                                                                                   \
  do {                                                                                                       \
    cudaError_t result_ = (call);                                                                            \
    CHECK(result_ == (error), "%s: %s", #call, cudaGetErrorName(result_));                                   \
    cudaGetLastError();                                                                                      \
  } while (0)

static int *p;
static int first() {
  int value;
  CUDA(cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost));
  return value;
}
static void called(void *data) { ++*(int *)data; }

static cudaKernelNodeParams kernel(void (*function)(int *, int), void **arguments) {
  cudaKernelNodeParams parameters = {};
  parameters.func = (void *)function;
  parameters.gridDim = dim3(1);
  parameters.blockDim = dim3(32);
  parameters.kernelParams = arguments;
  return parameters;
}

static void nodes() {
  int v = 5, f = 3, calls = 0, out = 0;
  void *sum[] = {&p, &v}, *product[] = {&p, &f};
  cudaKernelNodeParams adding = kernel(add, sum), multiplying = kernel(multiply, product);
  cudaGraph_t graph;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t set, a, m, copy, host, empty, toSymbol;
  cudaMemsetParams zero = {};
  zero.dst = p;
  zero.elementSize = 4;
  zero.width = 32;
  zero.height = 1;
  zero.value = 7;
  // Added in the wrong order: the dependencies count. (7 + 5) * 3.
  CUDA(cudaGraphAddKernelNode(&m, graph, nullptr, 0, &multiplying));
  CUDA(cudaGraphAddKernelNode(&a, graph, nullptr, 0, &adding));
  CUDA(cudaGraphAddMemsetNode(&set, graph, nullptr, 0, &zero));
  const cudaGraphNode_t from[] = {set, a}, to[] = {a, m};
  CUDA(cudaGraphAddDependencies(graph, from, to, nullptr, 2));
  FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, from, to, nullptr, 1));
  FAILS(cudaErrorInvalidValue, cudaGraphAddDependencies(graph, &m, &set, nullptr, 1));
  CUDA(cudaGraphAddMemcpyNode1D(&copy, graph, &m, 1, &out, p, 4, cudaMemcpyDeviceToHost));
  CUDA(cudaGraphAddEmptyNode(&empty, graph, &copy, 1));
  cudaHostNodeParams function = {called, &calls};
  CUDA(cudaGraphAddHostNode(&host, graph, &empty, 1, &function));
  CUDA(cudaGraphAddMemcpyNodeToSymbol(&toSymbol, graph, &m, 1, symbol, &v, 4, 0, cudaMemcpyHostToDevice));

  size_t count = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &count));
  CHECK(count == 7, "%zu", count);
  CUDA(cudaGraphGetRootNodes(graph, nullptr, &count));
  CHECK(count == 1, "%zu", count);
  cudaGraphNode_t root;
  CUDA(cudaGraphGetRootNodes(graph, &root, &count));
  CHECK(root == set, "the set comes first");
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count));
  CHECK(count == 6, "%zu", count);
  CUDA(cudaGraphNodeGetDependentNodes(m, nullptr, nullptr, &count));
  CHECK(count == 2, "%zu", count);
  cudaGraphNodeType type;
  CUDA(cudaGraphNodeGetType(host, &type));
  CHECK(type == cudaGraphNodeTypeHost, "%d", type);

  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK(out == 36 && calls == 1, "%d %d", out, calls);
  CUDA(cudaMemcpyFromSymbol(&out, symbol, 4));
  CHECK(out == 5, "%d", out);

  // In the executable graph alone; the arguments were copied. (7 + 6) * 3, then without the addition.
  v = 6;
  CUDA(cudaGraphExecKernelNodeSetParams(exec, a, &adding));
  v = 99;
  CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK(out == 39, "%d", out);
  CUDA(cudaGraphNodeSetEnabled(exec, a, 0));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK(out == 21, "%d", out);
  cudaKernelNodeParams back;
  CUDA(cudaGraphKernelNodeGetParams(a, &back));
  CHECK(*(int *)back.kernelParams[1] == 5 && back.func == (void *)add, "the graph is as it was");

  // A clone is a graph of its own: changing it leaves the original alone.
  cudaGraph_t clone;
  cudaGraphNode_t cloned;
  CUDA(cudaGraphClone(&clone, graph));
  CUDA(cudaGraphNodeFindInClone(&cloned, a, clone));
  CHECK(cloned != a, "another node");
  CUDA(cudaGraphKernelNodeSetParams(cloned, &adding)); // 99
  cudaGraphExecUpdateResultInfo info;
  CUDA(cudaGraphExecUpdate(exec, clone, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess, "%d", info.result);
  CUDA(cudaGraphNodeSetEnabled(exec, a, 1));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK(out == (7 + 99) * 3, "%d", out);
  CUDA(cudaGraphDestroyNode(cloned));
  FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, clone, &info));
  CHECK(info.result == cudaGraphExecUpdateErrorTopologyChanged, "%d", info.result);
  FAILS(cudaErrorInvalidValue, cudaGraphNodeFindInClone(&cloned, a, clone));

  // Destroyed graphs do not matter to what was made from them.
  CUDA(cudaGraphDestroy(clone));
  CUDA(cudaGraphDestroy(graph));
  FAILS(cudaErrorInvalidValue, cudaGraphDestroy(graph));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK(out == (7 + 99) * 3 && calls == 5, "%d %d", out, calls);
  CUDA(cudaGraphExecDestroy(exec));
  FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, nullptr));
}

/// ((1 + 1) * 2 ...): a graph inside a graph, changed in the executable graph.
static void children() {
  int v = 1, f = 2;
  void *sum[] = {&p, &v}, *product[] = {&p, &f};
  cudaKernelNodeParams adding = kernel(add, sum), multiplying = kernel(multiply, product);
  cudaGraph_t child, parent, inside;
  cudaGraphNode_t a, part, m;
  CUDA(cudaGraphCreate(&child, 0));
  CUDA(cudaGraphAddKernelNode(&a, child, nullptr, 0, &adding));
  CUDA(cudaGraphCreate(&parent, 0));
  CUDA(cudaGraphAddChildGraphNode(&part, parent, nullptr, 0, child));
  CUDA(cudaGraphAddKernelNode(&m, parent, &part, 1, &multiplying));
  CUDA(cudaGraphChildGraphNodeGetGraph(part, &inside));
  CHECK(inside != child, "the node has a copy");
  FAILS(cudaErrorInvalidValue, cudaGraphDestroy(inside));
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, parent, 0));
  CUDA(cudaMemset(p, 0, 128));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK(first() == 2, "%d", first());
  v = 10;
  CUDA(cudaGraphKernelNodeSetParams(a, &adding));
  CUDA(cudaGraphExecChildGraphNodeSetParams(exec, part, child));
  CUDA(cudaGraphLaunch(exec, nullptr));
  CHECK(first() == 24, "%d", first());
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(parent));
  CUDA(cudaGraphDestroy(child));
}

static void capture() {
  cudaStream_t s, t, blocking;
  CUDA(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking));
  CUDA(cudaStreamCreate(&blocking));
  cudaEvent_t fork, join, other;
  CUDA(cudaEventCreate(&fork));
  CUDA(cudaEventCreate(&join));
  CUDA(cudaEventCreate(&other));
  CUDA(cudaEventRecord(other, t));
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int calls = 0, *q;
  CUDA(cudaMalloc(&q, 128));

  // A second stream takes part between two events. Nothing runs before the launch.
  CUDA(cudaMemset(p, 0, 128));
  CUDA(cudaMemset(q, 0, 128));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, s>>>(p, 2);
  CUDA(cudaEventRecord(fork, s));
  CUDA(cudaStreamWaitEvent(t, fork, 0));
  CUDA(cudaMemcpyAsync(q, p, 128, cudaMemcpyDeviceToDevice, t));
  multiply<<<1, 32, 0, s>>>(p, 10);
  CUDA(cudaEventRecord(join, t));
  CUDA(cudaStreamWaitEvent(s, join, 0));
  CUDA(cudaLaunchHostFunc(s, called, &calls));
  cudaStreamCaptureStatus status;
  size_t last = 0;
  const cudaGraphNode_t *dependencies;
  CUDA(cudaStreamGetCaptureInfo(t, &status, nullptr, nullptr, &dependencies, nullptr, &last));
  CHECK(status == cudaStreamCaptureStatusActive && last == 1, "%d %zu", status, last);
  CUDA(cudaStreamEndCapture(s, &graph));
  CUDA(cudaStreamIsCapturing(t, &status));
  CHECK(status == cudaStreamCaptureStatusNone && first() == 0 && calls == 0, "%d %d", status, calls);
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 3; ++i)
    CUDA(cudaGraphLaunch(exec, s));
  // ((((2 * 10) + 2) * 10) + 2) * 10
  int copied;
  CUDA(cudaMemcpy(&copied, q, 4, cudaMemcpyDeviceToHost));
  CHECK(first() == 2220 && copied == 222 && calls == 3, "%d %d %d", first(), copied, calls);

  // An executable graph can't be launched into a capture.
  cudaGraph_t outer;
  CUDA(cudaStreamBeginCapture(t, cudaStreamCaptureModeThreadLocal));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaGraphLaunch(exec, t));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(t, &outer));
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));

  // What can't be captured fails, and so does the end of the capture.
  FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorIllegalState, cudaStreamEndCapture(s, &graph));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorIllegalState, cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(s));
  CUDA(cudaStreamIsCapturing(s, &status));
  CHECK(status == cudaStreamCaptureStatusInvalidated, "%d", status);
  FAILS(cudaErrorStreamCaptureInvalidated, cudaMemsetAsync(p, 0, 128, s));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
  CHECK(graph == nullptr, "no graph");
  CUDA(cudaMemsetAsync(p, 0, 128, s));

  void *more;
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&more, 4));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeRelaxed));
  CUDA(cudaMalloc(&more, 4));
  CUDA(cudaStreamEndCapture(s, &graph));
  CUDA(cudaGraphDestroy(graph));

  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA(cudaEventRecord(fork, s));
  FAILS(cudaErrorCapturedEvent, cudaEventSynchronize(fork));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));

  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  FAILS(cudaErrorStreamCaptureIsolation, cudaStreamWaitEvent(s, other, 0));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));

  // The other stream's work must be waited for, and the capture ended where it began.
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA(cudaEventRecord(fork, s));
  CUDA(cudaStreamWaitEvent(t, fork, 0));
  add<<<1, 32, 0, t>>>(p, 1);
  FAILS(cudaErrorStreamCaptureUnjoined, cudaStreamEndCapture(s, &graph));
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA(cudaEventRecord(fork, s));
  CUDA(cudaStreamWaitEvent(t, fork, 0));
  FAILS(cudaErrorStreamCaptureUnmatched, cudaStreamEndCapture(t, &graph));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));

  // Two captures can't be one.
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  CUDA(cudaStreamBeginCapture(t, cudaStreamCaptureModeGlobal));
  CUDA(cudaEventRecord(fork, s));
  FAILS(cudaErrorStreamCaptureMerge, cudaStreamWaitEvent(t, fork, 0));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(t, &graph));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(s, &graph));

  // The legacy stream would wait for a blocking stream that is captured.
  CUDA(cudaStreamBeginCapture(blocking, cudaStreamCaptureModeRelaxed));
  FAILS(cudaErrorStreamCaptureImplicit, cudaMemset(p, 0, 128));
  FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(blocking, &graph));
  CUDA(cudaMemset(p, 0, 128));

  // Refused launches are refused when they are captured.
  CUDA(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  add<<<1, 2048, 0, s>>>(p, 1);
  CHECK(cudaGetLastError() == cudaErrorInvalidValue, "a block of 2048 threads is too large");
  cudaStreamEndCapture(s, &graph);
  cudaGetLastError();
  CHECK(std::strcmp(cudaGetErrorName(cudaErrorStreamCaptureUnjoined), "cudaErrorStreamCaptureUnjoined") ==
                0 &&
            std::strcmp(cudaGetErrorString(cudaErrorStreamCaptureUnjoined),
                        "capturing stream has unjoined work") == 0,
        "%s", cudaGetErrorString(cudaErrorStreamCaptureUnjoined));
  CUDA(cudaFree(q));
  CUDA(cudaFree(more));
}

/// Event nodes, and a capture that adds to a graph of the program's.
static void events() {
  cudaStream_t s;
  CUDA(cudaStreamCreate(&s));
  cudaEvent_t start, stop;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  cudaGraph_t graph;
  cudaGraphNode_t begin, wait;
  CUDA(cudaGraphCreate(&graph, 0));
  CUDA(cudaGraphAddEventRecordNode(&begin, graph, nullptr, 0, start));
  CUDA(cudaGraphAddEventWaitNode(&wait, graph, &begin, 1, start));
  CUDA(cudaStreamBeginCaptureToGraph(s, graph, &wait, nullptr, 1, cudaStreamCaptureModeGlobal));
  add<<<1, 32, 0, s>>>(p, 3);
  CUDA(cudaEventRecordWithFlags(stop, s, cudaEventRecordExternal));
  cudaGraph_t same;
  CUDA(cudaStreamEndCapture(s, &same));
  CHECK(same == graph, "the program's graph");
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiateWithFlags(&exec, graph, 0));
  CUDA(cudaMemset(p, 0, 128));
  CUDA(cudaGraphLaunch(exec, s));
  float ms = -1;
  CUDA(cudaEventSynchronize(stop));
  CUDA(cudaEventElapsedTime(&ms, start, stop));
  CHECK(ms >= 0 && first() == 3, "%g %d", ms, first());
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
}

int main() {
  CUDA(cudaMalloc(&p, 128));
  nodes();
  children();
  capture();
  events();
  std::puts("ok");
}
