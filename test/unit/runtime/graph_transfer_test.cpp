#include "hostlib/runtime/graphs/graph_transfer.h"

#include <catch2/catch.hpp>

using namespace cupr;
using cupr::host::GraphTransfer;

namespace {

void *at(std::uint64_t address) { return reinterpret_cast<void *>(address); }

} // namespace

TEST_CASE("a box is a copy per slice, from the corner on") {
  // 20 x 3 x 2 bytes, at (4, 1, 1) of rows of 64 bytes and slices of 10 rows.
  cudaMemcpy3DParms box = {};
  box.srcPtr = {at(0x10000), 64, 64, 10};
  box.srcPos = {4, 1, 1};
  box.dstPtr = {at(0x20000), 32, 20, 3};
  box.extent = {20, 3, 2};
  box.kind = cudaMemcpyHostToDevice;
  const GraphTransfer transfer = GraphTransfer::of(box);
  REQUIRE(transfer.copies.size() == 2);
  CHECK(transfer.kind == cudaMemcpyHostToDevice);
  CHECK(transfer.copies[0].source == 0x10000 + 640 + 64 + 4);
  CHECK(transfer.copies[1].source == 0x10000 + 2 * 640 + 64 + 4);
  CHECK(transfer.copies[0].destination == 0x20000);
  CHECK(transfer.copies[1].destination == 0x20000 + 96);
  CHECK(transfer.copies[0].rowBytes == 20);
  CHECK(transfer.copies[0].rows == 3);
  CHECK(transfer.copies[0].sourcePitch == 64);
  CHECK(transfer.copies[0].destinationPitch == 32);
  CHECK(transfer.copies[0].asynchronous);
}

TEST_CASE("the driver tells host from device by the type of the memory") {
  CUDA_MEMCPY3D line = {};
  line.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  line.srcDevice = 0x5000;
  line.srcXInBytes = 16;
  line.dstMemoryType = CU_MEMORYTYPE_HOST;
  line.dstHost = at(0x7000);
  line.WidthInBytes = 100;
  line.Height = line.Depth = 1;
  const GraphTransfer transfer = GraphTransfer::of(line);
  REQUIRE(transfer.copies.size() == 1);
  CHECK(transfer.kind == cudaMemcpyDeviceToHost);
  CHECK(transfer.copies[0].source == 0x5010);
  CHECK(transfer.copies[0].destination == 0x7000);
  CHECK(transfer.copies[0].rowBytes == 100);
  line.srcMemoryType = CU_MEMORYTYPE_UNIFIED;
  CHECK(GraphTransfer::of(line).kind == cudaMemcpyDefault);
  line.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  CHECK(GraphTransfer::of(line).copies.empty());
}

TEST_CASE("a set counts bytes, not elements") {
  const cudaMemsetParams plane = {at(0x3000), 512, 7, 4, 25, 6};
  const GraphTransfer transfer = GraphTransfer::of(plane);
  REQUIRE(transfer.set);
  CHECK(transfer.copies.empty());
  CHECK(transfer.set->destination == 0x3000);
  CHECK(transfer.set->rowBytes == 100);
  CHECK(transfer.set->rows == 6);
  CHECK(transfer.set->pitch == 512);
}
