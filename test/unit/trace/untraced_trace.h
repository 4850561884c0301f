/// A trace whose launches are mostly not traced, so that they stand in batches, with memory that comes and goes.
#ifndef CUPR_TEST_UNTRACED_TRACE_H
#define CUPR_TEST_UNTRACED_TRACE_H

#include "small_trace.h"

namespace cupr::test {

/// 20 launches of two kernels on three streams, of which the 11th is traced with one record; a buffer for each
/// fifth; copies between them.
inline void writeUntracedTrace(const std::string &path) {
  const auto writer = trace::Writer::create(path, testProcess());
  const trace::ModuleId module = writer->module(smallTable().bytes());
  std::uint64_t order = 0;
  for (std::uint64_t id = 1; id <= 20; ++id) {
    if (id % 5 == 1) {
      if (id > 1)
        writer->free({0x10000 * (id - 5), "cudaFree", ++order, order});
      writer->allocation({0x10000 * id, 0x1000, trace::MemoryKind::Device, "cudaMalloc", "", ++order, order});
      trace::Copy copy;
      copy.destination = 0x10000 * id;
      copy.source = 0x500;
      copy.rowBytes = 256;
      copy.destinationPitch = copy.sourcePitch = 256;
      copy.streamKind = trace::StreamKind::Legacy;
      copy.order = ++order;
      writer->copy(copy);
    }
    trace::Launch launch;
    launch.id = trace::LaunchId{id};
    launch.order = ++order;
    launch.kernel = id % 2 ? "kernel(int*)" : "other(float)";
    launch.mangled = id % 2 ? "_Z6kernelPi" : "_Z5otherf";
    launch.grid = {static_cast<std::uint32_t>(id), 1, 1};
    launch.block = {32, 1, 1};
    launch.stream = id % 3;
    launch.streamKind = id % 3 ? trace::StreamKind::NonBlocking : trace::StreamKind::Legacy;
    launch.file = "a.cu";
    launch.line = 20;
    launch.time = 100 * order;
    launch.module = module;
    launch.traced = id == 11;
    launch.reason = launch.traced ? "" : "CUPR_KERNELS does not name it";
    writer->launch(launch);
    if (!launch.traced)
      continue;
    Words words;
    words.strided(0, 0, 0, 0x10000 * id, 4);
    writer->records(launch.id, 0, words.data(), words.size());
    trace::LaunchEnd end;
    end.id = launch.id;
    end.complete = true;
    end.recordWords = words.size();
    end.time = launch.time + 50;
    writer->launchEnd(end);
  }
  writer->finish();
}

} // namespace cupr::test

#endif
