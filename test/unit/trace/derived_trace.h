/// A trace of launches whose accesses are derived: `out[i] = in[i]` for the first 100 of i, with a barrier in between.
#ifndef CUPR_TEST_DERIVED_TRACE_H
#define CUPR_TEST_DERIVED_TRACE_H

#include "trace_builder.h"

namespace cupr::test {

inline constexpr std::uint64_t kDerivedIn = 0x10000, kDerivedOut = 0x20000;
inline constexpr std::uint32_t kDerivedBlockSite = 2;

inline SiteTableBlob derivedTable() {
  using abi::SliceOperation;
  using abi::SliceSource;
  SiteTableBlob blob;
  blob.site(abi::Operation::Load, 4, "a.cu", 3, "move(int*, int const*, int)");
  blob.site(abi::Operation::Store, 4, "a.cu", 5, "move(int*, int const*, int)");
  blob.site(abi::Operation::Load, 0, "", 0, "move(int*, int const*, int)");
  blob.space(abi::SpaceVerdict::Global, abi::kSiteBlock);
  const auto of = [](SliceSource source, std::uint8_t bytes = 4, std::uint32_t index = 0) {
    return abi::SliceInput{static_cast<std::uint8_t>(source), bytes, 0, index, 0};
  };
  const auto make = [](SliceOperation operation, std::uint8_t width, std::uint16_t result, std::uint16_t a,
                       std::uint16_t b, std::uint16_t c = 0) {
    return abi::SliceInstruction{static_cast<std::uint8_t>(operation), width, result, a, b, c, 0};
  };
  enum : std::uint16_t { Thread, Block, Width, Out, In, N, Four, Index, Is, Offset, Address };
  abi::SliceHeader header{};
  header.blockSite = kDerivedBlockSite;
  header.registerCount = Address + 1;
  blob.slice(
      "_Zmove(int*, int const*, int)", header,
      {of(SliceSource::ThreadX), of(SliceSource::BlockX), of(SliceSource::BlockSizeX),
       of(SliceSource::Parameter, 8, 0), of(SliceSource::Parameter, 8, 1), of(SliceSource::Parameter, 4, 2)},
      {4},
      {make(SliceOperation::Multiply, 32, Index, Block, Width),
       make(SliceOperation::Add, 32, Index, Index, Thread),
       make(SliceOperation::LessUnsigned, 32, Is, Index, N),
       make(SliceOperation::Branch, 0, abi::kSliceNowhere, Is, 4, 10),
       make(SliceOperation::Multiply, 64, Offset, Index, Four),
       make(SliceOperation::Add, 64, Address, In, Offset), make(SliceOperation::Access, 0, 0, Address, 0),
       make(SliceOperation::Barrier, 0, 0, 0, 0), make(SliceOperation::Add, 64, Address, Out, Offset),
       make(SliceOperation::Access, 0, 0, Address, 1), make(SliceOperation::Exit, 0, 0, 0, 0)});
  return blob;
}

enum class DerivedLaunches { Whole, AlsoFailed };

/// A complete launch of three blocks of 48 threads, and one that recorded its last two blocks. AlsoFailed: and one that failed
/// when two had begun.
inline void writeDerivedTrace(const std::string &path, DerivedLaunches launches = DerivedLaunches::Whole) {
  TraceBuilder trace(path);
  trace.table(derivedTable());
  trace.allocate(kDerivedIn, 0x1000);
  trace.allocate(kDerivedOut, 0x1000);
  trace.derive(0, {kDerivedOut, kDerivedIn, 100});
  const auto begin = [&](trace::LaunchId launch, std::initializer_list<std::uint64_t> blocks) {
    Words words;
    for (const std::uint64_t block : blocks)
      words.strided(kDerivedBlockSite, block, 0, 0, 0, 1);
    trace.records(launch, words);
  };
  const auto launch = [&](const trace::CtaSelection &ctas = {}) {
    return trace.launch("move(int*, int const*, int)", {3, 1, 1}, {48, 1, 1}, ctas);
  };
  const trace::LaunchId whole = launch();
  begin(whole, {1, 0, 2});
  trace.end(whole);
  const trace::LaunchId some = launch({1, UINT64_MAX, 1});
  begin(some, {1, 2});
  trace.end(some);
  if (launches == DerivedLaunches::AlsoFailed) {
    trace::LaunchEnd failed;
    failed.id = launch();
    begin(failed.id, {0, 2});
    failed.reason = "the kernel ended with cudaErrorAssert";
    failed.recordWords = trace.writer->recordWords(failed.id);
    trace.writer->launchEnd(failed);
  }
  trace.writer->finish();
}

} // namespace cupr::test

#endif
