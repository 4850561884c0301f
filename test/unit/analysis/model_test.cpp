/// The model: order, lifetimes, and what a cut trace still says.
#include "analysis/model/live_allocations.h"
#include "analysis/model/model.h"
#include "analysis/model/records.h"
#include "hostlib/trace/message_file.h"
#include "unit/trace/small_trace.h"

#include <catch2/catch.hpp>
#include <functional>

namespace model_test {

using namespace cupr;
using namespace cupr::analysis;

TEST_CASE("a small trace is what was written") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const Model model(file.path());
  CHECK(model.truncation() == "");
  REQUIRE(model.launches().size() == 3);
  CHECK(model.launches()[0].kernel == "kernel(int*)");
  CHECK(model.launches()[0].complete());
  CHECK_FALSE(model.launches()[2].launch.traced);
  REQUIRE(model.allocations().size() == 1);
  CHECK(model.allocations()[0].freedOrder != UINT64_MAX);
  CHECK(model.events().size() == 7);
}

TEST_CASE("a launch without an end is recounted from its records") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  std::string error;
  auto reader = trace::Reader::open(file.path(), error);
  trace::Message message;
  std::uint64_t endOffset = 0;
  while (endOffset == 0 && reader->next(message) == trace::ReadStatus::Message)
    if (std::holds_alternative<trace::LaunchTotals>(message))
      endOffset = reader->offset();
  file.write(file.read().substr(0, endOffset + 10));
  const Model model(file.path());
  CHECK_THAT(model.truncation(), Catch::Contains("truncated at message"));
  REQUIRE(model.launches().size() == 1);
  CHECK_FALSE(model.launches()[0].complete());
  CHECK(model.launches()[0].totals.records == 8);
  CHECK(model.launches()[0].totals.words == 16);
  CHECK(model.launches()[0].totals.counts.global == trace::Counts{128, 64, 0, 512, 512, 0});
}

TEST_CASE("addresses belong to what is allocated at the time") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.allocate(0x1000, 0x100);
    trace.allocate(0x1100, 0x10);
    trace.free(0x1000);
    trace.allocate(0x1000, 0x80);
    trace.writer->finish();
  }
  const Model model(file.path());
  LiveAllocations live(model);
  std::vector<std::vector<int>> seen;
  for (const Event &event : model.events()) {
    if (const auto *made = std::get_if<AllocationEvent>(&event))
      live.apply(*made);
    if (const auto *freed = std::get_if<FreeEvent>(&event))
      live.apply(*freed);
    std::vector<int> &row = seen.emplace_back();
    for (const std::uint64_t address : {0xfff, 0x1000, 0x10ff, 0x1100, 0x110f, 0x1110}) {
      const AllocationInfo *info = live.find(address);
      row.push_back(info ? static_cast<int>(info->ordinal) : -1);
    }
  }
  CHECK(seen ==
        std::vector<std::vector<int>>{
            {-1, 0, 0, -1, -1, -1}, {-1, 0, 0, 1, 1, -1}, {-1, -1, -1, 1, 1, -1}, {-1, 2, -1, 1, 1, -1}});
}

TEST_CASE("calls that share one order stay as in the file") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace::Allocation allocation{0x1000, 0x100, trace::MemoryKind::Device, "cudaMalloc", "", 5, 0};
    trace.writer->allocation(allocation);
    trace.writer->free(trace::Free{0x1000, "cudaFree", 5, 0});
    trace.writer->allocation(allocation);
    allocation.order = 4; // called before, delivered later
    allocation.address = 0x2000;
    trace.writer->allocation(allocation);
    trace.writer->finish();
  }
  const Model model(file.path());
  REQUIRE(model.allocations().size() == 3);
  CHECK(model.allocations()[0].allocation.address == 0x2000);
  CHECK(model.allocations()[1].freedOrder == 5);
  CHECK(model.allocations()[2].freedOrder == UINT64_MAX);
}

TEST_CASE("of a trace that is being written, acts come when nothing is missing in front of them") {
  test::TemporaryFile file;
  test::TraceBuilder trace(file.path());
  trace.table(test::smallTable());
  Model model(file.path(), Growing{});
  model.readOn(Growth::GoesOn);
  CHECK(model.events().empty());
  const auto allocate = [&](std::uint64_t address, std::uint64_t order) {
    trace.writer->allocation({address, 0x100, trace::MemoryKind::Device, "cudaMalloc", "", order, 0});
    trace.writer->flush();
    model.readOn(Growth::GoesOn);
  };
  allocate(0x2000, 2); // by another thread than the one whose call was the first
  CHECK(model.allocations().empty());
  allocate(0x1000, 1);
  REQUIRE(model.allocations().size() == 2);
  CHECK(model.allocations()[0].allocation.address == 0x1000);
  trace::Launch launch;
  launch.id = trace::LaunchId{1};
  launch.module = trace::ModuleId{0};
  launch.kernel = "kernel(int*)";
  launch.grid = {1, 1, 1};
  launch.block = {32, 1, 1};
  launch.traced = true;
  launch.order = 3;
  trace.writer->launch(launch);
  allocate(0x3000, 4); // while it runs
  CHECK(model.launches().empty());
  CHECK(model.allocations().size() == 2);
  trace::LaunchEnd end;
  end.id = launch.id;
  end.complete = true;
  trace.writer->launchEnd(end);
  allocate(0x5000, 6);
  REQUIRE(model.launches().size() == 1);
  CHECK(model.launches()[0].ended);
  CHECK(model.allocations().size() == 3);
  trace.writer->finish();
  model.readOn(Growth::Over);
  CHECK(model.allocations().size() == 4);
  CHECK(model.truncation() == "");
}

TEST_CASE("what can't be read is named") {
  CHECK_THROWS_WITH(Model("/nonexistent"), Catch::Contains("can't open the trace file '/nonexistent'"));
  test::TemporaryFile file;
  file.write("");
  CHECK_THROWS_WITH(Model(file.path()), Catch::Contains("the file is empty"));
  file.write("rubbish that is no trace");
  CHECK_THROWS_WITH(Model(file.path()), Catch::Contains("damaged at message 0"));
}

TEST_CASE("acts of batches stand among the others, in the order of the calls") {
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    for (std::uint64_t id = 1; id <= 10; ++id) {
      trace::Launch launch;
      launch.id = trace::LaunchId{id};
      launch.order = 3 * id;
      launch.kernel = "k()";
      launch.reason = "not chosen";
      trace.writer->launch(launch);
      trace.writer->allocation({0x1000 * id, 64, trace::MemoryKind::Device, "cudaMalloc", "", 3 * id + 1, 0});
      trace::Copy copy;
      copy.destination = 0x1000 * id;
      copy.rowBytes = 64;
      copy.order = 3 * id + 2; // this goes to the file at once
      trace.writer->copy(copy);
    }
    trace.writer->finish();
  }
  const Model model(file.path());
  CHECK(model.truncation() == "");
  REQUIRE(model.launches().size() == 10);
  REQUIRE(model.events().size() == 30);
  for (std::size_t i = 0; i < 30; i += 3) {
    CHECK(std::holds_alternative<LaunchEvent>(model.events()[i]));
    CHECK(std::holds_alternative<AllocationEvent>(model.events()[i + 1]));
    CHECK(std::holds_alternative<CopyEvent>(model.events()[i + 2]));
  }
}

TEST_CASE("an object reads what it was made of, until its handle stands for another one") {
  using trace::ImageKind, trace::ImageResource;
  const auto kFetch = abi::Operation::TextureFetch, kStore = abi::Operation::SurfaceStore;
  test::TemporaryFile file;
  {
    test::TraceBuilder trace(file.path());
    trace.table(test::smallTable());
    const auto launch = [&] { trace.run("kernel()", {1, 1, 1}, {32, 1, 1}, {}); };
    trace.allocate(0x10000, 0x1000);
    trace.allocate(0x20000, 0x1000, trace::MemoryKind::Array);
    trace.imageObject(ImageKind::Texture, 1, ImageResource::Linear, 0x10ff0);
    trace.imageObject(ImageKind::Surface, 1, ImageResource::Array, 0x20000);
    launch();
    trace.destroyImageObject(ImageKind::Texture, 1);
    launch();
    trace.imageObject(ImageKind::Texture, 1, ImageResource::MipmappedArray, 0x20000);
    trace.free(0x20000);
    trace.imageObject(ImageKind::Surface, 1, ImageResource::Array, 0x20000); // the array is gone
    trace.imageObject(ImageKind::Texture, 2, ImageResource::Array, 0x10000); // no array has this handle
    launch();
    trace.writer->finish();
  }
  const Model model(file.path());
  REQUIRE(model.imageObjects().size() == 5);
  const auto allocationAt = [&](std::size_t launch, abi::Operation operation, std::uint64_t handle) {
    const ImageObjectInfo *object = model.imageObjectAt(model.launches()[launch], operation, handle);
    REQUIRE(object);
    return object->allocation;
  };
  CHECK(allocationAt(0, kFetch, 1) == 0u);
  CHECK(allocationAt(0, kStore, 1) == 1u);
  CHECK(allocationAt(0, abi::Operation::SurfaceAdd, 1) == 1u);
  CHECK_FALSE(model.imageObjectAt(model.launches()[0], kFetch, 2));
  CHECK_FALSE(model.imageObjectAt(model.launches()[1], kFetch, 1));
  CHECK(allocationAt(1, kStore, 1) == 1u);
  CHECK(allocationAt(2, kFetch, 1) == 1u);
  CHECK_FALSE(allocationAt(2, kStore, 1));
  CHECK_FALSE(allocationAt(2, kFetch, 2));
  CHECK(model.imageObjects()[1].endOrder == model.imageObjects()[3].object.order);
  CHECK(model.imageObjects()[4].endOrder == UINT64_MAX);
}

TEST_CASE("a launch stands in for those that are left out between two acts") {
  test::TemporaryFile file;
  {
    trace::WriterOptions options;
    options.leavesOutUntraced = true;
    const auto writer = trace::Writer::create(file.path(), test::testProcess(), options);
    std::uint64_t order = 0, id = 0;
    const auto launches = [&](int count) {
      for (int i = 0; i < count; ++i) {
        trace::Launch launch;
        launch.id = trace::LaunchId{++id};
        launch.order = ++order;
        writer->launch(launch);
      }
    };
    const auto allocation = [&] {
      ++order;
      writer->allocation({0x1000 * order, 64, trace::MemoryKind::Device, "cudaMalloc", "", order, 0});
    };
    allocation();
    launches(3);
    allocation();
    allocation();
    launches(1);
    trace::ImageObject object;
    object.order = ++order;
    writer->imageObject(object);
    writer->synchronisation(
        {trace::Synchronisation::Kind::Device, 0, 0, ++order, 0, trace::StreamKind::Unknown});
    launches(5);
    writer->finish();
  }
  const Model model(file.path());
  REQUIRE(model.launches().size() == 3);
  CHECK(model.launches()[0].launch.order == 2);
  CHECK(model.launches()[1].launch.order == 7);
  CHECK(model.launches()[2].launch.order == 10);
  CHECK(model.launches()[1].launch.id == trace::LaunchId{4});
  CHECK_THAT(model.launches()[0].launch.reason, Catch::StartsWith("3 launches"));
  CHECK_THAT(model.launches()[2].launch.reason, Catch::StartsWith("5 launches"));
  CHECK_FALSE(model.launches()[2].launch.traced);
  CHECK(std::holds_alternative<LaunchEvent>(model.events()[1]));
}

namespace {

/// The messages of a small trace, chunks each as often as `times(number of the chunk)` says.
void repeatChunks(const std::string &from, const std::string &to,
                  const std::function<std::size_t(std::size_t)> &times) {
  std::string error;
  auto reader = trace::Reader::open(from, error);
  trace::MessageFile file(to);
  trace::Message message;
  std::size_t chunks = 0;
  while (reader->next(message) == trace::ReadStatus::Message)
    if (const auto *end = std::get_if<trace::End>(&message))
      file.finish(*end);
    else
      for (std::size_t left = std::holds_alternative<trace::Chunk>(message) ? times(chunks++) : 1; left > 0;
           --left)
        file.append(message);
}

std::vector<std::vector<std::uint64_t>> chunksOf(const Model &model) {
  std::vector<std::vector<std::uint64_t>> chunks;
  for (const LaunchInfo &launch : model.launches())
    chunks.push_back(launch.chunks);
  return chunks;
}

} // namespace

TEST_CASE("chunks that are read later are those that are read at once") {
  test::TemporaryFile small, file;
  test::writeSmallTrace(small.path());
  for (const std::size_t many : {1u, 2u, 3u, 4u, 7u, 8u, 9u, 100u}) {
    INFO(many << " chunks in a row");
    repeatChunks(small.path(), file.path(), [&](std::size_t chunk) { return chunk % 2 == 0 ? many : 2; });
    const Model atOnce(file.path()), later(file.path(), LaunchParts::Whole, ChunkReading::Later);
    CHECK(chunksOf(atOnce).at(0).size() >= many);
    CHECK(chunksOf(later) == chunksOf(atOnce));
    CHECK(later.events().size() == atOnce.events().size());
    CHECK(later.allocations().size() == atOnce.allocations().size());
  }
}

TEST_CASE("damage in a chunk that is read later is noticed when it is read") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::uint64_t chunk = Model(file.path()).launches().at(0).chunks.at(0);
  std::string bytes = file.read();
  bytes.at(chunk + 100) ^= 1;
  file.write(bytes);
  CHECK_THROWS_AS(Model(file.path()), BadTrace);
  const Model later(file.path(), LaunchParts::Whole, ChunkReading::Later);
  RecordStream records(later, later.launches().at(0));
  CHECK_THROWS_WITH(records.next(), Catch::Contains("the check of the frame is wrong"));
}

TEST_CASE("a file without an end is read at once") {
  test::TemporaryFile file;
  test::writeSmallTrace(file.path());
  const std::string whole = file.read();
  file.write(whole.substr(0, whole.size() - 1));
  const Model atOnce(file.path()), later(file.path(), LaunchParts::Whole, ChunkReading::Later);
  CHECK(later.truncation() == atOnce.truncation());
  CHECK(chunksOf(later) == chunksOf(atOnce));
}

} // namespace model_test
