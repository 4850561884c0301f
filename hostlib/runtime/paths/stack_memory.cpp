#include "stack_memory.h"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

namespace cupr::host {
namespace {

/// Of the calling thread. Where the program's first thread has its stack is read from /proc, which takes a while.
struct Bounds {
  std::uint64_t begin = 0, end = 0;
};
thread_local Bounds bounds;

const Bounds &boundsOfThread() {
  if (bounds.end != 0)
    return bounds;
  bounds.end = 1; // so it is asked once
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0)
    return bounds;
  void *begin = nullptr;
  std::size_t bytes = 0;
  if (pthread_attr_getstack(&attributes, &begin, &bytes) == 0) {
    bounds.begin = reinterpret_cast<std::uint64_t>(begin);
    bounds.end = bounds.begin + bytes;
  }
  pthread_attr_destroy(&attributes);
  return bounds;
}

} // namespace

std::uint64_t OwnStack::begin() { return boundsOfThread().begin; }
std::uint64_t OwnStack::end() { return boundsOfThread().end; }

bool OwnStack::readAnywhere(std::uint64_t address, std::uint64_t &value) {
  iovec to{&value, sizeof value}, from{reinterpret_cast<void *>(address), sizeof value};
  return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof value;
}

} // namespace cupr::host
