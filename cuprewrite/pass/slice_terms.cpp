#include "slice_terms.h"

#include "plan.h"

#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Operator.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::SliceOperation;
using abi::SliceSource;

std::optional<SliceSource> sourceOf(Intrinsic::ID id) {
  switch (id) {
  case Intrinsic::nvvm_read_ptx_sreg_tid_x:
    return SliceSource::ThreadX;
  case Intrinsic::nvvm_read_ptx_sreg_tid_y:
    return SliceSource::ThreadY;
  case Intrinsic::nvvm_read_ptx_sreg_tid_z:
    return SliceSource::ThreadZ;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_x:
    return SliceSource::BlockX;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_y:
    return SliceSource::BlockY;
  case Intrinsic::nvvm_read_ptx_sreg_ctaid_z:
    return SliceSource::BlockZ;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_x:
    return SliceSource::BlockSizeX;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_y:
    return SliceSource::BlockSizeY;
  case Intrinsic::nvvm_read_ptx_sreg_ntid_z:
    return SliceSource::BlockSizeZ;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_x:
    return SliceSource::GridSizeX;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_y:
    return SliceSource::GridSizeY;
  case Intrinsic::nvvm_read_ptx_sreg_nctaid_z:
    return SliceSource::GridSizeZ;
  case Intrinsic::nvvm_read_ptx_sreg_laneid:
    return SliceSource::Lane;
  case Intrinsic::nvvm_read_ptx_sreg_warpsize:
    return SliceSource::WarpSize;
  default:
    return std::nullopt;
  }
}

/// Inline PTX that is the whole of an instruction.
std::optional<StringRef> assemblyOf(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  const auto *assembly = call ? dyn_cast<InlineAsm>(call->getCalledOperand()) : nullptr;
  return assembly ? std::optional(assembly->getAsmString()) : std::nullopt;
}

abi::SliceInput parameterInput(const Argument &argument, std::uint64_t offset, std::uint64_t bytes) {
  // Counted as the kernel's user counts them.
  const unsigned index = argument.getArgNo() - (takesTrace(*argument.getParent()) ? 1 : 0);
  return {static_cast<std::uint8_t>(SliceSource::Parameter), static_cast<std::uint8_t>(bytes), 0, index,
          static_cast<std::uint32_t>(offset)};
}

/// Whether the function may change what this parameter, which it got by value, holds.
bool isChanged(const Argument &argument) {
  SmallVector<const Value *, 8> work{&argument};
  SmallPtrSet<const Value *, 8> seen{&argument};
  while (!work.empty())
    for (const User *user : work.pop_back_val()->users()) {
      if (isa<GEPOperator>(user) || isa<AddrSpaceCastOperator>(user) || isa<BitCastOperator>(user) ||
          isa<PHINode>(user) || isa<SelectInst>(user)) {
        if (seen.insert(user).second)
          work.push_back(user);
      } else if (!isa<LoadInst>(user) && !isa<ICmpInst>(user)) {
        return true;
      }
    }
  return false;
}

constexpr std::uint64_t kMaxParameterOffset = UINT32_MAX;

std::optional<abi::SliceInput> loadedParameter(const Value &pointer, std::uint64_t bytes,
                                               std::uint64_t behind, const DataLayout &layout) {
  APInt offset(layout.getIndexTypeSizeInBits(pointer.getType()), behind);
  const auto *argument = dyn_cast<Argument>(
      pointer.stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true));
  if (!argument || !argument->hasByValAttr() || offset.isNegative() || offset.ugt(kMaxParameterOffset) ||
      (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) || isChanged(*argument) ||
      offset.getZExtValue() + bytes > layout.getTypeAllocSize(argument->getParamByValType()))
    return std::nullopt;
  return parameterInput(*argument, offset.getZExtValue(), bytes);
}

/// Whether single-precision comparisons take denormal numbers for zeros (nvcc's -ftz): slices don't.
bool flushesDenormals(const Instruction &instruction) {
  return instruction.getFunction()->getDenormalMode(APFloat::IEEEsingle()) != DenormalMode::getIEEE();
}

/// Whether it may be in shared memory, as far as it can be followed.
bool mayPointToShared(const Value &pointer) {
  SmallVector<const Value *, 4> objects;
  getUnderlyingObjects(&pointer, objects, /*LI=*/nullptr, /*MaxLookup=*/0);
  return any_of(objects, [](const Value *object) {
    const auto *variable = dyn_cast<GlobalVariable>(object);
    return variable && isShared(*variable);
  });
}

} // namespace

bool isShared(const GlobalVariable &variable) {
  return variable.getAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED;
}

bool isPlaceUsed(const Instruction &instruction) {
  if (!isa<PtrToIntInst, ICmpInst, LoadInst>(instruction))
    return false;
  return any_of(instruction.operands(), [](const Use &operand) {
    return operand->getType()->isPointerTy() && mayPointToShared(*operand);
  });
}

bool isScalar(const Type *type, const DataLayout &layout) {
  return type->isPointerTy() ||
         (type->isIntegerTy() && layout.getTypeSizeInBits(const_cast<Type *>(type)) <= 64);
}

bool isComparable(const Type *type, const DataLayout &layout) {
  return isScalar(type, layout) || type->isFloatTy() || type->isDoubleTy();
}

std::optional<abi::SliceInput> sliceInputOf(const Value &value) {
  if (const auto *argument = dyn_cast<Argument>(&value)) {
    const DataLayout &layout = argument->getParent()->getDataLayout();
    if (argument->hasByValAttr() || !isComparable(argument->getType(), layout))
      return std::nullopt;
    const std::uint64_t bytes = layout.getTypeStoreSize(argument->getType());
    return isPowerOf2_64(bytes) ? std::optional(parameterInput(*argument, 0, bytes)) : std::nullopt;
  }
  const auto *instruction = dyn_cast<Instruction>(&value);
  if (!instruction)
    return std::nullopt;
  const DataLayout &layout = instruction->getDataLayout();
  if (const auto *call = dyn_cast<IntrinsicInst>(instruction)) {
    if (const auto source = sourceOf(call->getIntrinsicID()))
      return abi::SliceInput{static_cast<std::uint8_t>(*source), 4, 0, 0, 0};
    return std::nullopt;
  }
  if (const auto assembly = assemblyOf(*instruction))
    return *assembly == "mov.u32 $0, %laneid;" || *assembly == "mov.u32 $0, %%laneid;"
               ? std::optional(abi::SliceInput{static_cast<std::uint8_t>(SliceSource::Lane), 4, 0, 0, 0})
               : std::nullopt;
  if (const auto *load = dyn_cast<LoadInst>(instruction)) {
    if (!load->isSimple() || !isComparable(load->getType(), layout))
      return std::nullopt;
    return loadedParameter(*load->getPointerOperand(), layout.getTypeStoreSize(load->getType()), 0, layout);
  }
  // Neighbouring parameters are loaded together.
  if (const auto *element = dyn_cast<ExtractElementInst>(instruction)) {
    const auto *load = dyn_cast<LoadInst>(element->getVectorOperand());
    const auto *index = dyn_cast<ConstantInt>(element->getIndexOperand());
    if (!load || !load->isSimple() || !index || !isComparable(element->getType(), layout))
      return std::nullopt;
    const std::uint64_t bytes = layout.getTypeStoreSize(element->getType());
    return loadedParameter(*load->getPointerOperand(), bytes, index->getZExtValue() * bytes, layout);
  }
  return std::nullopt;
}

std::optional<SliceOperation> sliceOperationOf(const Instruction &instruction) {
  const DataLayout &layout = instruction.getDataLayout();
  if (isa<LoadInst>(instruction)) {
    const TypeSize bits = layout.getTypeSizeInBits(instruction.getType());
    return isComparable(instruction.getType(), layout) && bits.getFixedValue() % 8 == 0
               ? std::optional(SliceOperation::Load)
               : std::nullopt;
  }
  if (!isScalar(instruction.getType(), layout))
    return std::nullopt;
  switch (instruction.getOpcode()) {
  case Instruction::Add:
    return SliceOperation::Add;
  case Instruction::Sub:
    return SliceOperation::Subtract;
  case Instruction::Mul:
    return SliceOperation::Multiply;
  case Instruction::UDiv:
    return SliceOperation::DivideUnsigned;
  case Instruction::SDiv:
    return SliceOperation::DivideSigned;
  case Instruction::URem:
    return SliceOperation::RemainderUnsigned;
  case Instruction::SRem:
    return SliceOperation::RemainderSigned;
  case Instruction::And:
    return SliceOperation::And;
  case Instruction::Or:
    return SliceOperation::Or;
  case Instruction::Xor:
    return SliceOperation::Xor;
  case Instruction::Shl:
    return SliceOperation::ShiftLeft;
  case Instruction::LShr:
    return SliceOperation::ShiftRight;
  case Instruction::AShr:
    return SliceOperation::ShiftRightSigned;
  case Instruction::ICmp:
    if (!isScalar(instruction.getOperand(0)->getType(), layout))
      return std::nullopt;
    switch (cast<ICmpInst>(instruction).getPredicate()) {
    case CmpInst::ICMP_EQ:
      return SliceOperation::Equal;
    case CmpInst::ICMP_NE:
      return SliceOperation::NotEqual;
    case CmpInst::ICMP_ULT:
    case CmpInst::ICMP_UGT:
      return SliceOperation::LessUnsigned;
    case CmpInst::ICMP_ULE:
    case CmpInst::ICMP_UGE:
      return SliceOperation::LessEqualUnsigned;
    case CmpInst::ICMP_SLT:
    case CmpInst::ICMP_SGT:
      return SliceOperation::LessSigned;
    default:
      return SliceOperation::LessEqualSigned;
    }
  case Instruction::FCmp: { // of parameters, such as the factors of a matrix product
    const Type *type = instruction.getOperand(0)->getType();
    return type->isDoubleTy() || (type->isFloatTy() && !flushesDenormals(instruction))
               ? std::optional(SliceOperation::CompareFloat)
               : std::nullopt;
  }
  case Instruction::Select:
    return SliceOperation::Choose;
  case Instruction::Trunc:
    return SliceOperation::Truncate;
  case Instruction::SExt:
    return SliceOperation::SignExtend;
  case Instruction::ZExt:
  case Instruction::Freeze:
    return isScalar(instruction.getOperand(0)->getType(), layout) ? std::optional(SliceOperation::Move)
                                                                  : std::nullopt;
  case Instruction::PtrToInt:
  case Instruction::IntToPtr: // of integers that are shorter or longer, like Truncate and Move
    return isScalar(instruction.getOperand(0)->getType(), layout) ? std::optional(SliceOperation::Truncate)
                                                                  : std::nullopt;
  case Instruction::AddrSpaceCast: {
    // A global address is the same as a generic one; of a shared one slices have the place in the window in any case. Others are not.
    const auto &cast = llvm::cast<AddrSpaceCastInst>(instruction);
    if (mayPointToShared(*cast.getPointerOperand()))
      return SliceOperation::Truncate; // the place is shorter than a generic address
    const auto isGlobal = [](unsigned space) {
      return space == NVPTXAS::ADDRESS_SPACE_GENERIC || space == NVPTXAS::ADDRESS_SPACE_GLOBAL;
    };
    return isGlobal(cast.getSrcAddressSpace()) && isGlobal(cast.getDestAddressSpace())
               ? std::optional(SliceOperation::Move)
               : std::nullopt;
  }
  case Instruction::GetElementPtr: // a sum (slice_builder.cpp)
    return SliceOperation::Add;
  case Instruction::Call:
    break;
  default:
    return std::nullopt;
  }
  if (const auto assembly = assemblyOf(instruction))
    return assembly->starts_with("bfind.shiftamt.u32") ? std::optional(SliceOperation::LeadingShift)
                                                       : std::nullopt;
  const auto *call = dyn_cast<IntrinsicInst>(&instruction);
  switch (call ? call->getIntrinsicID() : Intrinsic::not_intrinsic) {
  case Intrinsic::umin:
    return SliceOperation::MinimumUnsigned;
  case Intrinsic::umax:
    return SliceOperation::MaximumUnsigned;
  case Intrinsic::smin:
    return SliceOperation::MinimumSigned;
  case Intrinsic::smax:
    return SliceOperation::MaximumSigned;
  case Intrinsic::fshl:
    return SliceOperation::FunnelShiftLeft;
  case Intrinsic::fshr:
    return SliceOperation::FunnelShiftRight;
  case Intrinsic::ctpop:
    return SliceOperation::CountOnes;
  case Intrinsic::ctlz:
    return SliceOperation::CountLeadingZeros;
  case Intrinsic::cttz:
    return SliceOperation::CountTrailingZeros;
  case Intrinsic::bitreverse:
    return SliceOperation::ReverseBits;
  case Intrinsic::bswap:
    return SliceOperation::ReverseBytes;
  case Intrinsic::nvvm_mulhi_i:
  case Intrinsic::nvvm_mulhi_ll:
  case Intrinsic::nvvm_mulhi_s:
    return SliceOperation::MultiplyHighSigned;
  case Intrinsic::nvvm_mulhi_ui:
  case Intrinsic::nvvm_mulhi_ull:
  case Intrinsic::nvvm_mulhi_us:
    return SliceOperation::MultiplyHighUnsigned;
  default:
    return std::nullopt;
  }
}

std::optional<VariablePlace> variablePlaceOf(const Constant &constant, const DataLayout &layout) {
  if (!constant.getType()->isPointerTy())
    return std::nullopt;
  APInt offset(layout.getIndexTypeSizeInBits(constant.getType()), 0);
  const Value *base = &constant;
  for (const Value *inner = nullptr; inner != base;) {
    inner = base;
    base = base->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true);
    if (const auto *cast = dyn_cast<AddrSpaceCastOperator>(base))
      base = cast->getOperand(0);
  }
  const auto *variable = dyn_cast<GlobalVariable>(base);
  if (!variable || variable->isThreadLocal())
    return std::nullopt;
  if (!isShared(*variable) && variable->getAddressSpace() != NVPTXAS::ADDRESS_SPACE_GLOBAL)
    return std::nullopt;
  return VariablePlace{variable, offset.getSExtValue()};
}

} // namespace cupr::pass
