// An allocator for LD_PRELOAD. Each piece has a head and a tail that are looked at when it is freed: what comes from elsewhere, is freed twice
// or was written beyond its end ends the process. Requests fail when failAllocations says so.
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <unistd.h>

extern "C" {
void *__libc_malloc(std::size_t bytes);
void __libc_free(void *memory);
void *__libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

constexpr std::uint64_t kLive = 0x6c6976652d6c6976, kFreed = 0x66726565642d6672, kTail = 0x7461696c2d746169;

struct Head {
  void *start; ///< of what glibc gave
  std::size_t bytes;
  std::uint64_t state;
  std::uint64_t number;
};
static_assert(sizeof(Head) % 16 == 0);

std::atomic<unsigned> period{0};
std::atomic<std::uint64_t> requests{0};

[[noreturn]] void stop(const char *what) {
  const char text[] = "allocator: ";
  if (write(2, text, sizeof text - 1) < 0 || write(2, what, std::strlen(what)) < 0)
    _exit(94);
  _exit(95);
}

bool fails() {
  const std::uint64_t number = requests.fetch_add(1, std::memory_order_relaxed);
  const unsigned every = period.load(std::memory_order_relaxed);
  return every != 0 && number % every == 0;
}

void *allocate(std::size_t alignment, std::size_t bytes) {
  if (fails() || bytes > PTRDIFF_MAX / 2) {
    errno = ENOMEM;
    return nullptr;
  }
  if (alignment < sizeof(Head))
    alignment = sizeof(Head);
  void *const start = __libc_memalign(alignment, alignment + bytes + sizeof kTail);
  if (!start)
    return nullptr;
  char *const memory = static_cast<char *>(start) + alignment;
  const Head head{start, bytes, kLive, requests};
  std::memcpy(memory - sizeof head, &head, sizeof head);
  std::memcpy(memory + bytes, &kTail, sizeof kTail);
  return memory;
}

Head headOf(void *memory) {
  Head head;
  std::memcpy(&head, static_cast<char *>(memory) - sizeof head, sizeof head);
  if (head.state == kFreed)
    stop("freed twice\n");
  if (head.state != kLive)
    stop("not from here\n");
  if (std::memcmp(static_cast<char *>(memory) + head.bytes, &kTail, sizeof kTail) != 0)
    stop("written beyond its end\n");
  return head;
}

} // namespace

extern "C" {
void failAllocations(unsigned every) { period = every; }

void *malloc(std::size_t bytes) { return allocate(16, bytes); }

void free(void *memory) {
  if (!memory)
    return;
  Head head = headOf(memory);
  head.state = kFreed;
  std::memcpy(static_cast<char *>(memory) - sizeof head, &head, sizeof head);
  std::memset(memory, 0x5a, head.bytes);
  __libc_free(head.start);
}

void *calloc(std::size_t count, std::size_t size) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return nullptr;
  }
  void *const memory = allocate(16, bytes);
  return memory ? std::memset(memory, 0, bytes) : nullptr;
}

void *realloc(void *memory, std::size_t bytes) {
  if (!memory)
    return malloc(bytes);
  const Head head = headOf(memory);
  void *const other = allocate(16, bytes);
  if (!other)
    return nullptr;
  std::memcpy(other, memory, head.bytes < bytes ? head.bytes : bytes);
  free(memory);
  return other;
}

void *memalign(std::size_t alignment, std::size_t bytes) { return allocate(alignment, bytes); }
void *aligned_alloc(std::size_t alignment, std::size_t bytes) { return allocate(alignment, bytes); }
int posix_memalign(void **to, std::size_t alignment, std::size_t bytes) {
  void *const memory = allocate(alignment, bytes);
  if (!memory)
    return ENOMEM;
  *to = memory;
  return 0;
}
std::size_t malloc_usable_size(void *memory) { return memory ? headOf(memory).bytes : 0; }
}
