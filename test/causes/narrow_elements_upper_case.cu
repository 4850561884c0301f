/// A text in capital letters, as before words are compared.
///
/// A thread takes a character. A warp's request has 32 bytes, and an instruction can have 512.
/// Fix: each thread takes four characters.
/// cause: narrow-elements
///
/// SIZE: characters, a multiple of 4096; for a GPU 134217728.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

__host__ __device__ char capitalOf(char letter) {
  return letter >= 'a' && letter <= 'z' ? char(letter - 'a' + 'A') : letter;
}

__global__ void capitalsSlow(const char *text, char *capitals) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  capitals[i] = capitalOf(text[i]); // <- waste: load
}

__global__ void capitalsFixed(const char4 *text, char4 *capitals) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const char4 four = text[i];
  capitals[i] = make_char4(capitalOf(four.x), capitalOf(four.y), capitalOf(four.z), capitalOf(four.w));
}

class UpperCase : public Pair {
public:
  explicit UpperCase(int size)
      : size_(size), host_(wholeNumbers<char>(size, 1, 128)), text_(host_), capitals_(size) {}

  void slow() override { capitalsSlow<<<size_ / kThreads, kThreads>>>(text_.data(), capitals_.data()); }
  void fixed() override {
    capitalsFixed<<<size_ / 4 / kThreads, kThreads>>>(reinterpret_cast<const char4 *>(text_.data()),
                                                      reinterpret_cast<char4 *>(capitals_.data()));
  }

  std::vector<double> results(Version) const override { return capitals_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (const char letter : host_)
      wanted.push_back(capitalOf(letter));
    return wanted;
  }

private:
  int size_;
  std::vector<char> host_;
  DeviceArray<char> text_, capitals_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<UpperCase>(argc, argv, 131072, 4096); }
