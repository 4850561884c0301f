/// Several gzip members or zstd frames one behind the other are one stream, as their tools have it.
#include "byte_source.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>

namespace cupr::analysis {

namespace {

constexpr std::size_t kBlockBytes = 1u << 18;
/// zstd's largest window that is unpacked: what its own program takes by default.
constexpr int kWindowLog = 27;

/// What both kinds of compression read of the file.
class Packed : public ByteStage {
public:
  explicit Packed(std::shared_ptr<ByteStage> from) : from_(std::move(from)), block_(kBlockBytes) {}

protected:
  /// Bytes that have not been unpacked; empty: there are none.
  std::string_view rest() {
    if (at_ == end_) {
      at_ = 0;
      end_ = from_->read(block_);
    }
    return {block_.data() + at_, end_ - at_};
  }
  void pass(std::size_t bytes) { at_ += bytes; }

private:
  std::shared_ptr<ByteStage> from_;
  std::vector<char> block_;
  std::size_t at_ = 0, end_ = 0;
};

class Gunzipped final : public Packed {
public:
  explicit Gunzipped(std::shared_ptr<ByteStage> from) : Packed(std::move(from)) {
    constexpr int kGzip = 15 + 16; // the largest window, with gzip's header
    if (inflateInit2(&stream_, kGzip) != Z_OK)
      throw std::bad_alloc();
  }
  ~Gunzipped() override { inflateEnd(&stream_); }

  std::size_t read(std::span<char> to) override {
    stream_.next_out = reinterpret_cast<Bytef *>(to.data());
    stream_.avail_out = static_cast<uInt>(to.size());
    while (stream_.avail_out == to.size()) {
      const std::string_view in = rest();
      if (in.empty()) {
        if (!isBetween_)
          throw BrokenExport("what gzip has packed is cut off");
        return 0;
      }
      if (isBetween_) {
        // Zeros behind a member pad a tape's or a device's blocks; gzip's own program passes over them.
        const std::size_t zeros = std::min(in.find_first_not_of('\0'), in.size());
        pass(zeros);
        if (zeros != 0)
          continue;
        inflateReset(&stream_);
      }
      stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(in.data()));
      stream_.avail_in = static_cast<uInt>(in.size());
      const int result = inflate(&stream_, Z_NO_FLUSH);
      pass(in.size() - stream_.avail_in);
      if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
        throw BrokenExport(fmt::format("gzip can't unpack it: {}", stream_.msg ? stream_.msg : "damaged"));
      isBetween_ = result == Z_STREAM_END;
    }
    return to.size() - stream_.avail_out;
  }

private:
  z_stream stream_{};
  bool isBetween_ = false; ///< two members
};

class Unzstd final : public Packed {
public:
  explicit Unzstd(std::shared_ptr<ByteStage> from)
      : Packed(std::move(from)), context_(ZSTD_createDCtx(), ZSTD_freeDCtx) {
    if (!context_)
      throw std::bad_alloc();
    ZSTD_DCtx_setParameter(context_.get(), ZSTD_d_windowLogMax, kWindowLog);
  }

  std::size_t read(std::span<char> to) override {
    ZSTD_outBuffer out{to.data(), to.size(), 0};
    while (out.pos == 0) {
      const std::string_view in = rest();
      // What it has unpacked already may come without further bytes.
      ZSTD_inBuffer from{in.data(), in.size(), 0};
      const std::size_t left = ZSTD_decompressStream(context_.get(), &out, &from);
      if (ZSTD_isError(left))
        throw BrokenExport(fmt::format("zstd can't unpack it: {}", ZSTD_getErrorName(left)));
      pass(from.pos);
      if (in.empty() && out.pos == 0) {
        if (!isBetween_)
          throw BrokenExport("what zstd has packed is cut off");
        return 0;
      }
      if (!in.empty() || left == 0)
        isBetween_ = left == 0;
    }
    return out.pos;
  }

private:
  std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context_;
  bool isBetween_ = true; ///< two frames
};

} // namespace

class ByteSource::File final : public ByteStage {
public:
  explicit File(const std::string &path) : file_(std::fopen(path.c_str(), "rb"), std::fclose) {
    if (!file_ || std::fseek(file_.get(), 0, SEEK_END) != 0)
      throw BrokenExport(fmt::format("it can't be opened: {}", std::strerror(errno)));
    bytes_ = static_cast<std::uint64_t>(::ftello(file_.get()));
    std::rewind(file_.get());
  }

  std::size_t read(std::span<char> to) override {
    const std::size_t got = std::fread(to.data(), 1, to.size(), file_.get());
    if (got < to.size() && std::ferror(file_.get()))
      throw BrokenExport(fmt::format("the file can't be read: {}", std::strerror(errno)));
    offset_ += got;
    return got;
  }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t bytes() const { return bytes_; }

private:
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file_;
  std::uint64_t offset_ = 0, bytes_ = 0;
};

ByteSource::ByteSource(const std::string &path) : file_(std::make_shared<File>(path)), block_(kBlockBytes) {
  const std::string_view magic = start(4);
  const bool isGzip = magic.starts_with("\x1f\x8b"), isZstd = magic.starts_with("\x28\xb5\x2f\xfd");
  if (!isGzip && !isZstd)
    return;
  file_ = std::make_shared<File>(path);
  at_ = end_ = 0;
  if (isGzip)
    unpacked_ = std::make_unique<Gunzipped>(file_);
  else
    unpacked_ = std::make_unique<Unzstd>(file_);
}

std::size_t ByteSource::next(std::span<char> to) {
  constexpr std::uint64_t kStepsPerByte = 20;
  const std::size_t got = unpacked_ ? unpacked_->read(to) : file_->read(to);
  if (limit_)
    limit_->spend(kStepsPerByte * got, [] { return "what it unpacks to"; });
  return got;
}

void ByteSource::fill() {
  before_ += at_;
  at_ = end_ = 0;
  end_ = next(block_);
}

std::string_view ByteSource::start(std::size_t bytes) {
  std::memmove(block_.data(), block_.data() + at_, end_ - at_);
  before_ += at_;
  end_ -= at_;
  at_ = 0;
  while (end_ < bytes) {
    const std::span<char> room = std::span(block_).subspan(end_);
    const std::size_t got = next(room);
    if (got == 0)
      break;
    end_ += got;
  }
  return {block_.data(), std::min(end_, bytes)};
}

bool ByteSource::read(std::span<char> to) {
  while (!to.empty()) {
    const std::string_view next = ahead().substr(0, to.size());
    if (next.empty())
      return false;
    std::ranges::copy(next, to.begin());
    to = to.subspan(next.size());
    pass(next.size());
  }
  return true;
}

std::uint64_t ByteSource::fileOffset() const { return file_->offset(); }
std::uint64_t ByteSource::fileBytes() const { return file_->bytes(); }

} // namespace cupr::analysis
