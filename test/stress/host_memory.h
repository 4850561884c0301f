/// `Memory` of abi/bin_writer.h on the threads of a host.
///
/// Under the thread sanitizer, which does not know fences, every operation is ordered instead. Pages' words
/// are written as atomics: a copy that is under way when its page is taken by the other way may read what is
/// written next, and is thrown away (PageSource).
#ifndef CUPR_STRESS_HOST_MEMORY_H
#define CUPR_STRESS_HOST_MEMORY_H

#include <atomic>
#include <cstdint>
#include <cstring>
#include <thread>

namespace cupr::stress {

/// Thrown out of a wait when the device has failed: a kernel ends there, too.
struct Abandoned {};

#if __has_feature(thread_sanitizer)
inline constexpr bool kHasFences = false;
#else
inline constexpr bool kHasFences = true;
#endif

/// 16 bytes, in two halves.
inline void copyAtomically(unsigned char *to, const unsigned char *from) {
  for (unsigned i = 0; i < 2; ++i) {
    auto &half = reinterpret_cast<std::uint64_t *>(const_cast<unsigned char *>(from))[i];
    const std::uint64_t value = std::atomic_ref(half).load(std::memory_order_relaxed);
    std::memcpy(to + 8 * i, &value, sizeof value);
  }
}

class HostMemory {
public:
  using u32 = unsigned int;
  using u64 = unsigned long long;

  /// `waits` counts pauses; while `abandoned` is set none returns.
  HostMemory(std::atomic<u64> &waits, const std::atomic<bool> &abandoned)
      : waits_(waits), abandoned_(abandoned) {}

  u64 add(u64 *address, u64 value) const { return std::atomic_ref(*address).fetch_add(value, kUpdate); }
  u32 addBehind(u32 *address, u32 value) const {
    return std::atomic_ref(*address).fetch_add(value, std::memory_order_acq_rel);
  }
  bool replace(u64 *address, u64 from, u64 to) const {
    return std::atomic_ref(*address).compare_exchange_strong(from, to, kUpdate, kLoad);
  }
  bool replace(u32 *address, u32 from, u32 to) const {
    return std::atomic_ref(*address).compare_exchange_strong(from, to, kUpdate, kLoad);
  }
  void raise(u64 *address, u64 value) const {
    u64 old = std::atomic_ref(*address).load(kLoad);
    while (old < value && !std::atomic_ref(*address).compare_exchange_weak(old, value, kUpdate, kLoad)) {
    }
  }
  u64 load(const u64 *address) const { return std::atomic_ref(*const_cast<u64 *>(address)).load(kLoad); }
  u32 load(const u32 *address) const { return std::atomic_ref(*const_cast<u32 *>(address)).load(kLoad); }
  void store(u32 *address, u32 value) const { std::atomic_ref(*address).store(value, kStore); }
  void store(u64 *address, u64 value) const { std::atomic_ref(*address).store(value, kStore); }
  void fence() const {
    if constexpr (kHasFences)
      std::atomic_thread_fence(std::memory_order_acq_rel);
  }
  u64 loadHost(const u64 *address) const {
    return std::atomic_ref(*const_cast<u64 *>(address)).load(std::memory_order_acquire);
  }
  void storeHost(u64 *address, u64 value) const {
    std::atomic_ref(*address).store(value, std::memory_order_release);
  }
  void storeWord(unsigned char *address, u32 a, u32 b, u32 c, u32 d) const {
    const std::uint32_t parts[] = {a, b, c, d};
    std::uint64_t halves[2];
    std::memcpy(halves, parts, sizeof halves);
    for (unsigned i = 0; i < 2; ++i)
      std::atomic_ref(reinterpret_cast<std::uint64_t *>(address)[i])
          .store(halves[i], std::memory_order_relaxed);
  }
  void copyWord(unsigned char *to, const unsigned char *from) const { copyAtomically(to, from); }
  void pause(u32 &time) const {
    time = 1;
    if (abandoned_)
      throw Abandoned();
    waits_.fetch_add(1, std::memory_order_relaxed);
    std::this_thread::yield();
  }

private:
  static constexpr std::memory_order kUpdate =
                                         kHasFences ? std::memory_order_relaxed : std::memory_order_acq_rel,
                                     kLoad =
                                         kHasFences ? std::memory_order_relaxed : std::memory_order_acquire,
                                     kStore =
                                         kHasFences ? std::memory_order_relaxed : std::memory_order_release;
  std::atomic<u64> &waits_;
  const std::atomic<bool> &abandoned_;
};

} // namespace cupr::stress

#endif
