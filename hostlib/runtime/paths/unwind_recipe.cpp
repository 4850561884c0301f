#include "unwind_recipe.h"

#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <optional>

namespace cupr::host {
namespace {

// DWARF's numbers of registers (System V ABI for x86-64, figure 3.36).
constexpr std::uint64_t kBp = 6, kSp = 7, kReturnAddress = 16;

// DW_EH_PE_*: how an address is written (Linux Standard Base, section 10.5.1).
constexpr unsigned char kAbsolute = 0x00, kSigned4 = 0x0b, kSigned4OfSection = 0x3b, kOmitted = 0xff;
constexpr unsigned char kFormatMask = 0x0f, kBaseMask = 0x70, kOfPlace = 0x10;

/// Reads what lies in a range of the object; past its end all is 0, and `isGood` says so.
class Bytes {
public:
  Bytes(const unsigned char *at, const unsigned char *end) : at_(at), end_(end) {}

  template <class Number> Number number() {
    Number value{};
    if (static_cast<std::size_t>(end_ - at_) < sizeof value)
      return fail(), value;
    std::memcpy(&value, at_, sizeof value);
    at_ += sizeof value;
    return value;
  }
  std::uint64_t unsignedLeb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      const auto byte = number<unsigned char>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      if (!(byte & 0x80U))
        return value;
    }
    return fail(), 0;
  }
  std::int64_t signedLeb() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64;) {
      const auto byte = number<unsigned char>();
      value |= std::uint64_t{byte & 0x7fU} << shift;
      shift += 7;
      if (!(byte & 0x80U)) {
        if (shift < 64 && byte & 0x40U)
          value |= ~std::uint64_t{0} << shift;
        return static_cast<std::int64_t>(value);
      }
    }
    return fail(), 0;
  }
  /// An address that is written as `encoding` says; nothing where that is none of those that linkers use.
  std::optional<std::uint64_t> address(unsigned char encoding) {
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
  /// The bytes in front; they are skipped.
  Bytes take(std::uint64_t bytes) {
    if (bytes > static_cast<std::uint64_t>(end_ - at_))
      return fail(), *this;
    const Bytes taken(at_, at_ + bytes);
    at_ += bytes;
    return taken;
  }
  void skip(std::uint64_t bytes) { take(bytes); }
  bool isAtEnd() const { return at_ == end_; }
  bool isGood() const { return isGood_; }
  const unsigned char *at() const { return at_; }

private:
  void fail() {
    isGood_ = false;
    at_ = end_;
  }

  const unsigned char *at_;
  const unsigned char *end_;
  bool isGood_ = true;
};

/// One entry of .eh_frame, without its length.
std::optional<Bytes> entryAt(const unsigned char *at, const CodeObject &object) {
  const auto *const end = reinterpret_cast<const unsigned char *>(object.end);
  if (at < reinterpret_cast<const unsigned char *>(object.begin) || at >= end)
    return std::nullopt;
  Bytes bytes(at, end);
  std::uint64_t length = bytes.number<std::uint32_t>();
  if (length == 0xffffffff)
    length = bytes.number<std::uint64_t>();
  const Bytes entry = bytes.take(length);
  if (!bytes.isGood() || length == 0)
    return std::nullopt;
  return entry;
}

/// What a Common Information Entry says for all functions that refer to it.
struct Common {
  std::uint64_t codeAlignment = 1;
  std::int64_t dataAlignment = 1;
  unsigned char addressEncoding = kAbsolute;
  bool hasAugmentation = false;
  bool isSignal = false;
  Bytes instructions{nullptr, nullptr};
};

std::optional<Common> commonAt(const unsigned char *at, const CodeObject &object) {
  auto entry = entryAt(at, object);
  if (!entry || entry->number<std::uint32_t>() != 0) // else it is no such entry
    return std::nullopt;
  Common common;
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
  if (returnAddress != kReturnAddress)
    return std::nullopt;
  if (augmentation[0] == 'z') {
    common.hasAugmentation = true;
    Bytes data = entry->take(entry->unsignedLeb());
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

using Value = UnwindRecipe::Value;
using Base = UnwindRecipe::Base;

/// Where a register of the caller is.
struct Rule {
  enum class Kind : std::uint8_t { Same, At, Undefined, Unknown } kind = Kind::Same;
  Value at; ///< of kind At: where it is stored
};

bool fits(std::int64_t offset) { return offset >= INT32_MIN && offset <= INT32_MAX; }

/// A register and a constant, and perhaps what lies there: of the expressions that compilers write (for stacks that are realigned, and the
/// frames of signals) all are such.
std::optional<Value> expression(Bytes bytes) {
  constexpr unsigned char kRegister0 = 0x70, kRegister31 = 0x8f, kDereference = 0x06;
  const auto operation = bytes.number<unsigned char>();
  if (operation < kRegister0 || operation > kRegister31)
    return std::nullopt;
  const std::uint64_t base = operation - kRegister0;
  const std::int64_t offset = bytes.signedLeb();
  if ((base != kSp && base != kBp) || !fits(offset))
    return std::nullopt;
  Value value{static_cast<std::int32_t>(offset), base == kSp ? Base::Sp : Base::Bp};
  if (!bytes.isAtEnd())
    value.isStored = bytes.number<unsigned char>() == kDereference;
  if (!bytes.isGood() || !bytes.isAtEnd())
    return std::nullopt;
  return value;
}

/// The rules for one place, as far as they are wanted here.
class Rules {
public:
  /// Runs instructions up to those for code behind `place`. False: there is one that is not understood.
  bool run(Bytes instructions, const Common &common, std::uint64_t begin, std::uint64_t place,
           const Rules &initial);

  std::optional<Value> cfa;
  Rule pc, bp;

private:
  Rule *ruleOf(std::uint64_t number) {
    return number == kReturnAddress ? &pc : number == kBp ? &bp : nullptr;
  }
  void put(std::uint64_t number, Rule rule) {
    if (Rule *const to = ruleOf(number))
      *to = rule;
  }
  static Rule stored(std::int64_t offset) {
    if (!fits(offset))
      return {Rule::Kind::Unknown, {}};
    return {Rule::Kind::At, {static_cast<std::int32_t>(offset), Base::Cfa}};
  }
  void defineCfa(std::uint64_t number, std::int64_t offset) {
    cfaRegister_ = number;
    cfa.reset();
    if ((number == kSp || number == kBp) && fits(offset))
      cfa = Value{static_cast<std::int32_t>(offset), number == kSp ? Base::Sp : Base::Bp};
    cfaOffset_ = offset;
  }

  std::uint64_t cfaRegister_ = kSp;
  std::int64_t cfaOffset_ = 0;
};

bool Rules::run(Bytes code, const Common &common, std::uint64_t begin, std::uint64_t place,
                const Rules &initial) {
  constexpr std::size_t kStatesMax = 8; // compilers keep one at a time
  Rules states[kStatesMax];
  std::size_t kept = 0;
  std::uint64_t location = begin;
  const auto advances = [&](std::uint64_t by) { return (location += by * common.codeAlignment) <= place; };
  while (!code.isAtEnd() && code.isGood()) {
    const auto byte = code.number<unsigned char>();
    const std::uint64_t low = byte & 0x3fU;
    switch (byte & 0xc0U) {
    case 0x40: // DW_CFA_advance_loc
      if (!advances(low))
        return true;
      continue;
    case 0x80: // DW_CFA_offset
      put(low, stored(static_cast<std::int64_t>(code.unsignedLeb()) * common.dataAlignment));
      continue;
    case 0xc0: // DW_CFA_restore
      if (const Rule *const was = const_cast<Rules &>(initial).ruleOf(low))
        put(low, *was);
      continue;
    default:
      break;
    }
    switch (low) {
    case 0x00:
      break;     // DW_CFA_nop
    case 0x01: { // DW_CFA_set_loc
      const auto address = code.address(common.addressEncoding);
      if (!address)
        return false;
      location = *address;
      if (location > place)
        return true;
      break;
    }
    case 0x02: // DW_CFA_advance_loc1
      if (!advances(code.number<std::uint8_t>()))
        return true;
      break;
    case 0x03: // DW_CFA_advance_loc2
      if (!advances(code.number<std::uint16_t>()))
        return true;
      break;
    case 0x04: // DW_CFA_advance_loc4
      if (!advances(code.number<std::uint32_t>()))
        return true;
      break;
    case 0x05: { // DW_CFA_offset_extended
      const std::uint64_t number = code.unsignedLeb();
      put(number, stored(static_cast<std::int64_t>(code.unsignedLeb()) * common.dataAlignment));
      break;
    }
    case 0x06: { // DW_CFA_restore_extended
      const std::uint64_t number = code.unsignedLeb();
      if (const Rule *const was = const_cast<Rules &>(initial).ruleOf(number))
        put(number, *was);
      break;
    }
    case 0x07: // DW_CFA_undefined
      put(code.unsignedLeb(), {Rule::Kind::Undefined, {}});
      break;
    case 0x08: // DW_CFA_same_value
      put(code.unsignedLeb(), {Rule::Kind::Same, {}});
      break;
    case 0x09: // DW_CFA_register
      put(code.unsignedLeb(), {Rule::Kind::Unknown, {}});
      code.unsignedLeb();
      break;
    case 0x0a: // DW_CFA_remember_state
      if (kept == kStatesMax)
        return false;
      states[kept++] = *this;
      break;
    case 0x0b: // DW_CFA_restore_state
      if (kept == 0)
        return false;
      *this = states[--kept];
      break;
    case 0x0c: { // DW_CFA_def_cfa
      const std::uint64_t number = code.unsignedLeb();
      defineCfa(number, static_cast<std::int64_t>(code.unsignedLeb()));
      break;
    }
    case 0x0d: // DW_CFA_def_cfa_register
      defineCfa(code.unsignedLeb(), cfaOffset_);
      break;
    case 0x0e: // DW_CFA_def_cfa_offset
      defineCfa(cfaRegister_, static_cast<std::int64_t>(code.unsignedLeb()));
      break;
    case 0x0f: // DW_CFA_def_cfa_expression
      cfa = expression(code.take(code.unsignedLeb()));
      break;
    case 0x10: { // DW_CFA_expression
      const std::uint64_t number = code.unsignedLeb();
      const auto at = expression(code.take(code.unsignedLeb()));
      put(number, at && !at->isStored ? Rule{Rule::Kind::At, *at} : Rule{Rule::Kind::Unknown, {}});
      break;
    }
    case 0x11: { // DW_CFA_offset_extended_sf
      const std::uint64_t number = code.unsignedLeb();
      put(number, stored(code.signedLeb() * common.dataAlignment));
      break;
    }
    case 0x12: { // DW_CFA_def_cfa_sf
      const std::uint64_t number = code.unsignedLeb();
      defineCfa(number, code.signedLeb() * common.dataAlignment);
      break;
    }
    case 0x13: // DW_CFA_def_cfa_offset_sf
      defineCfa(cfaRegister_, code.signedLeb() * common.dataAlignment);
      break;
    case 0x14: // DW_CFA_val_offset
      put(code.unsignedLeb(), {Rule::Kind::Unknown, {}});
      code.unsignedLeb();
      break;
    case 0x15: // DW_CFA_val_offset_sf
      put(code.unsignedLeb(), {Rule::Kind::Unknown, {}});
      code.signedLeb();
      break;
    case 0x16: // DW_CFA_val_expression
      put(code.unsignedLeb(), {Rule::Kind::Unknown, {}});
      code.skip(code.unsignedLeb());
      break;
    case 0x2e: // DW_CFA_GNU_args_size
      code.unsignedLeb();
      break;
    default:
      return false;
    }
  }
  return code.isGood();
}

/// The Frame Description Entry that the sorted table has for `pc`: that of the last function that begins in front of it.
const unsigned char *descriptionOf(std::uint64_t pc, const CodeObject &object) {
  const unsigned char *const index = object.unwindIndex;
  Bytes head(index, reinterpret_cast<const unsigned char *>(object.end));
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

CodeObject codeObjectAt(std::uint64_t pc) {
  dl_find_object found{};
  if (_dl_find_object(reinterpret_cast<void *>(pc), &found) != 0)
    return {};
  return {reinterpret_cast<std::uint64_t>(found.dlfo_map_start),
          reinterpret_cast<std::uint64_t>(found.dlfo_map_end),
          found.dlfo_link_map ? found.dlfo_link_map->l_addr : 0,
          found.dlfo_link_map ? found.dlfo_link_map->l_name : "",
          static_cast<const unsigned char *>(found.dlfo_eh_frame)};
}

UnwindRecipe unwindRecipe(std::uint64_t pc, const CodeObject &object) {
  UnwindRecipe recipe;
  const unsigned char *const at = object.end && object.unwindIndex ? descriptionOf(pc, object) : nullptr;
  auto entry = at ? entryAt(at, object) : std::nullopt;
  if (!entry)
    return recipe;
  const unsigned char *const toCommon = entry->at();
  const auto distance = entry->number<std::uint32_t>();
  const auto common = distance == 0 ? std::nullopt : commonAt(toCommon - distance, object);
  if (!common)
    return recipe;
  const auto begin = entry->address(common->addressEncoding);
  const auto bytes = entry->address(common->addressEncoding & kFormatMask);
  if (!begin || !bytes || pc < *begin || pc - *begin >= *bytes)
    return recipe;
  if (common->hasAugmentation)
    entry->skip(entry->unsignedLeb());
  Rules rules;
  if (!rules.run(common->instructions, *common, *begin, pc, rules))
    return recipe;
  const Rules initial = rules;
  if (!rules.run(*entry, *common, *begin, pc, initial))
    return recipe;
  if (rules.pc.kind == Rule::Kind::Undefined) {
    recipe.kind = UnwindRecipe::Kind::Outermost;
    return recipe;
  }
  if (!rules.cfa || rules.pc.kind != Rule::Kind::At)
    return recipe;
  recipe.cfa = *rules.cfa;
  recipe.pc = rules.pc.at;
  // What is not known of the frame pointer matters only to callers that need it: 0 is in no stack.
  recipe.keepsBp = rules.bp.kind == Rule::Kind::Same;
  recipe.bp = rules.bp.kind == Rule::Kind::At ? rules.bp.at : Value{};
  if (rules.bp.kind == Rule::Kind::Unknown || rules.bp.kind == Rule::Kind::Undefined)
    return recipe;
  recipe.kind = common->isSignal ? UnwindRecipe::Kind::Signal : UnwindRecipe::Kind::Call;
  return recipe;
}

} // namespace cupr::host
