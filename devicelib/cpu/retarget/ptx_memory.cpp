/// PTX instructions that reach beyond the lane: memory, atomics, fences, warp
/// operations, barriers and control flow (PTX ISA manual, chapter 9.7).
#include "ptx_lowering.h"

#include "devicelib/abi/tensor_map.h"
#include "devicelib/cpu/runtime/runtime_calls.h"
#include "devicelib/ptx/tensor_copy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

using NameParts = std::vector<std::string>;

/// The operation of an atomic that is no compare-and-swap.
AtomicRMWInst::BinOp rmwOperation(abi::Operation operation, PtxType type) {
  switch (operation) {
  case abi::Operation::AtomicAdd:
    return type.isFloat() ? AtomicRMWInst::FAdd : AtomicRMWInst::Add;
  case abi::Operation::AtomicExch:
    return AtomicRMWInst::Xchg;
  case abi::Operation::AtomicMin:
    return type.isFloat() ? AtomicRMWInst::FMin : type.isSigned() ? AtomicRMWInst::Min : AtomicRMWInst::UMin;
  case abi::Operation::AtomicMax:
    return type.isFloat() ? AtomicRMWInst::FMax : type.isSigned() ? AtomicRMWInst::Max : AtomicRMWInst::UMax;
  case abi::Operation::AtomicInc:
    return AtomicRMWInst::UIncWrap;
  case abi::Operation::AtomicDec:
    return AtomicRMWInst::UDecWrap;
  case abi::Operation::AtomicAnd:
    return AtomicRMWInst::And;
  case abi::Operation::AtomicOr:
    return AtomicRMWInst::Or;
  case abi::Operation::AtomicXor:
    return AtomicRMWInst::Xor;
  default:
    return AtomicRMWInst::BAD_BINOP;
  }
}

bool isStrong(const NameParts &parts) {
  return has(parts, "relaxed") || has(parts, "acquire") || has(parts, "release") || has(parts, "volatile") ||
         has(parts, "mmio");
}

} // namespace

bool PtxLowering::emitMemory(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  if (op == "prefetch" || op == "prefetchu" || op == "discard" || op == "applypriority" ||
      op == "createpolicy") {
    if (op == "createpolicy" && !s.operands.empty())
      write(s.operands[0], b.getInt64(0), unsignedType(64));
    return true;
  }
  if (op == "isspacep") {
    Value *pointer = b.CreateIntToPtr(read(s.operands[1], unsignedType(64)), b.getPtrTy());
    write(s.operands[0], b.isTrue(b.call(Call::IsSpace, {b.i32(askedSpace(s.operation[1])), pointer})),
          PtxType{PtxType::Kind::Predicate, 1, 1});
    return true;
  }
  if (op == "mapa" || op == "getctarank") {
    const auto type = ptx::typeNamed(s.operation.back());
    if (!type || s.operands.size() < 2)
      return false;
    // An address in a window of 32 bits is the low half of the generic one.
    Value *pointer =
        b.CreateIntToPtr(read(s.operands[1], op == "mapa" ? *type : unsignedType(64)), b.getPtrTy());
    if (op == "getctarank") {
      write(s.operands[0], b.call(Call::SharedRank, {pointer}), unsignedType(32));
      return true;
    }
    if (s.operands.size() != 3)
      return false;
    Value *mapped = b.call(Call::MapShared, {pointer, read(s.operands[2], unsignedType(32))});
    write(s.operands[0], b.CreatePtrToInt(mapped, b.getIntNTy(type->bits)), *type);
    return true;
  }
  if (op == "cp" && has(s.operation, "reduce") && has(s.operation, "tensor"))
    return emitTensorCopy(s);
  if (op == "cp" && s.operation.size() > 1 && s.operation[1] == "async") {
    if (has(s.operation, "tensor"))
      return has(s.operation, "prefetch") || emitTensorCopy(s);
    if (has(s.operation, "mbarrier")) { // the copies are done: an arrival, for .noinc a counted one
      if (has(s.operation, "noinc"))
        b.call(Call::MbarrierArrive, {address(s.operands[0]), b.i32(1), b.i32(0), b.i32(0)});
      return true;
    }
    if (has(s.operation, "bulk") && s.operands.size() >= 3) {
      Value *bytes = read(s.operands[2], unsignedType(32));
      if (has(s.operation, "multicast::cluster")) {
        if (s.operands.size() < 5 || s.operands[3].kind != ptx::Operand::Kind::Address)
          return false;
        b.call(Call::Multicast, {address(s.operands[0]), address(s.operands[1]), bytes,
                                 address(s.operands[3]), read(s.operands[4], unsignedType(32))});
        return true;
      }
      b.CreateMemCpy(address(s.operands[0]), MaybeAlign(), address(s.operands[1]), MaybeAlign(),
                     b.CreateZExt(bytes, b.getInt64Ty()));
      if (s.operands.size() > 3 && s.operands[3].kind == ptx::Operand::Kind::Address)
        b.call(Call::MbarrierComplete, {address(s.operands[3]), bytes});
      return true;
    }
    if (has(s.operation, "commit_group") || has(s.operation, "wait_group") || has(s.operation, "wait_all"))
      return true; // the copies are done
    if (s.operands.size() < 3 || s.operands[0].kind != ptx::Operand::Kind::Address)
      return false;
    Value *size = b.CreateZExt(read(s.operands[2], unsignedType(32)), b.getInt64Ty());
    Value *copied = size;
    // The source's size may be smaller: the rest is filled with zeros.
    if (s.operands.size() > 3 && !has(s.operation, "L2::cache_hint")) {
      copied = b.CreateZExt(read(s.operands[3], unsignedType(32)), b.getInt64Ty());
      b.CreateMemSet(address(s.operands[0]), b.getInt8(0), size, MaybeAlign());
    }
    b.CreateMemCpy(address(s.operands[0]), MaybeAlign(), address(s.operands[1]), MaybeAlign(), copied);
    return true;
  }
  const ptx::Instruction &known = *ptx::findInstruction(op);
  const bool load = known.memory == ptx::Memory::Load, store = known.memory == ptx::Memory::Store;
  const auto type = ptx::typeNamed(s.operation.back());
  if ((!load && !store) || !type || s.operands.size() < 2 || has(s.operation, "param"))
    return false;
  const unsigned count = ptx::vectorLength(s.operation);
  const ptx::Operand &place = s.operands[known.address()], &data = s.operands[load ? 0 : 1];
  const bool strong = isStrong(s.operation);
  Type *element = b.getIntNTy(type->totalBits());
  Type *whole = count == 1 ? element : FixedVectorType::get(element, count);
  const unsigned bytes = type->totalBits() / 8 * count;
  Value *pointer = address(place);
  auto part = [&](unsigned i) -> const ptx::Operand & { return count == 1 ? data : data.elements[i]; };
  if (count > 1 && (data.kind != ptx::Operand::Kind::Vector || data.elements.size() != count))
    return false;
  if (load) {
    if (strong)
      b.call(Call::Spin);
    // A strong vector is read in one piece where the processor can: CUB packs a
    // status and a value that way.
    const bool packed = strong && bytes <= 8;
    LoadInst *value = b.CreateAlignedLoad(packed ? b.getIntNTy(bytes * 8) : whole, pointer, Align(bytes));
    if (packed)
      value->setAtomic(has(s.operation, "acquire") ? AtomicOrdering::Acquire : AtomicOrdering::Monotonic);
    else if (strong)
      value->setVolatile(true);
    if (strong && !packed && has(s.operation, "acquire"))
      b.CreateFence(AtomicOrdering::Acquire);
    Value *vector = packed && count > 1 ? b.CreateBitCast(value, whole) : static_cast<Value *>(value);
    for (unsigned i = 0; i < count; ++i)
      write(part(i), count == 1 ? vector : b.CreateExtractElement(vector, b.getInt64(i)), *type);
    return true;
  }
  Value *value = count == 1 ? nullptr : PoisonValue::get(whole);
  for (unsigned i = 0; i < count; ++i) {
    Value *one = b.asInteger(read(part(i), *type));
    value = count == 1 ? one : b.CreateInsertElement(value, one, b.getInt64(i));
  }
  const bool packed = strong && bytes <= 8;
  const bool release = has(s.operation, "release");
  if (packed && count > 1)
    value = b.CreateBitCast(value, b.getIntNTy(bytes * 8));
  if (release && strong && !packed)
    b.CreateFence(AtomicOrdering::Release);
  StoreInst *stored = b.CreateAlignedStore(value, pointer, Align(bytes));
  if (packed)
    stored->setAtomic(release ? AtomicOrdering::Release : AtomicOrdering::Monotonic);
  else if (strong)
    stored->setVolatile(true);
  completeAsync(s, bytes);
  return true;
}

bool PtxLowering::emitTensorCopy(const ptx::Statement &s) {
  const auto copy = ptx::tensorCopy(s);
  if (!copy)
    return false;
  AllocaInst *const place = allocate(ArrayType::get(b.getInt32Ty(), abi::kTensorRank + 1));
  const auto put = [&](unsigned at, Value *value) {
    b.CreateStore(value, b.CreateConstGEP1_32(b.getInt32Ty(), place, at));
  };
  for (unsigned i = 0; i < abi::kTensorRank; ++i)
    put(i, i < copy->coordinates.size() ? read(copy->coordinates[i], unsignedType(32)) : b.i32(0));
  const auto half = [&](const ptx::Operand &operand) {
    return b.CreateZExt(read(operand, unsignedType(16)), b.getInt32Ty());
  };
  Value *offsets = b.i32(0);
  for (unsigned i = 0; i < copy->offsets.size(); ++i) { // TensorPlace::offsets
    Value *one = half(copy->offsets[i]);
    if (copy->offsets.size() > 1)
      one = b.CreateAnd(one, b.i32((1u << abi::kOffsetBits) - 1));
    offsets = b.CreateOr(offsets, b.CreateShl(one, b.i32(i * abi::kOffsetBits)));
  }
  put(abi::kTensorRank, offsets);
  b.call(Call::TensorCopy,
         {address(s.operands[copy->box]), address(s.operands[copy->map]), place,
          copy->barrier ? address(*copy->barrier) : ConstantPointerNull::get(b.getPtrTy()),
          copy->blocks ? half(*copy->blocks) : b.i32(0), b.i32(static_cast<std::uint32_t>(copy->operation))});
  return true;
}

/// `st.async` and `red.async` tell an mbarrier of what they have brought.
void PtxLowering::completeAsync(const ptx::Statement &s, std::uint64_t bytes) {
  if (has(s.operation, "async") && s.operands.back().kind == ptx::Operand::Kind::Address &&
      s.operands.size() > 2)
    b.call(Call::MbarrierComplete, {address(s.operands.back()), b.i32(static_cast<std::uint32_t>(bytes))});
}

bool PtxLowering::emitAtomic(const ptx::Statement &s) {
  const ptx::Instruction &known = *ptx::findInstruction(s.operation[0]);
  const auto type = ptx::typeNamed(s.operation.back());
  if (!type || ptx::vectorLength(s.operation) != 1)
    return false;
  const unsigned first = known.address();
  Value *pointer = address(s.operands[first]);
  const AtomicOrdering ordering = has(s.operation, "acq_rel")   ? AtomicOrdering::AcquireRelease
                                  : has(s.operation, "acquire") ? AtomicOrdering::Acquire
                                  : has(s.operation, "release") ? AtomicOrdering::Release
                                                                : AtomicOrdering::Monotonic;
  std::optional<abi::Operation> operation;
  for (const std::string &word : s.operation)
    if (const auto named = ptx::atomicNamed(word))
      operation = named;
  if (operation == abi::Operation::AtomicCAS) {
    b.call(Call::Spin);
    PtxType bits = unsignedType(type->totalBits());
    Value *pair = b.CreateAtomicCmpXchg(pointer, read(s.operands[first + 1], bits),
                                        read(s.operands[first + 2], bits), Align(bits.bits / 8), ordering,
                                        AtomicCmpXchgInst::getStrongestFailureOrdering(ordering));
    write(s.operands[0], b.CreateExtractValue(pair, 0), bits);
    return true;
  }
  const AtomicRMWInst::BinOp kind = operation ? rmwOperation(*operation, *type) : AtomicRMWInst::BAD_BINOP;
  if (kind == AtomicRMWInst::BAD_BINOP)
    return false;
  if (known.role(0) == 'd') // a loop may be waiting for what it brings
    b.call(Call::Spin);
  Value *value = read(s.operands[first + 1], *type);
  Value *old = b.CreateAtomicRMW(kind, pointer, value, Align(type->totalBits() / 8), ordering);
  if (known.role(0) == 'd')
    write(s.operands[0], old, *type);
  completeAsync(s, type->totalBits() / 8);
  return true;
}

bool PtxLowering::emitMbarrier(const ptx::Statement &s) {
  if (s.operation[0] != "mbarrier" || s.operation.size() < 2)
    return false;
  const std::string &op = s.operation[1];
  const PtxType word = unsignedType(32), wide = unsignedType(64), predicate{PtxType::Kind::Predicate, 1, 1};
  const unsigned count = static_cast<unsigned>(s.operands.size());
  auto isAddress = [&](unsigned i) { return i < count && s.operands[i].kind == ptx::Operand::Kind::Address; };
  if (op == "init" && isAddress(0) && count == 2) {
    b.call(Call::MbarrierInit, {address(s.operands[0]), read(s.operands[1], word)});
    return true;
  }
  if (op == "inval" || op == "complete_tx" || op == "expect_tx") {
    if (op == "inval")
      return true;
    if (!isAddress(0) || count != 2)
      return false;
    Value *bytes = read(s.operands[1], word);
    if (op == "expect_tx") // as an arrival of nobody
      b.call(Call::MbarrierArrive, {address(s.operands[0]), b.i32(0), bytes, b.i32(0)});
    else
      b.call(Call::MbarrierComplete, {address(s.operands[0]), bytes});
    return true;
  }
  if (op == "arrive" || op == "arrive_drop") {
    const unsigned place = isAddress(0) ? 0 : 1; // the state is optional for remote objects
    if (!isAddress(place))
      return false;
    const bool transfers = has(s.operation, "expect_tx");
    Value *last = count > place + 1 ? read(s.operands[place + 1], word) : nullptr;
    Value *state =
        b.call(Call::MbarrierArrive, {address(s.operands[place]), !transfers && last ? last : b.i32(1),
                                      transfers && last ? last : b.i32(0), b.i32(op == "arrive_drop")});
    if (place == 1)
      write(s.operands[0], state, wide);
    return true;
  }
  if ((op == "test_wait" || op == "try_wait") && isAddress(1) && count >= 3) {
    Value *done = has(s.operation, "parity")
                      ? b.call(Call::MbarrierTestParity, {address(s.operands[1]), read(s.operands[2], word)})
                      : b.call(Call::MbarrierTest, {address(s.operands[1]), read(s.operands[2], wide)});
    write(s.operands[0], b.isTrue(done), predicate);
    return true;
  }
  if (op == "pending_count" && count == 2) {
    write(s.operands[0], b.call(Call::MbarrierPending, {read(s.operands[1], wide)}), word);
    return true;
  }
  return false;
}

bool PtxLowering::emitWarp(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  const PtxType word = unsignedType(32), predicate{PtxType::Kind::Predicate, 1, 1};
  const auto type = ptx::typeNamed(s.operation.back());
  if (op == "shfl") {
    // Without .sync (older PTX): all lanes that are there.
    const bool sync = has(s.operation, "sync");
    const unsigned mode = has(s.operation, "up")     ? kShuffleUp
                          : has(s.operation, "down") ? kShuffleDown
                          : has(s.operation, "bfly") ? kShuffleButterfly
                                                     : kShuffleIndex;
    Value *mask = sync && s.operands.size() > 4 ? read(s.operands[4], word) : b.i32(~0u);
    Value *both = b.call(Call::ShuffleSync, {b.i32(mode), mask, read(s.operands[1], word),
                                             read(s.operands[2], word), read(s.operands[3], word)});
    write(s.operands[0], b.CreateTrunc(both, b.getInt32Ty()), word);
    if (!s.operands[0].second.empty())
      writeTo(s.operands[0].second, b.CreateTrunc(b.CreateLShr(both, 32), b.getInt1Ty()), false);
    return true;
  }
  if (op == "vote") {
    const bool sync = has(s.operation, "sync"), ballot = has(s.operation, "ballot");
    const unsigned kind = ballot                    ? kVoteBallot
                          : has(s.operation, "all") ? kVoteAll
                          : has(s.operation, "any") ? kVoteAny
                                                    : kVoteUni;
    Value *mask = sync && s.operands.size() > 2 ? read(s.operands[2], word) : b.i32(~0u);
    Value *result = b.call(Call::VoteSync, {b.i32(kind), mask, b.predicate(readPredicate(s.operands[1]))});
    if (ballot)
      write(s.operands[0], result, word);
    else
      write(s.operands[0], b.isTrue(result), predicate);
    return true;
  }
  if (op == "match" && type) {
    Value *value = b.CreateZExt(read(s.operands[1], unsignedType(type->bits)), b.getInt64Ty());
    Value *mask = read(s.operands[2], word);
    Value *result = b.call(has(s.operation, "any") ? Call::MatchAny : Call::MatchAll, {mask, value});
    write(s.operands[0], result, word);
    if (!s.operands[0].second.empty())
      writeTo(s.operands[0].second, b.isTrue(result), false);
    return true;
  }
  if (op == "redux" && type && !type->isFloat()) {
    const bool isSigned = type->isSigned();
    const unsigned kind = has(s.operation, "add")   ? kReduceAdd
                          : has(s.operation, "min") ? (isSigned ? kReduceMin : kReduceUmin)
                          : has(s.operation, "max") ? (isSigned ? kReduceMax : kReduceUmax)
                          : has(s.operation, "and") ? kReduceAnd
                          : has(s.operation, "or")  ? kReduceOr
                                                    : kReduceXor;
    write(s.operands[0],
          b.call(Call::ReduceSync, {b.i32(kind), read(s.operands[2], word), read(s.operands[1], word)}),
          word);
    return true;
  }
  if (op == "activemask") {
    write(s.operands[0], b.call(Call::ActiveMask), word);
    return true;
  }
  if (op == "elect") {
    Value *leader = b.call(Call::ElectSync, {read(s.operands[1], word)});
    if (s.operands[0].kind != ptx::Operand::Kind::Discard)
      write(s.operands[0], leader, word);
    if (!s.operands[0].second.empty())
      writeTo(s.operands[0].second, b.CreateICmpEQ(leader, b.specialRegister("laneid")), false);
    return true;
  }
  if (op == "bar" || op == "barrier") {
    if (has(s.operation, "warp")) {
      b.call(Call::SyncWarp, {read(s.operands[0], word)});
      return true;
    }
    if (has(s.operation, "cluster")) {
      b.call(has(s.operation, "wait") ? Call::ClusterWait : Call::ClusterArrive);
      return true;
    }
    if (has(s.operation, "red")) {
      const unsigned kind = has(s.operation, "popc")  ? kBarrierPopc
                            : has(s.operation, "and") ? kBarrierAnd
                                                      : kBarrierOr;
      const bool counted = s.operands.size() > 3;
      Value *result = b.call(Call::BarrierReduce, {b.i32(kind), read(s.operands[1], word),
                                                   counted ? read(s.operands[2], word) : b.i32(0),
                                                   b.predicate(readPredicate(s.operands.back()))});
      if (kind == kBarrierPopc)
        write(s.operands[0], result, word);
      else
        write(s.operands[0], b.isTrue(result), predicate);
      return true;
    }
    Value *count = s.operands.size() > 1 ? read(s.operands[1], word) : b.i32(0);
    if (s.operands.empty())
      return false;
    Value *number = read(s.operands[0], word);
    // "bar" is another name of "barrier.aligned".
    const bool aligned = op == "bar" || has(s.operation, "aligned");
    if (has(s.operation, "arrive"))
      b.call(Call::BarrierArrive, {number, count});
    else
      b.call(Call::Barrier, {number, count, b.i32(aligned ? kBarrierAligned : kBarrierUnaligned)});
    return true;
  }
  return false;
}

bool PtxLowering::emitControl(const ptx::Statement &s) {
  const std::string &op = s.operation[0];
  if (op == "membar" || op == "fence") {
    b.fenceFor(has(s.operation, "cta") && !has(s.operation, "gl"));
    return true;
  }
  if (op == "bra" && s.operands.size() == 1) {
    b.CreateBr(label(s.operands[0].name));
    return true;
  }
  if (op == "exit" || op == "ret") {
    b.call(Call::Exit);
    b.CreateUnreachable();
    return op == "exit";
  }
  if (op == "trap") {
    b.call(Call::Trap);
    b.CreateUnreachable();
    return true;
  }
  if (op == "nanosleep") {
    b.call(Call::Spin);
    return true;
  }
  return op == "brkpt" || op == "pmevent" || op == "griddepcontrol" || op == "setmaxnreg" || op == "pragma";
}

} // namespace cupr::cpu
