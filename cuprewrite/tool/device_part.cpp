#include "device_part.h"

#include "devicelib/abi/version.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <sstream>
#include <xxhash.h>

namespace cupr::tool {
namespace {

constexpr char kMagic[8] = {'C', 'U', 'P', 'R', 'P', 'A', 'R', 'T'};
constexpr std::size_t kAlignment = 16;

struct Head {
  char magic[8];
  std::uint64_t propertyBytes;
  std::uint64_t bitcodeBytes;
};

/// As a quoted string of the assembler. It has no way to write a quotation mark into a symbol.
std::string quoted(std::string text) {
  for (char &c : text)
    if (c == '"' || c == '\\')
      c = '\'';
  return '"' + text + '"';
}

/// From low to high.
constexpr const char *kLevels[] = {"-O0", "-O1", "-Os", "-O2", "-O3"};

int rank(const std::string &level) {
  const auto known = std::find(std::begin(kLevels), std::end(kLevels), level);
  if (known != std::end(kLevels))
    return static_cast<int>(known - kLevels);
  return level == "-Og" ? 1 : level == "-Oz" ? 2 : level == "-Ofast" ? 4 : 3;
}

} // namespace

std::string devicePartVersion() { return fmt::format("{}, interface {}", CUPR_VERSION, CUPR_ABI_VERSION); }

std::string DevicePart::bytes() const {
  std::string properties = fmt::format("version={}\nsource={}\narchitecture={}\noptimisation={}\n", version,
                                       source, architecture, optimisation);
  for (const std::string &flag : assemblerFlags)
    properties += "assemblerFlag=" + flag + '\n';
  Head head{};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.propertyBytes = properties.size();
  head.bitcodeBytes = bitcode.size();
  std::string bytes(reinterpret_cast<const char *>(&head), sizeof head);
  bytes += properties;
  bytes += bitcode;
  bytes.resize((bytes.size() + kAlignment - 1) / kAlignment * kAlignment);
  return bytes;
}

std::vector<DevicePart> parseDeviceParts(std::string_view section, std::string &error) {
  std::vector<DevicePart> parts;
  while (!section.empty()) {
    Head head;
    if (section.size() < sizeof head || std::memcmp(section.data(), kMagic, sizeof kMagic) != 0) {
      error = "is not in the form that this cupr++ knows";
      return {};
    }
    std::memcpy(&head, section.data(), sizeof head);
    section.remove_prefix(sizeof head);
    if (head.propertyBytes > section.size() || head.bitcodeBytes > section.size() - head.propertyBytes) {
      error = "is cut off";
      return {};
    }
    DevicePart part;
    std::istringstream properties(std::string(section.substr(0, head.propertyBytes)));
    for (std::string line; std::getline(properties, line);) {
      const std::size_t equals = std::min(line.find('='), line.size());
      const std::string key = line.substr(0, equals), value = line.substr(std::min(equals + 1, line.size()));
      if (key == "version")
        part.version = value;
      else if (key == "source")
        part.source = value;
      else if (key == "architecture")
        part.architecture = value;
      else if (key == "optimisation")
        part.optimisation = value;
      else if (key == "assemblerFlag")
        part.assemblerFlags.push_back(value);
    }
    part.bitcode = section.substr(head.propertyBytes, head.bitcodeBytes);
    const std::size_t bytes = head.propertyBytes + head.bitcodeBytes;
    const std::size_t padding = (kAlignment - (sizeof head + bytes) % kAlignment) % kAlignment;
    section.remove_prefix(std::min(section.size(), bytes + padding));
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string mismatch(const std::vector<DevicePart> &parts, const std::string &architecture) {
  const DevicePart &first = parts.front();
  for (const DevicePart &part : parts) {
    if (part.version != devicePartVersion())
      return fmt::format(
          "the device code of {} was compiled by cupr++ {}, and this is cupr++ {}: compile it again",
          part.source, part.version, devicePartVersion());
    if (part.architecture != first.architecture)
      return fmt::format("{} was compiled for {} and {} for {}: give both the same -arch to link them",
                         first.source, first.architecture, part.source, part.architecture);
  }
  if (!architecture.empty() && architecture != first.architecture)
    return fmt::format("{} was compiled for {}, and -arch={} is given for the link: use the same for both",
                       first.source, first.architecture, architecture);
  return "";
}

std::string programLevel(const std::vector<DevicePart> &parts) {
  int highest = 0;
  for (const DevicePart &part : parts)
    highest = std::max(highest, rank(part.optimisation));
  return kLevels[highest];
}

std::string linkedParts(const std::vector<DevicePart> &parts) {
  std::string lines;
  for (const DevicePart &part : parts)
    lines += fmt::format("{:016x} {}\n", XXH3_64bits(part.bitcode.data(), part.bitcode.size()), part.source);
  return lines;
}

std::string devicePartAssembly(const std::string &partFile, const std::string &symbols) {
  // "R": no --gc-sections removes it, though nothing refers to it.
  std::string text = fmt::format("  .section {},\"R\",@progbits\n  .balign {}\n  .incbin {}\n",
                                 kDevicePartSection, kAlignment, quoted(partFile));
  // A definition is a place there, since the linker lets equal absolute symbols pass; a use lets it report
  // what is missing where it is used.
  text += fmt::format("  .section {},\"\",@progbits\n", kDeviceNameSection);
  std::istringstream lines(symbols);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t blank = std::min(line.find(' '), line.size());
    const std::string kind = line.substr(0, blank);
    const std::string name = quoted(kDevicePartSymbol + line.substr(std::min(blank + 1, line.size())));
    if (kind == "wanted")
      text += fmt::format("  .hidden {0}\n  .quad {0}\n", name);
    else
      text +=
          fmt::format("  .{0} {1}\n  .hidden {1}\n{1}: .quad 0\n", kind == "weak" ? "weak" : "globl", name);
  }
  return text + "  .section .note.GNU-stack,\"\",@progbits\n";
}

} // namespace cupr::tool
