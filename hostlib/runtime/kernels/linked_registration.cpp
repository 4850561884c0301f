/// Registers a linked device program: what clang's own objects do by themselves when
/// each has an image of its own.
///
/// Host objects that are compiled for device linking (-fgpu-rdc) only list their kernels and variables, in
/// the section `llvm_offload_entries`. The object that cupr++ adds at the link
/// (cuprewrite/tool/device_link.cpp) brings the image and calls this.
#include "devicelib/abi/version.h"
#include "registration_calls.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <tuple>

namespace cupr::host {
namespace {

/// One element of the section (LLVM 22, llvm/Frontend/Offloading/Utility.h: EntryTy).
struct Entry {
  std::uint64_t reserved;
  std::uint16_t version;
  std::uint16_t kind;
  std::uint32_t flags;
  void *address;       ///< the host's kernel or variable
  char *name;          ///< the device's
  std::uint64_t bytes; ///< 0: a kernel
  std::uint64_t data;
  void *auxiliary;
};
static_assert(sizeof(Entry) == 56 && offsetof(Entry, address) == 16);

/// OffloadKind in llvm/Object/OffloadBinary.h; other languages list their entries in the same section.
constexpr std::uint16_t kCuda = 2;
/// OffloadEntryKindFlag, beside EntryTy. The lowest three bits tell managed variables, surfaces and textures
/// apart. Clang has none of them in CUDA; the first are made by the pass
/// (cuprewrite/pass/managed_variables.h).
constexpr std::uint32_t kKindBits = 7, kManaged = 1, kExternal = 1 << 3, kConstant = 1 << 4;

} // namespace
} // namespace cupr::host

extern "C" void **CUPR_VERSIONED(__cupr_register_linked_v)(void *wrapper, const void *begin,
                                                           const void *end) {
  using namespace cupr::host;
  void **const image = __cudaRegisterFatBinary(wrapper);
  // Each file that instantiates a template lists its kernel.
  std::set<std::pair<void *, std::string>> known;
  for (auto *entry = static_cast<const Entry *>(begin); entry != end; ++entry) {
    const std::uint32_t kind = entry->flags & kKindBits;
    if (entry->kind != kCuda || (kind != 0 && kind != kManaged) ||
        !known.emplace(entry->address, entry->name).second)
      continue;
    if (entry->bytes == 0)
      __cudaRegisterFunction(image, static_cast<const char *>(entry->address), entry->name, entry->name, -1,
                             nullptr, nullptr, nullptr, nullptr, nullptr);
    else if (kind == kManaged)
      __cudaRegisterManagedVar(image, static_cast<void **>(entry->address), entry->name, entry->name,
                               (entry->flags & kExternal) != 0, entry->bytes, (entry->flags & kConstant) != 0,
                               0);
    else
      __cudaRegisterVar(image, static_cast<char *>(entry->address), entry->name, entry->name,
                        (entry->flags & kExternal) != 0, entry->bytes, (entry->flags & kConstant) != 0, 0);
  }
  __cudaRegisterFatBinaryEnd(image);
  return image;
}
