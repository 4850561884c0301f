#include "fiber.h"

#include <atomic>
#include <sys/mman.h>

#if !defined(__x86_64__)
#error "the CPU device's stack switch is written for x86-64"
#endif

namespace cupr::cpu {

asm(R"(
  .text
  .globl cuprCpuSwitch
  .hidden cuprCpuSwitch
  .type cuprCpuSwitch, @function
  .p2align 4
cuprCpuSwitch:
  .cfi_startproc
  popq %rcx
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  pushq %rcx
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  movq %rdx, %rax
  popq %rcx
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  jmpq *%rcx
  .cfi_endproc
  .size cuprCpuSwitch, . - cuprCpuSwitch

  .hidden cuprCpuFiberStart
  .type cuprCpuFiberStart, @function
cuprCpuFiberStart:
  movq %r12, %rdi
  xorl %ebp, %ebp
  callq *%rbx
  ud2
  .size cuprCpuFiberStart, . - cuprCpuFiberStart
)");

extern "C" void cuprCpuFiberStart();

FiberPointer makeFiber(unsigned char *stackTop, void (*start)(void *), void *argument) {
  void **top = reinterpret_cast<void **>(reinterpret_cast<std::uintptr_t>(stackTop) & ~std::uintptr_t(15));
  // In the order in which the switch pops: return address, r15, r14, r13, r12, rbx, rbp.
  void **frame = top - 9; // 16-byte aligned again once the seven are popped
  frame[0] = reinterpret_cast<void *>(cuprCpuFiberStart);
  frame[1] = frame[2] = frame[3] = nullptr;
  frame[4] = argument;
  frame[5] = reinterpret_cast<void *>(start);
  frame[6] = nullptr;
  return frame;
}

namespace {
constexpr std::size_t kStackPage = 4096, kLine = 64;

/// Makes accesses of a page fault. Where the kernel can't note that beside the page (Linux before 6.13), the page
/// becomes a mapping of its own, of which a process may have 65,530: the stacks of 512 blocks would need more. So only the
/// first have guards then, and what else needs mappings (threads, memory) still gets them.
void guard(unsigned char *page) {
  constexpr int kInstallGuard = 102; // MADV_GUARD_INSTALL
  constexpr unsigned kMostMappings = 16384;
  static std::atomic<unsigned> mappings{0};
  if (madvise(page, kStackPage, kInstallGuard) != 0 &&
      mappings.fetch_add(1, std::memory_order_relaxed) < kMostMappings)
    mprotect(page, kStackPage, PROT_NONE);
}
} // namespace

/// Besides the stack, there is room for the guard, and for tops that are lower by less than a page.
StackPool::StackPool(std::size_t stackBytes, unsigned count)
    : stackBytes_(stackBytes),
      stride_((stackBytes + kStackPage - 1) / kStackPage * kStackPage + 2 * kStackPage), count_(count) {
  void *memory = mmap(nullptr, stride_ * count, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  base_ = memory == MAP_FAILED ? nullptr : static_cast<unsigned char *>(memory);
  free_.reserve(count); // a fiber that ends can't do with a failure
}

StackPool::~StackPool() {
  if (base_)
    munmap(base_, stride_ * count_);
}

unsigned char *StackPool::take() {
  if (!free_.empty()) {
    unsigned char *top = free_.back();
    free_.pop_back();
    return top;
  }
  if (made_ == count_)
    return nullptr;
  unsigned char *stack = base_ + stride_ * made_;
  guard(stack);
  // Tops that differ in their low bits, or all would compete for one set of the cache. Lanes of one kernel
  // wait equally deep in their stacks, so these spread evenly over the 64 sets of lines of 64 bytes.
  const std::size_t stagger = made_ % (kStackPage / kLine) * kLine;
  ++made_;
  return stack + stride_ - stagger;
}

} // namespace cupr::cpu
