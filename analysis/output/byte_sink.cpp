/// Blocks of a fixed size, through zlib or zstd.
#include "byte_sink.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fmt/format.h>
#include <stdexcept>
#include <vector>
#include <zlib.h>
#include <zstd.h>

namespace cupr::analysis {

namespace {

constexpr std::size_t kBlockBytes = 1u << 16;

class FileSink final : public ByteSink {
public:
  explicit FileSink(std::FILE *file, std::string name) : file_(file), name_(std::move(name)) {
    if (!file_)
      fail();
  }
  ~FileSink() override {
    if (file_ && file_ != stdout)
      std::fclose(file_);
  }

  void write(std::string_view bytes) override {
    if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size())
      fail();
  }

  void finish() override {
    std::FILE *const file = file_;
    file_ = nullptr;
    if ((file == stdout ? std::fflush(file) : std::fclose(file)) != 0)
      fail();
  }

private:
  [[noreturn]] void fail() const {
    throw std::runtime_error(
        fmt::format("can't write {}: {}; choose another place with -o", name_, std::strerror(errno)));
  }

  std::FILE *file_;
  std::string name_;
};

class GzipSink final : public ByteSink {
public:
  explicit GzipSink(std::unique_ptr<ByteSink> sink) : sink_(std::move(sink)), block_(kBlockBytes) {
    constexpr int kGzip = 15 + 16; // the largest window, with gzip's header
    constexpr int kLevel = 4;      // zlib's default takes three times as long to make results 7 % smaller
    if (deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~GzipSink() override { deflateEnd(&stream_); }

  void write(std::string_view bytes) override {
    while (!bytes.empty()) { // zlib counts in 32 bits
      const std::string_view part = bytes.substr(0, kBlockBytes);
      bytes.remove_prefix(part.size());
      run(part, Z_NO_FLUSH);
    }
  }
  void finish() override {
    run({}, Z_FINISH);
    sink_->finish();
  }

private:
  void run(std::string_view bytes, int flush) {
    stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
    stream_.avail_in = static_cast<uInt>(bytes.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef *>(block_.data());
      stream_.avail_out = static_cast<uInt>(block_.size());
      deflate(&stream_, flush);
      sink_->write({block_.data(), block_.size() - stream_.avail_out});
    } while (stream_.avail_out == 0);
  }

  std::unique_ptr<ByteSink> sink_;
  std::vector<char> block_;
  z_stream stream_{};
};

class ZstdSink final : public ByteSink {
public:
  explicit ZstdSink(std::unique_ptr<ByteSink> sink)
      : sink_(std::move(sink)), block_(ZSTD_CStreamOutSize()), context_(ZSTD_createCCtx(), ZSTD_freeCCtx) {
    if (!context_)
      throw std::bad_alloc();
    ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  }

  void write(std::string_view bytes) override { run(bytes, ZSTD_e_continue); }
  void finish() override {
    run({}, ZSTD_e_end);
    sink_->finish();
  }

private:
  void run(std::string_view bytes, ZSTD_EndDirective directive) {
    ZSTD_inBuffer in{bytes.data(), bytes.size(), 0};
    for (std::size_t left = 1; directive == ZSTD_e_end ? left != 0 : in.pos < in.size;) {
      ZSTD_outBuffer out{block_.data(), block_.size(), 0};
      left = ZSTD_compressStream2(context_.get(), &out, &in, directive);
      if (ZSTD_isError(left))
        throw std::runtime_error(std::string("zstd: ") + ZSTD_getErrorName(left));
      sink_->write({block_.data(), out.pos});
    }
  }

  std::unique_ptr<ByteSink> sink_;
  std::vector<char> block_;
  std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context_;
};

} // namespace

std::unique_ptr<ByteSink> fileSink(const PendingFile &file) {
  return std::make_unique<FileSink>(std::fopen(file.path().c_str(), "wb"), "'" + file.name() + "'");
}

std::unique_ptr<ByteSink> stdoutSink() { return std::make_unique<FileSink>(stdout, "to stdout"); }

std::unique_ptr<ByteSink> compressed(std::unique_ptr<ByteSink> sink, Compression compression) {
  switch (compression) {
  case Compression::Gzip:
    return std::make_unique<GzipSink>(std::move(sink));
  case Compression::Zstd:
    return std::make_unique<ZstdSink>(std::move(sink));
  case Compression::None:
    break;
  }
  return sink;
}

void copyFile(const std::string &path, ByteSink &sink) {
  const std::unique_ptr<std::FILE, decltype(&std::fclose)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::vector<char> block(kBlockBytes);
  std::size_t got;
  while (file && (got = std::fread(block.data(), 1, block.size(), file.get())) > 0)
    sink.write({block.data(), got});
  if (!file || std::ferror(file.get()))
    throw std::runtime_error(fmt::format("can't read '{}': {}", path, std::strerror(errno)));
}

} // namespace cupr::analysis
