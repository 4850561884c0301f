#include "poisoned_bytes.h"

#include "environment.h"

#include "devicelib/abi/standard_error.h"

#include <algorithm>
#include <cstdio>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace cupr::cpu {

PoisonedBytes &PoisonedBytes::instance() {
  // Never destroyed: kernels run in destructors of static objects.
  static PoisonedBytes *table = new PoisonedBytes;
  return *table;
}

PoisonedBytes::PoisonedBytes() {
  if (!environmentNumber(abi::SettingName::CUPR_CPU_CHECK))
    return;
  void *memory = mmap(nullptr, kTablePages * sizeof *table_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) {
    abi::say("cuprewrite: CPU device: kernels' accesses are not checked, which takes 64 GiB of addresses: "
             "virtual memory is limited (ulimit -v); CUPR_CPU_CHECK=off says that this is all right\n");
    return;
  }
  watches_ = true;
  table_ = static_cast<std::uint16_t *>(memory);
  std::fill_n(table_, kNullBytes / kPage, static_cast<std::uint16_t>(kPage));
}

void PoisonedBytes::closeRegion(std::uint64_t address, std::size_t bytes) {
  if (!watches_)
    return;
  // One piece of closed pages, seen many times: a page of the table gets memory of its own when it changes.
  constexpr std::size_t kPiece = std::size_t{2} << 20;
  std::uint16_t *const first = table_ + (address >> kPageBits);
  const std::size_t size = (bytes >> kPageBits) * sizeof *first;
  const int piece = memfd_create("cuprewrite-closed", MFD_CLOEXEC);
  const std::vector<std::uint16_t> closed(kPiece / sizeof *first, static_cast<std::uint16_t>(kPage));
  bool good =
      piece >= 0 && size % kPiece == 0 && write(piece, closed.data(), kPiece) == static_cast<ssize_t>(kPiece);
  for (std::size_t done = 0; good && done < size; done += kPiece)
    good = mmap(reinterpret_cast<char *>(first) + done, kPiece, PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_FIXED, piece, 0) != MAP_FAILED;
  if (piece >= 0)
    ::close(piece);
  if (!good)
    std::fill_n(first, bytes >> kPageBits, static_cast<std::uint16_t>(kPage));
}

void PoisonedBytes::open(std::uint64_t address, std::size_t bytes) {
  if (!watches_)
    return;
  std::uint16_t *const first = table_ + (address >> kPageBits);
  std::fill_n(first, bytes >> kPageBits, std::uint16_t{0});
  if (bytes % kPage)
    first[bytes >> kPageBits] = static_cast<std::uint16_t>(kPage - bytes % kPage);
}

void PoisonedBytes::close(std::uint64_t address, std::size_t bytes) {
  if (watches_)
    std::fill_n(table_ + (address >> kPageBits), (bytes + kPage - 1) >> kPageBits,
                static_cast<std::uint16_t>(kPage));
}

} // namespace cupr::cpu
