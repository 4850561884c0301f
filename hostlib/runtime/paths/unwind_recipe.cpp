#include "unwind_recipe.h"

#include "frame_description.h"

namespace cupr::host {
namespace {

// DWARF's numbers of registers (System V ABI for x86-64, figure 3.36).
constexpr std::uint64_t kBp = 6, kSp = 7;

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
std::optional<Value> expression(FrameBytes bytes) {
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
  bool run(FrameBytes instructions, const FrameCommon &common, std::uint64_t begin, std::uint64_t place,
           const Rules &initial);

  std::optional<Value> cfa;
  Rule pc, bp;

private:
  Rule *ruleOf(std::uint64_t number) {
    return number == kReturnAddressNumber ? &pc : number == kBp ? &bp : nullptr;
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

bool Rules::run(FrameBytes code, const FrameCommon &common, std::uint64_t begin, std::uint64_t place,
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

} // namespace

UnwindRecipe unwindRecipe(std::uint64_t pc, const CodeObject &object) {
  UnwindRecipe recipe;
  const auto description = frameDescriptionAt(pc, object);
  if (!description)
    return recipe;
  const FrameCommon &common = description->common;
  Rules rules;
  if (!rules.run(common.instructions, common, description->begin, pc, rules))
    return recipe;
  const Rules initial = rules;
  if (!rules.run(description->instructions, common, description->begin, pc, initial))
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
  recipe.kind = common.isSignal ? UnwindRecipe::Kind::Signal : UnwindRecipe::Kind::Call;
  return recipe;
}

} // namespace cupr::host
