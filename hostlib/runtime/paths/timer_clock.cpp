#include "timer_clock.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <fstream>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

namespace cupr::host {
namespace {

constexpr std::uint64_t kPage = 4096;
/// Threads that have a clock at a time.
constexpr unsigned kThreadsMost = 4096;

/// The clock of another thread's processor time: clock_getcpuclockid(3), for threads (linux/posix-timers.h).
clockid_t clockOf(pid_t thread) { return static_cast<clockid_t>((~static_cast<unsigned>(thread) << 3) | 6); }

std::uint64_t nanoseconds(const timespec &time) {
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
}

/// Nanoseconds of a clock.
std::uint64_t read(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return nanoseconds(now);
}

/// Asks the kernel, who looks there before it finds that what it is asked to do makes no sense.
bool isReadable(std::uint64_t address) {
  return ::syscall(SYS_rt_sigprocmask, -1, address, nullptr, sizeof(std::uint64_t)) == 0 || errno != EFAULT;
}

/// Of memory that belongs to nobody in particular: other functions' variables, with the room that tools put between them.
__attribute__((no_sanitize("address", "memory", "thread"))) void copyBytes(unsigned char *to, std::uint64_t from,
                                                                           std::uint64_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/// Whether the thread holds the signal back.
bool isHeldBack(pid_t thread, int signal) {
  std::ifstream status("/proc/self/task/" + std::to_string(thread) + "/status");
  const std::string key = "SigBlk:\t";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(key)) {
      std::uint64_t mask = 0;
      std::from_chars(line.data() + key.size(), line.data() + line.size(), mask, 16);
      return mask >> (signal - 1) & 1;
    }
  return true; // it is gone
}

} // namespace

/// The memory that a clock's handler and its reader have in common. The handler writes pictures, and says so with `written`; the reader takes them, and gives
/// their places back with `taken`.
struct TimerClock::Pictures {
  struct Picture {
    std::uint64_t time, used, bytes;
    Registers registers;
    unsigned char stack[kStackBytes];
  };
  /// A piece of memory that is a stack.
  struct Stack {
    std::atomic<std::uint64_t> begin, end;
  };

  std::atomic<pid_t> thread; ///< 0: of none, free
  std::atomic<std::uint32_t> written, taken;
  std::atomic<std::uint64_t> lost;
  std::array<Stack, 4> stacks; ///< a program can have stacks of its own
  std::size_t nextStack;
  std::uint32_t index;
  std::array<Picture, kSamplesKept> ring;

  /// One that is free.
  static Pictures *get(pid_t thread);
  static std::array<std::atomic<Pictures *>, kThreadsMost> all;

  void take(const ucontext_t &context);
};

std::array<std::atomic<TimerClock::Pictures *>, kThreadsMost> TimerClock::Pictures::all;

TimerClock::Pictures *TimerClock::Pictures::get(pid_t thread) {
  static std::mutex mutex;
  const std::scoped_lock lock(mutex);
  for (std::uint32_t i = 0; i < kThreadsMost; ++i) {
    Pictures *pictures = all[i].load(std::memory_order_relaxed);
    if (!pictures) {
      void *const memory =
          ::mmap(nullptr, sizeof(Pictures), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
      if (memory == MAP_FAILED)
        return nullptr;
      pictures = new (memory) Pictures;
      pictures->index = i;
      all[i].store(pictures, std::memory_order_release); // matched by the acquire in onTick
    } else if (pictures->thread.load(std::memory_order_relaxed) != 0) {
      continue;
    }
    pictures->taken.store(pictures->written.load(std::memory_order_relaxed), std::memory_order_relaxed);
    pictures->lost.store(0, std::memory_order_relaxed);
    for (Stack &stack : pictures->stacks)
      stack.end.store(0, std::memory_order_relaxed);
    pictures->thread.store(thread, std::memory_order_release); // matched by the acquire in onTick
    return pictures;
  }
  return nullptr;
}

void TimerClock::Pictures::take(const ucontext_t &context) {
  const std::uint32_t number = written.load(std::memory_order_relaxed);
  // Matched by the release in drain: what was taken from there is not in use any more.
  if (number - taken.load(std::memory_order_acquire) == kSamplesKept) {
    lost.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  Picture &picture = ring[number % kSamplesKept];
  picture.time = read(CLOCK_REALTIME);
  picture.used = read(CLOCK_THREAD_CPUTIME_ID);
  const auto at = [&](int name) { return static_cast<std::uint64_t>(context.uc_mcontext.gregs[name]); };
  picture.registers = {at(REG_RIP), at(REG_RSP), at(REG_RBP)};
  picture.bytes = 0;
  const std::uint64_t sp = picture.registers.sp;
  for (const Stack &stack : stacks) {
    const std::uint64_t end = stack.end.load(std::memory_order_relaxed);
    if (sp < stack.begin.load(std::memory_order_relaxed) || sp >= end)
      continue;
    // It was there once. Page by page the kernel says whether it still is.
    for (std::uint64_t from = sp; from < std::min(end, sp + kStackBytes) && isReadable(from & ~std::uint64_t{7});) {
      const std::uint64_t to = std::min({from / kPage * kPage + kPage, end, sp + kStackBytes});
      copyBytes(picture.stack + (from - sp), from, to - from);
      picture.bytes = to - sp;
      from = to;
    }
    break;
  }
  written.store(number + 1, std::memory_order_release); // matched by the acquire in drain
}

void TimerClock::onTick(int signal, siginfo_t *info, void *context) {
  const int before = errno;
  if (info->si_code != SI_TIMER) { // somebody means the program
    struct sigaction action{};
    action.sa_handler = SIG_DFL;
    ::sigaction(signal, &action, nullptr);
    ::raise(signal);
    return;
  }
  const auto index = static_cast<unsigned>(info->si_value.sival_int);
  Pictures *const pictures = index < kThreadsMost ? Pictures::all[index].load(std::memory_order_acquire) : nullptr;
  if (pictures && pictures->thread.load(std::memory_order_acquire) == ::gettid()) {
    pictures->lost.fetch_add(static_cast<std::uint64_t>(std::max(info->si_overrun, 0)), std::memory_order_relaxed);
    pictures->take(*static_cast<const ucontext_t *>(context));
  }
  errno = before;
}

int TimerClock::signalNumber() {
  static const int number = [] {
    for (int signal = SIGRTMAX; signal >= SIGRTMIN; --signal) {
      struct sigaction now{};
      if (::sigaction(signal, nullptr, &now) != 0 || now.sa_flags & SA_SIGINFO || now.sa_handler != SIG_DFL)
        continue;
      struct sigaction action{};
      action.sa_sigaction = onTick;
      action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
      sigemptyset(&action.sa_mask);
      if (::sigaction(signal, &action, nullptr) == 0)
        return signal;
    }
    return 0;
  }();
  return number;
}

bool TimerClock::isDisturbed() {
  struct sigaction now{};
  return signalNumber() == 0 || ::sigaction(signalNumber(), nullptr, &now) != 0 || !(now.sa_flags & SA_SIGINFO) ||
         now.sa_sigaction != onTick;
}

std::unique_ptr<TimerClock> TimerClock::start(pid_t thread, std::uint64_t period) {
  if (isDisturbed() || isHeldBack(thread, signalNumber()))
    return nullptr;
  Pictures *const pictures = Pictures::get(thread);
  if (!pictures)
    return nullptr;
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = signalNumber();
  event.sigev_value.sival_int = static_cast<int>(pictures->index);
  event._sigev_un._tid = thread;
  timer_t timer{};
  if (::timer_create(clockOf(thread), &event, &timer) != 0) {
    pictures->thread.store(0, std::memory_order_relaxed);
    return nullptr;
  }
  std::unique_ptr<TimerClock> clock(new TimerClock(timer, *pictures));
  clock->used_ = read(clockOf(thread));
  itimerspec times{};
  times.it_interval = {static_cast<time_t>(period / 1'000'000'000), static_cast<long>(period % 1'000'000'000)};
  times.it_value = times.it_interval;
  if (::timer_settime(timer, 0, &times, nullptr) != 0)
    return nullptr;
  return clock;
}

TimerClock::~TimerClock() {
  ::timer_delete(timer_);
  // The handler of a thread that is there may be at it.
  if (::syscall(SYS_tgkill, ::getpid(), pictures_.thread.load(std::memory_order_relaxed), 0) != 0)
    pictures_.thread.store(0, std::memory_order_relaxed);
}

void TimerClock::drain(const std::function<void(const StackSample &)> &receive) {
  const std::uint32_t written = pictures_.written.load(std::memory_order_acquire); // matched by the release in take
  for (std::uint32_t number = pictures_.taken.load(std::memory_order_relaxed); number != written; ++number) {
    const Pictures::Picture &picture = pictures_.ring[number % kSamplesKept];
    StackSample sample;
    sample.time = picture.time;
    sample.weight = picture.used - used_;
    used_ = picture.used;
    sample.isKnown = true;
    sample.registers = picture.registers;
    sample.stack = picture.stack;
    sample.bytes = picture.bytes;
    if (picture.bytes == 0)
      findStack(picture.registers.sp);
    ++delivered_;
    receive(sample);
    pictures_.taken.store(number + 1, std::memory_order_release); // matched by the acquire in take
  }
  lost_ = pictures_.lost.load(std::memory_order_relaxed);
}

/// A line of /proc/self/maps (proc(5)) begins with the addresses and the access, and may end with a file.
void TimerClock::findStack(std::uint64_t sp) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    std::uint64_t begin = 0, end = 0;
    const char *const last = line.data() + line.size();
    const auto first = std::from_chars(line.data(), last, begin, 16);
    if (first.ptr == last)
      return;
    const auto second = std::from_chars(first.ptr + 1, last, end, 16);
    if (sp < begin || sp >= end)
      continue;
    const bool isMemory = last - second.ptr > 3 && second.ptr[1] == 'r' && second.ptr[2] == 'w' &&
                          line.find(" /dev/") == std::string::npos;
    if (!isMemory)
      return;
    Pictures::Stack &stack = pictures_.stacks[pictures_.nextStack++ % pictures_.stacks.size()];
    // A handler that sees the one without the other finds that its stack pointer is not in there, or asks the kernel.
    stack.end.store(0, std::memory_order_relaxed);
    stack.begin.store(begin, std::memory_order_relaxed);
    stack.end.store(end, std::memory_order_relaxed);
    return;
  }
}

} // namespace cupr::host
