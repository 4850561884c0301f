#include "debug_library.h"

#include <dlfcn.h>
#include <link.h>
#include <memory>

namespace cupr::host {
namespace {

/// Whether a loader started the program: it says which one it wants.
bool hasLoader() {
  // The first object is the program.
  return dl_iterate_phdr(
             [](dl_phdr_info *info, std::size_t, void *) {
               for (unsigned i = 0; i < info->dlpi_phnum; ++i)
                 if (info->dlpi_phdr[i].p_type == PT_INTERP)
                   return 1;
               return -1;
             },
             nullptr) == 1;
}

std::unique_ptr<DebugLibrary> loadLibrary() {
  void *const handle = hasLoader() ? ::dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL) : nullptr;
  if (!handle)
    return nullptr;
  auto library = std::make_unique<DebugLibrary>();
  // A handle's libraries are searched, too.
#define CUPR_DEBUG_LOAD(name)                                                                                \
  library->name = reinterpret_cast<decltype(library->name)>(::dlsym(handle, #name));                         \
  if (!library->name)                                                                                        \
    return nullptr;
  CUPR_DEBUG_FUNCTIONS(CUPR_DEBUG_LOAD)
#undef CUPR_DEBUG_LOAD
  return library->elf_version(EV_CURRENT) == EV_NONE ? nullptr : std::move(library);
}

} // namespace

const DebugLibrary *DebugLibrary::get() {
  static const DebugLibrary *const library = loadLibrary().release(); // who reads may outlive static objects
  return library;
}

} // namespace cupr::host
