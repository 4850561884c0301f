/// Modules, launches, names and texts: too many, too long, and such as terminals, spreadsheets and browsers obey.
#include "attacks.h"
#include "forge.h"

#include <cstring>
#include <zstd.h>

namespace cupr::test {

namespace {

using enum trace::StreamKind;
using abi::Operation;

std::string repeated(const std::string &text, std::uint64_t bytes) {
  std::string result;
  while (result.size() + text.size() <= bytes)
    result += text;
  return result;
}

void hugeNames(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Module module = Forge::moduleOf({{Operation::Store, 4}});
  module.strings[1] = repeated("dir/", bytes / 8);
  module.strings[2] = repeated("f<", bytes / 8);
  module.strings[3] = repeated("(cupr::argument::Trace ", bytes / 8);
  forge.module(module);
  Batch batch;
  batch.strided(0, 0, kA, 4);
  for (const char *name : {"_ZN1aIXadL_Z", "(cupr::argument::Trace", "<<<(((", "_ZSt4"}) {
    trace::Launch launch = forge.newLaunch();
    launch.kernel = repeated(name, bytes / 8);
    launch.mangled = launch.kernel;
    forge.run(launch, batch);
  }
  forge.finish();
}

/// The demangler, asked for names that are longer than what they are made of.
void mangledNames(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Module module = Forge::moduleOf({{Operation::Store, 4}});
  std::string name = "_Z1fSt4pairIiiE";
  for (char at = '_'; name.size() < 400; at = at == '_' ? '0' : static_cast<char>(at == '9' ? 'A' : at + 1))
    name += std::string("St4pairI") + (at == '_' ? "S_S_E" : std::string("S") + at + "_S" + at + "_E");
  module.strings[2] = name;
  forge.module(module);
  Batch batch;
  batch.strided(0, 0, kA, 4);
  while (forge.bytes() < bytes / 64) {
    trace::Launch launch = forge.newLaunch();
    launch.kernel.clear();
    launch.mangled = name;
    forge.run(launch, batch);
  }
  forge.finish();
}

void manyKernels(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
  for (std::uint64_t i = 0; forge.bytes() < bytes; ++i) {
    Batch batch;
    batch.strided(i & 1, 0, kA, 4);
    trace::Launch launch = forge.newLaunch();
    launch.kernel = "k" + std::to_string(i) + "()";
    forge.run(launch, batch);
  }
  forge.finish();
}

void manyUntraced(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  while (forge.bytes() < bytes) {
    trace::Launch launch = forge.newLaunch();
    launch.kernel = "k";
    launch.traced = false;
    launch.reason = "no";
    forge.put(launch);
  }
  forge.finish();
}

/// The same in batches, each with as much text as one may say.
void batchedLaunches(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  while (forge.bytes() < bytes) {
    trace::ActBatch batch;
    batch.kernels = {{std::string(trace::kMaxBatchText / trace::kMaxBatchActs - 2, 'k'), "m", "r", ""}};
    batch.streams = {{1, Legacy, 0}};
    for (std::uint32_t i = 0; i < trace::kMaxBatchActs; ++i) {
      trace::ActBatch::Launch launch;
      launch.number = launch.order = i;
      launch.grid = launch.block = {1, 1, 1};
      batch.launches.push_back(launch);
    }
    forge.put(batch);
  }
  forge.finish();
}

/// Allocations and frees likewise.
void batchedAllocations(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  for (std::uint64_t address = kA; forge.bytes() < bytes;) {
    trace::ActBatch batch;
    batch.calls = {std::string(trace::kMaxBatchText / trace::kMaxBatchActs, 'c')};
    for (std::uint32_t i = 0; i < trace::kMaxBatchActs; i += 2, address += 4) {
      batch.allocations.push_back({address, 4, i, trace::MemoryKind::Device, 0, 0});
      batch.frees.push_back({address, 0, i + 1, 0});
    }
    forge.put(batch);
  }
  forge.finish();
}

void manyModules(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  while (forge.bytes() < bytes) {
    forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
    Batch batch;
    batch.strided(forge.bytes() % 2, 0, kA, 4);
    forge.run(forge.newLaunch(), batch);
  }
  forge.finish();
}

/// Every site is inlined through all frames.
void deepFrames(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  const auto count = static_cast<std::uint32_t>(bytes / 2 / 40);
  trace::Module module =
      Forge::moduleOf(std::vector<std::pair<Operation, std::uint32_t>>(count, {Operation::Store, 4}));
  for (std::uint32_t i = 0; i < count; ++i) {
    trace::Frame frame;
    frame.file = 1;
    frame.function = 2;
    frame.line = i;
    frame.parent = i == 0 ? abi::kNoFrame : i - 1;
    module.frames.push_back(frame);
    module.sites[i].frame = count - 1;
  }
  forge.module(module);
  forge.begin(forge.newLaunch());
  for (std::uint32_t site = 0; site < count;) {
    Batch batch;
    for (; site < count && batch.hasRoom(); ++site)
      batch.strided(site, 0, kA, 4);
    forge.chunk(batch);
  }
  forge.end();
  forge.finish();
}

/// Texts of 256 MiB each, packed to 20 KiB.
void expandingSources(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::Source source;
  source.textBytes = trace::kMaxSourceBytes;
  const std::string text(trace::kMaxSourceBytes, '\n');
  source.packed.resize(ZSTD_compressBound(text.size()));
  source.packed.resize(
      ZSTD_compress(source.packed.data(), source.packed.size(), text.data(), text.size(), 1));
  trace::Module module = Forge::moduleOf({});
  Batch batch;
  for (std::uint32_t i = 0; i * source.packed.size() < bytes; ++i) {
    trace::Site site;
    site.file = source.path = static_cast<std::uint32_t>(module.strings.size());
    site.line = 1;
    site.bytes = 4;
    site.operation = Operation::Store;
    module.strings.push_back("f" + std::to_string(i));
    module.sources.push_back(source);
    module.sites.push_back(site);
    batch.strided(i, 0, kA, 4);
  }
  forge.module(module);
  forge.run(forge.newLaunch(), batch);
  forge.finish();
}

void manyArguments(const std::string &path, std::uint64_t bytes) {
  trace::Process process = testProcess();
  process.arguments.assign(static_cast<std::size_t>(bytes / 16), "a");
  Forge forge(path, process);
  forge.finish();
}

void manyMissing(const std::string &path, std::uint64_t bytes) {
  Forge forge(path);
  trace::End end;
  end.lost = true;
  end.missing.assign(static_cast<std::size_t>(bytes / 64), "nothing at all");
  forge.finish(end);
}

void wildTimes(const std::string &path, std::uint64_t) {
  trace::Process process = testProcess();
  process.startTime = UINT64_MAX;
  process.pid = UINT64_MAX;
  Forge forge(path, process);
  forge.module(Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 4}}));
  for (int i = 0; i < 64; ++i) {
    Batch batch;
    batch.strided(i & 1, 0, i % 3 ? kA : UINT64_MAX - 3, 4);
    trace::Launch launch = forge.newLaunch({1, 1, 1}, {1u << 31, 1u << 31, 1u << 31});
    launch.time = i % 4 ? UINT64_MAX : 0;
    launch.order = i % 5 ? UINT64_MAX : 0;
    launch.stream = launch.device = UINT32_MAX;
    launch.line = launch.dynamicShared = UINT32_MAX;
    trace::LaunchEnd end;
    end.time = i % 2 ? 0 : UINT64_MAX;
    end.began = UINT64_MAX;
    end.ended = i % 3 ? 1 : UINT64_MAX;
    end.waits = UINT64_MAX;
    forge.begin(launch);
    forge.chunk(batch);
    forge.end(end);
  }
  forge.finish();
}

void evilTexts(const std::string &path, std::uint64_t) {
  static constexpr const char *kTexts[] = {"\x1b[2J\x1b]0;owned\x07",
                                           "\xc2\x9b"
                                           "31m",
                                           "\xe2\x80\xae"
                                           "evil\xe2\x81\xa6",
                                           "\x7f\x08\x08\r\n\t\x9b",
                                           "\xff\xfe\xc0\xaf",
                                           "=HYPERLINK(\"http://x\",\"y\")",
                                           "+1+cmd|' /C calc'!A0",
                                           "-2+3",
                                           "@SUM(1)",
                                           "\t=1",
                                           "\r=1",
                                           "'quoted",
                                           "</script><img src=x onerror=alert(1)>",
                                           "<!--<script>",
                                           "\" onmouseover=\"alert(1)",
                                           "{{x}}${x}",
                                           "\xe2\x80\xa8\xe2\x80\xa9"};
  trace::Process process = testProcess();
  process.program = kTexts[0];
  process.arguments.assign(std::begin(kTexts), std::end(kTexts));
  process.deviceName = kTexts[1];
  Forge forge(path, process);
  for (const char *text : kTexts) {
    trace::Module module = Forge::moduleOf({{Operation::Store, 4}, {Operation::Load, 64}});
    module.strings[1] = module.strings[2] = module.strings[3] = text;
    trace::Source source;
    source.path = 1;
    source.textBytes = static_cast<std::uint32_t>(std::strlen(text));
    source.packed.resize(ZSTD_compressBound(source.textBytes));
    source.packed.resize(
        ZSTD_compress(source.packed.data(), source.packed.size(), text, source.textBytes, 1));
    module.sources.push_back(source);
    forge.module(module);
    trace::Allocation allocation;
    allocation.address = kA;
    allocation.bytes = 4096;
    allocation.call = allocation.name = text;
    forge.put(allocation);
    for (std::uint32_t site : {0u, 1u}) {
      Batch batch;
      for (std::uint64_t cta = 0; cta < 4; ++cta)
        batch.strided(site, cta, kA + 128 * (cta ^ site), 4);
      trace::Launch launch = forge.newLaunch({4, 1, 1});
      launch.kernel = launch.mangled = launch.file = text;
      forge.begin(launch);
      forge.chunk(batch);
      trace::LaunchEnd end;
      end.reason = text;
      forge.end(end);
    }
    trace::Launch launch = forge.newLaunch();
    launch.kernel = launch.reason = text;
    launch.traced = false;
    launch.module = trace::kNoModule;
    forge.put(launch);
    forge.put(trace::Free{kA, text, 0, 0});
  }
  forge.finish();
}

constexpr Attack kContentAttacks[] = {
    {"huge-names", hugeNames},
    {"mangled-names", mangledNames},
    {"many-kernels", manyKernels},
    {"many-untraced", manyUntraced},
    {"batched-launches", batchedLaunches},
    {"batched-allocations", batchedAllocations},
    {"many-modules", manyModules},
    {"deep-frames", deepFrames},
    {"expanding-sources", expandingSources},
    {"many-arguments", manyArguments},
    {"many-missing", manyMissing},
    {"wild-times", wildTimes},
    {"evil-texts", evilTexts},
};

} // namespace

std::span<const Attack> contentAttacks() { return kContentAttacks; }

} // namespace cupr::test
