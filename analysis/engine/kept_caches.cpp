#include "kept_caches.h"

#include "analysis/model/unnamed_file.h"
#include "kept_work.h"

#include <fmt/format.h>
#include <string>

namespace cupr::analysis {

namespace {

std::string nameOf(const CacheGeometry &geometry, const CacheOptions &options) {
  const auto &[name, multiprocessors, chip, shared, warps, blocks, l2] = geometry;
  return fmt::format(
      "caches of {} with {} multiprocessors of {} and {} bytes, {} warps and {} blocks, L2 of {} bytes; {}, "
      "cold {}, reuse {}",
      wordsOf(std::string(name)), multiprocessors, chip, shared, warps, blocks, l2, wordsOf(options.launches),
      options.cold, options.reuse);
}

void save(std::FILE *file, const CacheFigures &figures) { saveOne(file, figures); }
void load(std::FILE *file, CacheFigures &figures) { figures = loadOne<CacheFigures>(file); }

void save(std::FILE *file, const CacheReuse &reuse) {
  const auto &[l1, l2, pages, pageHits] = reuse;
  for (const ReuseFigures *level : {&l1, &l2}) {
    const auto &[first, again] = *level;
    saveOne(file, first);
    saveVector(file, again);
  }
  saveOne(file, pages);
  saveOne(file, pageHits);
}
void load(std::FILE *file, CacheReuse &reuse) {
  auto &[l1, l2, pages, pageHits] = reuse;
  for (ReuseFigures *level : {&l1, &l2}) {
    auto &[first, again] = *level;
    first = loadOne<std::uint64_t>(file);
    loadVector(file, again);
  }
  pages = loadOne<std::uint64_t>(file);
  pageHits = loadOne<std::uint64_t>(file);
}

/// By site, or by allocation.
template <typename Key, typename Value> void save(std::FILE *file, const std::map<Key, Value> &figures) {
  saveOne(file, std::uint64_t{figures.size()});
  for (const auto &[key, value] : figures) {
    saveOne(file, key);
    save(file, value);
  }
}
template <typename Key, typename Value> void load(std::FILE *file, std::map<Key, Value> &figures) {
  for (auto left = loadOne<std::uint64_t>(file); left != 0; --left) {
    const Key key = loadOne<Key>(file);
    load(file, figures[key]);
  }
}

} // namespace

CacheUse keptCacheUse(const Model &model, const CacheGeometry &geometry, const CacheOptions &options) {
  const KeptWork kept(model, nameOf(geometry, options));
  CacheUse use;
  if (kept.read([&](std::FILE *file) {
        auto &[sites, allocations, siteReuse, allocationReuse] = use;
        load(file, sites);
        load(file, allocations);
        load(file, siteReuse);
        load(file, allocationReuse);
      }))
    return use;
  use = cacheUse(model, geometry, options);
  kept.write([&](std::FILE *file) {
    const auto &[sites, allocations, siteReuse, allocationReuse] = use;
    save(file, sites);
    save(file, allocations);
    save(file, siteReuse);
    save(file, allocationReuse);
  });
  return use;
}

} // namespace cupr::analysis
