// Launches, copies and sets in different streams, which nothing orders.
#include "cases.h"

constexpr int kBlocks = 2, kThreads = 64, kSize = kBlocks * kThreads, kBytes = kSize * sizeof(int);

__device__ int index() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Two streams that wait for nobody, and an event.
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

  /// What comes in the second stream from here on waits for what is in the first one.
  void order() const {
    cudaEventRecord(event, first);
    cudaStreamWaitEvent(second, event, 0);
  }

  cudaStream_t first, second;
  cudaEvent_t event;
};

/// Host memory that copies need not wait for.
struct Pinned {
  Pinned() {
    cudaMallocHost(&data, kBytes);
    for (int i = 0; i < kSize; ++i)
      data[i] = i;
  }
  ~Pinned() {
    cudaDeviceSynchronize();
    cudaFreeHost(data);
  }
  int *data;
};

__global__ void otherStreamStore(int *cells) {
  cells[index()] = index(); //~ otherStream: race-launches
}
__global__ void otherStreamLoad(const int *cells, int *out) {
  out[index()] = cells[index()] + 1; //~ otherStream: race-launches
}
// The second stream doesn't wait for the first.
void otherStream(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  const Streams streams;
  otherStreamStore<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  if (fixed)
    streams.order();
  otherStreamLoad<<<kBlocks, kThreads, 0, streams.second>>>(cells, out);
}

__global__ void hostWaitsStore(int *cells) {
  cells[index()] = index(); //~ hostWaits: race-launches
}
__global__ void hostWaitsLoad(const int *cells, int *out) {
  out[index()] = cells[kSize - 1 - index()]; //~ hostWaits: race-launches
}
// The host waits for the stream that it is about to use, and not for the one whose data it needs.
void hostWaits(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  const Streams streams;
  hostWaitsStore<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  cudaStreamSynchronize(fixed ? streams.first : streams.second);
  hostWaitsLoad<<<kBlocks, kThreads, 0, streams.second>>>(cells, out);
}

__global__ void bothStoreOnes(int *cells) {
  cells[index()] = 1; //~ bothStore: race-launches
}
__global__ void bothStoreTwos(int *cells) {
  cells[index()] = 2; //~ bothStore: race-launches
}
// Which of the two stores stays is open.
void bothStore(bool fixed) {
  const DeviceArray<int> cells(kSize);
  const Streams streams;
  bothStoreOnes<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  bothStoreTwos<<<kBlocks, kThreads, 0, fixed ? streams.first : streams.second>>>(cells);
}

__global__ void bothAdd(const int *in, int *total, bool fixed) {
  if (threadIdx.x == 0 && blockIdx.x == 0) {
    if (fixed)
      atomicAdd(total, in[0]);
    else
      *total += in[0]; //~ bothAdd: race-launches
  }
}
// Launches of both streams add to one total, and not atomically.
void bothAddTwice(bool fixed) {
  const DeviceArray<int> in(numbers(kSize)), total(1);
  const Streams streams;
  bothAdd<<<kBlocks, kThreads, 0, streams.first>>>(in, total, fixed);
  bothAdd<<<kBlocks, kThreads, 0, streams.second>>>(in, total, fixed);
}

__global__ void setTooEarlyLoad(const int *cells, int *out) {
  out[index()] = cells[index()] + 1; //~ setTooEarly: race-launches
}
// The cells may be cleared before they have been read.
void setTooEarly(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  const Streams streams;
  setTooEarlyLoad<<<kBlocks, kThreads, 0, streams.first>>>(cells, out);
  if (fixed)
    streams.order();
  cudaMemsetAsync(cells, 0, kBytes, streams.second); //~ setTooEarly: race-launches
}

__global__ void setBesidesAdd(int *cells) {
  cells[index()] += index(); //~ setBesides: race-launches
}
// The cells may be cleared after they have been added to.
void setBesides(bool fixed) {
  const DeviceArray<int> cells(kSize);
  const Streams streams;
  cudaMemsetAsync(cells, 0, kBytes, streams.first); //~ setBesides: race-launches
  if (fixed)
    streams.order();
  setBesidesAdd<<<kBlocks, kThreads, 0, streams.second>>>(cells);
}

__global__ void copiedBesidesLoad(const int *cells, int *out) {
  out[index()] = 2 * cells[index()]; //~ copiedBesides: race-launches
}
// The kernel doesn't wait for what it needs from the host.
void copiedBesides(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  const Pinned host;
  const Streams streams;
  cudaMemcpyAsync(cells, host.data, kBytes, cudaMemcpyHostToDevice, //~ copiedBesides: race-launches
                  streams.first);
  if (fixed)
    streams.order();
  copiedBesidesLoad<<<kBlocks, kThreads, 0, streams.second>>>(cells, out);
}

__global__ void copiedBackStore(int *cells) {
  cells[index()] = 3 * index(); //~ copiedBack: race-launches
}
// The results go to the host before they need be there.
void copiedBack(bool fixed) {
  const DeviceArray<int> cells(kSize);
  const Pinned host;
  const Streams streams;
  copiedBackStore<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  if (fixed)
    streams.order();
  cudaMemcpyAsync(host.data, cells, kBytes, cudaMemcpyDeviceToHost, //~ copiedBack: race-launches
                  streams.second);
}

// What one copy brings, another takes on without waiting.
void copyOnCopy(bool fixed) {
  const DeviceArray<int> a(numbers(kSize)), b(kSize), c(kSize);
  const Streams streams;
  cudaMemcpyAsync(b, a, kBytes, cudaMemcpyDeviceToDevice, streams.first); //~ copyOnCopy: race-launches
  if (fixed)
    streams.order();
  cudaMemcpyAsync(c, b, kBytes, cudaMemcpyDeviceToDevice, streams.second); //~ copyOnCopy: race-launches
}

// Two sets overlap by one element.
void setsOverlap(bool fixed) {
  const DeviceArray<int> cells(kSize);
  const Streams streams;
  int *upper = cells + kSize / 2;
  const size_t lowerBytes = kBytes / 2 + (fixed ? 0 : sizeof(int));
  cudaMemsetAsync(cells, 1, lowerBytes, streams.first);  //~ setsOverlap: race-launches
  cudaMemsetAsync(upper, 2, kBytes / 2, streams.second); //~ setsOverlap: race-launches
}

__global__ void eventTooEarlyStore(int *cells) {
  cells[index()] = index() + 4; //~ eventTooEarly: race-launches
}
__global__ void eventTooEarlyLoad(const int *cells, int *out) {
  out[index()] = cells[index()]; //~ eventTooEarly: race-launches
}
// The event is recorded in front of the launch that it should stand for.
void eventTooEarly(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  const Streams streams;
  if (!fixed)
    cudaEventRecord(streams.event, streams.first);
  eventTooEarlyStore<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  if (fixed)
    cudaEventRecord(streams.event, streams.first);
  cudaStreamWaitEvent(streams.second, streams.event, 0);
  eventTooEarlyLoad<<<kBlocks, kThreads, 0, streams.second>>>(cells, out);
}

__global__ void wrongOneWaitsStore(int *cells) {
  cells[index()] = index() + 4; //~ wrongOneWaits: race-launches
}
__global__ void wrongOneWaitsLoad(const int *cells, int *out) {
  out[index()] = cells[index()]; //~ wrongOneWaits: race-launches
}
// The stream that has recorded the event waits for it, and the other one goes on.
void wrongOneWaits(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  const Streams streams;
  wrongOneWaitsStore<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  cudaEventRecord(streams.event, streams.first);
  cudaStreamWaitEvent(fixed ? streams.second : streams.first, streams.event, 0);
  wrongOneWaitsLoad<<<kBlocks, kThreads, 0, streams.second>>>(cells, out);
}

__global__ void defaultStreamStore(int *cells) {
  cells[index()] = index() + 4; //~ defaultStream: race-launches
}
__global__ void defaultStreamLoad(const int *cells, int *out) {
  out[index()] = cells[index()]; //~ defaultStream: race-launches
}
// A stream that was made not to wait for the default stream needs its data.
void defaultStream(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, fixed ? cudaStreamDefault : cudaStreamNonBlocking);
  defaultStreamStore<<<kBlocks, kThreads>>>(cells);
  defaultStreamLoad<<<kBlocks, kThreads, 0, stream>>>(cells, out);
  cudaDeviceSynchronize();
  cudaStreamDestroy(stream);
}

__global__ void aroundDefaultStore(int *cells) {
  cells[index()] = index() + 4; //~ aroundDefault: race-launches
}
__global__ void aroundDefaultLoad(const int *cells, int *out) {
  out[index()] = cells[index()]; //~ aroundDefault: race-launches
}
// Streams wait for what is in the default stream between their launches: here there is nothing.
void aroundDefault(bool fixed) {
  const DeviceArray<int> cells(kSize), other(kSize), out(kSize);
  cudaStream_t first, second;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  aroundDefaultStore<<<kBlocks, kThreads, 0, first>>>(cells);
  if (fixed)
    cudaMemsetAsync(other, 1, kBytes, cudaStreamLegacy);
  aroundDefaultLoad<<<kBlocks, kThreads, 0, second>>>(cells, out);
  cudaDeviceSynchronize();
  cudaStreamDestroy(second);
  cudaStreamDestroy(first);
}

__global__ void joinForgottenLower(int *cells) { cells[index()] = index(); }
__global__ void joinForgottenUpper(int *cells) {
  cells[kSize + index()] = index(); //~ joinForgotten: race-launches
}
__global__ void joinForgottenSum(const int *cells, int *out) {
  out[index()] = cells[index()];
  out[index()] += cells[kSize + index()]; //~ joinForgotten: race-launches
}
// Of two streams that work for a third one, it waits for one.
void joinForgotten(bool fixed) {
  const DeviceArray<int> cells(2 * kSize), out(kSize);
  const Streams streams;
  cudaStream_t third;
  cudaStreamCreateWithFlags(&third, cudaStreamNonBlocking);
  joinForgottenLower<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  cudaEventRecord(streams.event, streams.first);
  cudaStreamWaitEvent(third, streams.event, 0);
  joinForgottenUpper<<<kBlocks, kThreads, 0, streams.second>>>(cells);
  if (fixed) {
    cudaEventRecord(streams.event, streams.second);
    cudaStreamWaitEvent(third, streams.event, 0);
  }
  joinForgottenSum<<<kBlocks, kThreads, 0, third>>>(cells, out);
  cudaDeviceSynchronize();
  cudaStreamDestroy(third);
}

__global__ void bufferReusedLoad(const int *buffer, int *out) {
  out[index()] += buffer[index()]; //~ bufferReused: race-launches
}
// The next part is copied into a buffer that the kernel of the part before may still read.
void bufferReused(bool fixed) {
  const DeviceArray<int> buffer(kSize), out(kSize);
  const Pinned host;
  const Streams streams;
  cudaEvent_t read;
  cudaEventCreateWithFlags(&read, cudaEventDisableTiming);
  for (int part = 0; part < 3; ++part) {
    if (fixed && part > 0)
      cudaStreamWaitEvent(streams.first, read, 0);
    cudaMemcpyAsync(buffer, host.data, kBytes, cudaMemcpyHostToDevice, //~ bufferReused: race-launches
                    streams.first);
    streams.order();
    bufferReusedLoad<<<kBlocks, kThreads, 0, streams.second>>>(buffer, out);
    cudaEventRecord(read, streams.second);
  }
  cudaDeviceSynchronize();
  cudaEventDestroy(read);
}

__global__ void branchesStore(int *cells) {
  cells[index()] = index() * index(); //~ branches: race-launches
}
__global__ void branchesLoad(const int *cells, int *out) {
  out[index()] = cells[index()] - 1; //~ branches: race-launches
}
// Two branches of a graph, one of which needs what the other one makes.
void branches(bool fixed) {
  const DeviceArray<int> cells(kSize), out(kSize);
  const Streams streams;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(streams.first, cudaStreamCaptureModeGlobal);
  streams.order();
  branchesStore<<<kBlocks, kThreads, 0, streams.first>>>(cells);
  if (fixed)
    streams.order();
  branchesLoad<<<kBlocks, kThreads, 0, streams.second>>>(cells, out);
  cudaEventRecord(streams.event, streams.second);
  cudaStreamWaitEvent(streams.first, streams.event, 0);
  cudaStreamEndCapture(streams.first, &graph);
  cudaGraphInstantiateWithFlags(&executable, graph, 0);
  cudaGraphLaunch(executable, streams.first);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
}

int main(int argc, char **argv) {
  return casesMain(argc, argv,
                   {
                       {"otherStream", otherStream},
                       {"hostWaits", hostWaits},
                       {"bothStore", bothStore},
                       {"bothAdd", bothAddTwice},
                       {"setTooEarly", setTooEarly},
                       {"setBesides", setBesides},
                       {"copiedBesides", copiedBesides},
                       {"copiedBack", copiedBack},
                       {"copyOnCopy", copyOnCopy},
                       {"setsOverlap", setsOverlap},
                       {"eventTooEarly", eventTooEarly},
                       {"wrongOneWaits", wrongOneWaits},
                       {"defaultStream", defaultStream},
                       {"aroundDefault", aroundDefault},
                       {"joinForgotten", joinForgotten},
                       {"bufferReused", bufferReused},
                       {"branches", branches},
                   });
}
