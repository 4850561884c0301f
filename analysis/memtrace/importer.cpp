/// Each kernel's entries are read twice: first for the grid and the sites, which a trace has in front of the
/// records, then for the accesses.
#include "importer.h"

#include "analysis/import/launch_records.h"
#include "analysis/model/model.h"
#include "devicelib/abi/version.h"
#include "hostlib/trace/message_file.h"
#include "layout.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace cupr::analysis {

namespace {

using namespace memtrace;

/// A kernel has some sizes of a few kinds. The limit bounds what a file that is none of the format can ask
/// for.
constexpr std::size_t kMostSites = 4096;

/// The version that a file of these first bytes has; 0: none.
unsigned versionOf(std::span<const unsigned char> start) {
  if (!start.empty() && start[0] == kAccessBytes)
    return 1;
  const bool isMarked =
      start.size() > kMagic.size() && std::memcmp(&start[1], kMagic.data(), kMagic.size()) == 0;
  return isMarked && (start[0] == kVersionOffset + 2 || start[0] == kVersionOffset + 3)
             ? start[0] - kVersionOffset
             : 0u;
}

/// The entries of a file.
class Entries {
public:
  explicit Entries(const std::string &path)
      : path_(path), file_(std::fopen(path.c_str(), "rb"), std::fclose) {
    if (!file_)
      throw BadTrace(fmt::format("can't open '{}': {}", path, std::strerror(errno)));
    if (std::fseek(file_.get(), 0, SEEK_SET) != 0)
      throw BadTrace(
          fmt::format("can't read '{}': it is read at several places, so copy it to a file first", path));
    readMagic();
  }

  unsigned version() const { return version_; }

  enum class Kind { Kernel, Accesses, End };
  /// Reads the next entry; which of the members below are set depends on it.
  Kind next() { return version_ == 1 ? nextOfVersion1() : nextMarked(); }

  std::string name;        ///< of the kernel
  Access access{};         ///< the first one
  std::uint32_t count = 0; ///< accesses

  /// To come back to what follows the entry read last.
  struct Place {
    long offset;
    bool inKernel;
  };
  Place place() const { return {std::ftell(file_.get()), inKernel_}; }
  void goTo(const Place &place) {
    std::fseek(file_.get(), place.offset, SEEK_SET);
    inKernel_ = place.inKernel;
  }

  [[noreturn]] void bad(const std::string &rule) const {
    throw BadTrace(fmt::format("{}: offset {}: {}", path_, std::ftell(file_.get()), rule));
  }

private:
  bool read(void *to, std::size_t bytes) { return std::fread(to, 1, bytes, file_.get()) == bytes; }
  void mustRead(void *to, std::size_t bytes) {
    if (!read(to, bytes))
      bad("the file is cut off");
  }

  void readMagic() {
    unsigned char magic[1 + kMagic.size()];
    const std::size_t got = std::fread(magic, 1, sizeof magic, file_.get());
    version_ = versionOf({magic, got});
    if (version_ == 0)
      bad(got == 0 ? "the file is empty" : "this is not a memory trace of version 1, 2 or 3");
    if (version_ == 1)
      std::fseek(file_.get(), 1, SEEK_SET);
  }

  Kind nextMarked() {
    unsigned char marker;
    if (!read(&marker, 1))
      return Kind::End;
    if (marker == kKernel) {
      std::uint16_t length;
      mustRead(&length, sizeof length);
      name.resize(length);
      mustRead(name.data(), length);
      inKernel_ = true;
      return Kind::Kernel;
    }
    if (marker != kSingle && (marker != kRun || version_ < 3))
      bad("an entry of an unknown kind");
    if (!inKernel_)
      bad("an access without a kernel");
    unsigned char packed[kAccessBytes];
    mustRead(packed, sizeof packed);
    access = unpack(packed, version_);
    count = 1;
    if (marker == kRun) {
      std::uint16_t repetitions;
      mustRead(&repetitions, sizeof repetitions);
      count = repetitions;
    }
    return Kind::Accesses;
  }

  Kind nextOfVersion1() {
    if (!inKernel_) {
      char first;
      if (!read(&first, 1))
        return Kind::End;
      if (first != '\n')
        bad("a kernel must start with a line feed");
      name.clear();
      for (char c; mustRead(&c, 1), c != '\n';) {
        if (name.size() == UINT16_MAX)
          bad("the name of a kernel has no end");
        name += c;
      }
      inKernel_ = true;
      return Kind::Kernel;
    }
    unsigned char packed[kAccessBytes];
    mustRead(packed, sizeof packed);
    if (std::all_of(std::begin(packed), std::end(packed), [](unsigned char byte) { return byte == 0; })) {
      inKernel_ = false;
      return nextOfVersion1();
    }
    access = unpack(packed, version_);
    count = 1;
    return Kind::Accesses;
  }

  const std::string path_;
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
  unsigned version_ = 0;
  bool inKernel_ = false;
};

/// Kind and size of a site.
using SiteKey = std::pair<std::uint32_t, std::uint32_t>;

struct KnownModule {
  trace::ModuleId id;
  std::map<SiteKey, std::uint32_t> sites;
};

class Importer {
public:
  Importer(const std::string &from, const std::string &to) : entries_(from), to_(to), file_(to) {}

  Imported run() {
    trace::Header header;
    header.abiVersion = CUPR_ABI_VERSION;
    header.process.program = "unknown program";
    header.process.deviceKind = "gpu";
    header.process.deviceName =
        fmt::format("unknown device (memory trace of version {})", entries_.version());
    append(header);
    Entries::Kind kind = entries_.next();
    while (kind == Entries::Kind::Kernel)
      kind = kernel();
    file_.finish({});
    checkFile();
    result_.version = entries_.version();
    return result_;
  }

private:
  void append(const trace::Message &message) {
    file_.append(message);
    checkFile();
  }
  void checkFile() const {
    if (file_.error() != 0)
      throw std::runtime_error(fmt::format("can't write '{}': {}; choose another place with -o", to_,
                                           std::strerror(file_.error())));
  }

  /// Takes the kernel whose name was read, and its accesses. Returns the kind of the entry behind them.
  Entries::Kind kernel() {
    const std::string name = entries_.name;
    const Entries::Place start = entries_.place();
    trace::Launch launch;
    launch.id = static_cast<trace::LaunchId>(++result_.kernels);
    launch.order = result_.kernels;
    launch.mangled = launch.kernel = name;
    launch.block = {abi::kLanes, 1, 1};
    launch.traced = true;
    std::map<SiteKey, std::uint32_t> sites;
    while (entries_.next() == Entries::Kind::Accesses) {
      const Access &access = entries_.access;
      if (access.size == 0 || !operationOf(access.kind, entries_.version()))
        entries_.bad(fmt::format("an access of kind {} and {} bytes", access.kind, access.size));
      sites.emplace(SiteKey(access.kind, access.size), 0);
      if (sites.size() > kMostSites)
        entries_.bad(fmt::format("a kernel with more than {} sizes of accesses", kMostSites));
      if (access.x == UINT32_MAX)
        entries_.bad("a CTA index beyond what a grid can have");
      launch.grid.x = std::max(launch.grid.x, access.x + 1);
      launch.grid.y = std::max(launch.grid.y, access.y + 1u);
      launch.grid.z = std::max(launch.grid.z, access.z + 1u);
    }
    const KnownModule &module = moduleFor(name, sites);
    launch.module = module.id;
    append(launch);
    records_.emplace(file_, launch, sites_[static_cast<std::size_t>(launch.module)]);
    entries_.goTo(start);
    Entries::Kind kind;
    while ((kind = entries_.next()) == Entries::Kind::Accesses)
      take(module.sites.at({entries_.access.kind, entries_.access.size}));
    endRecord();
    trace::LaunchEnd end;
    end.complete = true;
    mustHold(records_->finish(std::move(end)));
    checkFile();
    return kind;
  }

  /// A module with these sites: that of an earlier launch of the kernel if it has them all.
  const KnownModule &moduleFor(const std::string &kernel, const std::map<SiteKey, std::uint32_t> &sites) {
    if (const auto known = modules_.find(kernel); known != modules_.end()) {
      const auto has = [&](const auto &site) { return known->second.sites.contains(site.first); };
      if (std::all_of(sites.begin(), sites.end(), has))
        return known->second;
    }
    trace::Module module;
    module.id = static_cast<trace::ModuleId>(sites_.size());
    module.strings = {"", kernel};
    KnownModule known{module.id, {}};
    for (const auto &[key, unused] : sites) {
      known.sites[key] = static_cast<std::uint32_t>(module.sites.size());
      trace::Site &site = module.sites.emplace_back();
      site.function = 1;
      site.bytes = key.second;
      site.operation = *operationOf(key.first, entries_.version());
      site.space = abi::SpaceVerdict::Global;
    }
    append(module);
    sites_.push_back(std::move(module.sites));
    return modules_[kernel] = std::move(known);
  }

  /// Takes the accesses of the entry.
  void take(std::uint32_t site) {
    const Access &access = entries_.access;
    const trace::Dim3 &grid = records_->launch().grid;
    const std::uint64_t cta =
        access.x + std::uint64_t{grid.x} * (access.y + std::uint64_t{grid.y} * access.z);
    if (access.sm >= 1u << abi::kSmBits)
      entries_.bad("an SM beyond what a record can hold");
    for (std::uint32_t i = 0; i < entries_.count; ++i) {
      if (record_.laneMask == UINT32_MAX || record_.site != site || record_.cta != cta ||
          record_.sm != access.sm)
        endRecord();
      const unsigned lane = abi::activeLanes(record_.laneMask);
      record_.site = site;
      record_.cta = cta;
      record_.sm = access.sm;
      record_.laneMask |= 1u << lane;
      record_.address[lane] = access.address + std::uint64_t{access.size} * i;
    }
    result_.accesses += entries_.count;
  }

  void endRecord() {
    if (record_.laneMask == 0)
      return;
    mustHold(records_->add(record_, nullptr));
    checkFile();
    record_.laneMask = 0;
  }

  void mustHold(const std::string &brokenRule) const {
    if (!brokenRule.empty())
      entries_.bad(brokenRule);
  }

  Entries entries_;
  const std::string to_;
  trace::MessageFile file_;
  Imported result_;
  std::map<std::string, KnownModule> modules_;  ///< newest of each kernel
  std::vector<std::vector<trace::Site>> sites_; ///< by module
  std::optional<LaunchRecords> records_;
  abi::WarpAccess record_{}; ///< being filled; empty if its lane mask is 0
};

} // namespace

bool isMemtrace(const std::string &path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  unsigned char start[1 + kMagic.size()];
  return file && versionOf({start, std::fread(start, 1, sizeof start, file.get())}) != 0;
}

Imported importMemtrace(const std::string &from, const std::string &to) { return Importer(from, to).run(); }

} // namespace cupr::analysis
