/// Runs a fuzz target without libFuzzer: each seed, and then seeds with random changes that
/// are the same in every run. Usage: TARGET ITERATIONS SEEDS...
/// Memory is limited, as libFuzzer limits it: bytes that ask for more make the target fail.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <sys/resource.h>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

/// Sanitizers reserve more than that for themselves.
void limitMemory() {
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  constexpr rlim_t kBytes = 1u << 30;
  const rlimit limit{kBytes, kBytes};
  ::setrlimit(RLIMIT_AS, &limit);
#endif
}

void run(const std::string &bytes) {
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s ITERATIONS SEEDS...\n", argv[0]);
    return 1;
  }
  limitMemory();
  std::vector<std::string> seeds;
  for (int i = 2; i < argc; ++i) {
    std::ifstream in(argv[i], std::ios::binary);
    if (!in) {
      std::fprintf(stderr, "can't read the seed '%s'\n", argv[i]);
      return 1;
    }
    seeds.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    run(seeds.back());
  }
  std::mt19937 random(1);
  for (long left = std::atol(argv[1]); left > 0; --left) {
    std::string bytes = seeds[random() % seeds.size()];
    for (unsigned changes = 1 + random() % 8; changes > 0 && !bytes.empty(); --changes) {
      const std::size_t at = random() % bytes.size();
      switch (random() % 4) {
      case 0:
        bytes[at] = static_cast<char>(random());
        break;
      case 1:
        bytes[at] = static_cast<char>(bytes[at] ^ 1 << random() % 8);
        break;
      case 2:
        bytes.insert(at, bytes, random() % bytes.size(), random() % 64);
        break;
      default:
        bytes.erase(at, random() % 64);
      }
    }
    run(bytes);
  }
  return 0;
}
