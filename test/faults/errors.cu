/// Planted faults: calls and launches that return an error, and nobody looks at it. The twins do the same and look, each in a way of its own.
///
/// What casesMain asks for in the end would be a look, too. So each case runs on a thread of its own.
#include "cases.h"

#include <cstdint>
#include <memory>
#include <thread>

constexpr int kThreads = 64, kBytes = kThreads * sizeof(int);
constexpr std::size_t kTooMuch = std::size_t{1} << 60;

template <void (*RUN)(bool)> void onOwnThread(bool fixed) { std::thread(RUN, fixed).join(); }

__global__ void fillThem(int *cells) { cells[threadIdx.x] = static_cast<int>(threadIdx.x); }

__device__ int table[kThreads];

/// As most programs have it.
#define CHECK(call)                                                                                          \
  do {                                                                                                       \
    const cudaError_t error = (call);                                                                        \
    if (error != cudaSuccess)                                                                                \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(error));                                               \
  } while (0)

// More memory than there is.
void allocatedTooMuch(bool fixed) {
  int *cells = nullptr;
  if (fixed) {
    if (cudaMalloc(&cells, kTooMuch) != cudaSuccess)
      return;
  } else {
    cudaMalloc(&cells, kTooMuch); //~ allocatedTooMuch: unchecked-error
  }
}

// From null: the array was never allocated.
void copiedFromNothing(bool fixed) {
  const DeviceArray<int> out(kThreads);
  const int *from = nullptr;
  if (fixed)
    CHECK(cudaMemcpy(out, from, kBytes, cudaMemcpyHostToDevice));
  else
    cudaMemcpy(out, from, kBytes, cudaMemcpyHostToDevice); //~ copiedFromNothing: unchecked-error
}

// The number is no direction.
void noDirection(bool fixed) {
  const DeviceArray<int> out(kThreads);
  const std::vector<int> in = numbers(kThreads);
  const auto kind = static_cast<cudaMemcpyKind>(17);
  if (fixed) {
    cudaError_t status = cudaSuccess;
    status = cudaMemcpy(out, in.data(), kBytes, kind);
    std::printf("%d\n", status);
  } else {
    cudaMemcpy(out, in.data(), kBytes, kind); //~ noDirection: unchecked-error
  }
}

// More than the array has.
void setBehindTheEnd(bool fixed) {
  const DeviceArray<int> out(kThreads);
  cudaMemset(out, 0, std::size_t{1} << 40); //~ setBehindTheEnd: unchecked-error
  if (fixed)
    cudaGetLastError();
}

// A block of 2048 threads; the launch's own error is asked for later, behind other calls.
void tooManyThreads(bool fixed) {
  const DeviceArray<int> out(kThreads);
  fillThem<<<1, 2048>>>(out); //~ tooManyThreads: unchecked-error
  fillThem<<<1, kThreads>>>(out);
  cudaDeviceSynchronize();
  if (fixed)
    CHECK(cudaGetLastError());
}

// More shared memory than a block can have.
void tooMuchShared(bool fixed) {
  const DeviceArray<int> out(kThreads);
  fillThem<<<1, kThreads, 1 << 30>>>(out); //~ tooMuchShared: unchecked-error
  if (fixed)
    std::printf("%s\n", cudaGetErrorName(cudaPeekAtLastError()));
}

// Two launches of one kernel: each has its place.
void emptyGrids(bool fixed) {
  const DeviceArray<int> out(kThreads);
  fillThem<<<0, kThreads>>>(out); //~ emptyGrids: unchecked-error
  if (fixed)
    CHECK(cudaGetLastError());
  fillThem<<<1, 0>>>(out); //~ emptyGrids: unchecked-error
  if (fixed)
    CHECK(cudaGetLastError());
}

// There are not so many devices.
void noSuchDevice(bool fixed) {
  if (!fixed)
    cudaSetDevice(1000); //~ noSuchDevice: unchecked-error
  else if (cudaSetDevice(1000))
    std::puts("none");
}

// The event was never recorded; the status is a cast away from being looked at.
void neverRecorded(bool fixed) {
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin));
  float milliseconds = 0;
  if (fixed)
    CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  else
    (void)cudaEventElapsedTime(&milliseconds, begin, end); //~ neverRecorded: unchecked-error
  CHECK(cudaEventDestroy(begin));
  CHECK(cudaEventDestroy(end));
}

// No capture has begun; what stands left of a comma has no value.
void neverCaptured(bool fixed) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  cudaGraph_t graph = nullptr;
  const bool isThere =
      fixed ? cudaStreamEndCapture(stream, &graph) == cudaSuccess
            : (cudaStreamEndCapture(stream, &graph), graph != nullptr); //~ neverCaptured: unchecked-error
  std::printf("%d\n", isThere);
  CHECK(cudaStreamDestroy(stream));
}

// A template of CUDA's headers makes the call: a table is copied to that is shorter.
void shorterTable(bool fixed) {
  const std::vector<int> in = numbers(2 * kThreads);
  if (!fixed) {
    cudaMemcpyToSymbol(table, in.data(), 2 * kBytes); //~ shorterTable: unchecked-error
    return;
  }
  const bool isGood = cudaMemcpyToSymbol(table, in.data(), 2 * kBytes) == cudaSuccess;
  std::printf("%d\n", isGood);
}

// One place of the source, from two functions.
void setTooMuch(int *out, bool fixed) {
  if (fixed) {
    static cudaError_t kept;
    kept = cudaMemset(out, 0, std::size_t{1} << 40);
  } else {
    cudaMemset(out, 0, std::size_t{1} << 40); //~ fromTwoPlaces: unchecked-error
  }
}
__attribute__((noinline)) void fromHere(int *out, bool fixed) { setTooMuch(out, fixed); }
__attribute__((noinline)) void fromThere(int *out, bool fixed) { setTooMuch(out, fixed); }
void fromTwoPlaces(bool fixed) {
  const DeviceArray<int> out(kThreads);
  fromHere(out, fixed);
  fromThere(out, fixed);
}

// Nine times.
void againAndAgain(bool fixed) {
  const DeviceArray<int> out(kThreads);
  for (int i = 0; i < 9; ++i) {
    if (fixed && cudaMemset(out, 0, std::size_t{1} << 40) != cudaSuccess)
      continue;
    if (!fixed)
      cudaMemset(out, 0, std::size_t{1} << 40); //~ againAndAgain: unchecked-error
  }
}

// A function hands the status on: it has looked, whatever its caller does.
cudaError_t wrapped(int *out) { return cudaMemset(out, 0, std::size_t{1} << 40); }
void handedOn(bool fixed) {
  const DeviceArray<int> out(kThreads);
  wrapped(out);
  if (!fixed)
    cudaMemset(out, 0, std::size_t{1} << 40); //~ handedOn: unchecked-error
}

// A class lets go of what it never got, in its destructor.
struct Watch {
  ~Watch() { cudaEventDestroy(event); } //~ neverCreated: unchecked-error
  cudaEvent_t event = nullptr;
};
void neverCreated(bool fixed) {
  auto watch = std::make_unique<Watch>();
  if (fixed)
    CHECK(cudaEventCreate(&watch->event));
}

// A template, whose macro looks in some builds alone.
#define LOOKS_NOT(call) call
template <typename T> void setAll(T *out, bool fixed) {
  if (fixed)
    CHECK(cudaMemset(out, 0, sizeof(T) << 40));
  else
    LOOKS_NOT(cudaMemset(out, 0, sizeof(T) << 40)); //~ builtWithoutLooks: unchecked-error
}
void builtWithoutLooks(bool fixed) {
  const DeviceArray<int> out(kThreads);
  setAll<int>(out, fixed);
}

// The question is another thread's: each has a last error of its own.
void askedElsewhere(bool fixed) {
  const DeviceArray<int> out(kThreads);
  fillThem<<<1, 2048>>>(out); //~ askedElsewhere: unchecked-error
  if (fixed)
    CHECK(cudaGetLastError());
  std::thread([] { CHECK(cudaGetLastError()); }).join();
}

// The question comes too early.
void askedTooEarly(bool fixed) {
  const DeviceArray<int> out(kThreads);
  if (!fixed)
    CHECK(cudaGetLastError());
  fillThem<<<1, 2048>>>(out); //~ askedTooEarly: unchecked-error
  if (fixed)
    CHECK(cudaGetLastError());
}

// What answers a question is no error, nor is what a function pointer's caller does with it known.
void isItDone(bool fixed) {
  cudaEvent_t event;
  CHECK(cudaEventCreate(&event));
  CHECK(cudaEventRecord(event));
  cudaEventQuery(event);
  cudaError_t (*set)(void *, int, std::size_t) = cudaMemset;
  set(nullptr, 0, 1);
  if (!fixed)
    cudaMemset(nullptr, 0, 1); //~ isItDone: unchecked-error
  CHECK(cudaEventDestroy(event));
}

#define ERROR_CASE(NAME) {#NAME, onOwnThread<NAME>}

int main(int argc, char **argv) {
  return casesMain(
      argc, argv,
      {
          ERROR_CASE(allocatedTooMuch),  ERROR_CASE(copiedFromNothing), ERROR_CASE(noDirection),
          ERROR_CASE(setBehindTheEnd),   ERROR_CASE(tooManyThreads),    ERROR_CASE(tooMuchShared),
          ERROR_CASE(emptyGrids),        ERROR_CASE(noSuchDevice),      ERROR_CASE(neverRecorded),
          ERROR_CASE(neverCaptured),     ERROR_CASE(shorterTable),      ERROR_CASE(fromTwoPlaces),
          ERROR_CASE(againAndAgain),     ERROR_CASE(handedOn),          ERROR_CASE(neverCreated),
          ERROR_CASE(builtWithoutLooks), ERROR_CASE(askedElsewhere),    ERROR_CASE(askedTooEarly),
          ERROR_CASE(isItDone),
      });
}
