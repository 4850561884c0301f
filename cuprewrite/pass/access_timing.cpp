#include "access_timing.h"

#include "devicelib/abi/memory_space.h"
#include "own_registers.h"
#include "pointer_space.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::LatencyScheme;
using abi::OperationClass;

struct SchemeParser : cl::parser<LatencyScheme> {
  using cl::parser<LatencyScheme>::parser;
  bool parse(cl::Option &option, StringRef, StringRef text, LatencyScheme &value) {
    if (abi::parseScheme(text.str().c_str(), value))
      return false;
    return option.error("'" + text + "': expected one of " + abi::kSchemeNames);
  }
};

cl::opt<LatencyScheme, false, SchemeParser>
    schemeOption("cupr-latency", cl::value_desc("scheme"), cl::init(LatencyScheme::None),
                 cl::desc("Make timed variants of kernels, which say how long each access took"));

cl::opt<std::string> listFile("cupr-latency-list", cl::value_desc("file"),
                              cl::desc("List what each interval of a timed access waits for"));

cl::list<std::uint32_t> without("cupr-latency-without", cl::CommaSeparated, cl::value_desc("numbers"),
                                cl::desc("Intervals that are not to be timed"));

/// What the second clock of an instruction waits for.
struct Wait {
  bool isFence = false;  ///< everything that its thread has asked of memory
  bool isValue = false;  ///< what it brings
  bool isCopies = false; ///< all copies that its thread has begun
};

/// `cp.async`, whose thread can wait for it: in inline PTX or as an intrinsic.
bool copiesAsynchronously(StringRef text) {
  return text.contains("cp.async.ca.") || text.contains("cp.async.cg.");
}
/// The text of inline PTX, or the name of what is called; empty: neither.
StringRef wordsOf(const Instruction &instruction) {
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return "";
  if (const auto *assembly = dyn_cast<InlineAsm>(call->getCalledOperand()))
    return assembly->getAsmString();
  return call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
}

/// Whether the memory is written by nobody while kernels run.
bool isReadOnly(const Access &access, const Instruction &instruction) {
  if (access.space == abi::MemorySpace::Constant || access.space == abi::MemorySpace::Texture)
    return true;
  const auto byType = access.pointer->getType()->isPointerTy()
                          ? spaceOfPointerType(*access.pointer->getType())
                          : std::nullopt;
  return byType == abi::MemorySpace::Constant || instruction.hasMetadata(LLVMContext::MD_invariant_load);
}

Wait waitOf(const Instruction &instruction, ArrayRef<const Access *> accesses) {
  Wait wait;
  if (latencyScheme() == LatencyScheme::Naive)
    return wait;
  if (copiesAsynchronously(wordsOf(instruction))) {
    wait.isCopies = true;
    return wait;
  }
  for (const Access *access : accesses) {
    const bool brings =
        !instruction.getType()->isVoidTy() &&
        abi::operationClass(access->operation) != OperationClass::Store &&
        // An operation whose result nobody asks for is another instruction, `red`.
        (abi::operationClass(access->operation) == OperationClass::Load || !instruction.use_empty());
    const bool fences =
        !brings || (latencyScheme() == LatencyScheme::Fence && !isReadOnly(*access, instruction));
    wait.isFence |= fences;
    wait.isValue |= !fences;
  }
  return wait;
}

unsigned numberOfMembers(const Type &aggregate) {
  return aggregate.isStructTy() ? aggregate.getStructNumElements()
                                : static_cast<unsigned>(aggregate.getArrayNumElements());
}

/// The registers of a value.
class Fold {
public:
  explicit Fold(IRBuilder<> &builder) : b_(builder) {}

  void add(Value *value) {
    Type *const type = value->getType();
    const DataLayout &layout = b_.GetInsertBlock()->getModule()->getDataLayout();
    if (type->isAggregateType()) {
      for (unsigned i = 0; i < numberOfMembers(*type); ++i)
        add(b_.CreateExtractValue(value, i));
      return;
    }
    if (auto *vector = dyn_cast<FixedVectorType>(type)) {
      const std::uint64_t bits = layout.getTypeSizeInBits(type).getFixedValue();
      if (!vector->getElementType()->isPointerTy() && bits % 32 == 0 && vector->getScalarSizeInBits() < 32) {
        value =
            b_.CreateBitCast(value, FixedVectorType::get(b_.getInt32Ty(), static_cast<unsigned>(bits / 32)));
        vector = cast<FixedVectorType>(value->getType());
      }
      for (unsigned i = 0; i < vector->getNumElements(); ++i)
        add(b_.CreateExtractElement(value, i));
      return;
    }
    if (type->isPointerTy())
      value = b_.CreatePtrToInt(value, layout.getIntPtrType(type));
    const auto bits = static_cast<unsigned>(layout.getTypeSizeInBits(value->getType()).getFixedValue());
    value = b_.CreateBitCast(value, b_.getIntNTy(bits));
    for (unsigned done = 0; done < bits; done += 32)
      addWord(b_.CreateZExtOrTrunc(done ? b_.CreateLShr(value, done) : value, b_.getInt32Ty()),
              std::min(bits - done, 32u));
  }

  /// All of them, one xor the other.
  Value *word() const { return wordOf(words_); }
  /// The same in two parts, which one instruction can put together.
  std::pair<Value *, Value *> parts() const {
    const ArrayRef<Value *> words(words_);
    return words.size() < 2 ? std::pair(word(), static_cast<Value *>(nullptr))
                            : std::pair(wordOf(words.drop_back()), words.back());
  }
  /// No register has more than so many bits.
  unsigned bits() const { return bits_; }
  std::size_t count() const { return words_.size(); }

private:
  void addWord(Value *word, unsigned bits) {
    words_.push_back(word);
    bits_ = std::max(bits_, bits);
  }
  Value *wordOf(ArrayRef<Value *> words) const {
    Value *all = words.empty() ? b_.getInt32(0) : words.front();
    for (Value *word : words.drop_front(words.empty() ? 0 : 1))
      all = b_.CreateXor(all, word);
    return all;
  }

  IRBuilder<> &b_;
  SmallVector<Value *, 4> words_;
  unsigned bits_ = 0;
};

/// Reads the clock as the text of PTX says. LLVM does so behind what computes the operands, even if the text names one of them only:
/// it moves loads from memory that nobody writes.
Value *readClock(IRBuilder<> &b, const Twine &text, ArrayRef<Value *> operands, const char *name) {
  SmallVector<Type *, 2> types;
  std::string constraints = "=&r";
  for (const Value *operand : operands) {
    types.push_back(operand->getType());
    constraints += ",r";
  }
  auto *const assembly = InlineAsm::get(FunctionType::get(b.getInt32Ty(), types, false), text.str(),
                                        constraints + ",~{memory}", /*hasSideEffects=*/true);
  return b.CreateCall(assembly, operands, name);
}

/// In front of a clock, what waits for more than registers.
constexpr const char *kFence = "fence.acq_rel.cta;\n\t", *kCopies = "cp.async.wait_all;\n\t";

class Interval {
public:
  Interval(Instruction &instruction, const TimedInstruction &timed, function_ref<Value *(Value *)> mapped)
      : instruction_(&instruction), number_(timed.number), wait_(waitOf(instruction, timed.accesses)),
        address_(mapped(timed.accesses.front()->pointer)),
        isOfImage_(abi::isOfImage(timed.accesses.front()->operation)), end_(findEnd()) {
    for (const Access *access : timed.accesses)
      for (const ValueRegisters &part : access->values)
        for (const ValueRegister &one : part)
          if (one.value && !isa<Constant>(one.value))
            operands_.push_back(mapped(one.value));
    if (wait_.isCopies) // and where it copies to
      for (Value *argument : cast<CallBase>(instruction).args())
        if (argument != address_ && !isa<Constant>(argument))
          operands_.push_back(argument);
  }

  Instruction &instruction() const { return *instruction_; }
  bool endsAt(const Instruction &at) const { return &at == end_; }

  void begin() {
    IRBuilder<> b(instruction_);
    if (Use *const address = isOfImage_ ? nullptr : movableAddress(*instruction_, address_)) {
      Fold word(b);
      word.add(*address);
      address_ = moveAddress(b, *address, word.word());
    }
    Fold address(b);
    address.add(address_);
    for (Value *operand : operands_) // or what was spilled comes back behind the clock
      address.add(operand);
    // Else the predicate of an address that all threads share would be a uniform one, and the clock a uniform register's (S2UR), which
    // takes longer.
    address.add(b.CreateIntrinsic(b.getInt32Ty(), Intrinsic::nvvm_read_ptx_sreg_tid_x, {}));
    began_ = readClock(b,
                       // What the thread has stored before is not to be waited for behind.
                       Twine("{\n\t.reg .pred cuprHere;\n\t") + (wait_.isFence ? kFence : "") +
                           "mov.u32 $0, %clock;\n\tsetp.ne.b32 cuprHere, $1, " +
                           Twine(abi::beginMark(number_)) + ";\n\t@cuprHere mov.u32 $0, %clock;\n}",
                       {address.word()}, "cupr.began");
  }

  /// Reads the second clock.
  void end() {
    IRBuilder<> b(end_);
    for (Use &use : instruction_->uses())
      uses_.push_back(&use);
    Fold value(b);
    addResult(value);
    auto [needed, more] = wait_.isValue ? value.parts() : std::pair(began_, static_cast<Value *>(nullptr));
    if (wait_.isValue && value.bits() < 32) { // or ptxas knows that it is no mark
      needed = value.word();
      more = began_;
    }
    SmallVector<Value *, 3> operands{needed};
    // One instruction waits, of two registers, too: each one more takes 4 cycles.
    std::string compare = ("setp.ne.b32 cuprHere, $1, " + Twine(abi::endMark(number_)) + ";\n\t").str();
    if (more) {
      operands.push_back(more);
      compare = (".reg .pred cuprAlways;\n\tmov.pred cuprAlways, 1;\n\tlop3.and.b32 _|cuprHere, $1, $2, " +
                 Twine(abi::endMark(number_)) + ", 0x96, cuprAlways;\n\t")
                    .str();
    }
    if (!wait_.isValue && !instruction_->getType()->isVoidTy())
      operands.push_back(value.word());
    ended_ = readClock(b,
                       Twine("{\n\t.reg .pred cuprHere;\n\t") +
                           (wait_.isCopies  ? kCopies
                            : wait_.isFence ? kFence
                                            : "") +
                           "mov.u32 $0, 0;\n\t" + compare +
                           "@cuprHere mov.u32 $0, %clock;\n\t@!cuprHere mov.u32 $0, %clock;\n}",
                       operands, "cupr.ended");
    ownCycles_ = ownCycles(value);
  }

  /// Makes of the clocks what is recorded; gives the last of the instructions.
  Instruction *finish(AccessClocks &clocks) {
    IRBuilder<> b(end_);
    Type *const i64 = b.getInt64Ty();
    Value *const now = b.CreateIntrinsic(i64, Intrinsic::nvvm_read_ptx_sreg_clock64, {});
    Value *const since = b.CreateSub(b.CreateTrunc(now, b.getInt32Ty()), began_);
    clocks.began = b.CreateSub(now, b.CreateZExt(since, i64), "cupr.clock");
    clocks.duration =
        b.CreateZExt(b.CreateSub(b.CreateSub(ended_, began_), b.getInt32(ownCycles_)), i64, "cupr.duration");
    moveResult(b, *instruction_, ended_, uses_);
    return &*std::prev(b.GetInsertPoint());
  }

private:
  /// All that the access brings; of what has several members, those that somebody takes: an instruction for textures has a register less for each that nobody does.
  void addResult(Fold &value) {
    if (instruction_->getType()->isVoidTy())
      return;
    SmallVector<const ExtractValueInst *, 4> taken;
    for (const User *user : instruction_->users())
      taken.push_back(dyn_cast<ExtractValueInst>(user));
    if (taken.empty() || is_contained(taken, nullptr))
      return value.add(instruction_);
    for (unsigned member = 0; member < numberOfMembers(*instruction_->getType()); ++member)
      if (any_of(taken, [&](const ExtractValueInst *one) { return one->getIndices().front() == member; }))
        value.add(IRBuilder<>(end_).CreateExtractValue(instruction_, member));
  }

  /// What the interval has beside the access, in machine code: one cycle from the first clock to the access, and two from what waits to the second; and of
  /// more than two registers the instructions, of three each, that put them together in front of that.
  unsigned ownCycles(const Fold &value) const {
    constexpr unsigned kClocks = 3, kInstruction = 4;
    if (wait_.isValue)
      return kClocks +
             kInstruction * static_cast<unsigned>((std::max<std::size_t>(value.count(), 1) - 1) / 2);
    return wait_.isCopies ? kClocks : 0;
  }

  static bool waitsForCopies(const Instruction &instruction) {
    return wordsOf(instruction).contains("cp.async.wait");
  }

  /// Whether what is called may record accesses itself.
  static bool isOfProgram(const Instruction &instruction) {
    const auto *call = dyn_cast<CallBase>(&instruction);
    return call && !call->isInlineAsm() && !isa<IntrinsicInst>(call);
  }

  Instruction *findEnd() const {
    Instruction *at = instruction_->getNextNode();
    if (latencyScheme() != LatencyScheme::Use || wait_.isFence)
      return at;
    while (!at->isTerminator() && !isOfProgram(*at) && !is_contained(at->operand_values(), instruction_) &&
           !(wait_.isCopies && waitsForCopies(*at)))
      at = at->getNextNode();
    return at;
  }

  Instruction *instruction_;
  std::uint32_t number_;
  Wait wait_;
  Value *address_;
  bool isOfImage_;                   ///< the address stands for its object
  SmallVector<Value *, 2> operands_; ///< registers that the access takes
  Instruction *end_;                 ///< the second clock stands in front of it
  SmallVector<Use *, 4> uses_;       ///< of what it brings, by the program
  Value *began_ = nullptr, *ended_ = nullptr;
  unsigned ownCycles_ = 0;
};

} // namespace

LatencyScheme latencyScheme() { return schemeOption; }

bool isKept(std::uint32_t number) { return number <= abi::kMostIntervals && !is_contained(without, number); }

void writeIntervals(StringRef list) {
  if (listFile.empty())
    return;
  std::error_code problem;
  raw_fd_ostream file(listFile, problem);
  if (!problem)
    file << list;
  if (problem || file.has_error())
    reportFatalUsageError("cuprewrite: " + Twine(listFile) + " can't be written");
}

abi::IntervalWait intervalWaitOf(const Instruction &instruction, const TimedInstruction &timed) {
  const Wait wait = waitOf(instruction, timed.accesses);
  return wait.isCopies                  ? abi::IntervalWait::Copies
         : wait.isFence && wait.isValue ? abi::IntervalWait::Both
         : wait.isFence                 ? abi::IntervalWait::Fence
         : wait.isValue                 ? abi::IntervalWait::Value
                                        : abi::IntervalWait::Nothing;
}

bool isTimed(const Access &access) {
  const Instruction &instruction = *access.instruction;
  if (!abi::isAccess(access.operation) || access.length || access.tensor || isa<MemIntrinsic>(instruction))
    return false;
  const auto *call = dyn_cast<CallBase>(&instruction);
  if (!call)
    return true;
  const StringRef words = wordsOf(instruction);
  if (words.empty())
    return false;
  const bool isForOthers = words.contains("bulk") || words.contains("mbarrier") ||
                           words.contains("st.async") || words.contains("red.async");
  return !words.contains("async") || (copiesAsynchronously(words) && !isForOthers);
}

DenseMap<Instruction *, AccessClocks> timeInstructions(const TimedInstructions &accesses,
                                                       function_ref<Value *(Value *)> mapped) {
  DenseMap<BasicBlock *, SmallVector<Instruction *, 8>> byBlock;
  for (const auto &[instruction, timed] : accesses)
    byBlock[instruction->getParent()].push_back(instruction);
  DenseMap<Instruction *, AccessClocks> result;
  DenseMap<Instruction *, Instruction *>
      lastOfGroup; // of the clocks of accesses that are under way at the same time
  for (auto &[block, instructions] : byBlock) {
    std::vector<Interval> open;
    SmallVector<Instruction *, 4> group;
    for (Instruction *instruction = &block->front(); instruction; instruction = instruction->getNextNode()) {
      Instruction *last = nullptr;
      const auto endsHere = [&](const Interval &interval) { return interval.endsAt(*instruction); };
      // All clocks in front of what is made of any.
      for (Interval &interval : make_filter_range(open, endsHere))
        interval.end();
      for (Interval &interval : make_filter_range(open, endsHere))
        last = interval.finish(result[&interval.instruction()]);
      llvm::erase_if(open, endsHere);
      if (last && open.empty())
        for (Instruction *timed : std::exchange(group, {}))
          lastOfGroup[timed] = last;
      if (const auto found = accesses.find(instruction); found != accesses.end()) {
        open.emplace_back(*instruction, found->second, mapped).begin();
        group.push_back(instruction);
      }
    }
  }
  for (auto &[instruction, clocks] : result)
    clocks.hooksBefore = lastOfGroup.lookup(instruction)->getNextNode();
  return result;
}

} // namespace cupr::pass
