/// The samples of an audio file, as whole numbers of 16 bits, made to floats.
///
/// The file was copied to the device as it is, and its samples are where it has them: behind a header of 44
/// bytes (WAV). So each warp begins in the middle of a sector, and reads a part of one more than it needs.
/// Fix: copy the file to an address that puts its samples where a sector begins.
/// cause: misaligned
///
/// SIZE: samples, a multiple of 256; for a GPU 67108864.
#include "pair.h"

namespace {

constexpr int kThreads = 256, kHeader = 44;
constexpr int kPadding = 20; ///< fixed: before the header, so that samples begin at byte 64

__global__ void decodeSlow(const unsigned char *file, float *out) {
  const short *samples = reinterpret_cast<const short *>(file + kHeader);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = samples[i] / 32768.0f; // <- waste: load
}

__global__ void decodeFixed(const unsigned char *padded, float *out) {
  const short *samples = reinterpret_cast<const short *>(padded + kPadding + kHeader);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = samples[i] / 32768.0f;
}

class AudioSamples : public Pair {
public:
  explicit AudioSamples(int count)
      : count_(count), host_(wholeNumbers<short>(count, 1, 65536)), file_(fileBehind(0)),
        padded_(fileBehind(kPadding)), out_(count) {}

  void slow() override { decodeSlow<<<count_ / kThreads, kThreads>>>(file_.data(), out_.data()); }
  void fixed() override { decodeFixed<<<count_ / kThreads, kThreads>>>(padded_.data(), out_.data()); }

  std::vector<double> results(Version) const override { return out_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const short sample : host_)
      wanted.push_back(sample / 32768.0);
    return wanted;
  }

private:
  /// The file behind some bytes of padding. Nobody reads its header here.
  std::vector<unsigned char> fileBehind(int padding) const {
    std::vector<unsigned char> file(padding + kHeader + host_.size() * sizeof(short));
    std::memcpy(file.data() + padding + kHeader, host_.data(), host_.size() * sizeof(short));
    return file;
  }

  int count_;
  std::vector<short> host_;
  DeviceArray<unsigned char> file_, padded_;
  DeviceArray<float> out_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<AudioSamples>(argc, argv, 131072, 256); }
