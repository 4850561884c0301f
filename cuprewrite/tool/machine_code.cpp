#include "machine_code.h"

#include <cstring>

namespace cupr::tool {
namespace {

constexpr std::size_t kInstructionBytes = 16;

struct Bits {
  std::uint64_t words[2];
  std::uint32_t at(unsigned from, unsigned count) const {
    return static_cast<std::uint32_t>(words[from / 64] >> from % 64) & ((1u << count) - 1);
  }
};

/// Special registers.
constexpr std::uint32_t kClockLow = 0x50;

bool readsClock(const Bits &bits) {
  switch (bits.at(0, 12)) {
  case 0x805: // CS2R
  case 0x919: // S2R
  case 0x9c3: // S2UR
    return bits.at(72, 8) == kClockLow;
  default:
    return false;
  }
}

using Kind = MachineInstruction::Kind;

/// ptxas puts loads that never execute, `@!PT LDS RZ, [RZ]`, in front of fences.
constexpr std::uint32_t kAlways = 7, kNever = 15;

Kind kindOf(const Bits &bits) {
  if (bits.at(12, 4) == kNever)
    return Kind::Other;
  if (readsClock(bits))
    return Kind::Clock;
  switch (bits.at(0, 12)) {
  case 0x80c: // ISETP with an immediate
    return Kind::Compare;
  case 0x812: // LOP3 with an immediate, and whether anything is left
    return bits.at(81, 3) == kAlways ? Kind::Other : Kind::Compare;
  case 0x992: // MEMBAR
    return Kind::Fence;
  case 0xfae: // LDGSTS
    return Kind::Copy;
  case 0x9af: // LDGDEPBAR
    return Kind::CopyGroup;
  case 0x91a: // DEPBAR
    return Kind::CopyWait;
  default:
    break;
  }
  switch (bits.at(0, 9)) {
  case 0x182: // LDC; of bank 0 are parameters, and of no access
    return bits.at(54, 5) == 0 ? Kind::Other : Kind::Load;
  case 0x180: // LD
  case 0x181: // LDG
  case 0x183: // LDL
  case 0x184: // LDS
  case 0x03b: // LDSM
  case 0x18a: // ATOM
  case 0x18b: // ATOM with a comparison
  case 0x1a8: // ATOMG
  case 0x1a9: // ATOMG with a comparison
  case 0x1a3: // ATOMG of floats
  case 0x18c: // ATOMS
  case 0x18d: // ATOMS with a comparison
  case 0x160: // TEX
  case 0x161: // TEX with an object in registers
  case 0x166: // TLD
  case 0x167: // TLD with an object in registers
  case 0x163: // TLD4
  case 0x164: // TLD4 with an object in registers
  case 0x16c: // TXD
  case 0x16d: // TXD with an object in registers
  case 0x199: // SULD
  case 0x19b: // SULD of bytes
  case 0x194: // SUATOM
    return Kind::Load;
  case 0x185: // ST
  case 0x186: // STG
  case 0x187: // STL
  case 0x188: // STS
  case 0x18e: // RED
  case 0x1a6: // RED of floats
  case 0x19c: // SUST
  case 0x19d: // SUST of bytes
  case 0x19e: // SURED
    return Kind::Store;
  default:
    return Kind::Other;
  }
}

std::uint8_t scoreboard(std::uint32_t number) {
  constexpr std::uint32_t kNone = 7;
  return number == kNone ? std::uint8_t{0} : static_cast<std::uint8_t>(1u << number);
}

} // namespace

std::vector<MachineInstruction> readMachineCode(std::string_view bytes) {
  std::vector<MachineInstruction> code(bytes.size() / kInstructionBytes);
  for (std::size_t i = 0; i < code.size(); ++i) {
    Bits bits{};
    std::memcpy(bits.words, bytes.data() + i * kInstructionBytes, kInstructionBytes);
    code[i].kind = kindOf(bits);
    code[i].isPredicated = bits.at(12, 4) != kAlways;
    code[i].immediate = static_cast<std::uint32_t>(bits.words[0] >> 32);
    code[i].sets = scoreboard(bits.at(110, 3));
    if (code[i].kind == Kind::Fence) // it has no result, and clears the other one when it is over
      code[i].sets |= scoreboard(bits.at(113, 3));
    code[i].waits = static_cast<std::uint8_t>(bits.at(116, 6));
    if (code[i].kind == Kind::CopyWait && bits.at(38, 6) == 0)
      code[i].waits |= scoreboard(bits.at(44, 3));
  }
  return code;
}

} // namespace cupr::tool
