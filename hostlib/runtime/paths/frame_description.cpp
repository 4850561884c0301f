#include "frame_description.h"

namespace cupr::host {
namespace {

// DW_EH_PE_*: how an address is written (Linux Standard Base, section 10.5.1).
constexpr unsigned char kAbsolute = 0x00, kSigned4 = 0x0b, kSigned4OfSection = 0x3b, kOmitted = 0xff;
constexpr unsigned char kFormatMask = 0x0f, kBaseMask = 0x70, kOfPlace = 0x10;

/// One entry of .eh_frame, without its length.
std::optional<FrameBytes> entryAt(const unsigned char *at, const CodeObject &object) {
  const auto *const end = reinterpret_cast<const unsigned char *>(object.end);
  if (at < reinterpret_cast<const unsigned char *>(object.begin) || at >= end)
    return std::nullopt;
  FrameBytes bytes(at, end);
  std::uint64_t length = bytes.number<std::uint32_t>();
  if (length == 0xffffffff)
    length = bytes.number<std::uint64_t>();
  const FrameBytes entry = bytes.take(length);
  if (!bytes.isGood() || length == 0)
    return std::nullopt;
  return entry;
}

std::optional<FrameCommon> commonAt(const unsigned char *at, const CodeObject &object) {
  auto entry = entryAt(at, object);
  if (!entry || entry->number<std::uint32_t>() != 0) // else it is no such entry
    return std::nullopt;
  FrameCommon common;
  const auto version = entry->number<unsigned char>();
  if (version != 1 && version != 3)
    return std::nullopt;
  char augmentation[8] = {};
  for (std::size_t i = 0;; ++i) {
    if (i == sizeof augmentation)
      return std::nullopt;
    augmentation[i] = static_cast<char>(entry->number<unsigned char>());
    if (augmentation[i] == 0)
      break;
  }
  common.codeAlignment = entry->unsignedLeb();
  common.dataAlignment = entry->signedLeb();
  const std::uint64_t returnAddress = version == 1 ? entry->number<unsigned char>() : entry->unsignedLeb();
  if (returnAddress != kReturnAddressNumber)
    return std::nullopt;
  if (augmentation[0] == 'z') {
    common.hasAugmentation = true;
    FrameBytes data = entry->take(entry->unsignedLeb());
    for (const char *letter = augmentation + 1; *letter; ++letter)
      switch (*letter) {
      case 'R':
        common.addressEncoding = data.number<unsigned char>();
        break;
      case 'P':
        if (!data.address(data.number<unsigned char>() & (kFormatMask | kBaseMask)))
          return std::nullopt;
        break;
      case 'L':
        data.number<unsigned char>();
        break;
      case 'S':
        common.isSignal = true;
        break;
      default:
        return std::nullopt;
      }
    if (!data.isGood())
      return std::nullopt;
  } else if (augmentation[0] != 0) {
    return std::nullopt;
  }
  if (!entry->isGood())
    return std::nullopt;
  common.instructions = *entry;
  return common;
}

/// The Frame Description Entry that the sorted table has for `pc`: that of the last function that begins in front of it.
const unsigned char *placeOf(std::uint64_t pc, const CodeObject &object) {
  const unsigned char *const index = object.unwindIndex;
  FrameBytes head(index, reinterpret_cast<const unsigned char *>(object.end));
  const auto version = head.number<unsigned char>();
  const auto frameEncoding = head.number<unsigned char>();
  const auto countEncoding = head.number<unsigned char>();
  const auto tableEncoding = head.number<unsigned char>();
  if (version != 1 || tableEncoding != kSigned4OfSection || countEncoding == kOmitted)
    return nullptr;
  if (!head.address(frameEncoding))
    return nullptr;
  const auto count = head.address(countEncoding);
  struct Row {
    std::int32_t begin, description; ///< from the table's section on
  };
  const auto *const table = head.at();
  if (!count || *count == 0 || !head.isGood() ||
      *count > (object.end - reinterpret_cast<std::uint64_t>(table)) / sizeof(Row))
    return nullptr;
  const auto section = reinterpret_cast<std::uint64_t>(index);
  const auto row = [&](std::uint64_t at) {
    Row value;
    std::memcpy(&value, table + at * sizeof value, sizeof value);
    return value;
  };
  std::uint64_t low = 0, high = *count; // the row wanted, if there is one, is in [low, high)
  while (high - low > 1) {
    const std::uint64_t middle = (low + high) / 2;
    (section + static_cast<std::uint64_t>(std::int64_t{row(middle).begin}) <= pc ? low : high) = middle;
  }
  return index + row(low).description;
}

} // namespace

std::optional<std::uint64_t> FrameBytes::address(unsigned char encoding) {
  const auto here = reinterpret_cast<std::uint64_t>(at_);
  std::uint64_t value = 0;
  switch (encoding & kFormatMask) {
  case 0x00:
  case 0x04:
    value = number<std::uint64_t>();
    break;
  case 0x02:
    value = number<std::uint16_t>();
    break;
  case 0x03:
    value = number<std::uint32_t>();
    break;
  case 0x0a:
    value = static_cast<std::uint64_t>(std::int64_t{number<std::int16_t>()});
    break;
  case kSigned4:
    value = static_cast<std::uint64_t>(std::int64_t{number<std::int32_t>()});
    break;
  case 0x0c:
    value = static_cast<std::uint64_t>(number<std::int64_t>());
    break;
  default:
    return std::nullopt;
  }
  switch (encoding & kBaseMask) {
  case kAbsolute:
    return value;
  case kOfPlace:
    return here + value;
  default:
    return std::nullopt;
  }
}
std::optional<FrameDescription> frameDescriptionAt(std::uint64_t pc, const CodeObject &object) {
  const unsigned char *const at = object.end && object.unwindIndex ? placeOf(pc, object) : nullptr;
  auto entry = at ? entryAt(at, object) : std::nullopt;
  if (!entry)
    return std::nullopt;
  const unsigned char *const toCommon = entry->at();
  const auto distance = entry->number<std::uint32_t>();
  const auto common = distance == 0 ? std::nullopt : commonAt(toCommon - distance, object);
  if (!common)
    return std::nullopt;
  const auto begin = entry->address(common->addressEncoding);
  const auto bytes = entry->address(common->addressEncoding & kFormatMask);
  if (!begin || !bytes || pc < *begin || pc - *begin >= *bytes)
    return std::nullopt;
  if (common->hasAugmentation)
    entry->skip(entry->unsignedLeb());
  return FrameDescription{*common, *begin, *entry};
}

} // namespace cupr::host
