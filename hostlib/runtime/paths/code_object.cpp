#include "code_object.h"

#include <dlfcn.h>
#include <link.h>

namespace cupr::host {

CodeObject codeObjectAt(std::uint64_t pc) {
  dl_find_object found{};
  if (_dl_find_object(reinterpret_cast<void *>(pc), &found) != 0)
    return {};
  return {reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
          reinterpret_cast<std::uint64_t>(found.dlfo_map_end),
          found.dlfo_link_map ? found.dlfo_link_map->l_addr : 0,
          found.dlfo_link_map ? found.dlfo_link_map->l_name : "",
          static_cast<const unsigned char *>(found.dlfo_eh_frame)};
}

} // namespace cupr::host
