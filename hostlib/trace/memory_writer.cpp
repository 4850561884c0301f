/// The writer whose trace lies in memory: a file without a name, so that whatever reads traces can read it.
#include "writer.h"

#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace cupr::trace {

namespace {

class MemoryFile {
public:
  MemoryFile() : file_(::memfd_create("cuprtrace", MFD_CLOEXEC)) {}
  ~MemoryFile() {
    if (file_ >= 0)
      ::close(file_);
  }
  MemoryFile(const MemoryFile &) = delete;
  MemoryFile &operator=(const MemoryFile &) = delete;

  std::string path() const { return "/proc/self/fd/" + std::to_string(file_); }

private:
  const int file_;
};

class MemoryWriter final : public Writer {
public:
  MemoryWriter(const Process &process, const WriterOptions &options)
      : writer_(Writer::create(memory_.path(), process, options)) {}

  ModuleId module(std::span<const std::byte> siteTable) override { return writer_->module(siteTable); }
  void launch(const Launch &launch) override { writer_->launch(launch); }
  std::size_t records(LaunchId launch, std::uint32_t channel, const void *words, std::size_t count,
                      std::uint64_t tag) override {
    return writer_->records(launch, channel, words, count, tag);
  }
  std::optional<std::uint32_t> contents(std::span<const std::byte> bytes) override {
    return writer_->contents(bytes);
  }
  std::optional<std::uint32_t> snapshot(std::uint64_t address, std::uint64_t bytes,
                                        const std::vector<std::uint32_t> &pieces) override {
    return writer_->snapshot(address, bytes, pieces);
  }
  void timedLaunch(const Launch &launch, const LaunchEnd &end) override { writer_->timedLaunch(launch, end); }
  void launchEnd(const LaunchEnd &end) override { writer_->launchEnd(end); }
  void allocation(const Allocation &allocation) override { writer_->allocation(allocation); }
  void free(const Free &free) override { writer_->free(free); }
  void imageObject(const ImageObject &object) override { writer_->imageObject(object); }
  void copy(const Copy &copy) override { writer_->copy(copy); }
  void set(const Set &set) override { writer_->set(set); }
  void synchronisation(const Synchronisation &synchronisation) override {
    writer_->synchronisation(synchronisation);
  }
  void host(const HostBatch &batch) override { writer_->host(batch); }
  void lose() override { writer_->lose(); }
  void flush() override { writer_->flush(); }
  std::uint64_t recordWords(LaunchId launch) const override { return writer_->recordWords(launch); }
  Totals totals() const override { return writer_->totals(); }
  bool failed() const override { return writer_->failed(); }
  bool full() const override { return writer_->full(); }
  std::string fullReason() const override { return writer_->fullReason(); }
  std::uint64_t gatheredBytes() const override { return writer_->gatheredBytes(); }
  bool finish() override { return writer_->finish(); }
  const std::string &path() const override { return writer_->path(); }

private:
  MemoryFile memory_; // outlives the writer
  const std::unique_ptr<Writer> writer_;
};

} // namespace

std::unique_ptr<Writer> Writer::createMemory(const Process &process, const WriterOptions &options) {
  return std::make_unique<MemoryWriter>(process, options);
}

} // namespace cupr::trace
