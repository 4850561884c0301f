#include "host_symbols.h"

#include "debug_info.h"
#include "elf_image.h"
#include "hostlib/runtime/driver/signals_to_others.h"
#include "object_loops.h"
#include "symbol_table.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <sys/auxv.h>
#include <thread>
#include <utility>

namespace cupr::host {
namespace {

using Clock = std::chrono::steady_clock;

/// What one object's places are: a piece of work.
struct ObjectPlaces {
  trace::HostObject object;
  std::vector<trace::HostPlace> places; ///< sorted by offset
  std::vector<std::size_t> indices;     ///< of the same, among all
};

/// What the thread that works and the one that waits have in common.
struct Shared {
  std::mutex mutex; ///< held for moments, without allocations
  std::condition_variable isReady;
  std::vector<std::vector<trace::HostPlace>> found; ///< by piece of work
  std::vector<std::vector<trace::HostLoop>> loops;  ///< likewise
  bool isDone = false;

  void put(std::size_t index, std::vector<trace::HostPlace> &places, std::vector<trace::HostLoop> around) {
    const std::scoped_lock lock(mutex);
    if (index < found.size()) { // else nobody waits any more
      found[index].swap(places);
      loops[index].swap(around);
    }
  }
};

/// The kernel's own object in the process: it is no file. As the loader calls it.
constexpr std::string_view kVdso = "linux-vdso.so.1";

std::unique_ptr<ElfImage> vdso() {
  const auto *const memory = reinterpret_cast<const std::byte *>(::getauxval(AT_SYSINFO_EHDR));
  if (!memory)
    return nullptr;
  const auto *const header = reinterpret_cast<const Elf64_Ehdr *>(memory);
  return ElfImage::copy({memory, header->e_shoff + std::size_t{header->e_shnum} * header->e_shentsize});
}

/// The file that was loaded; null: it is not there.
std::unique_ptr<ElfImage> imageOf(const trace::HostObject &object, std::uint64_t since) {
  if (object.path == kVdso)
    return vdso();
  auto image = ElfImage::read(object.path);
  if (!image)
    return nullptr;
  const std::string id = image->buildId();
  const bool isSame =
      object.buildId.empty() ? id.empty() && image->changeTime() < since : id == object.buildId;
  return isSame ? std::move(image) : nullptr;
}

/// The file that has what was stripped off this one.
std::unique_ptr<ElfImage> strippedPart(ElfImage &image) {
  const std::string id = image.buildId();
  if (id.size() < 4)
    return nullptr;
  std::vector<std::string> paths{"/usr/lib/debug/.build-id/" + id.substr(0, 2) + "/" + id.substr(2) +
                                 ".debug"};
  if (const ElfImage::Section *const link = image.section(".gnu_debuglink")) {
    const std::span<const std::byte> bytes = image.contents(*link);
    const auto *const text = reinterpret_cast<const char *>(bytes.data());
    const std::string name(text, bytes.empty() ? 0 : ::strnlen(text, bytes.size()));
    const std::string folder = image.path().substr(0, image.path().rfind('/') + 1);
    for (const std::string &place : {folder, folder + ".debug/", "/usr/lib/debug" + folder})
      paths.push_back(place + name);
  }
  for (const std::string &path : paths)
    if (auto part = ElfImage::read(path); part && part->buildId() == id && path != image.path())
      return part;
  return nullptr;
}

void nameBySymbolTable(const SymbolTable &table, std::vector<trace::HostPlace> &places) {
  for (trace::HostPlace &place : places)
    if (const std::string_view name = table.nameAt(place.offset); !name.empty() && place.frames.empty())
      place.frames.push_back({sourceName(name), "", 0, 0});
}

/// The names of the first round.
void nameObject(ObjectPlaces &work, std::uint64_t since) {
  const auto image = imageOf(work.object, since);
  if (!image)
    return;
  const SymbolTable table(*image);
  if (const auto part = table.isStripped() ? strippedPart(*image) : nullptr)
    nameBySymbolTable(SymbolTable(*part), work.places);
  nameBySymbolTable(table, work.places);
}

/// What the second round finds; returns the loops.
std::vector<trace::HostLoop> describeObject(ObjectPlaces &work, const SymbolSearch &search,
                                            const DebugLibrary &library, Clock::time_point deadline) {
  const auto image = imageOf(work.object, search.since);
  if (!image)
    return {};
  const auto isThere = [](const ElfImage &file) {
    return file.section(".debug_info") || file.section(".zdebug_info");
  };
  const auto part = isThere(*image) ? nullptr : strippedPart(*image);
  if (const auto info = DebugInfo::read(library, part ? *part : *image))
    info->describe(work.places, deadline);
  return loopsAround(work.places, *image);
}

void findAll(std::vector<ObjectPlaces> objects, const SymbolSearch &search, Shared &shared) {
  const Clock::time_point deadline = Clock::now() + search.budget;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    nameObject(objects[i], search.since);
    auto named = objects[i].places;
    shared.put(i, named, {});
  }
  const DebugLibrary *const library = Clock::now() < deadline ? DebugLibrary::get() : nullptr;
  for (std::size_t i = 0; library && i < objects.size() && Clock::now() < deadline; ++i) {
    std::vector<trace::HostLoop> loops = describeObject(objects[i], search, *library, deadline);
    shared.put(i, objects[i].places, std::move(loops));
  }
}

/// One after the other, those with the most places first, places sorted by offset.
std::vector<ObjectPlaces> byObject(const std::vector<trace::HostObject> &objects,
                                   const std::vector<trace::HostPlace> &places) {
  std::vector<ObjectPlaces> all(objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i)
    all[i].object = objects[i];
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (places[i].object < objects.size())
      order.push_back(i);
  std::ranges::sort(order, {}, [&](std::size_t i) { return std::pair(places[i].offset, i); });
  for (const std::size_t i : order) {
    all[places[i].object].places.push_back({places[i].object, places[i].offset, {}});
    all[places[i].object].indices.push_back(i);
  }
  std::erase_if(all, [](const ObjectPlaces &one) { return one.places.empty(); });
  std::ranges::sort(all, std::greater<>(), [](const ObjectPlaces &one) {
    return std::pair(one.places.size(), ~one.places.front().object);
  });
  return all;
}

} // namespace

std::vector<trace::HostLoop> findSymbols(const std::vector<trace::HostObject> &objects,
                                         std::vector<trace::HostPlace> &places, const SymbolSearch &search) {
  std::vector<ObjectPlaces> pieces = byObject(objects, places);
  std::vector<std::vector<std::size_t>> indices;
  for (ObjectPlaces &piece : pieces)
    indices.push_back(std::move(piece.indices));
  const auto shared = std::make_shared<Shared>();
  shared->found.resize(pieces.size());
  shared->loops.resize(pieces.size());
  std::thread thread;
  try {
    const SignalsToOthers signals;
    thread = std::thread([shared, search, pieces = std::move(pieces)]() mutable {
      try {
        findAll(std::move(pieces), search, *shared);
      } catch (...) { // no memory: the rest has no names
      }
      const std::scoped_lock lock(shared->mutex);
      shared->isDone = true;
      shared->isReady.notify_one();
    });
  } catch (const std::exception &) { // no thread: no names
    return {};
  }
  std::vector<std::vector<trace::HostPlace>> found;
  std::vector<std::vector<trace::HostLoop>> loops;
  bool isDone = false;
  {
    std::unique_lock lock(shared->mutex);
    isDone = shared->isReady.wait_for(lock, 2 * search.budget, [&] { return shared->isDone; });
    found.swap(shared->found);
    loops.swap(shared->loops);
  }
  // Who has been waited for does nothing any more. The thread sanitizer of a program sees that in this way alone.
  if (isDone)
    thread.join();
  else
    thread.detach();
  for (std::size_t piece = 0; piece < found.size(); ++piece)
    for (std::size_t i = 0; i < found[piece].size(); ++i)
      places[indices[piece][i]].frames = std::move(found[piece][i].frames);
  std::vector<trace::HostLoop> all;
  for (std::vector<trace::HostLoop> &ofPiece : loops)
    std::ranges::move(ofPiece, std::back_inserter(all));
  return all;
}

} // namespace cupr::host
