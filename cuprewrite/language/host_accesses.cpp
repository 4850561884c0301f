#include "host_accesses.h"

#include "devicelib/abi/host_access.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/CaptureTracking.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <algorithm>
#include <string>
#include <vector>

namespace cupr::language {
namespace {

/// An access in front of which a filter is to stand.
struct Access {
  llvm::Instruction *at;
  llvm::Value *pointer;
  llvm::Value *bytes; ///< null: `size`
  std::uint64_t size;
  std::uint32_t flags;
};

class HostAccesses {
public:
  explicit HostAccesses(llvm::Module &module)
      : module_(module), layout_(module.getDataLayout()), context_(module.getContext()),
        number_(llvm::Type::getInt64Ty(context_)),
        watched_(
            module.getOrInsertGlobal(CUPR_WATCHED_MEMORY_SYMBOL, llvm::StructType::get(number_, number_))),
        told_(module.getOrInsertFunction(CUPR_HOST_ACCESS_SYMBOL, llvm::Type::getVoidTy(context_),
                                         llvm::PointerType::get(context_, 0), number_,
                                         llvm::Type::getInt32Ty(context_), number_)) {}

  bool tell() {
    bool isAny = false;
    for (llvm::Function &function : module_)
      isAny |= tell(function);
    if (isAny)
      addConstructor();
    else if (auto *const watched = llvm::cast<llvm::GlobalVariable>(watched_); watched->use_empty())
      watched->eraseFromParent();
    if (auto *const told = llvm::cast<llvm::Function>(told_.getCallee()); told->use_empty())
      told->eraseFromParent();
    return isAny;
  }

private:
  bool tell(llvm::Function &function) {
    if (function.isDeclaration() || function.hasAvailableExternallyLinkage() ||
        function.hasFnAttribute(llvm::Attribute::Naked) || isOfStart(function))
      return false;
    std::vector<Access> accesses;
    for (llvm::BasicBlock &block : function)
      collect(block, accesses);
    captured_.clear();
    for (const Access &access : accesses)
      tell(access);
    if (accesses.empty())
      return false;
    // What was known of it holds no longer: it calls.
    function.setMemoryEffects(llvm::MemoryEffects::unknown());
    function.removeFnAttr(llvm::Attribute::NoSync);
    return true;
  }

  /// Called before the process can call anything.
  bool isOfStart(const llvm::Function &function) const {
    return llvm::any_of(module_.ifuncs(), [&](const llvm::GlobalIFunc &chosen) {
      return chosen.getResolverFunction() == &function;
    });
  }

  void collect(llvm::BasicBlock &block, std::vector<Access> &accesses) {
    // What the accesses since the last call have told: bytes by pointer, of reads and of writes.
    llvm::DenseMap<std::pair<llvm::Value *, std::uint32_t>, std::uint64_t> told;
    for (llvm::Instruction &instruction : block) {
      std::vector<Access> made = accessesOf(instruction);
      std::erase_if(made, [&](const Access &access) { return !mayReachOthers(access.pointer); });
      std::erase_if(made, [&](const Access &access) {
        if (access.bytes)
          return false;
        std::uint64_t &before = told[{access.pointer, access.flags}];
        const bool isKnown = before >= access.size;
        before = std::max(before, access.size);
        return isKnown;
      });
      accesses.insert(accesses.end(), made.begin(), made.end());
      if (const auto *const call = llvm::dyn_cast<llvm::CallBase>(&instruction);
          call && !llvm::isa<llvm::IntrinsicInst>(call))
        told.clear();
    }
  }

  std::vector<Access> accessesOf(llvm::Instruction &at) const {
    if (auto *const load = llvm::dyn_cast<llvm::LoadInst>(&at))
      return of(at, load->getPointerOperand(), load->getType(), 0, load->isVolatile() || load->isAtomic());
    if (auto *const store = llvm::dyn_cast<llvm::StoreInst>(&at))
      return of(at, store->getPointerOperand(), store->getValueOperand()->getType(), abi::kHostWrites,
                store->isVolatile() || store->isAtomic());
    if (auto *const change = llvm::dyn_cast<llvm::AtomicRMWInst>(&at))
      return of(at, change->getPointerOperand(), change->getType(), abi::kHostWrites, true);
    if (auto *const exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&at))
      return of(at, exchange->getPointerOperand(), exchange->getNewValOperand()->getType(), abi::kHostWrites,
                true);
    if (auto *const call = llvm::dyn_cast<llvm::CallBase>(&at))
      return ofCall(*call);
    return {};
  }

  std::vector<Access> of(llvm::Instruction &at, llvm::Value *pointer, llvm::Type *type, std::uint32_t flags,
                         bool isStrong) const {
    const llvm::TypeSize size = layout_.getTypeStoreSize(type);
    if (size.isScalable() || pointer->getType()->getPointerAddressSpace() != 0)
      return {};
    return {{&at, pointer, nullptr, size.getFixedValue(), flags | (isStrong ? abi::kHostStrong : 0)}};
  }

  /// Functions that access what their arguments say, and no more.
  std::vector<Access> ofCall(llvm::CallBase &at) const {
    if (auto *const moved = llvm::dyn_cast<llvm::MemTransferInst>(&at))
      return ranges(at, moved->getRawDest(), moved->getRawSource(), moved->getLength());
    if (auto *const set = llvm::dyn_cast<llvm::MemSetInst>(&at))
      return ranges(at, set->getRawDest(), nullptr, set->getLength());
    const llvm::Function *const callee = at.getCalledFunction();
    if (!callee || callee->isIntrinsic() || at.arg_size() != 3 || at.getArgOperand(2)->getType() != number_ ||
        !at.getArgOperand(0)->getType()->isPointerTy())
      return {};
    llvm::Value *const first = at.getArgOperand(0), *const second = at.getArgOperand(1),
                       *const bytes = at.getArgOperand(2);
    const llvm::StringRef name = callee->getName();
    if (second->getType()->isPointerTy() && (name == "memcpy" || name == "memmove"))
      return ranges(at, first, second, bytes);
    if (name == "memset")
      return ranges(at, first, nullptr, bytes);
    return {};
  }

  /// `read` may be null. What begins in front of the watched range may reach into it, so of these the bytes are looked at, too.
  static std::vector<Access> ranges(llvm::Instruction &at, llvm::Value *written, llvm::Value *read,
                                    llvm::Value *bytes) {
    std::vector<Access> accesses;
    const auto *const constant = llvm::dyn_cast<llvm::ConstantInt>(bytes);
    if (constant && constant->isZero())
      return accesses;
    if (read && read->getType()->getPointerAddressSpace() == 0)
      accesses.push_back({&at, read, bytes, 0, 0});
    if (written->getType()->getPointerAddressSpace() == 0)
      accesses.push_back({&at, written, bytes, 0, abi::kHostWrites});
    return accesses;
  }

  /// Whether it may be memory that the program has registered or allocated.
  bool mayReachOthers(llvm::Value *pointer) {
    const llvm::Value *const object = llvm::getUnderlyingObject(pointer);
    if (const auto *const variable = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
      if (variable->isConstant() || variable->isThreadLocal() || variable == watched_)
        return false;
      return !variable->hasLocalLinkage() || isHandedOn(*variable);
    }
    if (const auto *const local = llvm::dyn_cast<llvm::AllocaInst>(object))
      return isCaptured(*local);
    if (const auto *const call = llvm::dyn_cast<llvm::CallBase>(object))
      return call->getIntrinsicID() != llvm::Intrinsic::threadlocal_address;
    return !llvm::isa<llvm::Function>(object) && !llvm::isa<llvm::ConstantPointerNull>(object) &&
           !llvm::isa<llvm::UndefValue>(object);
  }

  bool isCaptured(const llvm::AllocaInst &local) {
    const auto [known, isNew] = captured_.try_emplace(&local, false);
    if (isNew)
      known->second = llvm::PointerMayBeCaptured(&local, /*ReturnCaptures=*/true);
    return known->second;
  }

  /// Whether somebody may have the variable's address.
  static bool isHandedOn(const llvm::Value &value) {
    return llvm::any_of(value.users(), [&](const llvm::User *user) {
      if (llvm::isa<llvm::LoadInst>(user))
        return false;
      if (const auto *const store = llvm::dyn_cast<llvm::StoreInst>(user))
        return store->getValueOperand() == &value;
      if (llvm::isa<llvm::GEPOperator>(user))
        return isHandedOn(*user);
      return true;
    });
  }

  void tell(const Access &access) {
    llvm::IRBuilder<> builder(access.at);
    builder.SetCurrentDebugLocation(access.at->getDebugLoc());
    llvm::Value *const begin = builder.CreateLoad(number_, watched_);
    llvm::Value *const size =
        builder.CreateLoad(number_, builder.CreateConstInBoundsGEP1_64(number_, watched_, 1));
    llvm::Value *const bytes =
        access.bytes ? builder.CreateZExtOrTrunc(access.bytes, number_) : builder.getInt64(access.size);
    llvm::Value *const address = builder.CreatePtrToInt(access.pointer, number_);
    llvm::Value *isWatched = builder.CreateICmpULT(builder.CreateSub(address, begin), size);
    if (access.bytes) // which may begin in front of it, and end in it
      isWatched = builder.CreateOr(
          isWatched, builder.CreateAnd(builder.CreateIsNotNull(size),
                                       builder.CreateICmpULT(builder.CreateSub(begin, address), bytes)));
    llvm::Instruction *const then =
        llvm::SplitBlockAndInsertIfThen(isWatched, access.at->getIterator(), /*Unreachable=*/false,
                                        llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    builder.SetInsertPoint(then);
    builder.SetCurrentDebugLocation(access.at->getDebugLoc());
    // The runtime finds the place by where this call returns to.
    llvm::CallInst *const call =
        builder.CreateCall(told_, {access.pointer, bytes, builder.getInt32(access.flags),
                                   builder.getInt64(placeOf(access.at->getDebugLoc()))});
    call->setDoesNotThrow();
    call->addFnAttr(llvm::Attribute::Cold);
    call->addFnAttr(llvm::Attribute::NoMerge);
    call->setTailCallKind(llvm::CallInst::TCK_NoTail);
    if (!call->getDebugLoc() && access.at->getFunction()->getSubprogram()) // the verifier wants one
      call->setDebugLoc(llvm::DILocation::get(context_, 0, 0, access.at->getFunction()->getSubprogram()));
  }

  /// Of the line and the column, in the function and those that it is inlined into; 0: it is not known.
  static std::uint64_t placeOf(const llvm::DILocation *location) {
    if (!location || location->getLine() == 0)
      return 0;
    std::string text;
    for (; location; location = location->getInlinedAt())
      text += (location->getFilename() + ":" + llvm::Twine(location->getLine()) + ":" +
               llvm::Twine(location->getColumn()) + "@" +
               location->getScope()->getSubprogram()->getLinkageName() +
               location->getScope()->getSubprogram()->getName() + ";")
                  .str();
    return std::max<std::uint64_t>(llvm::xxh3_64bits(text), 1);
  }

  void addConstructor() {
    constexpr int kBeforeThePrograms = 101;
    llvm::Function *const constructor =
        llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(context_), false),
                               llvm::GlobalValue::InternalLinkage, "cupr.host.tells", module_);
    constructor->addFnAttr(llvm::Attribute::NoUnwind);
    llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context_, "", constructor));
    builder.CreateCall(module_.getOrInsertFunction(CUPR_HOST_TELLS_SYMBOL, builder.getVoidTy()));
    builder.CreateRetVoid();
    llvm::appendToGlobalCtors(module_, constructor, kBeforeThePrograms);
  }

  llvm::Module &module_;
  const llvm::DataLayout &layout_;
  llvm::LLVMContext &context_;
  llvm::IntegerType *const number_;
  llvm::Constant *const watched_;
  llvm::FunctionCallee told_;
  llvm::DenseMap<const llvm::AllocaInst *, bool> captured_; ///< of the present function
};

} // namespace

bool tellHostAccesses(llvm::Module &module) { return HostAccesses(module).tell(); }

} // namespace cupr::language
