#include "perf_clock.h"

#include <algorithm>
#include <asm/perf_regs.h>
#include <atomic>
#include <cstring>
#include <ctime>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace cupr::host {
namespace {

constexpr std::uint64_t kRegisters = std::uint64_t{1} << PERF_REG_X86_BP |
                                     std::uint64_t{1} << PERF_REG_X86_SP |
                                     std::uint64_t{1} << PERF_REG_X86_IP;

int open(pid_t thread, std::uint64_t period, std::size_t stack) {
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.sample_period = period;
  attributes.sample_type =
      PERF_SAMPLE_TIME | PERF_SAMPLE_READ | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
  attributes.sample_regs_user = kRegisters;
  attributes.sample_stack_user = static_cast<std::uint32_t>(stack);
  attributes.use_clockid = 1;
  attributes.clockid = CLOCK_REALTIME; // as all times of a trace
  attributes.exclude_hv = 1;
  // Nobody is to be woken.
  attributes.watermark = 1;
  attributes.wakeup_watermark = UINT32_MAX;
  const auto call = [&] {
    return static_cast<int>(::syscall(SYS_perf_event_open, &attributes, thread, /*cpu=*/-1, /*group_fd=*/-1,
                                      PERF_FLAG_FD_CLOEXEC));
  };
  int file = call();
  if (file < 0) {
    attributes.exclude_kernel = 1;
    file = call();
  }
  return file;
}

template <typename T> T take(const unsigned char *&at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  at += sizeof value;
  return value;
}

} // namespace

std::unique_ptr<PerfClock> PerfClock::start(pid_t thread, std::uint64_t period) {
  const auto pageBytes = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  for (std::size_t room = kRoom; room >= kRoomLeast; room /= 2) {
    const int file = open(thread, period, room / kSamplesKept);
    if (file < 0)
      return nullptr;
    void *const memory = ::mmap(nullptr, pageBytes + room, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ::close(file); // the mapping keeps the clock
    if (memory != MAP_FAILED)
      return std::unique_ptr<PerfClock>(new PerfClock(memory, pageBytes + room, room));
  }
  return nullptr;
}

PerfClock::~PerfClock() { ::munmap(memory_, bytes_); }

/// The layout of records: perf_event_open(2), "MMAP layout".
void PerfClock::drain(const std::function<void(const StackSample &)> &take) {
  auto &page = *static_cast<perf_event_mmap_page *>(memory_);
  const unsigned char *const room = static_cast<const unsigned char *>(memory_) + (bytes_ - room_);
  // Matched by the kernel's barriers around its store to data_head, and its load of data_tail (kernel/events/ring_buffer.c).
  const std::uint64_t head = std::atomic_ref<__u64>(page.data_head).load(std::memory_order_acquire);
  std::uint64_t tail = page.data_tail;
  while (head - tail >= sizeof(perf_event_header)) {
    const std::size_t offset = tail % room_;
    perf_event_header header; // records begin at multiples of 8, so it is in one piece
    std::memcpy(&header, room + offset, sizeof header);
    if (header.size < sizeof header || header.size > head - tail)
      break;
    const unsigned char *record = room + offset;
    if (offset + header.size > room_) {
      unwrapped_.assign(record, room + room_);
      unwrapped_.insert(unwrapped_.end(), room, room + (header.size - (room_ - offset)));
      record = unwrapped_.data();
    }
    const unsigned char *at = record + sizeof header;
    if (header.type == PERF_RECORD_SAMPLE) {
      takeSample(at, record + header.size, take);
    } else if (header.type == PERF_RECORD_LOST && header.size >= sizeof header + 2 * sizeof(std::uint64_t)) {
      at += sizeof(std::uint64_t); // the clock's number
      std::uint64_t lost = 0;
      std::memcpy(&lost, at, sizeof lost);
      lost_ += lost;
    }
    tail += header.size;
    std::atomic_ref<__u64>(page.data_tail).store(tail, std::memory_order_release);
  }
}

void PerfClock::takeSample(const unsigned char *at, const unsigned char *end,
                           const std::function<void(const StackSample &)> &receive) {
  const auto has = [&](std::size_t bytes) { return static_cast<std::size_t>(end - at) >= bytes; };
  if (!has(3 * sizeof(std::uint64_t)))
    return;
  StackSample sample;
  sample.time = take<std::uint64_t>(at);
  const auto used = take<std::uint64_t>(at);
  sample.weight = used - used_;
  used_ = used;
  const bool isOfProgram = take<std::uint64_t>(at) != PERF_SAMPLE_REGS_ABI_NONE;
  if (isOfProgram && has(4 * sizeof(std::uint64_t))) {
    // In the order of their numbers.
    static_assert(PERF_REG_X86_BP < PERF_REG_X86_SP && PERF_REG_X86_SP < PERF_REG_X86_IP);
    sample.registers.bp = take<std::uint64_t>(at);
    sample.registers.sp = take<std::uint64_t>(at);
    sample.registers.pc = take<std::uint64_t>(at);
    sample.isKnown = true;
    const auto bytes = take<std::uint64_t>(at);
    if (bytes != 0 && has(bytes + sizeof(std::uint64_t))) {
      sample.stack = at;
      at += bytes;
      sample.bytes = std::min(bytes, take<std::uint64_t>(at)); // so much of it was there
    }
  }
  ++delivered_;
  receive(sample);
}

} // namespace cupr::host
