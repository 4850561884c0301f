/// The memory that a walk up a thread's stack reads.
#ifndef CUPR_RUNTIME_STACK_MEMORY_H
#define CUPR_RUNTIME_STACK_MEMORY_H

#include <cstdint>
#include <cstring>

namespace cupr::host {

/// The calling thread's own. What lies on the stack that the system gave it, above its stack pointer, is there and is read as it is. All
/// else (a program may run its functions on stacks of its own, and damaged frames point anywhere) the kernel is asked for, who answers
/// instead of faulting.
class OwnStack {
public:
  /// `sp`: the thread's stack pointer, or one that it had in a function that has not returned.
  explicit OwnStack(std::uint64_t sp) : low_(sp), high_(sp < end() && sp >= begin() ? end() : sp) {}

  bool read(std::uint64_t address, std::uint64_t &value) const {
    if (!isDirect(address))
      return readAnywhere(address, value);
    value = direct(address);
    return true;
  }
  /// Whether it is there for sure, for as long as the function at `sp` has not returned.
  bool isDirect(std::uint64_t address) const {
    return address >= low_ && high_ - low_ >= sizeof(std::uint64_t) &&
           address <= high_ - sizeof(std::uint64_t);
  }
  /// A stack's redzones are no matter here.
  __attribute__((no_sanitize("address", "memory", "thread"))) static std::uint64_t
  direct(std::uint64_t address) {
    return *reinterpret_cast<const volatile std::uint64_t *>(address);
  }

private:
  static std::uint64_t begin();
  static std::uint64_t end();
  static bool readAnywhere(std::uint64_t address, std::uint64_t &value);

  std::uint64_t low_, high_;
};

/// A copy of a piece of a stack.
class CopiedStack {
public:
  /// `bytes`: what lay at `sp`, so much of it as there is; must outlive this.
  CopiedStack(std::uint64_t sp, const unsigned char *bytes, std::uint64_t size)
      : sp_(sp), bytes_(bytes), size_(size) {}

  bool read(std::uint64_t address, std::uint64_t &value) const {
    if (address < sp_ || size_ < sizeof value || address - sp_ > size_ - sizeof value)
      return false;
    std::memcpy(&value, bytes_ + (address - sp_), sizeof value);
    return true;
  }

private:
  std::uint64_t sp_;
  const unsigned char *bytes_;
  std::uint64_t size_;
};

} // namespace cupr::host

#endif
