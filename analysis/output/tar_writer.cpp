#include "tar_writer.h"

#include <cstdint>
#include <fmt/format.h>
#include <numeric>
#include <stdexcept>
#include <string>

namespace cupr::analysis {
namespace {

constexpr std::size_t kBlock = 512, kNameBytes = 100;
constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 33) - 1; // 11 octal digits

/// A field of the header.
struct Field {
  std::size_t at;
  std::string_view text;
};

std::string headerOf(std::string_view name, std::uint64_t size) {
  using namespace std::string_view_literals;
  const std::string octalSize = fmt::format("{:011o}", size);
  std::string header(kBlock, '\0');
  const auto put = [&](Field field) { header.replace(field.at, field.text.size(), field.text); };
  for (const Field &field : {
           Field{0, name},
           Field{100, "0000644"},     // mode
           Field{108, "0000000"},     // user
           Field{116, "0000000"},     // group
           Field{124, octalSize},     //
           Field{136, "00000000000"}, // time
           Field{148, "        "},    // the sum, as it counts for itself
           Field{156, "0"},           // a plain file
           Field{257, "ustar\0"
                      "00"sv}, // magic and version
       })
    put(field);
  const unsigned sum = std::accumulate(header.begin(), header.end(), 0u, [](unsigned total, char byte) {
    return total + static_cast<unsigned char>(byte);
  });
  put({148, fmt::format("{:06o}", sum)});
  header[154] = '\0';
  return header;
}

} // namespace

void TarWriter::file(std::string_view name, std::string_view content) {
  if (name.size() > kNameBytes || content.size() > kMostBytes)
    throw std::invalid_argument(
        fmt::format("{}: {} bytes do not fit into a tar archive", name, content.size()));
  sink_.write(headerOf(name, content.size()));
  sink_.write(content);
  sink_.write(std::string((kBlock - content.size() % kBlock) % kBlock, '\0'));
}

void TarWriter::finish() {
  sink_.write(std::string(2 * kBlock, '\0'));
  sink_.finish();
}

} // namespace cupr::analysis
