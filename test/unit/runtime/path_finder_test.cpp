/// Call paths against those that glibc's backtrace finds, which runs the whole program of .eh_frame for each frame, each time.
#include "hostlib/runtime/paths/path_finder.h"

#include <catch2/catch.hpp>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <execinfo.h>
#include <functional>
#include <random>
#include <stdexcept>
#include <sys/mman.h>
#include <thread>
#include <ucontext.h>
#include <vector>

using namespace cupr::host;
using cupr::trace::HostNode;
using cupr::trace::HostNodeKind;
using cupr::trace::kNoHostIndex;

namespace {

/// The tree's nodes as they go to a trace.
class Paths {
public:
  /// Where the path of a node's functions are, from the innermost on, as backtrace has it: return addresses, but where a signal came.
  std::vector<std::uint64_t> addresses(std::uint32_t node) {
    takeNew();
    std::vector<std::uint64_t> found;
    const auto objects = tree.objects();
    bool isInterrupted = false;
    for (; node != kNoHostIndex; node = nodes_.at(node).parent) {
      const HostNode &at = nodes_.at(node);
      if (at.kind == HostNodeKind::Cut)
        break;
      const std::uint64_t bias = at.object == kNoHostIndex ? 0 : objects.at(at.object).bias;
      found.push_back(bias + at.offset + (isInterrupted ? 0 : 1));
      isInterrupted = at.kind == HostNodeKind::SignalFrame;
    }
    return found;
  }
  std::vector<HostNodeKind> kinds(std::uint32_t node) {
    takeNew();
    std::vector<HostNodeKind> found;
    for (; node != kNoHostIndex; node = nodes_.at(node).parent)
      found.push_back(nodes_.at(node).kind);
    return found;
  }

  PathTree tree;

private:
  void takeNew() {
    cupr::trace::HostBatch batch;
    tree.takeNew(batch);
    nodes_.insert(nodes_.end(), batch.nodes.begin(), batch.nodes.end());
  }
  std::vector<HostNode> nodes_;
};

struct Probe {
  Paths *paths;
  PathFinder *finder;
  std::size_t compared = 0, different = 0;
  std::uint32_t last = kNoHostIndex;
};
thread_local Probe *probe;

/// Both ways of finding the path of its caller.
__attribute__((noinline)) void compare() {
  const auto *const frame = static_cast<const std::uint64_t *>(__builtin_frame_address(0));
  probe->last = probe->finder->pathOf({frame[1], reinterpret_cast<std::uint64_t>(frame + 2), frame[0]});
  void *expected[512];
  const int count = backtrace(expected, 512);
  std::vector<std::uint64_t> wanted;
  for (int i = 0; i < count;
       ++i) // in front of the caller are this function, and with a sanitizer what stands in for backtrace
    if (const auto address = reinterpret_cast<std::uint64_t>(expected[i]);
        !wanted.empty() || address == frame[1])
      wanted.push_back(address);
  ++probe->compared;
  if (probe->paths->addresses(probe->last) != wanted)
    ++probe->different;
}

struct Walk {
  std::mt19937_64 random;
  std::size_t left;
  unsigned depth = 0;
};

void goOn(Walk &walk);
thread_local volatile int sink;

__attribute__((noinline)) void plainly(Walk &walk) {
  goOn(walk);
  sink = 1;
}
__attribute__((noinline)) void withBigFrame(Walk &walk) {
  volatile char bytes[5000];
  bytes[walk.depth] = 1;
  goOn(walk);
  sink = bytes[walk.depth];
}
__attribute__((noinline)) void withAlloca(Walk &walk) {
  auto *const bytes = static_cast<volatile char *>(__builtin_alloca(16 + walk.random() % 300));
  bytes[0] = 2;
  goOn(walk);
  sink = bytes[0];
}
__attribute__((noinline)) void withAlignedFrame(Walk &walk) {
  alignas(256) volatile char bytes[300];
  bytes[0] = 3;
  goOn(walk);
  sink = bytes[0];
}
__attribute__((noinline)) void withFramePointer(Walk &walk) __attribute__((target("no-avx")));
void withFramePointer(Walk &walk) {
  sink = static_cast<int>(reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)));
  goOn(walk);
  sink = 4;
}
__attribute__((noinline)) void throughStdFunction(Walk &walk) {
  const std::function<void()> call = [&] {
    goOn(walk);
    sink = 5;
  };
  call();
  sink = 6;
}
__attribute__((noinline)) void throughException(Walk &walk) {
  try {
    goOn(walk);
    if (walk.random() % 2)
      throw std::runtime_error("out");
  } catch (const std::runtime_error &) {
    goOn(walk);
  }
  sink = 7;
}
int byQsort(const void *a, const void *b, void *walk) {
  if (static_cast<Walk *>(walk)->random() % 4 == 0)
    goOn(*static_cast<Walk *>(walk));
  return *static_cast<const int *>(a) - *static_cast<const int *>(b);
}
__attribute__((noinline)) void throughCallback(Walk &walk) {
  int numbers[] = {3, 1, 2};
  qsort_r(numbers, 3, sizeof *numbers, byQsort, &walk);
  sink = numbers[0];
}
__attribute__((noinline)) void asTailCall(Walk &walk) { goOn(walk); }
thread_local Walk *walkOfSignal;
void onSignal(int) {
  if (walkOfSignal)
    goOn(*std::exchange(walkOfSignal, nullptr));
}
__attribute__((noinline)) void throughSignal(Walk &walk) {
  walkOfSignal = &walk;
  raise(SIGUSR2);
  sink = 8;
}

constexpr void (*kWays[])(Walk &) = {plainly,          withBigFrame,       withAlloca,       withAlignedFrame,
                                     withFramePointer, throughStdFunction, throughException, throughCallback,
                                     asTailCall,       throughSignal};

/// A few times: compare, or go deeper some way.
__attribute__((noinline)) void goOn(Walk &walk) {
  ++walk.depth;
  const unsigned times = 1 + static_cast<unsigned>(walk.random() % 3);
  for (unsigned i = 0; i < times && walk.left; ++i) {
    if (walk.depth > 70 || walk.random() % 4 == 0) {
      --walk.left;
      compare();
      sink = 9;
    } else {
      kWays[walk.random() % std::size(kWays)](walk);
    }
  }
  --walk.depth;
}

void walkAtRandom(Probe &probing, std::uint64_t seed, std::size_t comparisons) {
  probe = &probing;
  Walk walk{std::mt19937_64(seed), comparisons};
  while (walk.left)
    goOn(walk);
}

/// The innermost of these have the same place on the stack whatever `bytes` is, and what an earlier call has left there.
thread_local volatile char *kept;
__attribute__((noinline)) void innermost() {
  kept = static_cast<volatile char *>(__builtin_alloca(32));
  compare();
  sink = 20;
}
__attribute__((noinline)) void inner(std::size_t bytes) {
  kept = static_cast<volatile char *>(__builtin_alloca(1024 - bytes));
  innermost();
  sink = 21;
}
template <int number> __attribute__((noinline)) void outer(std::size_t bytes) {
  kept = static_cast<volatile char *>(__builtin_alloca(bytes));
  inner(bytes);
  sink = number;
}

/// A stack of its own, as coroutines have.
class OwnContext {
public:
  explicit OwnContext(void (*function)()) : memory_(256 * 1024) {
    getcontext(&context_);
    context_.uc_stack.ss_sp = memory_.data();
    context_.uc_stack.ss_size = memory_.size();
    context_.uc_link = &back_;
    makecontext(&context_, function, 0);
  }
  void run() { swapcontext(&back_, &context_); }

private:
  std::vector<char> memory_;
  ucontext_t context_{}, back_{};
};
std::uint64_t seedOfContext;
void walkInContext() {
  Walk walk{std::mt19937_64(seedOfContext), 200};
  while (walk.left)
    goOn(walk);
}

/// Machine code of no ELF file.
class Compiled {
public:
  explicit Compiled(std::vector<unsigned char> code) : bytes_(code.size()) {
    memory_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memcpy(memory_, code.data(), code.size());
    mprotect(memory_, bytes_, PROT_READ | PROT_EXEC);
  }
  ~Compiled() { munmap(memory_, bytes_); }
  __attribute__((noinline, no_sanitize("function"))) void call(void (*function)()) const {
    reinterpret_cast<void (*)(void (*)())>(memory_)(function);
    sink = 10;
  }

private:
  std::size_t bytes_;
  void *memory_;
};

} // namespace

TEST_CASE("Call paths are those that glibc's backtrace finds, however functions are called") {
  struct sigaction action{};
  action.sa_handler = onSignal;
  action.sa_flags = SA_NODEFER;
  REQUIRE(sigaction(SIGUSR2, &action, nullptr) == 0);
  Paths paths;
  SECTION("by one thread") {
    PathFinder finder(paths.tree);
    Probe probing{&paths, &finder};
    walkAtRandom(probing, 1, 20'000);
    CHECK(probing.compared == 20'000);
    CHECK(probing.different == 0);
  }
  SECTION("by several") {
    std::vector<std::thread> threads;
    std::vector<Probe> probes(4);
    std::vector<Paths> own(probes.size());
    for (std::size_t i = 0; i < probes.size(); ++i)
      threads.emplace_back([&, i] {
        PathFinder finder(own[i].tree);
        probes[i] = {&own[i], &finder};
        walkAtRandom(probes[i], 2 + i, 2'000);
      });
    for (std::thread &thread : threads)
      thread.join();
    for (const Probe &probing : probes) {
      CHECK(probing.compared == 2'000);
      CHECK(probing.different == 0);
    }
  }
  SECTION("on stacks of the program's own") {
    PathFinder finder(paths.tree);
    Probe probing{&paths, &finder};
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      walkAtRandom(probing, seed, 100);
      seedOfContext = seed;
      OwnContext(walkInContext).run();
    }
    CHECK(probing.compared == 3'000);
    CHECK(probing.different == 0);
  }
  SECTION("in a signal's handler on a stack of its own") {
    std::vector<char> memory(256 * 1024);
    const stack_t stack{memory.data(), 0, memory.size()};
    REQUIRE(sigaltstack(&stack, nullptr) == 0);
    action.sa_flags = SA_ONSTACK;
    REQUIRE(sigaction(SIGUSR2, &action, nullptr) == 0);
    PathFinder finder(paths.tree);
    Probe probing{&paths, &finder};
    walkAtRandom(probing, 7, 2'000);
    const stack_t none{nullptr, SS_DISABLE, 0};
    sigaltstack(&none, nullptr);
    CHECK(probing.compared == 2'000);
    CHECK(probing.different == 0);
  }
  signal(SIGUSR2, SIG_DFL);
}

TEST_CASE("What an earlier call has left on the stack is not taken for the current path") {
  Paths paths;
  PathFinder finder(paths.tree);
  Probe probing{&paths, &finder};
  probe = &probing;
  for (int i = 0; i < 4; ++i) {
    outer<22>(256);
    outer<23>(512);
  }
  CHECK(probing.compared == 8);
  CHECK(probing.different == 0);
}

TEST_CASE("A call path through code that nothing is said of is marked") {
  Paths paths;
  PathFinder finder(paths.tree);
  Probe probing{&paths, &finder};
  probe = &probing;
  SECTION("with a frame pointer it goes on") {
    // push rbp; mov rbp, rsp; call rdi; pop rbp; ret
    const Compiled code({0x55, 0x48, 0x89, 0xe5, 0xff, 0xd7, 0x5d, 0xc3});
    code.call(compare);
    const auto kinds = paths.kinds(probing.last);
    REQUIRE(kinds.size() > 3);
    CHECK(kinds[0] == HostNodeKind::UnknownCode);
    CHECK(kinds[1] == HostNodeKind::Frame);
    CHECK(kinds.back() == HostNodeKind::Frame);
  }
  SECTION("without one it is said that it may not be all") {
    // sub rsp, 8; xor ebp, ebp (after saving it in rbx); call rdi; restore; ret
    const Compiled code({0x53, 0x48, 0x89, 0xeb, 0x31, 0xed, 0xff, 0xd7, 0x48, 0x89, 0xdd, 0x5b, 0xc3});
    code.call(compare);
    const auto kinds = paths.kinds(probing.last);
    REQUIRE(kinds.size() == 2);
    CHECK(kinds[0] == HostNodeKind::UnknownCode);
    CHECK(kinds[1] == HostNodeKind::Cut);
  }
}

TEST_CASE("A copied stack gives the same path as the stack, as far as it reaches") {
  Paths paths;
  PathFinder finder(paths.tree);
  const auto *const frame = static_cast<const std::uint64_t *>(__builtin_frame_address(0));
  const Registers here{frame[1], reinterpret_cast<std::uint64_t>(frame + 2), frame[0]};
  const std::uint32_t whole = finder.pathOf(here);
  std::vector<unsigned char> copy(4096);
  std::memcpy(copy.data(), frame + 2, copy.size());
  const CopiedStack piece(here.sp, copy.data(), copy.size());
  const auto expected = paths.addresses(whole);
  auto found = paths.addresses(finder.pathOf(here, false, piece));
  REQUIRE(found.size() <= expected.size());
  REQUIRE(!found.empty());
  CHECK(std::equal(found.begin(), found.end(), expected.begin()));
  const CopiedStack nothing(here.sp, copy.data(), 0);
  found = paths.addresses(finder.pathOf(here, false, nothing));
  CHECK(found == std::vector<std::uint64_t>{expected.front()});
}

TEST_CASE("Deep recursion is cut where paths end") {
  Paths paths;
  PathFinder finder(paths.tree);
  std::uint32_t node = kNoHostIndex;
  const std::function<void(unsigned)> recurse = [&](unsigned left) {
    if (left)
      recurse(left - 1);
    else {
      const auto *const frame = static_cast<const std::uint64_t *>(__builtin_frame_address(0));
      node = finder.pathOf({frame[1], reinterpret_cast<std::uint64_t>(frame + 2), frame[0]});
    }
    sink = 11;
  };
  recurse(20'000);
  const auto kinds = paths.kinds(node);
  CHECK(kinds.size() == kFramesMax + 1);
  CHECK(kinds.back() == HostNodeKind::Cut);
}
