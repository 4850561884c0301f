#include "path_tree.h"

#include "hostlib/runtime/driver/program_path.h"

#include <algorithm>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <set>
#include <tuple>

namespace cupr::host {
namespace {

std::string hex(const unsigned char *bytes, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{:02x}", bytes[i]);
  return text;
}

/// The bytes of the note that names the build, from the object's memory; empty: there is none.
std::string buildIdOf(const CodeObject &object) {
  struct Search {
    const CodeObject *object;
    std::string id;
  } search{&object, {}};
  dl_iterate_phdr(
      [](dl_phdr_info *info, std::size_t, void *data) {
        auto &found = *static_cast<Search *>(data);
        if (info->dlpi_addr != found.object->bias)
          return 0;
        bool isThis = false;
        for (unsigned i = 0; i < info->dlpi_phnum; ++i)
          isThis = isThis || (info->dlpi_phdr[i].p_type == PT_LOAD &&
                              info->dlpi_addr + info->dlpi_phdr[i].p_vaddr >= found.object->begin &&
                              info->dlpi_addr + info->dlpi_phdr[i].p_vaddr < found.object->end);
        if (!isThis)
          return 0;
        for (unsigned i = 0; i < info->dlpi_phnum; ++i) {
          const ElfW(Phdr) &segment = info->dlpi_phdr[i];
          if (segment.p_type != PT_NOTE)
            continue;
          const auto *at = reinterpret_cast<const unsigned char *>(info->dlpi_addr + segment.p_vaddr);
          const unsigned char *const end = at + segment.p_memsz;
          while (static_cast<std::size_t>(end - at) >= sizeof(ElfW(Nhdr))) {
            ElfW(Nhdr) note;
            std::memcpy(&note, at, sizeof note);
            const std::size_t nameBytes = (std::size_t{note.n_namesz} + 3) & ~std::size_t{3};
            const std::size_t textBytes = (std::size_t{note.n_descsz} + 3) & ~std::size_t{3};
            at += sizeof note;
            if (nameBytes + textBytes > static_cast<std::size_t>(end - at))
              break;
            if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(at, "GNU", 4) == 0) {
              found.id = hex(at + nameBytes, note.n_descsz);
              return 1;
            }
            at += nameBytes + textBytes;
          }
        }
        return 1;
      },
      &search);
  return search.id;
}

} // namespace

std::size_t PathTree::KeyHash::operator()(const Key &key) const noexcept {
  std::uint64_t hash = key.place.offset * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ key.parent) * 0x9e3779b97f4a7c15ULL;
  hash = (hash ^ key.place.object ^ (std::uint64_t{static_cast<std::uint8_t>(key.place.kind)} << 32)) *
         0x9e3779b97f4a7c15ULL;
  return hash ^ (hash >> 32);
}

std::uint32_t PathTree::childOf(std::uint32_t parent, const CodePlace &place) {
  const std::scoped_lock lock(mutex_);
  const auto [entry, isNew] =
      nodes_.try_emplace({parent, place}, static_cast<std::uint32_t>(ordered_.size()));
  if (isNew)
    ordered_.push_back({parent, place.object, place.offset, place.kind});
  return entry->second;
}

std::uint32_t PathTree::indexOf(const CodeObject &object) {
  LoadedObject loaded;
  loaded.begin = object.begin;
  loaded.bias = object.bias;
  loaded.path = object.path && *object.path ? object.path : programPath().string();
  loaded.buildId = buildIdOf(object);
  const std::scoped_lock lock(mutex_);
  // One that was unloaded may have been where another one is now.
  const auto same = std::ranges::find_if(objects_, [&](const LoadedObject &known) {
    return known.begin == loaded.begin && known.bias == loaded.bias && known.path == loaded.path &&
           known.buildId == loaded.buildId;
  });
  if (same == objects_.end()) {
    objects_.push_back(std::move(loaded));
    return static_cast<std::uint32_t>(objects_.size() - 1);
  }
  return static_cast<std::uint32_t>(same - objects_.begin());
}

void PathTree::takeNew(trace::HostBatch &batch) {
  const std::scoped_lock lock(mutex_);
  for (; objectsTaken_ < objects_.size(); ++objectsTaken_)
    batch.objects.push_back({objects_[objectsTaken_].path, objects_[objectsTaken_].buildId});
  batch.nodes.insert(batch.nodes.end(), ordered_.begin() + static_cast<std::ptrdiff_t>(nodesTaken_),
                     ordered_.end());
  nodesTaken_ = ordered_.size();
}

std::vector<PathTree::LoadedObject> PathTree::objects() const {
  const std::scoped_lock lock(mutex_);
  return objects_;
}

std::vector<CodePlace> PathTree::places() const {
  const std::scoped_lock lock(mutex_);
  std::set<std::tuple<std::uint32_t, std::uint64_t>> seen;
  std::vector<CodePlace> places;
  for (const trace::HostNode &node : ordered_)
    if (node.object != trace::kNoHostIndex && seen.emplace(node.object, node.offset).second)
      places.push_back({node.object, node.offset, node.kind});
  return places;
}

} // namespace cupr::host
