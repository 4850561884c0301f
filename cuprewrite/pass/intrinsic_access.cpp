#include "intrinsic_access.h"

#include "lane_operations.h"
#include "matrix_tile.h"
#include "pointer_space.h"
#include "ptx_access.h"

#include "devicelib/abi/tensor_map.h"
#include "devicelib/ptx/image_intrinsic.h"
#include "devicelib/ptx/instructions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/NVPTXAddrSpace.h"

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::MemorySpace;

/// Pointers to what no load of the program can reach: tensor memory.
bool isTensorMemory(const Type &type) {
  return type.isPointerTy() && type.getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_TENSOR;
}

class Reader {
public:
  Reader(IntrinsicInst &call, SmallVectorImpl<Access> &accesses, SmallVectorImpl<Untraced> &untraced)
      : call_(call), layout_(call.getModule()->getDataLayout()), accesses_(accesses), untraced_(untraced) {}

  void read() {
    StringRef name = call_.getCalledFunction()->getName();
    const bool isOfPtx = name.consume_front("llvm.nvvm.");
    if (isOfPtx)
      name.split(words_, '.');
    if (isOfPtx && recordsSynchronisation())
      synchronise();
    if (call_.isAssumeLikeIntrinsic() || call_.doesNotAccessMemory() ||
        call_.onlyAccessesInaccessibleMemory())
      return;
    switch (call_.getIntrinsicID()) {
    case Intrinsic::masked_load:
    case Intrinsic::masked_store:
      return masked();
    case Intrinsic::prefetch:
    case Intrinsic::stacksave:
    case Intrinsic::stackrestore:
      return;
    default:
      break;
    }
    if (!isOfPtx)
      return unknown();
    static const StringRef hints[] = {"prefetch", "prefetchu", "applypriority", "discard",
                                      "mbarrier", "fence",     "membar",        "isspacep"};
    const StringRef word = words_.front();
    if (is_contained(hints, word))
      return;
    if (word == "atomic")
      atomic();
    else if (word == "ldu")
      add(0, abi::Operation::Load, storeSize(*call_.getType()), call_.getType()).values = {result_};
    else if (word == "ldmatrix" || word == "stmatrix")
      matrix(matrixRows(words_), word == "ldmatrix");
    else if (word == "wmma")
      matrix(wmmaTile(words_), has("load"));
    else if (word == "cp" && has("async"))
      copy();
    else if (word == "st" && has("bulk"))
      addSized(0, abi::Operation::Store, 1);
    else if (const auto *known = ptx::findInstruction(word); known && known->memory == ptx::Memory::Image)
      image();
    else if (word == "tcgen05" && (has("cp") || has("mma") || has("alloc")))
      report("", MemorySpace::Shared);
    else
      unknown();
  }

private:
  bool has(StringRef word) const { return is_contained(words_, word); }
  std::uint64_t storeSize(Type &type) const { return layout_.getTypeStoreSize(&type); }

  void report(StringRef why, std::optional<MemorySpace> space) {
    std::string reason = "the intrinsic " + call_.getCalledFunction()->getName().str();
    reason += why.empty() ? " may access memory and is not known" : ": " + why.str();
    untraced_.push_back({std::move(reason), space});
  }

  /// Reported when some pointer leads to memory, with the space if all pointers agree.
  void unknown() {
    std::optional<MemorySpace> space;
    bool any = false, differ = false;
    for (const Use &argument : call_.args()) {
      const Type &type = *argument->getType();
      if (!type.isPtrOrPtrVectorTy() || isTensorMemory(type))
        continue;
      const auto one = spaceOfPointerType(type);
      differ |= any && one != space;
      space = one;
      any = true;
    }
    if (any)
      report("", differ ? std::nullopt : space);
  }

  /// Barriers, fences, and what waits for asynchronous copies.
  void synchronise() {
    if (words_.front() == "cp" && has("bulk") && call_.arg_size() > 2 && isOfBlock(*call_.getArgOperand(0)) &&
        isOfBlock(*call_.getArgOperand(1)))
      addSynchronisation({abi::Operation::MbarrierCopy, {}}, call_.getArgOperand(1)); // destination, barrier
    const auto found = synchronisationNamed(words_);
    if (!found)
      return;
    switch (found->operation) {
    case abi::Operation::Barrier:
    case abi::Operation::BarrierArrive: {
      const bool isCounted = has("count");
      const auto *threads = isCounted ? dyn_cast<ConstantInt>(call_.getArgOperand(1)) : nullptr;
      Access &access = addSynchronisation(*found, call_.getArgOperand(0));
      access.offset = static_cast<std::int64_t>((!isCounted ? 0
                                                 : threads  ? threads->getZExtValue()
                                                            : abi::kBarrierThreadsUnknown)
                                                << abi::kBarrierThreadsShift);
      return;
    }
    case abi::Operation::MbarrierWait: { // the result: whether the phase is over
      Access &access = addSynchronisation(*found, call_.getArgOperand(0));
      access.isBehind = true;
      access.conditions.push_back({CmpInst::ICMP_NE, {&call_}, {}, 1});
      return;
    }
    case abi::Operation::WarpShuffle:
    case abi::Operation::WarpVote:
    case abi::Operation::WarpMatch:
    case abi::Operation::WarpReduce:
    case abi::Operation::WarpElect: {
      const auto what = laneOperationOf(call_);
      if (const std::uint64_t count = laneOperationsFrom(call_, *what))
        addSynchronisation(*found, what->mask).offset =
            static_cast<std::int64_t>(count << abi::kLaneOperationsShift);
      return;
    }
    default: {
      Access &access =
          addSynchronisation(*found, takesPlace(found->operation) ? call_.getArgOperand(0) : nullptr);
      if (abi::hasFigures(found->operation))
        access.values = {figures(found->operation)};
    }
    }
  }

  /// Of an mbarrier: what stands behind the object.
  ValueRegisters figures(abi::Operation operation) const {
    const auto number = [&](std::uint64_t value) -> Value * {
      return ConstantInt::get(Type::getInt32Ty(call_.getContext()), value);
    };
    Value *const given = call_.arg_size() > 1 ? call_.getArgOperand(1) : nullptr;
    Value *count = number(operation == abi::Operation::MbarrierArrive), *bytes = number(0);
    if (given)
      (has("expect") ? bytes : count) = given;
    return {{count, 0, 4}, {bytes, 0, 4}};
  }

  /// Whether what stands for the address is the first argument.
  bool takesPlace(abi::Operation operation) const {
    return call_.arg_size() != 0 &&
           (isOfMbarrier(operation) || operation == abi::Operation::WarpBarrier ||
            operation == abi::Operation::CopyWait || operation == abi::Operation::BulkWait);
  }

  /// Whether it is a pointer to memory of a block, or of one in its cluster.
  static bool isOfBlock(const Value &value) {
    return value.getType()->isPointerTy() &&
           (value.getType()->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED ||
            value.getType()->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_SHARED_CLUSTER);
  }

  /// `place`: what stands for its address; null: 0.
  Access &addSynchronisation(const Synchronisation &found, Value *place) {
    Access access;
    access.instruction = &call_;
    access.pointer = place ? place : ConstantInt::get(Type::getInt64Ty(call_.getContext()), 0);
    access.operation = found.operation;
    access.ordering = found.ordering;
    access.space = isOfMbarrier(found.operation) ? abi::MemorySpace::Shared : abi::MemorySpace::Global;
    accesses_.push_back(std::move(access));
    return accesses_.back();
  }

  Access &add(unsigned argument, abi::Operation operation, std::uint64_t bytes, Type *type = nullptr) {
    Access access;
    access.instruction = &call_;
    access.pointer = call_.getArgOperand(argument);
    access.operation = operation;
    access.bytes = bytes;
    access.type = type;
    access.space = spaceOfPointerType(*access.pointer->getType());
    access.ordering = orderingNamed(words_);
    accesses_.push_back(std::move(access));
    return accesses_.back();
  }

  /// The size is an argument.
  void addSized(unsigned argument, abi::Operation operation, unsigned size) {
    Value *const bytes = call_.getArgOperand(size);
    const auto *constant = dyn_cast<ConstantInt>(bytes);
    if (constant && constant->isZero())
      return;
    Access &access = add(argument, operation, constant ? constant->getZExtValue() : 0);
    if (!constant)
      access.length = Term{bytes};
  }

  void atomic() {
    auto operation = words_.size() > 1 && words_[1] == "load" ? std::optional(abi::Operation::Load)
                     : words_.size() > 1                      ? ptx::atomicNamed(words_[1])
                                                              : std::nullopt;
    if (!operation)
      return unknown();
    if (*operation == abi::Operation::AtomicAdd && comesFromCudaAtomic(call_, "atomicSub"))
      operation = abi::Operation::AtomicSub;
    Access &access = add(0, *operation, storeSize(*call_.getType()), call_.getType());
    access.values.push_back(result_);
    for (unsigned i = 1; i < abi::valuesOf(*operation);
         ++i) // the operand; what to compare with, and the new value
      access.values.push_back({{call_.getArgOperand(i)}});
  }

  void copy() {
    if (has("commit") || has("wait") || has("mbarrier") || has("prefetch"))
      return;
    if (has("tensor"))
      return tensorCopy();
    if (has("ca") || has("cg")) { // cp.async.ca.shared.global.<bytes>[.s]: destination, source[, bytes read]
      std::uint64_t bytes = 0;
      for (const StringRef word : words_)
        if (word.getAsInteger(10, bytes))
          continue;
      if (!bytes)
        return unknown();
      if (call_.arg_size() > 2)
        addSized(1, abi::Operation::Load, 2);
      else
        add(1, abi::Operation::Load, bytes);
      add(0, abi::Operation::Store, bytes).isCopied = true;
      return;
    }
    // cp.async.bulk.<from>.to.<to>: to global memory: destination, source, size ...; to shared memory:
    // destination, barrier, source, size ...
    if (!has("bulk") || !has("to"))
      return unknown();
    const bool toGlobal =
        call_.getArgOperand(0)->getType()->getPointerAddressSpace() == NVPTXAS::ADDRESS_SPACE_GLOBAL;
    const unsigned source = toGlobal ? 1 : 2;
    if (call_.arg_size() <= source + 1 || !call_.getArgOperand(source)->getType()->isPointerTy() ||
        !call_.getArgOperand(source + 1)->getType()->isIntegerTy(32))
      return unknown();
    addSized(source, abi::Operation::Load, source + 1);
    if (has("bytemask"))
      return report("a mask chooses the bytes that are written", MemorySpace::Global);
    // global.to.shared.cluster: ..., multicast mask, cache hint, whether each is used.
    if (call_.arg_size() == 8 && !match(6, false))
      return report("it may write to several blocks", MemorySpace::Shared);
    addSized(0, abi::Operation::Store, source + 1);
  }

  /// cp.async.bulk.tensor.g2s{.cta}.<mode>.<n>d: box, mbarrier, map, coordinates, of im2col offsets, {blocks,} policy, whether {blocks and} policy
  /// are used; s2g.<mode>.<n>d and reduce.<operation>.<mode>.<n>d: box, map, coordinates.
  void tensorCopy() {
    const bool isLoad = has("g2s");
    const bool isKnown = has("tile") || (has("im2col") && words_.back() != "w" && !has("w") && !has("w128"));
    const auto operation = has("reduce") ? ptx::atomicNamed(words_[5]) : std::optional(abi::Operation::Store);
    unsigned rank = 0;
    if (!isKnown || !operation || words_.back().drop_back().getAsInteger(10, rank) || rank == 0 ||
        rank > abi::kTensorRank)
      return report("copies by a tensor map are known of tiles and of im2col", std::nullopt);
    TensorCopy copy;
    unsigned next = isLoad ? 2 : 1;
    Value *const map = call_.getArgOperand(next++);
    copy.map = {map};
    for (unsigned i = 0; i < rank; ++i)
      copy.coordinates.push_back({call_.getArgOperand(next++)});
    if (isLoad && has("im2col"))
      for (unsigned i = 2; i < rank; ++i)
        copy.offsets.push_back({call_.getArgOperand(next++)});
    if (isLoad && !has("cta")) { // blocks, policy, whether each is used
      const auto *isUsed = dyn_cast<ConstantInt>(call_.getArgOperand(next + 2));
      if (!isUsed || isUsed->isOne())
        copy.blocks = Term{call_.getArgOperand(next)};
    }
    const auto addBox = [&](abi::Operation of) { add(0, of, 0).tensor = copy; };
    if (!isLoad)
      addBox(abi::Operation::Load);
    Access &global = add(isLoad ? 2 : 1, isLoad ? abi::Operation::Load : *operation, 0);
    global.space = MemorySpace::Global;
    global.tensor = copy;
    if (isLoad)
      addBox(abi::Operation::Store);
  }

  bool match(unsigned argument, bool value) const {
    const auto *constant = dyn_cast<ConstantInt>(call_.getArgOperand(argument));
    return constant && constant->isOne() == value;
  }

  /// Textures and surfaces: the object stands for the address, and the coordinates are recorded as a value is.
  void image() {
    const SmallVector<std::string_view, 12> parts(words_.begin(), words_.end());
    const auto intrinsic = ptx::imageIntrinsic(parts);
    if (!intrinsic || call_.arg_size() < intrinsic->handles + intrinsic->coordinates)
      return report("textures and surfaces have coordinates, not addresses, and where these are is not known",
                    MemorySpace::Global);
    const SmallVector<StringRef, 8> words(intrinsic->words.begin(), intrinsic->words.end());
    Access &access = add(0, *ptx::imageOperation(words), ptxBytesOfImage(words));
    access.space = MemorySpace::Texture;
    access.ordering = {};
    access.imageInstruction = join(words, ".");
    ValueRegisters where;
    for (unsigned i = 0; i < intrinsic->coordinates; ++i)
      where.push_back({call_.getArgOperand(intrinsic->handles + i), 0, 4});
    access.type = typeOf(where);
    access.values = {std::move(where)};
  }

  void matrix(std::optional<MatrixTile> tile, bool load) {
    if (!tile)
      return unknown();
    Access &access = add(0, load ? abi::Operation::Load : abi::Operation::Store, tile->lineBytes);
    access.lanes = tile->lines;
    if (!tile->elementBits) { // ldmatrix, stmatrix: shared memory by definition
      access.space = MemorySpace::Shared;
      return;
    }
    access.rowBits = tile->elementBits;
    if (has("stride"))
      access.rowStride.value = call_.getArgOperand(call_.arg_size() - 1);
    else
      access.rowStride.offset = tile->denseStride;
  }

  /// What the vectoriser makes of neighbours with gaps. A masked load is executed as a load of the whole
  /// vector; a masked store leaves the gaps alone, so it is one access per run of elements.
  void masked() {
    const bool load = call_.getIntrinsicID() == Intrinsic::masked_load;
    const unsigned place = load ? 0 : 1;
    auto *type = cast<VectorType>(load ? call_.getType() : call_.getArgOperand(0)->getType());
    const Constant *mask = nullptr;
    for (const Use &argument : call_.args())
      if (argument->getType()->isVectorTy() && argument->getType()->getScalarType()->isIntegerTy(1) &&
          argument.getOperandNo() > place)
        mask = dyn_cast<Constant>(argument.get());
    auto *fixed = dyn_cast<FixedVectorType>(type);
    if (!mask || !fixed)
      return report("its mask is not a constant", spaceOfPointerType(*call_.getArgOperand(place)->getType()));
    if (load) {
      add(place, abi::Operation::Load, storeSize(*type), type);
      return;
    }
    const std::uint64_t each = storeSize(*fixed->getElementType());
    for (unsigned i = 0, end = 0; i < fixed->getNumElements(); i = end + 1) {
      const auto enabled = [&](unsigned element) {
        const Constant *bit = mask->getAggregateElement(element);
        return bit && !bit->isNullValue();
      };
      for (end = i; end < fixed->getNumElements() && enabled(end);)
        ++end;
      if (end == i)
        continue;
      Access &access = add(place, abi::Operation::Store, each * (end - i),
                           FixedVectorType::get(fixed->getElementType(), end - i));
      access.offset = static_cast<std::int64_t>(each * i);
    }
  }

  const ValueRegisters result_{{}};
  IntrinsicInst &call_;
  const DataLayout &layout_;
  SmallVectorImpl<Access> &accesses_;
  SmallVectorImpl<Untraced> &untraced_;
  SmallVector<StringRef, 12> words_;
};

} // namespace

void addIntrinsicAccesses(IntrinsicInst &call, SmallVectorImpl<Access> &accesses,
                          SmallVectorImpl<Untraced> &untraced) {
  Reader(call, accesses, untraced).read();
}

} // namespace cupr::pass
