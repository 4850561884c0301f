/// How a thread waits for the GPU, which can't wake it: it looks again soon, and less often when nothing comes.
#ifndef CUPR_RUNTIME_PATIENCE_H
#define CUPR_RUNTIME_PATIENCE_H

#include <chrono>
#include <thread>

namespace cupr::host {

class Patience {
public:
  void reset() { idle_ = 0; }
  void wait() {
    using namespace std::chrono_literals;
    if (++idle_ < 64)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(idle_ < 1024 ? 20us : 200us);
  }

private:
  unsigned idle_ = 0;
};

} // namespace cupr::host

#endif
