/// An entry is: kMagic, the key with its length in front, the steps that the work took, a zstd stream of what was saved, and a digest of
/// all that. Whoever reads it sees the digest first, and then goes through it once more.
#include "kept_work.h"

#include "analysis/model/unnamed_file.h"
#include "analysis/output/byte_sink.h"
#include "analysis/output/pending_file.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <stdexcept>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>
#include <vector>
#include <zstd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fs = std::filesystem;

namespace cupr::analysis {

namespace {

constexpr std::array<char, 8> kMagic = {'c', 'u', 'p', 'r', 'k', 'e', 'p', 't'};
constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr const char *kEnding = ".kept";

KeptWorkPolicy policy;

using File = std::unique_ptr<std::FILE, CloseFile>;

std::string variable(const char *name) {
  const char *const value = std::getenv(name);
  return value ? value : "";
}

std::string text(const XXH128_hash_t &digest) {
  return fmt::format("{:016x}{:016x}", digest.high64, digest.low64);
}

class Digest {
public:
  Digest() { XXH3_128bits_reset(state_.get()); }
  void add(const void *data, std::size_t bytes) { XXH3_128bits_update(state_.get(), data, bytes); }
  XXH128_hash_t digest() const { return XXH3_128bits_digest(state_.get()); }
  /// Of the next `bytes` of the file, or what is left of it.
  void addFrom(std::FILE *file, std::uint64_t bytes) {
    std::vector<char> block(kBlock);
    for (std::uint64_t left = bytes; left != 0;) {
      const std::size_t got = std::fread(
          block.data(), 1, static_cast<std::size_t>(std::min<std::uint64_t>(left, block.size())), file);
      if (got == 0)
        return;
      add(block.data(), got);
      left -= got;
    }
  }

private:
  std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state_{XXH3_createState(), XXH3_freeState};
};

/// Of the program that runs; empty: it can't be read.
std::string programDigest() {
  static const std::string known = [] {
    const File self(std::fopen("/proc/self/exe", "rbe"));
    if (!self)
      return std::string();
    Digest digest;
    digest.addFrom(self.get(), UINT64_MAX);
    return text(digest.digest());
  }();
  return known;
}

/// Which file the model was read from; empty: nobody can say.
std::string traceIdentity(const Model &model) {
  const File file(std::fopen(model.path().c_str(), "rbe"));
  struct stat state{};
  if (!file || ::fstat(::fileno(file.get()), &state) != 0 || !S_ISREG(state.st_mode) ||
      static_cast<std::uint64_t>(state.st_size) != model.reader().fileBytes())
    return {};
  Digest digest;
  digest.addFrom(file.get(), kBlock);
  if (std::fseek(file.get(), std::max<long>(0, state.st_size - static_cast<long>(kBlock)), SEEK_SET) != 0)
    return {};
  digest.addFrom(file.get(), kBlock);
  return fmt::format("{}:{} {} bytes {}.{:09} {}", state.st_dev, state.st_ino, state.st_size,
                     state.st_mtim.tv_sec, state.st_mtim.tv_nsec, text(digest.digest()));
}

/// Makes the folder, for this user alone. Whether it is this user's: nobody else may say what a trace holds.
bool isOwnFolder(const std::string &folder) {
  std::error_code error;
  fs::create_directories(fs::path(folder).parent_path(), error);
  ::mkdir(folder.c_str(), S_IRWXU);
  struct stat state{};
  return ::stat(folder.c_str(), &state) == 0 && S_ISDIR(state.st_mode) && state.st_uid == ::geteuid() &&
         (state.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/// Bytes of an entry on their way to its file, with their digest.
class EntrySink final : public ByteSink {
public:
  EntrySink(std::FILE *file, Digest &digest, std::uint64_t most)
      : file_(file), digest_(digest), left_(most) {}
  void write(std::string_view bytes) override {
    if (bytes.size() > left_)
      throw std::runtime_error("it is not worth its room");
    left_ -= bytes.size();
    digest_.add(bytes.data(), bytes.size());
    writeAll(file_, bytes.data(), bytes.size());
  }
  void finish() override {}

private:
  std::FILE *file_;
  Digest &digest_;
  std::uint64_t left_;
};

/// A file whose bytes go to a sink, or come from somewhere, by `call`, which gives how many it took or made; what it throws is an error of the file.
template <typename Call> File fileOf(Call &call, const char *mode) {
  const auto run = [](void *cookie, char *bytes, std::size_t size) -> ssize_t {
    try {
      return static_cast<ssize_t>((*static_cast<Call *>(cookie))(bytes, size));
    } catch (const std::exception &) {
      return -1;
    }
  };
  static constexpr auto kRun = run;
  cookie_io_functions_t functions{};
  if (*mode == 'r')
    functions.read = [](void *cookie, char *bytes, std::size_t size) { return kRun(cookie, bytes, size); };
  else
    functions.write = [](void *cookie, const char *bytes, std::size_t size) {
      return std::max<ssize_t>(0, kRun(cookie, const_cast<char *>(bytes), size)); // 0 is an error there
    };
  File file(::fopencookie(&call, mode, functions));
  if (!file)
    throw std::runtime_error("out of files");
  std::setvbuf(file.get(), nullptr, _IOFBF, kBlock);
  return file;
}

/// What zstd made, from where `file` is, `left` bytes of it.
class Unpacking {
public:
  Unpacking(std::FILE *file, std::uint64_t left) : file_(file), left_(left) {}
  std::size_t operator()(char *bytes, std::size_t size) {
    ZSTD_outBuffer out{bytes, size, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size) {
        if (left_ == 0)
          return 0;
        in_ = {block_.data(), static_cast<std::size_t>(std::min<std::uint64_t>(left_, block_.size())), 0};
        readAll(file_, block_.data(), in_.size);
        left_ -= in_.size;
      }
      if (ZSTD_isError(ZSTD_decompressStream(context_.get(), &out, &in_)))
        throw std::runtime_error("it is damaged");
    }
    return out.pos;
  }

private:
  std::FILE *file_;
  std::uint64_t left_;
  std::vector<char> block_ = std::vector<char>(kBlock);
  ZSTD_inBuffer in_{};
  std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> context_{ZSTD_createDStream(), ZSTD_freeDStream};
};

/// Removes what was not used for longest until the rest is small enough.
void trim() {
  struct Entry {
    fs::file_time_type used;
    std::uint64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::uint64_t all = 0;
  std::error_code error;
  for (const fs::directory_entry &file : fs::directory_iterator(policy.folder, error))
    if (file.is_regular_file(error)) { // also what a process that was killed has left
      Entry entry{file.last_write_time(error), file.file_size(error), file.path()};
      if (error)
        continue; // another process has removed it
      all += entry.bytes;
      entries.push_back(std::move(entry));
    }
  std::ranges::sort(entries, {}, &Entry::used);
  for (auto oldest = entries.begin(); all > policy.mostBytes && oldest != entries.end(); ++oldest) {
    fs::remove(oldest->path, error);
    all -= oldest->bytes;
  }
}

/// In front of the key.
struct Frame {
  std::array<char, 8> magic;
  std::uint64_t keyBytes, steps;
};

} // namespace

KeptWorkPolicy KeptWorkPolicy::usual() {
  const std::string named = variable("CUPREWRITE_CACHE"), shared = variable("XDG_CACHE_HOME"),
                    home = variable("HOME");
  std::string folder = !named.empty()    ? named
                       : !shared.empty() ? shared + "/cuprewrite"
                       : !home.empty()   ? home + "/.cache/cuprewrite"
                                         : "off";
  return {.folder = folder == "off" ? "" : folder + "/traces"};
}

void KeptWork::turnOn(KeptWorkPolicy wanted) { policy = std::move(wanted); }

KeptWork::KeptWork(const Model &model, const std::string &what)
    : model_(model), what_(what), stepsBefore_(model.limit().spent()) {
  std::uint64_t accesses = 0;
  for (const LaunchInfo &launch : model.launches())
    accesses += launch.totals.counts.accesses();
  if (policy.folder.empty() || accesses < policy.leastAccesses || !isOwnFolder(policy.folder))
    return;
  const std::string program = programDigest(), trace = traceIdentity(model);
  if (!program.empty() && !trace.empty())
    key_ = fmt::format("{}\n{}\n{} launches and phases, at most {} steps\n{}", program, trace,
                       model.launches().size(), model.limit().mostSteps(), what);
}

std::string KeptWork::pathOfEntry() const {
  return fmt::format("{}/{}{}", policy.folder, text(XXH3_128bits(key_.data(), key_.size())), kEnding);
}

bool KeptWork::read(const std::function<void(std::FILE *)> &load) const {
  if (key_.empty())
    return false;
  const std::string path = pathOfEntry();
  std::uint64_t steps = 0;
  try {
    const File file(std::fopen(path.c_str(), "rbe"));
    struct stat state{};
    if (!file || ::fstat(::fileno(file.get()), &state) != 0 || !S_ISREG(state.st_mode) ||
        state.st_uid != ::geteuid())
      return false;
    const auto size = static_cast<std::uint64_t>(state.st_size);
    XXH128_hash_t said{};
    if (size < sizeof(Frame) + key_.size() + sizeof said)
      return false;
    Digest digest;
    digest.addFrom(file.get(), size - sizeof said);
    readAll(file.get(), &said, sizeof said);
    if (!XXH128_isEqual(digest.digest(), said))
      return false;
    std::rewind(file.get());
    Frame frame{};
    readAll(file.get(), &frame, sizeof frame);
    std::string key(key_.size(), '\0');
    if (frame.magic != kMagic || frame.keyBytes != key.size())
      return false;
    readAll(file.get(), key.data(), key.size());
    if (key != key_)
      return false;
    Unpacking unpacking(file.get(), size - sizeof frame - key.size() - sizeof said);
    load(fileOf(unpacking, "r").get());
    steps = frame.steps;
    ::utimensat(AT_FDCWD, path.c_str(), nullptr, 0); // it was used
  } catch (const std::exception &) {
    return false;
  }
  model_.limit().spend(steps, [] { return std::string("what was found before"); });
  return true;
}

void KeptWork::write(const std::function<void(std::FILE *)> &save) const {
  // The file may have become another one meanwhile.
  if (key_.empty() || key_ != KeptWork(model_, what_).key_)
    return;
  try {
    PendingFile pending(pathOfEntry());
    {
      const File file(std::fopen(pending.path().c_str(), "wbe"));
      if (!file)
        return;
      Digest digest;
      const Frame frame{kMagic, key_.size(),
                        model_.limit().spent() - std::min(stepsBefore_, model_.limit().spent())};
      constexpr std::uint64_t kForAnyTrace = std::uint64_t{1} << 20;
      auto sink =
          std::make_unique<EntrySink>(file.get(), digest, 2 * model_.reader().fileBytes() + kForAnyTrace);
      sink->write({reinterpret_cast<const char *>(&frame), sizeof frame});
      sink->write(key_);
      const std::unique_ptr<ByteSink> packed = compressed(std::move(sink), Compression::Zstd);
      auto pack = [&](const char *bytes, std::size_t size) {
        packed->write({bytes, size});
        return size;
      };
      {
        const File saved = fileOf(pack, "w");
        save(saved.get());
        flushAll(saved.get());
      }
      packed->finish();
      const XXH128_hash_t digested = digest.digest();
      writeAll(file.get(), &digested, sizeof digested);
      flushAll(file.get());
    }
    pending.commit();
    trim();
  } catch (const std::exception &) {
    return; // no room, or not worth it: the next one does the work again
  }
}

std::string wordsOf(const std::string &text) { return fmt::format("{}:{}", text.size(), text); }

std::string wordsOf(const LaunchSelection &launches) {
  return fmt::format("launch {}, kernel {} {} {}, skip {}, count {}", launches.launch,
                     wordsOf(launches.kernel), wordsOf(launches.kernelName), wordsOf(launches.namePart),
                     launches.skip, launches.count);
}

std::string wordsOf(std::span<const std::uint16_t> numbers) {
  return fmt::format("{} {}", numbers.size(), text(XXH3_128bits(numbers.data(), numbers.size_bytes())));
}

} // namespace cupr::analysis
