#include "faults.h"

#include "block.h"
#include "call_stack.h"
#include "devicelib/abi/thread_owned.h"

#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <string>
#include <ucontext.h>

namespace cupr::cpu {

namespace {

constexpr std::size_t kStackBytes = 64 * 1024;

struct sigaction previousSegv, previousBus;

void handle(int signal, siginfo_t *info, void *context) {
  Block *block = Block::running();
  if (!block) {
    // Not ours: with the former action back in place the access faults again.
    sigaction(signal, signal == SIGSEGV ? &previousSegv : &previousBus, nullptr);
    return;
  }
  const LaneState &state = __cupr_cpu_lane;
  const unsigned char *address = static_cast<const unsigned char *>(info->si_addr);
  const auto instruction = static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP];
  const std::string place = CallStack::at(reinterpret_cast<const void *>(instruction)).place();
  char text[160];
  if (address >= state.stackLow && address < state.stackHigh)
    std::snprintf(text, sizeof text, "its stack is used up (CUPR_CPU_STACK sets the bytes per thread)");
  else if (const auto from = static_cast<std::uint64_t>(address - state.clusterFrames);
           state.clusterFrames && from / kSharedWindow == state.clusterBlocks)
    std::snprintf(
        text, sizeof text,
        "illegal access to address %p: shared memory of a block that its cluster of %u does not have",
        info->si_addr, state.clusterBlocks);
  else if (info->si_code != SI_KERNEL)
    std::snprintf(text, sizeof text, "illegal access to address %p", info->si_addr);
  else // a general protection fault says nothing of the address
    std::snprintf(text, sizeof text, "access to an address that is misaligned or can't be");
  // The fault is the lane's own, so leaving its stack and this one is safe.
  block->fail(Failure::IllegalAddress, text + (place.empty() ? place : ", " + place));
}

/// The signal stack of a host thread: a lane's own may be what is used up.
struct SignalStack {
  SignalStack() : memory(new unsigned char[kStackBytes]) {
    stack_t stack = {};
    stack.ss_sp = memory.get();
    stack.ss_size = kStackBytes;
    sigaltstack(&stack, &before);
  }
  ~SignalStack() { sigaltstack(&before, nullptr); }
  std::unique_ptr<unsigned char[]> memory;
  stack_t before = {};
};

} // namespace

void watchFaults() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previousSegv);
    sigaction(SIGBUS, &action, &previousBus);
  });
  abi::ThreadOwned<SignalStack>::get();
}

} // namespace cupr::cpu
