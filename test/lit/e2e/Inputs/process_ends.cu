// Ends in the way that the first argument names. Before that it launches `store` with 4 and with 3 blocks of 32 threads, which is
// 4 and 3 warp records; what comes on top stands with each way.
#include <cassert>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

__global__ void store(int *x) { x[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ void nothing(int *) {}
__global__ void failing(int *x) {
  x[threadIdx.x] = 1;
  assert(x[0] == 2);
}
// Says that it has begun, and ends when the host lets it: or never.
__global__ void waiting(volatile int *begun, volatile int *allowed, int *x) {
  x[threadIdx.x] = 1;
  *begun = 1;
  while (!*allowed)
    ;
}

static void launch(unsigned blocks) {
  static int *x = [] {
    int *memory;
    cudaMalloc(&memory, 1024 * sizeof *memory);
    return memory;
  }();
  store<<<blocks, 32>>>(x);
}

// Two blocks, 2 records, in a process of its own.
static int inChild(bool endsWithExit) {
  const pid_t child = fork();
  if (child == 0) {
    launch(2);
    const bool right = cudaDeviceSynchronize() == cudaSuccess;
    endsWithExit ? exit(!right) : _exit(!right);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

int main(int argc, char **argv) {
  const std::string way = argc > 1 ? argv[1] : "";
  if (way == "fork-first") { // before any CUDA call: 2 records here, 4 and 3 in the parent
    const int status = inChild(/*endsWithExit=*/true);
    launch(4);
    launch(3);
    return status;
  }
  if (way == "fork-alike") { // one launch with 1 record here, one with 2 in the child: both are their process's first
    launch(1);
    return inChild(/*endsWithExit=*/true);
  }
  launch(4);
  launch(3);
  if (way == "return")
    return 0;
  if (way == "exit")
    exit(3);
  if (way == "_exit")
    _exit(3);
  if (way == "quick_exit")
    std::quick_exit(3);
  if (way == "abort")
    abort();
  if (way == "throw")
    throw std::runtime_error("nobody catches this");
  if (way == "crash") {
    volatile int *nowhere = nullptr;
    *nowhere = 1;
  }
  if (way == "signal") {
    raise(atoi(argv[2]));
    sleep(20); // the trace is brought to an end; then the signal does what it does
    return 99;
  }
  if (way == "during") { // a signal while a kernel runs: one more launch, which does not end
    int *begun, *never, *x;
    cudaMallocHost(&begun, sizeof *begun);
    cudaMallocHost(&never, sizeof *never);
    cudaMalloc(&x, 32 * sizeof *x);
    *begun = *never = 0;
    std::thread([&] {
      while (!*static_cast<volatile int *>(begun))
        std::this_thread::yield();
      kill(getpid(), atoi(argv[2]));
    }).detach();
    waiting<<<1, 32>>>(begun, never, x);
    cudaDeviceSynchronize();
  }
  if (way == "handled") { // the program's own handler stays in charge: 1 record more
    static volatile std::sig_atomic_t seen = 0;
    std::signal(SIGTERM, [](int) { seen = 1; });
    raise(SIGTERM);
    launch(1);
    return seen ? 0 : 1;
  }
  if (way == "ignored") { // 1 record more
    raise(SIGINT);        // which whoever started the program has set to be ignored
    launch(1);
    return 0;
  }
  if (way == "exec")
    execl("/bin/echo", "echo", "another program", nullptr);
  if (way == "exec-self") // under the same number: 2 records in a trace of its own
    execl("/proc/self/exe", argv[0], "reset", nullptr);
  if (way == "reset") { // 2 records after it
    cudaDeviceReset();
    int *x;
    cudaMalloc(&x, 64 * sizeof *x);
    store<<<2, 32>>>(x);
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  if (way == "assert") { // a launch that fails
    int *x;
    cudaMalloc(&x, 32 * sizeof *x);
    failing<<<1, 32>>>(x);
    return cudaDeviceSynchronize() == cudaErrorAssert ? 0 : 1;
  }
  if (way == "nothing") { // no record more
    for (int i = 0; i < 10; ++i)
      nothing<<<8, 256>>>(nullptr);
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  if (way == "many") { // 10,000 records
    for (int i = 0; i < 10000; ++i)
      launch(1);
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  if (way == "forever") // until somebody ends it
    for (;;)
      launch(2);
  if (way == "threads") { // 16 threads, 64 streams, each 10 launches of 5 blocks: 3200 records
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 16; ++thread)
      threads.emplace_back([] {
        int *x;
        cudaMalloc(&x, 4 * 160 * sizeof *x);
        cudaStream_t streams[4];
        for (cudaStream_t &stream : streams)
          cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        for (int i = 0; i < 10; ++i)
          for (int stream = 0; stream < 4; ++stream)
            store<<<5, 32, 0, streams[stream]>>>(x + 160 * stream);
        for (cudaStream_t &stream : streams)
          cudaStreamSynchronize(stream);
      });
    for (std::thread &thread : threads)
      thread.join();
    return cudaDeviceSynchronize() != cudaSuccess;
  }
  if (way == "fork") // 2 records in the child, 1 more here
    return inChild(/*endsWithExit=*/true) || inChild(/*endsWithExit=*/false) || (launch(1), 0);
  if (way == "fork-idle") { // a child without CUDA calls that ends as programs do; 1 record more here
    const pid_t child = fork();
    if (child == 0)
      exit(0);
    waitpid(child, nullptr, 0);
    launch(1);
    return 0;
  }
  fprintf(stderr, "no way '%s'\n", way.c_str());
  return 2;
}
