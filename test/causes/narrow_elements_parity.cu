/// The parity of three discs, byte by byte, as a RAID controller stores it.
///
/// Neighbouring threads take neighbouring bytes, so nothing is wasted but requests: each has 32 bytes, and an
/// instruction can have 512.
/// Fix: each thread takes sixteen bytes.
/// cause: narrow-elements
///
/// SIZE: bytes, a multiple of 8192; for a GPU 134217728.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kBytes = sizeof(uint4);

__global__ void paritySlow(const unsigned char *a, const unsigned char *b, const unsigned char *c,
                           unsigned char *parity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  parity[i] = a[i] ^ b[i] ^ c[i]; // <- waste: load
}

__global__ void parityFixed(const uint4 *a, const uint4 *b, const uint4 *c, uint4 *parity) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const uint4 x = a[i], y = b[i], z = c[i];
  parity[i] = make_uint4(x.x ^ y.x ^ z.x, x.y ^ y.y ^ z.y, x.z ^ y.z ^ z.z, x.w ^ y.w ^ z.w);
}

class Parity : public Pair {
public:
  explicit Parity(int bytes)
      : bytes_(bytes), hostA_(wholeNumbers<unsigned char>(bytes, 1, 256)),
        hostB_(wholeNumbers<unsigned char>(bytes, 2, 256)),
        hostC_(wholeNumbers<unsigned char>(bytes, 3, 256)), a_(hostA_), b_(hostB_), c_(hostC_),
        parity_(bytes) {}

  void slow() override {
    paritySlow<<<bytes_ / kThreads, kThreads>>>(a_.data(), b_.data(), c_.data(), parity_.data());
  }
  void fixed() override {
    parityFixed<<<bytes_ / kBytes / kThreads, kThreads>>>(
        reinterpret_cast<const uint4 *>(a_.data()), reinterpret_cast<const uint4 *>(b_.data()),
        reinterpret_cast<const uint4 *>(c_.data()), reinterpret_cast<uint4 *>(parity_.data()));
  }

  std::vector<double> results(Version) const override { return parity_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int i = 0; i < bytes_; ++i)
      wanted.push_back(hostA_[i] ^ hostB_[i] ^ hostC_[i]);
    return wanted;
  }

private:
  int bytes_;
  std::vector<unsigned char> hostA_, hostB_, hostC_;
  DeviceArray<unsigned char> a_, b_, c_, parity_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Parity>(argc, argv, 131072, 8192); }
