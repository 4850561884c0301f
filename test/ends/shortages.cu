// Ways to run short: of memory, of processes, of descriptors that are what they were. Some need an allocator of the surroundings'
// (allocator.cpp), which is told when to fail.
#include "program.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

/// From now on every `period`-th request for memory fails; 0: none.
extern "C" void failAllocations(unsigned period) __attribute__((weak));

namespace {

__global__ void count(int *x) { atomicAdd(x + threadIdx.x, 1); }

/// Launches and copies while requests for memory fail. The program itself asks for none meanwhile.
int runShortOfMemory(const Arguments &arguments) {
  constexpr int kTurns = 60;
  int *memory = nullptr, seen[32] = {}, errors = 0;
  cudaMalloc(&memory, sizeof seen);
  cudaMemset(memory, 0, sizeof seen);
  count<<<2, 32>>>(memory);
  cudaDeviceSynchronize();
  if (failAllocations)
    failAllocations(arguments.number(0));
  for (int i = 0; i < kTurns; ++i) {
    count<<<2, 32>>>(memory);
    errors += cudaGetLastError() != cudaSuccess;
    errors += cudaMemcpy(seen, memory, sizeof seen, cudaMemcpyDeviceToHost) != cudaSuccess;
  }
  if (failAllocations)
    failAllocations(0);
  int wrong = 0;
  for (const int value : seen)
    wrong += value != 2 * (kTurns + 1);
  std::printf("%d errors, %d wrong\n", errors, wrong);
  std::fflush(stdout);
  return errors + wrong != 0;
}

/// Children that have children, all at once; while another thread of the parent launches, or else launching themselves.
int storm(const Arguments &arguments) {
  constexpr int kWidth = 6;
  const bool childrenLaunch = arguments.number(0) != 0;
  std::thread launching([childrenLaunch] {
    for (int i = 0; !childrenLaunch && i < 50; ++i)
      launch(2);
  });
  if (childrenLaunch)
    launching.join();
  int wrong = 0;
  std::vector<pid_t> children;
  for (int i = 0; i < kWidth; ++i) {
    children.push_back(fork());
    if (children.back() != 0)
      continue;
    std::vector<pid_t> grandchildren;
    if (childrenLaunch && i % 2 == 0)
      launch(1);
    for (int j = 0; j < kWidth; ++j) {
      grandchildren.push_back(fork());
      if (grandchildren.back() == 0) {
        if (childrenLaunch && j % 3 == 0)
          launch(1);
        j % 2 == 0 ? exit(5) : _exit(5);
      }
    }
    int bad = 0, status = 0;
    for (const pid_t grandchild : grandchildren)
      bad += waitpid(grandchild, &status, 0) != grandchild || !WIFEXITED(status) || WEXITSTATUS(status) != 5;
    exit(bad == 0 ? 6 : 7);
  }
  if (launching.joinable())
    launching.join();
  int status = 0;
  for (const pid_t child : children)
    wrong += waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 6;
  std::printf("%d wrong\n", wrong);
  std::fflush(stdout);
  return wrong;
}

/// A file of the program's gets the number of standard error, and then the runtime has something to say.
int reopenError(const Arguments &) {
  close(2);
  const int file = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600);
  syscall(SYS_close_range, 3, ~0u, 0);
  for (int i = 0; i < 20; ++i)
    launch(8);
  std::printf("descriptor %d, %d bytes\n", file, int(lseek(file, 0, SEEK_END)));
  std::fflush(stdout);
  return 0;
}
int reopenErrorFirst(const Arguments &arguments) {
  const int file = open("own", O_RDWR | O_CREAT | O_TRUNC, 0600); // gets the number of what was closed
  for (int i = 0; i < 20; ++i)
    launch(8);
  syscall(SYS_close_range, 3, ~0u, 0);
  launch(8);
  std::printf("descriptor %d, %d bytes\n", file, int(lseek(file, 0, SEEK_END)));
  std::fflush(stdout);
  return int(lseek(file, 0, SEEK_END)) != 0 && file != 1;
}

} // namespace

std::map<std::string, Way> shortages() {
  return {{"memory-fails", runShortOfMemory},
          {"storm", storm},
          {"reopen-error", reopenError},
          {"first-reopen", reopenErrorFirst}};
}
