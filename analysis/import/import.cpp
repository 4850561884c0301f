#include "import.h"

#include "analysis/model/model.h"
#include "hostlib/trace/frame.h"
#include "hostlib/trace/output.h"
#include "hostlib/trace/own_file.h"
#include "row_reader.h"
#include "trace_of_rows.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <numeric>

namespace cupr::analysis {

/// Takes units one after the other: rows, messages or blocks.
class Import::Taker {
public:
  virtual ~Taker() = default;
  /// False: there is no more.
  virtual bool next() = 0;
  /// 0, or the number of the error of the file that is written.
  virtual int error() const = 0;
  virtual const std::vector<std::string> &notes() const { return notes_; }
  /// "row 3": which unit is taken; empty: they have no numbers.
  virtual std::string unit() const = 0;

private:
  const std::vector<std::string> notes_;
};

namespace {

class RowTaker final : public Import::Taker {
public:
  RowTaker(std::unique_ptr<RowReader> rows, const std::string &to, trace::WorkLimit &limit)
      : rows_(std::move(rows)), file_(to), trace_(file_, limit) {}

  bool next() override {
    ++number_;
    if (const Row *const row = rows_->next()) {
      trace_.take(*row);
      return true;
    }
    trace_.finish();
    return false;
  }
  int error() const override { return file_.error(); }
  const std::vector<std::string> &notes() const override { return trace_.notes(); }
  std::string unit() const override { return fmt::format("row {}", number_); }

private:
  std::unique_ptr<RowReader> rows_;
  trace::MessageFile file_;
  TraceOfRows trace_;
  std::uint64_t number_ = 0;
};

/// Messages of a trace get their frames again.
class MessageTaker final : public Import::Taker {
public:
  MessageTaker(ByteSource &source, const std::string &to)
      : source_(source), output_(to), error_(output_.openError()) {}

  bool next() override {
    if (source_.ahead().empty()) {
      error_ = error_ ? error_ : output_.close();
      return false;
    }
    ++number_;
    // How many segments there are, less one, and the words of each, in 4 bytes each; up to whole words of 8 bytes.
    constexpr std::uint32_t kMostSegments = 512, kMostWords = (256u << 20) / 8;
    std::uint32_t first[2];
    read(std::as_writable_bytes(std::span(first)));
    if (first[0] >= kMostSegments)
      throw BrokenExport("it is no message of Cap'n Proto");
    std::vector<std::uint32_t> sizes((first[0] + 1) / 2 * 2);
    read(std::as_writable_bytes(std::span(sizes)));
    const std::uint64_t words =
        std::accumulate(sizes.begin(), sizes.begin() + first[0], std::uint64_t{first[1]});
    if (words > kMostWords)
      throw BrokenExport(fmt::format("a message must not be longer than {} bytes", kMostWords * 8));
    const std::size_t head = 1 + sizes.size() / 2;
    payload_.resize(head);
    std::memcpy(payload_.data(), first, sizeof first);
    std::ranges::copy(std::as_bytes(std::span(sizes)),
                      std::as_writable_bytes(std::span(payload_)).begin() + sizeof first);
    // By parts, so that what a file only claims takes no memory.
    for (std::uint64_t left = words; left > 0;) {
      const std::size_t part = std::min<std::uint64_t>(left, 1u << 17), at = payload_.size();
      payload_.resize(at + part);
      read(std::as_writable_bytes(std::span(payload_).subspan(at)));
      left -= part;
    }
    trace::Message message;
    if (const std::string rule = trace::decode(payload_, message); !rule.empty())
      throw BrokenExport(rule);
    if (error_ == 0)
      error_ = output_.append(payload_, trace::hashOf(std::as_bytes(std::span(payload_))));
    return true;
  }
  int error() const override { return error_; }
  std::string unit() const override { return fmt::format("message {}", number_ - 1); }

private:
  void read(std::span<std::byte> to) {
    if (!source_.read({reinterpret_cast<char *>(to.data()), to.size()}))
      throw BrokenExport("the file stops in the middle of a message");
  }

  ByteSource &source_;
  trace::Output output_;
  trace::Payload payload_;
  int error_;
  std::uint64_t number_ = 0;
};

/// A trace that is compressed as a whole: its reader finds what is wrong with it.
class CopyTaker final : public Import::Taker {
public:
  CopyTaker(ByteSource &source, const std::string &to)
      : source_(source), error_(file_.open(to, O_RDWR | O_CREAT, trace::kPrivateMode)) {
    if (error_ == 0)
      error_ = file_.truncate(0);
  }

  bool next() override {
    const std::string_view block = source_.ahead();
    iovec part{const_cast<char *>(block.data()), block.size()};
    if (error_ == 0)
      error_ = block.empty() ? file_.close() : file_.write(&part, 1);
    source_.pass(block.size());
    return !block.empty();
  }
  int error() const override { return error_; }
  std::string unit() const override { return {}; }

private:
  ByteSource &source_;
  trace::OwnFile file_;
  int error_;
};

ExportFormat formatOf(std::string_view start) {
  const std::size_t first = start.find_first_not_of(" \t\r\n");
  if (start.starts_with("CUPR"))
    return ExportFormat::Trace;
  if (start.starts_with('\n') && (first == start.npos || start[first] != '{'))
    return ExportFormat::Protobuf;
  if (first != start.npos && start[first] == '{')
    return ExportFormat::Json;
  constexpr std::string_view kOneSegment("\0\0\0\0", 4); // as all messages of a trace have
  return start.starts_with(kOneSegment) ? ExportFormat::Capnp : ExportFormat::None;
}

} // namespace

const char *nameOf(ExportFormat format) {
  constexpr const char *kNames[] = {"JSON", "Protobuf", "Cap'n Proto", "trace", "unknown"};
  return kNames[static_cast<std::size_t>(format)];
}

template <typename Body> auto Import::placed(Body body) {
  try {
    return body();
  } catch (const BrokenExport &broken) {
    std::string place;
    if (source_ && (taker_ || source_->isUnpacked())) {
      const std::string unit = taker_ ? taker_->unit() : std::string();
      place = unit.empty() ? fmt::format("damaged at byte {}: ", source_->offset())
                           : fmt::format("damaged at {} (byte {}): ", unit, source_->offset());
    }
    throw BadTrace(fmt::format("{}: {}{}", from_, place, broken.what()));
  }
}

Import::Import(const std::string &from, std::string to) : from_(from), to_(std::move(to)) {
  placed([&] {
    source_ = std::make_unique<ByteSource>(from);
    format_ = formatOf(source_->start(64));
    limit_ = std::make_unique<trace::WorkLimit>(from, source_->fileBytes());
    source_->limit(*limit_);
    switch (format_) {
    case ExportFormat::Json:
      taker_ = std::make_unique<RowTaker>(jsonRows(*source_), to_, *limit_);
      break;
    case ExportFormat::Protobuf:
      taker_ = std::make_unique<RowTaker>(protobufRows(*source_), to_, *limit_);
      break;
    case ExportFormat::Capnp:
      taker_ = std::make_unique<MessageTaker>(*source_, to_);
      break;
    case ExportFormat::Trace:
      if (!source_->isUnpacked())
        throw BrokenExport("this is a trace already");
      taker_ = std::make_unique<CopyTaker>(*source_, to_);
      break;
    case ExportFormat::None:
      throw BrokenExport(
          source_->ahead().empty()
              ? "the file is empty"
              : "this is neither a trace nor an export of one as JSON, Protobuf or Cap'n Proto");
    }
  });
}

Import::~Import() = default;

bool Import::step() {
  const bool isMore = placed([&] {
    for (const std::uint64_t end = source_->offset() + kStepBytes; source_->offset() < end;)
      if (!taker_->next())
        return false;
    return true;
  });
  if (const int error = taker_->error(); error != 0)
    throw std::runtime_error(
        fmt::format("can't write '{}': {}; choose another place with -o", to_, trace::outputProblem(error)));
  return isMore;
}

const std::vector<std::string> &Import::notes() const { return taker_->notes(); }

} // namespace cupr::analysis
