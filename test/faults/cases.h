/// Programs with planted faults: each case has a twin that does the same without the fault.
///
///     PROGRAM                      prints the names of its cases
///     PROGRAM CASE fault|fixed     runs one
///
/// Exit status: 0, but 1 if a fixed one got an error from CUDA, 2 for wrong usage.
///
/// Lines that a report must name for a case end in `//~ CASE: RULE`, several separated by `; `.
#ifndef CUPR_TEST_FAULTS_CASES_H
#define CUPR_TEST_FAULTS_CASES_H

#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <vector>

struct Case {
  const char *name;
  void (*run)(bool fixed);
};

enum class Content { Zeros, Nothing };

/// Device memory for `size` elements, whose bytes are 0, copied from `values` or as they come; freed when nothing
/// runs any more.
template <typename T> class DeviceArray {
public:
  explicit DeviceArray(int size, Content content = Content::Zeros) {
    cudaMalloc(&data_, size * sizeof(T));
    if (content == Content::Nothing)
      return;
    cudaMemset(data_, 0, size * sizeof(T));
    cudaDeviceSynchronize();
  }
  explicit DeviceArray(const std::vector<T> &values) {
    cudaMalloc(&data_, values.size() * sizeof(T));
    cudaMemcpy(data_, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
  }
  ~DeviceArray() {
    cudaDeviceSynchronize();
    cudaFree(data_);
  }
  DeviceArray(const DeviceArray &) = delete;
  DeviceArray &operator=(const DeviceArray &) = delete;

  operator T *() const { return data_; }

private:
  T *data_ = nullptr;
};

constexpr int kPlain = 1024;

inline std::vector<int> numbers(int size) {
  std::vector<int> values(size);
  for (int i = 0; i < size; ++i)
    values[i] = i;
  return values;
}

/// A case whose kernel has its name, and takes the numbers from 0 on, room for as many, and whether it is the
/// fixed one.
#define PLAIN_CASE(KERNEL, BLOCKS, THREADS)                                                                  \
  {#KERNEL, [](bool fixed) {                                                                                 \
     const DeviceArray<int> in(numbers(kPlain)), out(kPlain);                                                \
     KERNEL<<<BLOCKS, THREADS>>>(in, out, fixed);                                                            \
   }}

inline int casesMain(int argc, char **argv, std::initializer_list<Case> cases) {
  if (argc == 1) {
    for (const Case &each : cases)
      std::puts(each.name);
    return 0;
  }
  const bool fixed = argc == 3 && !std::strcmp(argv[2], "fixed");
  if (argc != 3 || (!fixed && std::strcmp(argv[2], "fault") != 0)) {
    std::fprintf(stderr, "usage: %s [CASE fault|fixed]\n", argv[0]);
    return 2;
  }
  for (const Case &each : cases) {
    if (std::strcmp(each.name, argv[1]) != 0)
      continue;
    each.run(fixed);
    const cudaError_t waited = cudaDeviceSynchronize(), last = cudaGetLastError();
    if (waited == cudaSuccess && last == cudaSuccess)
      return 0;
    std::fprintf(stderr, "%s %s: %s\n", argv[1], argv[2], cudaGetErrorString(waited ? waited : last));
    return fixed ? 1 : 0;
  }
  std::fprintf(stderr, "%s: no case %s\n", argv[0], argv[1]);
  return 2;
}

#endif
