#include "machine_threads.h"

#include <cstdint>
#include <cstring>
#include <utility>

namespace cupr::model {

MachineThreads::MachineThreads(unsigned count, std::function<void(unsigned)> run)
    : run_(std::move(run)), stacks_(std::size_t{64} << 10, count), threads_(count) {
  for (unsigned self = 0; self < count; ++self) {
    Thread &thread = threads_[self];
    thread.all = this;
    thread.self = self;
    thread.top = stacks_.take();
    thread.pointer = cpu::makeFiber(thread.top, start, &thread);
  }
}

void MachineThreads::start(void *argument) {
  Thread &thread = *static_cast<Thread *>(argument);
  thread.all->run_(thread.self);
  thread.isDone = true;
  thread.all->leave();
  __builtin_unreachable();
}

void MachineThreads::resume(unsigned thread) {
  running_ = thread;
  cpu::cuprCpuSwitch(&explorer_, threads_[thread].pointer, 0);
}

void MachineThreads::leave() { cpu::cuprCpuSwitch(&threads_[running_].pointer, explorer_, 0); }

void MachineThreads::save(std::vector<unsigned char> &bytes) const {
  for (const Thread &thread : threads_) {
    const auto *const from = static_cast<const unsigned char *>(thread.pointer);
    const auto size = static_cast<std::uint16_t>(thread.isDone ? 0 : thread.top - from);
    const auto *const sizeBytes = reinterpret_cast<const unsigned char *>(&size);
    bytes.insert(bytes.end(), sizeBytes, sizeBytes + sizeof size);
    bytes.insert(bytes.end(), from, from + size);
  }
}

void MachineThreads::restore(const unsigned char *at) {
  for (Thread &thread : threads_) {
    std::uint16_t size;
    std::memcpy(&size, at, sizeof size);
    thread.isDone = size == 0;
    thread.pointer = thread.top - size;
    std::memcpy(thread.pointer, at + sizeof size, size);
    at += sizeof size + size;
  }
}

} // namespace cupr::model
