// Fields of structures that are all used, by 64 warps, and one element of each row, by 8 and by 4. By sectors alone the rows would cost more time. Of the
// last kernel no load is there to compare with.
struct Point {
  float x, y, z;
};

__global__ void lengths(float *out, const Point *points, const float *scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = scale[i] * (points[i].x * points[i].y + points[i].z);
}

__global__ void add(float *out, const float *rows, const float *row) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = row[i] + rows[512 * i];
}

__global__ void column(float *out, const float *rows) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = rows[512 * i];
}

int main() {
  constexpr int kThreads = 128, kMany = 16 * kThreads, kRows = 2 * kThreads;
  float *in, *out;
  cudaMalloc(&in, 512 * kRows * sizeof *in);
  cudaMalloc(&out, kMany * sizeof *out);
  cudaMemset(in, 0, 512 * kRows * sizeof *in);
  lengths<<<16, kThreads>>>(out, reinterpret_cast<const Point *>(in), in);
  add<<<2, kThreads>>>(out, in, in);
  column<<<1, kThreads>>>(out, in);
  return cudaDeviceSynchronize() != cudaSuccess;
}
