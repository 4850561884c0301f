/// Structures of 12 and of 16 bytes copied whole. However the compiler cuts the copy, each thread reads and
/// writes the whole structure: 3 blocks of 32, so 1,152 and 1,536 bytes each way.
#include "verdict.h"

struct Colour {
  float red, green, blue;
};

struct alignas(16) Opaque {
  unsigned char bytes[16];
};

__global__ void copyColours(const Colour *from, Colour *to) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  to[i] = from[i];
}

__global__ void copyOpaque(const Opaque *from, Opaque *to) {
  const int i = blockDim.x * blockIdx.x + threadIdx.x;
  to[i] = from[i];
}

int main() {
  const int n = 96;
  const auto from =
      generate<Colour>(n, [](std::size_t i) { return Colour{float(i), float(2 * i), -float(i)}; });
  Device<Colour> deviceFrom(from), deviceTo(n);
  copyColours<<<3, 32>>>(deviceFrom, deviceTo);
  const auto blobs = generate<Opaque>(n, [](std::size_t i) {
    Opaque blob;
    std::memset(blob.bytes, int(i), sizeof blob.bytes);
    return blob;
  });
  Device<Opaque> blobsFrom(blobs), blobsTo(n);
  copyOpaque<<<3, 32>>>(blobsFrom, blobsTo);
  Verdict verdict("struct_copy");
  verdict.equal("colours", deviceTo.read(), from);
  verdict.equal("blobs", blobsTo.read(), blobs);
  return verdict.finish();
}
