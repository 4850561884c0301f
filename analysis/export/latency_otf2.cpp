/// An archive of OTF2 is a folder: definitions of all, and a file of events for each location, here a track. Its library wants a buffer
/// for each, and times that do not go back.
#include "latency_exports.h"
#include "latency_tracks.h"

#include <algorithm>
#include <cstdarg>
#include <filesystem>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <otf2/otf2.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace fs = std::filesystem;

namespace cupr::analysis {

namespace {

/// Of which OTF2 allows none smaller.
constexpr std::uint64_t kBytesPerLocation = OTF2_CHUNK_SIZE_MIN;
/// As in the other timeline a cycle is a nanosecond.
constexpr std::uint64_t kTicksPerSecond = 1'000'000'000;

void check(OTF2_ErrorCode code, const std::string &folder) {
  if (code != OTF2_SUCCESS)
    throw std::runtime_error(
        fmt::format("{}: the timeline can't be written: {}", folder, OTF2_Error_GetDescription(code)));
}

/// What goes wrong is thrown, and not printed by the library.
OTF2_ErrorCode keepSilent(void *, const char *, uint64_t, const char *, OTF2_ErrorCode code, const char *,
                          va_list) {
  return code;
}

OTF2_FlushType alwaysFlush(void *, OTF2_FileType, OTF2_LocationRef, void *, bool) { return OTF2_FLUSH; }
OTF2_TimeStamp noTime(void *, OTF2_FileType, OTF2_LocationRef) { return 0; }
constexpr OTF2_FlushCallbacks kFlush{alwaysFlush, noTime};

class LatencyArchive {
public:
  LatencyArchive(const Model &model, std::string folder) : model_(model), folder_(std::move(folder)) {
    OTF2_Error_RegisterCallback(keepSilent, nullptr);
    archive_.reset(OTF2_Archive_Open(folder_.c_str(), "traces", OTF2_FILEMODE_WRITE, kBytesPerLocation,
                                     OTF2_CHUNK_SIZE_DEFINITIONS_DEFAULT, OTF2_SUBSTRATE_POSIX,
                                     OTF2_COMPRESSION_NONE));
    if (!archive_)
      throw std::runtime_error(fmt::format("{}: no folder can be made there", folder_));
    must(OTF2_Archive_SetFlushCallbacks(archive_.get(), &kFlush, nullptr));
    must(OTF2_Archive_SetSerialCollectiveCallbacks(archive_.get()));
    must(OTF2_Archive_SetCreator(archive_.get(), "cupranalyze"));
    must(OTF2_Archive_OpenEvtFiles(archive_.get()));
  }

  void write(LatencyTracks &tracks, Progress *progress) {
    tracks.forEach([&](const LatencySlice &of) { slice(of); }, progress);
    for (Location &location : locations_)
      must(OTF2_Archive_CloseEvtWriter(archive_.get(), location.events));
    must(OTF2_Archive_CloseEvtFiles(archive_.get()));
    must(OTF2_Archive_OpenDefFiles(archive_.get()));
    for (std::size_t i = 0; i < locations_.size(); ++i)
      must(OTF2_Archive_CloseDefWriter(archive_.get(), OTF2_Archive_GetDefWriter(archive_.get(), i)));
    must(OTF2_Archive_CloseDefFiles(archive_.get()));
    define(tracks);
    must(OTF2_Archive_Close(archive_.release()));
  }

private:
  struct Close {
    void operator()(OTF2_Archive *archive) const { OTF2_Archive_Close(archive); }
  };
  /// A track, from 0.
  struct Location {
    OTF2_EvtWriter *events;
    std::uint32_t sm;
    std::string name;
    std::uint64_t count = 0; ///< of events
  };
  /// A site.
  struct Region {
    OTF2_RegionRef number;
    std::string name, file;
    std::uint32_t line;
  };

  void must(OTF2_ErrorCode code) const { check(code, folder_); }

  void slice(const LatencySlice &of) {
    if (of.isFirst) {
      OTF2_EvtWriter *const events = OTF2_Archive_GetEvtWriter(archive_.get(), of.track - 1);
      if (!events)
        throw std::runtime_error(fmt::format("{}: no memory for one more track", folder_));
      locations_.push_back({events, of.sample.sm, of.trackName()});
    }
    const auto [region, isNew] = regions_.try_emplace(of.sample.site);
    if (isNew)
      region->second = {static_cast<OTF2_RegionRef>(regions_.size() - 1), of.name(),
                        std::string(of.module.strings[of.site.file]), of.site.line};
    Location &location = locations_[of.track - 1];
    must(OTF2_EvtWriter_Enter(location.events, nullptr, of.start, region->second.number));
    must(OTF2_EvtWriter_Leave(location.events, nullptr, of.end, region->second.number));
    location.count += 2;
    end_ = std::max(end_, of.end);
  }

  void define(const LatencyTracks &tracks) {
    OTF2_GlobalDefWriter *const to = OTF2_Archive_GetGlobalDefWriter(archive_.get());
    std::map<std::string, OTF2_StringRef> strings;
    const auto string = [&](const std::string &text) {
      const auto [place, isNew] = strings.try_emplace(text, static_cast<OTF2_StringRef>(strings.size()));
      if (isNew)
        must(OTF2_GlobalDefWriter_WriteString(to, place->second, text.c_str()));
      return place->second;
    };
    must(OTF2_GlobalDefWriter_WriteClockProperties(to, kTicksPerSecond, 0, end_, OTF2_UNDEFINED_TIMESTAMP));
    const OTF2_StringRef none = string("");
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(to, 0, string(model_.header().process.deviceName),
                                                  string("device"), OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    std::map<std::uint32_t, OTF2_LocationGroupRef> groups;
    for (const auto &[sm, first] : tracks.multiprocessors()) {
      const auto group = groups.emplace(sm, static_cast<OTF2_LocationGroupRef>(groups.size())).first->second;
      must(OTF2_GlobalDefWriter_WriteLocationGroup(to, group, string(fmt::format("multiprocessor {}", sm)),
                                                   OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 0,
                                                   OTF2_UNDEFINED_LOCATION_GROUP));
    }
    for (std::size_t i = 0; i < locations_.size(); ++i)
      must(OTF2_GlobalDefWriter_WriteLocation(to, i, string(locations_[i].name),
                                              OTF2_LOCATION_TYPE_ACCELERATOR_STREAM, locations_[i].count,
                                              groups.at(locations_[i].sm)));
    for (const auto &[site, region] : regions_)
      must(OTF2_GlobalDefWriter_WriteRegion(
          to, region.number, string(region.name), string(region.name), none, OTF2_REGION_ROLE_DATA_TRANSFER,
          OTF2_PARADIGM_CUDA, OTF2_REGION_FLAG_NONE, string(region.file), region.line, region.line));
  }

  const Model &model_;
  const std::string folder_;
  std::unique_ptr<OTF2_Archive, Close> archive_;
  std::vector<Location> locations_;
  std::map<std::uint32_t, Region> regions_; ///< by site
  std::uint64_t end_ = 0;
};

} // namespace

void writeLatencyOtf2(const Model &model, const LatencySelection &selection, const LatencyWindow &window,
                      const std::string &folder, Progress *progress) {
  if (std::error_code error; fs::exists(folder, error))
    throw std::runtime_error(fmt::format("{} is there already: name a folder that is not", folder));
  LatencyTracks tracks(model, selection, window, kBytesPerLocation);
  try {
    LatencyArchive(model, folder).write(tracks, progress);
  } catch (...) {
    std::error_code error;
    fs::remove_all(folder, error);
    throw;
  }
}

} // namespace cupr::analysis
