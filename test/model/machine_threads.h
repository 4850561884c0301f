/// The threads of a machine: each runs on a stack of its own up to its next step, and is left there; stacks are saved and set back as bytes.
#ifndef CUPR_MODEL_MACHINE_THREADS_H
#define CUPR_MODEL_MACHINE_THREADS_H

#include "devicelib/cpu/runtime/fiber.h"

#include <cstddef>
#include <functional>
#include <vector>

namespace cupr::model {

class MachineThreads {
public:
  /// Calls `run(self)` on each thread's stack; when it returns the thread is done, and must not be resumed.
  MachineThreads(unsigned count, std::function<void(unsigned self)> run);
  MachineThreads(const MachineThreads &) = delete;
  MachineThreads &operator=(const MachineThreads &) = delete;

  /// Lets the thread run until it leaves.
  void resume(unsigned thread);
  /// Of the running thread: leaves it, until it is resumed.
  void leave();
  /// Whose turn it is, or was last.
  unsigned running() const { return running_; }
  /// Something else than a thread has its turn.
  void setRunning(unsigned agent) { running_ = agent; }

  /// Appends the stacks of those that are not done.
  void save(std::vector<unsigned char> &bytes) const;
  /// From `at` on.
  void restore(const unsigned char *at);

private:
  struct Thread {
    unsigned char *top;
    cpu::FiberPointer pointer;
    MachineThreads *all;
    unsigned self;
    bool isDone = false;
  };
  static void start(void *thread);

  const std::function<void(unsigned)> run_;
  cpu::StackPool stacks_;
  std::vector<Thread> threads_;
  cpu::FiberPointer explorer_ = nullptr;
  unsigned running_ = 0;
};

} // namespace cupr::model

#endif
