/// One access after the other, in version 3 joined to runs.
///
/// What the format has no place for is left out: accesses of other memory than global, the host's side,
/// sites, warps and lanes. Sizes of 2^28 bytes and more are written as several accesses.
#include "exporter.h"

#include "layout.h"

#include <algorithm>
#include <fmt/format.h>

namespace cupr::analysis {

namespace {

using namespace memtrace;

class MemtraceExporter final : public Exporter {
public:
  MemtraceExporter(ByteSink &sink, unsigned version) : sink_(sink), version_(version) {
    bytes_ += static_cast<char>(version_ == 1 ? kAccessBytes : version_ + kVersionOffset);
    if (version_ != 1)
      bytes_ += kMagic;
  }

  void row(RowKindId, const Values &) override {}

  void beginLaunch(const LaunchInfo &launch) override {
    endKernel();
    inKernel_ = true;
    grid_ = launch.launch.grid;
    // cuda-memtrace's reader can't cope with an empty name; a line feed ends one in version 1.
    std::string name = !launch.launch.mangled.empty() ? launch.launch.mangled : launch.kernel;
    name = name.empty() ? "unknown" : name.substr(0, UINT16_MAX);
    if (version_ == 1) {
      std::replace(name.begin(), name.end(), '\n', ' ');
      bytes_ += '\n' + name + '\n';
    } else {
      const auto length = static_cast<std::uint16_t>(name.size());
      bytes_ += static_cast<char>(kKernel);
      bytes_.append(reinterpret_cast<const char *>(&length), sizeof length);
      bytes_ += name;
    }
    flush();
  }

  void record(const Record &record) override {
    const abi::WarpAccess &in = record.access;
    if (abi::spaceOf(record.site->space) != abi::MemorySpace::Global) {
      otherMemory_ += abi::activeLanes(in.laneMask);
      return;
    }
    Access access{};
    access.kind = kindOf(record.site->operation, version_);
    access.sm = in.sm;
    access.x = static_cast<std::uint32_t>(in.cta % grid_.x);
    // No GPU has more than 65535 blocks in these directions.
    access.y = static_cast<std::uint16_t>(in.cta / grid_.x % grid_.y);
    access.z = static_cast<std::uint16_t>(in.cta / grid_.x / grid_.y);
    for (std::uint32_t left = in.laneMask; left != 0; left &= left - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(left));
      access.address = in.address[lane];
      for (std::uint64_t bytes = abi::laneBytes(in, lane, record.site->bytes); bytes > 0;
           bytes -= access.size) {
        access.size = static_cast<std::uint32_t>(std::min<std::uint64_t>(bytes, kLargestSize));
        add(access);
        access.address += access.size;
        steps_ += 60;
      }
    }
    flush();
  }

  void finish() override {
    endKernel();
    sink_.write(bytes_);
    sink_.finish();
  }

  std::string leftOut() const override {
    return otherMemory_ == 0 ? ""
                             : fmt::format("{} accesses of other memory than global are left out: the format "
                                           "has no place for them",
                                           otherMemory_);
  }

private:
  void add(const Access &access) {
    if (count_ != 0 && version_ == 3 && count_ < kLongestRun && access.isLike(run_) &&
        access.address == run_.address + std::uint64_t{run_.size} * count_) {
      ++count_;
      return;
    }
    writeRun();
    run_ = access;
    count_ = 1;
  }

  void writeRun() {
    if (count_ == 0)
      return;
    unsigned char packed[kAccessBytes];
    pack(run_, version_, packed);
    if (version_ != 1)
      bytes_ += static_cast<char>(count_ == 1 ? kSingle : kRun);
    bytes_.append(reinterpret_cast<const char *>(packed), sizeof packed);
    if (count_ != 1) {
      const auto count = static_cast<std::uint16_t>(count_);
      bytes_.append(reinterpret_cast<const char *>(&count), sizeof count);
    }
    count_ = 0;
  }

  void endKernel() {
    writeRun();
    if (version_ == 1 && inKernel_)
      bytes_.append(kAccessBytes, '\0');
  }

  void flush() {
    if (bytes_.size() < (1u << 16))
      return;
    sink_.write(bytes_);
    bytes_.clear();
  }

  ByteSink &sink_;
  const unsigned version_;
  bool inKernel_ = false;
  trace::Dim3 grid_;
  Access run_{};
  std::uint32_t count_ = 0; ///< accesses in run_
  std::string bytes_;
  std::uint64_t otherMemory_ = 0;
};

} // namespace

std::unique_ptr<Exporter> memtraceExporter(ByteSink &sink, unsigned version) {
  return std::make_unique<MemtraceExporter>(sink, version);
}

} // namespace cupr::analysis
