/// A step of k-means for descriptors of images: for each point, which centroid is the nearest.
///
/// Points are rows of a table, as files have them, and a thread takes a point. It walks along its row of
/// features, so that threads of a warp are a row apart.
/// Fix: keep a feature of all points together, so that threads read neighbours.
/// cause: thread-rows
///
/// SIZE: points, a multiple of 64; for a GPU 399872.
#include "pair.h"

namespace {

constexpr int kFeatures = 128, kCentroids = 4, kThreads = 256;

__constant__ float centroids[kFeatures][kCentroids];

__device__ int indexOfLeast(const float *distances) {
  int least = 0;
  for (int c = 1; c < kCentroids; ++c)
    if (distances[c] < distances[least])
      least = c;
  return least;
}

__global__ void assignSlow(const float *points, int *nearest, int count) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  float distances[kCentroids] = {};
  for (int f = 0; f < kFeatures; ++f) {
    const float value = points[point * kFeatures + f]; // <- waste: load
    for (int c = 0; c < kCentroids; ++c)
      distances[c] += (value - centroids[f][c]) * (value - centroids[f][c]);
  }
  nearest[point] = indexOfLeast(distances);
}

__global__ void assignFixed(const float *points, int *nearest, int count) {
  const int point = blockIdx.x * blockDim.x + threadIdx.x;
  float distances[kCentroids] = {};
  for (int f = 0; f < kFeatures; ++f) {
    const float value = points[f * count + point];
    for (int c = 0; c < kCentroids; ++c)
      distances[c] += (value - centroids[f][c]) * (value - centroids[f][c]);
  }
  nearest[point] = indexOfLeast(distances);
}

class Kmeans : public Pair {
public:
  explicit Kmeans(int count)
      : count_(count), hostCentroids_(wholeNumbers<float>(kFeatures * kCentroids, 1)),
        host_(wholeNumbers<float>(std::size_t(count) * kFeatures, 2)), points_(host_),
        features_(turned(host_, count)), nearest_(count) {
    MUST(cudaMemcpyToSymbol(centroids, hostCentroids_.data(), hostCentroids_.size() * sizeof(float)));
  }

  void slow() override {
    assignSlow<<<count_ / threads(), threads()>>>(points_.data(), nearest_.data(), count_);
  }
  void fixed() override {
    assignFixed<<<count_ / threads(), threads()>>>(features_.data(), nearest_.data(), count_);
  }

  std::vector<double> results(Version) const override { return nearest_.doubles(); }

  std::vector<double> wanted() const override {
    std::vector<double> wanted;
    for (int point = 0; point < count_; ++point) {
      float distances[kCentroids] = {};
      for (int i = 0; i < kFeatures * kCentroids; ++i) {
        const float away = host_[std::size_t(point) * kFeatures + i / kCentroids] - hostCentroids_[i];
        distances[i % kCentroids] += away * away;
      }
      wanted.push_back(double(std::min_element(distances, distances + kCentroids) - distances));
    }
    return wanted;
  }

private:
  /// Of a block; fewer, where there is less to do.
  int threads() const { return std::min(count_, kThreads); }
  static std::vector<float> turned(const std::vector<float> &points, int count) {
    std::vector<float> features(points.size());
    for (std::size_t i = 0; i < points.size(); ++i)
      features[i % kFeatures * count + i / kFeatures] = points[i];
    return features;
  }

  int count_;
  std::vector<float> hostCentroids_, host_;
  DeviceArray<float> points_, features_;
  DeviceArray<int> nearest_;
};

} // namespace

int main(int argc, char **argv) { return pairMain<Kmeans>(argc, argv, 2048, 64); }
