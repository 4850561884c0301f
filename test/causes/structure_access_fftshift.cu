/// The shift that puts the frequency 0 of a spectrum in its middle: the two halves change places.
///
/// A complex number of one's own is a structure of two doubles, copied as a whole. It has 16 bytes, which the
/// machine could move at once; but it is aligned to 8, and so it takes two loads and two stores, in each of
/// which threads of a warp are 16 bytes apart.
/// Fix: CUDA's double2, which is aligned to 16, moved as the value of __ldg. (Compilers may take a copy apart
/// whatever its alignment: clang 22 makes it of 8 bytes at a time.)
/// cause: structure-access
///
/// SIZE: complex numbers, a multiple of 512; for a GPU 8388608.
#include "pair.h"

namespace {

constexpr int kThreads = 256;

struct Complex {
  double real, imaginary;
};

__global__ void fftshiftSlow(const Complex *in, Complex *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i < n / 2 ? i + n / 2 : i - n / 2] = in[i]; // <- waste: load
}

__global__ void fftshiftFixed(const double2 *in, double2 *out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i < n / 2 ? i + n / 2 : i - n / 2] = __ldg(in + i);
}

class Fftshift : public Pair {
public:
  explicit Fftshift(int n)
      : n_(n), host_(wholeNumbers<double>(std::size_t(n) * 2, 1)), in_(numbers<Complex>()), out_(n),
        alignedIn_(numbers<double2>()), alignedOut_(n) {}

  void slow() override { fftshiftSlow<<<n_ / kThreads, kThreads>>>(in_.data(), out_.data(), n_); }
  void fixed() override {
    fftshiftFixed<<<n_ / kThreads, kThreads>>>(alignedIn_.data(), alignedOut_.data(), n_);
  }

  std::vector<double> results(Version version) const override {
    return version == Version::Slow ? parts(out_.values()) : parts(alignedOut_.values());
  }

  std::vector<double> wanted() const override {
    std::vector<double> wanted = host_;
    std::rotate(wanted.begin(), wanted.begin() + n_, wanted.end());
    return wanted;
  }

private:
  template <typename Number> std::vector<Number> numbers() const {
    std::vector<Number> numbers;
    for (std::size_t i = 0; i < host_.size(); i += 2)
      numbers.push_back({host_[i], host_[i + 1]});
    return numbers;
  }

  template <typename Number> static std::vector<double> parts(const std::vector<Number> &numbers) {
    std::vector<double> parts;
    for (const Number &number : numbers) {
      const auto &[real, imaginary] = number;
      parts.push_back(real);
      parts.push_back(imaginary);
    }
    return parts;
  }

  int n_;
  std::vector<double> host_; ///< real and imaginary parts by turns
  DeviceArray<Complex> in_, out_;
  DeviceArray<double2> alignedIn_, alignedOut_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Fftshift>(argc, argv, 65536, 512); }
