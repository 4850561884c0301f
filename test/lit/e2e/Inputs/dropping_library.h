// A library that does not care.
template <typename T> __global__ void ofLibrary(T *cells) { *cells = 1; }

inline void dropAll() {
  ofLibrary<<<1, 4096>>>(static_cast<int *>(nullptr));
  cudaSetDevice(1000);
  cudaMemset(nullptr, 0, 1);
}
