// Code of the host that is at memory which the device may still be at.
#include "cases.h"

#include <thread>

constexpr int kBlocks = 4, kThreads = 64, kSize = kBlocks * kThreads, kBytes = kSize * sizeof(int);

__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

int sink; // what is read goes there

/// Memory that host and device reach; nothing runs any more when it is freed.
struct Managed {
  Managed() {
    cudaMallocManaged(&cells, kBytes);
    for (int i = 0; i < kSize; ++i)
      cells[i] = 0;
  }
  ~Managed() {
    cudaDeviceSynchronize();
    cudaFree(cells);
  }
  int *cells;
};

struct Pinned {
  explicit Pinned(unsigned flags = cudaHostAllocDefault) {
    cudaHostAlloc(&cells, kBytes, flags);
    for (int i = 0; i < kSize; ++i)
      cells[i] = i;
  }
  ~Pinned() {
    cudaDeviceSynchronize();
    cudaFreeHost(cells);
  }
  int *cells;
};

struct Streams {
  Streams() {
    cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
    cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  }
  ~Streams() {
    cudaDeviceSynchronize();
    cudaEventDestroy(event);
    cudaStreamDestroy(second);
    cudaStreamDestroy(first);
  }
  cudaStream_t first, second;
  cudaEvent_t event;
};

__global__ void managedReadStore(int *cells) {
  cells[index()] = index(); //~ managedRead: race-host
}
// The result is looked at before it is there.
void managedRead(bool fixed) {
  const Managed out;
  managedReadStore<<<kBlocks, kThreads>>>(out.cells);
  if (fixed)
    cudaDeviceSynchronize();
  for (int i = 0; i < kSize; ++i)
    sink += out.cells[i]; //~ managedRead: race-host
}

__global__ void managedWriteLoad(const int *in, int *out) {
  out[index()] = in[index()]; //~ managedWrite: race-host
}
// The next input is written while the last one is read.
void managedWrite(bool fixed) {
  const Managed in, out;
  for (int round = 0; round < 2; ++round) {
    for (int i = 0; i < kSize; ++i)
      in.cells[i] = i + round; //~ managedWrite: race-host
    managedWriteLoad<<<kBlocks, kThreads>>>(in.cells, out.cells);
    if (fixed)
      cudaStreamSynchronize(nullptr);
  }
}

// A copy to the host is not waited for.
void asyncRead(bool fixed) {
  const DeviceArray<int> from(numbers(kSize));
  const Pinned to;
  cudaMemcpyAsync(to.cells, from, kBytes, cudaMemcpyDeviceToHost); //~ asyncRead: race-host
  if (fixed)
    cudaStreamSynchronize(nullptr);
  sink += to.cells[kSize - 1]; //~ asyncRead: race-host
}

// The buffer that a copy still reads is filled again.
void staging(bool fixed) {
  const DeviceArray<int> to(kSize);
  const Pinned from;
  const Streams streams;
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kSize; ++i)
      from.cells[i] = round;                                                        //~ staging: race-host
    cudaMemcpyAsync(to, from.cells, kBytes, cudaMemcpyHostToDevice, streams.first); //~ staging: race-host
    if (fixed)
      cudaStreamSynchronize(streams.first);
  }
}

__global__ void mappedStore(int *cells) {
  cells[index()] = index(); //~ mapped: race-host
}
void mapped(bool fixed) {
  const Pinned out(cudaHostAllocMapped);
  int *seen = nullptr;
  cudaHostGetDevicePointer(&seen, out.cells, 0);
  mappedStore<<<kBlocks, kThreads>>>(seen);
  if (fixed)
    cudaDeviceSynchronize();
  sink += out.cells[7]; //~ mapped: race-host
}

// Memory of the program's own, which was made the device's, too.
void registered(bool fixed) {
  std::vector<int> to(kSize);
  const DeviceArray<int> from(numbers(kSize));
  cudaHostRegister(to.data(), kBytes, cudaHostRegisterDefault);
  cudaMemcpyAsync(to.data(), from, kBytes, cudaMemcpyDeviceToHost); //~ registered: race-host
  if (fixed)
    cudaStreamSynchronize(nullptr);
  for (int i = 0; i < kSize; ++i)
    sink += to[i]; //~ registered: race-host
  cudaDeviceSynchronize();
  cudaHostUnregister(to.data());
}

__global__ void otherWaitedStore(int *cells) {
  cells[index()] = index(); //~ otherWaited: race-host
}
// The host waits for another stream.
void otherWaited(bool fixed) {
  const Managed out;
  const Streams streams;
  otherWaitedStore<<<kBlocks, kThreads, 0, streams.first>>>(out.cells);
  cudaStreamSynchronize(fixed ? streams.first : streams.second);
  sink += out.cells[3]; //~ otherWaited: race-host
}

__global__ void eventEarlyStore(int *cells) {
  cells[index()] = index(); //~ eventEarly: race-host
}
// The event is recorded in front of what it is to tell of.
void eventEarly(bool fixed) {
  const Managed out;
  const Streams streams;
  if (!fixed)
    cudaEventRecord(streams.event, streams.first);
  eventEarlyStore<<<kBlocks, kThreads, 0, streams.first>>>(out.cells);
  if (fixed)
    cudaEventRecord(streams.event, streams.first);
  cudaEventSynchronize(streams.event);
  sink += out.cells[3]; //~ eventEarly: race-host
}

__global__ void eventElsewhereStore(int *cells) {
  cells[index()] = index(); //~ eventElsewhere: race-host
}
// The event is another stream's.
void eventElsewhere(bool fixed) {
  const Managed out;
  const Streams streams;
  eventElsewhereStore<<<kBlocks, kThreads, 0, streams.first>>>(out.cells);
  cudaEventRecord(streams.event, fixed ? streams.first : streams.second);
  cudaEventSynchronize(streams.event);
  sink += out.cells[3]; //~ eventElsewhere: race-host
}

__managed__ int managedCount;
__global__ void managedVariableStore() {
  if (index() == 0)
    managedCount = kSize; //~ managedVariable: race-host
}
void managedVariable(bool fixed) {
  managedVariableStore<<<kBlocks, kThreads>>>();
  if (fixed)
    cudaDeviceSynchronize();
  sink += managedCount; //~ managedVariable: race-host
}

__global__ void copiedOutStore(int *cells) {
  cells[index()] = index(); //~ copiedOut: race-host
}
// The host copies the result by itself.
void copiedOut(bool fixed) {
  const Managed out;
  int result[kSize];
  copiedOutStore<<<kBlocks, kThreads>>>(out.cells);
  if (fixed)
    cudaDeviceSynchronize();
  std::memcpy(result, out.cells, kBytes); //~ copiedOut: race-host
  sink += result[sink & 1];
}

__global__ void clearedLoad(const int *in, int *out) {
  out[index()] = in[index()]; //~ cleared: race-host
}
// The host clears what a kernel still reads.
void cleared(bool fixed) {
  const Managed in, out;
  clearedLoad<<<kBlocks, kThreads>>>(in.cells, out.cells);
  if (fixed)
    cudaDeviceSynchronize();
  std::memset(in.cells, 0, kBytes); //~ cleared: race-host
}

__global__ void threadStore(int *cells) {
  cells[index()] = index(); //~ otherThread: race-host
}
void addUp(const int *cells) {
  for (int i = 0; i < kSize; ++i)
    sink += cells[i]; //~ otherThread: race-host
}
// Another thread of the host reads.
void otherThread(bool fixed) {
  const Managed out;
  threadStore<<<kBlocks, kThreads>>>(out.cells);
  if (fixed)
    cudaDeviceSynchronize();
  std::thread(addUp, out.cells).join();
}

__global__ void graphStore(int *cells) {
  cells[index()] = index(); //~ graph: race-host
}
void graph(bool fixed) {
  const Managed out;
  const Streams streams;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeThreadLocal);
  graphStore<<<kBlocks, kThreads, 0, streams.first>>>(out.cells);
  cudaStreamEndCapture(streams.first, &graph);
  sink += out.cells[0]; // nothing has run yet
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, streams.first);
  if (fixed)
    cudaStreamSynchronize(streams.first);
  sink += out.cells[5]; //~ graph: race-host
  cudaStreamSynchronize(streams.first);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

// A set is not waited for.
void setAsync(bool fixed) {
  const Managed out;
  cudaMemsetAsync(out.cells, 1, kBytes); //~ setAsync: race-host
  if (fixed)
    cudaStreamSynchronize(nullptr);
  sink += out.cells[9]; //~ setAsync: race-host
}

struct Pair {
  int x, y;
};
__global__ void fieldStore(Pair *pairs, bool fixed) {
  if (fixed)
    pairs[index()].y = index();
  else
    pairs[index()].x = index(); //~ field: race-host
}
// One field of each is the host's, the other the device's.
void field(bool fixed) {
  Pair *pairs;
  cudaMallocManaged(&pairs, kSize * sizeof(Pair));
  for (int i = 0; i < kSize; ++i)
    pairs[i] = {i, i};
  fieldStore<<<kBlocks, kThreads>>>(pairs, fixed);
  for (int i = kSize - 1; i >= 0; --i)
    sink += pairs[i].x; //~ field: race-host
  cudaDeviceSynchronize();
  cudaFree(pairs);
}

__global__ void counted(int *cells, int *count) {
  cells[index()] = index(); //~ polled: race-host
  __threadfence();
  atomicAdd(count, 1);
}
// The host looks at a count until all threads have stored.
void polled(bool fixed) {
  const Managed out, count;
  counted<<<kBlocks, kThreads>>>(out.cells, count.cells);
  if (fixed)
    while (*const_cast<volatile int *>(count.cells) < kSize) {
    }
  sink += out.cells[5]; //~ polled: race-host
}

__global__ void countUp(int *count) {
  atomicAdd(count, 1); //~ plainLook: race-host
}
// The look at the count is a plain load.
void plainLook(bool fixed) {
  const Managed count;
  countUp<<<kBlocks, kThreads>>>(count.cells);
  if (fixed)
    cudaDeviceSynchronize();
  sink += count.cells[0]; //~ plainLook: race-host
}

__global__ void toldStore(int *cells) {
  cells[index()] = index(); //~ hostFunction: race-host
}
void readCells(void *cells) { sink += static_cast<int *>(cells)[3]; }
// A function of the host in the stream reads, and another one writes what comes behind.
void hostFunction(bool fixed) {
  const Managed out;
  const Streams streams;
  toldStore<<<kBlocks, kThreads, 0, streams.first>>>(out.cells);
  if (fixed)
    cudaLaunchHostFunc(streams.first, readCells, out.cells);
  else
    sink += out.cells[3]; //~ hostFunction: race-host
  toldStore<<<kBlocks, kThreads, 0, streams.first>>>(out.cells);
}

__global__ void queriedStore(int *cells) {
  cells[index()] = index(); //~ queried: race-host
}
// The host asks until the event has come.
void queried(bool fixed) {
  const Managed out;
  const Streams streams;
  queriedStore<<<kBlocks, kThreads, 0, streams.first>>>(out.cells);
  cudaEventRecord(streams.event, streams.first);
  if (fixed)
    while (cudaEventQuery(streams.event) == cudaErrorNotReady) {
    }
  sink += out.cells[3]; //~ queried: race-host
  cudaDeviceSynchronize();
  cudaGetLastError(); // cudaErrorNotReady is none
}

__global__ void halfStore(int *cells) {
  cells[index()] = index(); //~ half: race-host
}
// The host works at one half while the device is at the other one.
void half(bool fixed) {
  const Managed out;
  halfStore<<<kBlocks / 2, kThreads>>>(out.cells);
  const int begin = fixed ? kSize / 2 : kSize / 2 - 1;
  for (int i = begin; i < kSize; ++i)
    out.cells[i] = -i; //~ half: race-host
}

// Rows of a pitched copy have gaps, which the host may use.
void pitched(bool fixed) {
  const DeviceArray<int> from(numbers(kSize));
  const Pinned to;
  constexpr int kRow = 16 * sizeof(int);
  cudaMemcpy2DAsync(to.cells, 2 * kRow, from, kRow, kRow, 4, cudaMemcpyDeviceToHost); //~ pitched: race-host
  to.cells[fixed ? 16 : 15] = 1;                                                      //~ pitched: race-host
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {{"managedRead", managedRead},
                    {"managedWrite", managedWrite},
                    {"asyncRead", asyncRead},
                    {"staging", staging},
                    {"mapped", mapped},
                    {"registered", registered},
                    {"otherWaited", otherWaited},
                    {"eventEarly", eventEarly},
                    {"eventElsewhere", eventElsewhere},
                    {"managedVariable", managedVariable},
                    {"copiedOut", copiedOut},
                    {"cleared", cleared},
                    {"otherThread", otherThread},
                    {"graph", graph},
                    {"setAsync", setAsync},
                    {"field", field},
                    {"polled", polled},
                    {"plainLook", plainLook},
                    {"hostFunction", hostFunction},
                    {"queried", queried},
                    {"half", half},
                    {"pitched", pitched}});
}
