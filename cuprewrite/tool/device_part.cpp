#include "device_part.h"

#include "devicelib/abi/version.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <set>
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
  std::string properties =
      fmt::format("version={}\nsource={}\nunit={}\narchitecture={}\noptimisation={}\nptx={}\n", version,
                  source, unit, target.architecture, optimisation, target.ptx ? 1 : 0);
  for (const std::string &machine : target.machines)
    properties += "machine=" + machine + '\n';
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
      else if (key == "unit")
        part.unit = value;
      else if (key == "architecture")
        part.target.architecture = value;
      else if (key == "machine")
        part.target.machines.push_back(value);
      else if (key == "ptx")
        part.target.ptx = value == "1";
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

namespace {

std::string named(const std::vector<GpuTarget> &targets) {
  std::string text;
  for (const GpuTarget &target : targets)
    text += (text.empty() ? "" : ", ") + target.architecture;
  return text;
}

} // namespace

std::vector<GpuTarget> linkedTargets(const std::vector<DevicePart> &parts,
                                     const std::vector<GpuTarget> &wanted, std::string &error) {
  struct Unit {
    std::string id, source;
    std::vector<GpuTarget> targets;
  };
  std::vector<Unit> units;
  for (const DevicePart &part : parts) {
    if (part.version != devicePartVersion()) {
      error = fmt::format(
          "the device code of {} was compiled by cupr++ {}, and this is cupr++ {}: compile it again",
          part.source, part.version, devicePartVersion());
      return {};
    }
    auto unit =
        std::find_if(units.begin(), units.end(), [&](const Unit &known) { return known.id == part.unit; });
    if (unit == units.end())
      unit = units.insert(unit, {part.unit, part.source, {}});
    unit->targets.push_back(part.target);
  }
  const Unit &first = units.front();
  std::vector<GpuTarget> all = first.targets;
  if (!wanted.empty()) {
    for (const Unit &unit : units)
      for (const GpuTarget &target : wanted)
        if (std::none_of(unit.targets.begin(), unit.targets.end(), [&](const GpuTarget &compiled) {
              return compiled.architecture == target.architecture;
            })) {
          error =
              fmt::format("{} was compiled for {}, and -arch={} is given for the link: use the same for both",
                          unit.source, named(unit.targets), target.architecture);
          return {};
        }
    return wanted;
  }
  for (const Unit &unit : units) {
    if (named(unit.targets) != named(all)) {
      error = fmt::format("{} was compiled for {} and {} for {}: give both the same -arch to link them",
                          first.source, named(all), unit.source, named(unit.targets));
      return {};
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
      all[i].ptx |= unit.targets[i].ptx;
      for (const std::string &machine : unit.targets[i].machines)
        if (std::find(all[i].machines.begin(), all[i].machines.end(), machine) == all[i].machines.end())
          all[i].machines.push_back(machine);
    }
  }
  return all;
}

std::string joinedSymbols(const std::vector<std::string> &symbols) {
  std::string joined;
  std::set<std::string> lines, defined;
  for (const std::string &list : symbols) {
    std::istringstream stream(list);
    for (std::string line; std::getline(stream, line);) {
      const bool wanted = line.starts_with("wanted ");
      if (lines.insert(line).second && (wanted || defined.insert(line.substr(line.find(' '))).second))
        joined += line + '\n';
    }
  }
  return joined;
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
  text += fmt::format("  .section {},\"\",@progbits\n  .hidden {}\n  .quad {}\n", kDeviceNameSection,
                      CUPR_ABI_TEXT(CUPR_DEVICE_LINK_NEEDED), CUPR_ABI_TEXT(CUPR_DEVICE_LINK_NEEDED));
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
