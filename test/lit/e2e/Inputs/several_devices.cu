/// Several devices: what belongs to one of them, and what CUDA answers where devices are mixed up. Prints
/// "right".
///
///     several_devices N: how many there must be; with 1, what a program sees that has no second one
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

static void fail(int line, const char *what) {
  std::printf("line %d: %s\n", line, what);
  std::exit(1);
}
#define CHECK(condition) ((condition) ? static_cast<void>(0) : fail(__LINE__, #condition))
#define MUST(call) CHECK((call) == cudaSuccess)
/// The error is also the thread's last one, which is taken back.
#define ANSWERS(error, call) CHECK((call) == (error) && cudaGetLastError() == (error))

constexpr int kCount = 256;

__constant__ int factor = 1;
__device__ int offset = 100;
__device__ int runs;

__global__ void scale(int *out, const int *in) {
  const int i = threadIdx.x;
  out[i] = in[i] * factor + offset;
  if (i == 0)
    ++runs;
}

static int launchesOf(int device) { return 2 + device; }

/// Each device in a host thread of its own: its memory, its values of the variables.
static void use(int device) {
  int current = -1;
  MUST(cudaGetDevice(&current));
  CHECK(current == 0); // whatever another thread has set
  MUST(cudaSetDevice(device));
  int *in, *out;
  MUST(cudaMalloc(&in, kCount * sizeof(int)));
  MUST(cudaMalloc(&out, kCount * sizeof(int)));
  cudaPointerAttributes attributes;
  MUST(cudaPointerGetAttributes(&attributes, out));
  CHECK(attributes.device == device && attributes.type == cudaMemoryTypeDevice);
  std::vector<int> numbers(kCount, 3);
  MUST(cudaMemcpy(in, numbers.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  if (device > 0) { // device 0 keeps the initial ones
    MUST(cudaMemcpyToSymbol(factor, &device, sizeof device));
    const int own = 10 * device;
    MUST(cudaMemcpyToSymbol(offset, &own, sizeof own));
  }
  cudaStream_t stream;
  MUST(cudaStreamCreate(&stream));
  int owner = -1;
  MUST(cudaStreamGetDevice(stream, &owner));
  CHECK(owner == device);
  for (int launch = 0; launch < launchesOf(device); ++launch) {
    scale<<<1, kCount, 0, stream>>>(out, in);
    MUST(cudaGetLastError());
  }
  MUST(cudaMemcpy(numbers.data(), out, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  for (int number : numbers)
    CHECK(number == (device ? 3 * device + 10 * device : 103));
  int counted = 0;
  MUST(cudaMemcpyFromSymbol(&counted, runs, sizeof counted));
  CHECK(counted == launchesOf(device));
  MUST(cudaStreamDestroy(stream));
  MUST(cudaFree(in));
  MUST(cudaFree(out));
}

/// Streams and events of one device, used while another is the current one.
static void mixUp() {
  cudaStream_t stream;
  cudaEvent_t event, other;
  int *memory;
  MUST(cudaSetDevice(1));
  MUST(cudaStreamCreate(&stream));
  MUST(cudaEventCreate(&event));
  MUST(cudaMalloc(&memory, kCount * sizeof(int)));
  MUST(cudaSetDevice(0));
  MUST(cudaEventCreate(&other));
  scale<<<1, kCount, 0, stream>>>(memory, memory);
  MUST(cudaGetLastError()); // runs on the stream's device
  ANSWERS(cudaErrorInvalidResourceHandle, cudaEventRecord(other, stream));
  MUST(cudaEventRecord(event, stream));
  MUST(cudaStreamWaitEvent(nullptr, event, 0));
  MUST(cudaMemsetAsync(memory, 0, kCount * sizeof(int), stream));
  MUST(cudaEventRecord(other));
  float between;
  ANSWERS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&between, event, other));
  int *made;
  MUST(cudaMallocAsync(&made, 64, stream)); // from the stream's device
  cudaPointerAttributes attributes;
  MUST(cudaPointerGetAttributes(&attributes, made));
  CHECK(attributes.device == 1);
  MUST(cudaFreeAsync(made, stream));
  MUST(cudaFree(memory));
}

static void peers(int devices) {
  int can = -1;
  MUST(cudaDeviceCanAccessPeer(&can, 0, 1));
  CHECK(can == 1);
  MUST(cudaDeviceCanAccessPeer(&can, 1, 1));
  CHECK(can == 0);
  ANSWERS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, devices));
  MUST(cudaSetDevice(0));
  ANSWERS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(1));
  ANSWERS(cudaErrorInvalidValue, cudaDeviceEnablePeerAccess(1, 1));
  ANSWERS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(0, 0));
  ANSWERS(cudaErrorInvalidDevice, cudaDeviceEnablePeerAccess(devices, 0));
  MUST(cudaDeviceEnablePeerAccess(1, 0));
  ANSWERS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  MUST(cudaSetDevice(1)); // the other direction is another matter
  ANSWERS(cudaErrorPeerAccessNotEnabled, cudaDeviceDisablePeerAccess(0));
  MUST(cudaSetDevice(0));

  // Device 0 reads what lies on device 1, and its result goes there.
  int *own, *there;
  std::vector<int> numbers(kCount, 7);
  MUST(cudaMalloc(&own, kCount * sizeof(int)));
  MUST(cudaSetDevice(1));
  MUST(cudaMalloc(&there, kCount * sizeof(int)));
  MUST(cudaMemcpy(there, numbers.data(), kCount * sizeof(int), cudaMemcpyHostToDevice));
  MUST(cudaSetDevice(0));
  scale<<<1, kCount>>>(own, there);
  MUST(cudaGetLastError());
  MUST(cudaMemcpyPeer(there, 1, own, 0, kCount * sizeof(int)));
  MUST(cudaMemcpy(numbers.data(), there, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(numbers[0] == 107 && numbers[kCount - 1] == 107);
  MUST(cudaMemset(own, 0, kCount * sizeof(int)));
  MUST(cudaMemcpyPeerAsync(own, 0, there, 1, kCount * sizeof(int), nullptr));
  cudaMemcpy3DPeerParms cube{};
  cube.srcDevice = 0;
  cube.srcPtr = make_cudaPitchedPtr(own, kCount * sizeof(int), kCount * sizeof(int), 1);
  cube.dstDevice = 1;
  cube.dstPtr = make_cudaPitchedPtr(there, kCount * sizeof(int), kCount * sizeof(int), 1);
  cube.extent = make_cudaExtent(kCount * sizeof(int), 1, 1);
  MUST(cudaMemset(there, 0, kCount * sizeof(int)));
  MUST(cudaMemcpy3DPeer(&cube));
  MUST(cudaMemcpy(numbers.data(), there, kCount * sizeof(int), cudaMemcpyDeviceToHost));
  CHECK(numbers[0] == 107);
  ANSWERS(cudaErrorInvalidDevice, cudaMemcpyPeer(there, devices, own, 0, 4));
  MUST(cudaDeviceDisablePeerAccess(1));
  MUST(cudaFree(own));
  MUST(cudaFree(there));
}

/// Memory is counted, and given up, by device.
static void memory() {
  std::size_t all, before, after;
  int *here, *there;
  MUST(cudaSetDevice(1));
  MUST(cudaMemGetInfo(&before, &all));
  MUST(cudaMalloc(&there, 1 << 20));
  MUST(cudaSetDevice(0));
  MUST(cudaMalloc(&here, 1 << 20));
  MUST(cudaSetDevice(1));
  MUST(cudaMemGetInfo(&after, &all));
  CHECK(before - after == 1 << 20);
  MUST(cudaDeviceReset());
  MUST(cudaMemGetInfo(&after, &all));
  CHECK(after == all);
  MUST(cudaSetDevice(0));
  MUST(cudaMemset(here, 1, 1 << 20));
  ANSWERS(cudaErrorInvalidValue, cudaMemset(there, 1, 1 << 20));
  MUST(cudaFree(here));
}

int main(int, char **arguments) {
  const int expected = std::atoi(arguments[1]);
  int devices = 0, current = -1;
  MUST(cudaGetDeviceCount(&devices));
  CHECK(devices == expected);
  ANSWERS(cudaErrorInvalidDevice, cudaSetDevice(devices));
  ANSWERS(cudaErrorInvalidDevice, cudaSetDevice(-1));
  MUST(cudaGetDevice(&current));
  CHECK(current == 0);
  std::vector<std::thread> threads;
  for (int device = 0; device < devices; ++device)
    threads.emplace_back(use, device);
  for (std::thread &thread : threads)
    thread.join();
  if (devices > 1) {
    mixUp();
    peers(devices);
    memory();
    char first[32], second[32];
    MUST(cudaDeviceGetPCIBusId(first, sizeof first, 0));
    MUST(cudaDeviceGetPCIBusId(second, sizeof second, 1));
    CHECK(std::string(first) != second);
    MUST(cudaDeviceGetByPCIBusId(&current, second));
    CHECK(current == 1);
  } else {
    int can = -1;
    ANSWERS(cudaErrorInvalidDevice, cudaDeviceCanAccessPeer(&can, 0, 1));
  }
  std::puts("right");
}
