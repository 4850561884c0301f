#include "records_function.h"

#include "devicelib/abi/version.h"
#include "hostlib/runtime/records.h"
#include "hostlib/trace/receiver.h"

#include <mutex>

namespace cupr::host {
namespace {

struct Program final : trace::RecordReceiver {
  void records(trace::LaunchId launch, std::uint32_t channel, std::span<const trace::Word> words) override {
    function(user, static_cast<unsigned long long>(launch), channel, words.data(), words.size());
  }
  CuprRecordsFunction function = nullptr;
  void *user = nullptr;
};

std::mutex mutex;
bool tooLate = false;

/// Lives as long as the process: records may come until its very end.
Program &program() {
  static auto *const program = new Program;
  return *program;
}

} // namespace

std::unique_ptr<trace::Writer> writerForProgram(const trace::Process &process,
                                                const trace::WriterOptions &options) {
  const std::scoped_lock lock(mutex);
  tooLate = true;
  return program().function ? trace::Writer::createCallback(program(), process, options) : nullptr;
}

} // namespace cupr::host

extern "C" int CUPR_VERSIONED(cuprSetRecordsFunction_v)(CuprRecordsFunction function, void *user) {
  using namespace cupr::host;
  const std::scoped_lock lock(mutex);
  if (tooLate)
    return 0;
  program().function = function;
  program().user = user;
  return 1;
}
