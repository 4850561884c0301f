/// Emits what a device object says about itself: the CpuModule of
/// abi/cpu_device.h, one thunk per kernel, and the constructor that registers it.
#include "lowering.h"
#include "reach.h"

#include "devicelib/abi/cpu_device.h"
#include "devicelib/abi/version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/TargetParser/X86TargetParser.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace cupr::cpu {

namespace {

/// Before clang's own constructor, which registers the host code's kernels.
constexpr int kTablesPriority = 150;

class Tables {
public:
  explicit Tables(Module &module)
      : module_(module), context_(module.getContext()), i32_(Type::getInt32Ty(context_)),
        i64_(Type::getInt64Ty(context_)), ptr_(PointerType::get(context_, 0)) {}

  Constant *i32(std::uint64_t value) { return ConstantInt::get(i32_, value); }
  Constant *i64(std::uint64_t value) { return ConstantInt::get(i64_, value); }

  Constant *text(StringRef value) {
    Constant *data = ConstantDataArray::getString(context_, value);
    auto *variable = new GlobalVariable(module_, data->getType(), true, GlobalValue::PrivateLinkage, data);
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    return variable;
  }

  Constant *record(ArrayRef<Constant *> members) { return ConstantStruct::getAnon(context_, members); }

  Constant *array(ArrayRef<Constant *> elements, const char *name) {
    if (elements.empty())
      return ConstantPointerNull::get(ptr_);
    Constant *data = ConstantArray::get(ArrayType::get(elements[0]->getType(), elements.size()), elements);
    return new GlobalVariable(module_, data->getType(), true, GlobalValue::InternalLinkage, data, name);
  }

  Type *parameterType(Argument &argument) {
    return argument.hasByValAttr() ? argument.getParamByValType() : argument.getType();
  }

  /// Whether all threads of a launch share the parameter as one object (CUDA programming guide,
  /// "__grid_constant__ Parameters"). Its address is the same for all, and outlives each of them.
  static bool isShared(const Argument &argument) {
    return argument.hasByValAttr() && argument.getParent()
                                          ->getAttributes()
                                          .getParamAttr(argument.getArgNo(), "nvvm.grid_constant")
                                          .isValid();
  }

  /// void thunk(void **arguments): calls the kernel with what the elements point to. Each thread gets its
  /// copy of a structure, or all have the launch's own, if they share it.
  Function *thunk(Function &kernel) {
    auto *function =
        Function::Create(FunctionType::get(Type::getVoidTy(context_), {ptr_}, false),
                         GlobalValue::InternalLinkage, "cupr.thunk." + kernel.getName(), module_);
    IRBuilder<> b(BasicBlock::Create(context_, "", function));
    SmallVector<Value *> values;
    for (Argument &argument : kernel.args()) {
      Value *slot = b.CreateConstInBoundsGEP1_64(ptr_, function->getArg(0), argument.getArgNo());
      Value *place = b.CreateLoad(ptr_, slot);
      values.push_back(argument.hasByValAttr() ? place : b.CreateLoad(argument.getType(), place));
    }
    CallInst *call = b.CreateCall(&kernel, values);
    for (Argument &argument : kernel.args())
      if (isShared(argument)) {
        argument.removeAttr(Attribute::ByVal);
      } else if (argument.hasByValAttr()) {
        call->addParamAttr(argument.getArgNo(),
                           Attribute::getWithByValType(context_, parameterType(argument)));
        call->addParamAttr(argument.getArgNo(),
                           Attribute::getWithAlignment(context_, argument.getParamAlign().valueOrOne()));
      }
    b.CreateRetVoid();
    return function;
  }

  Constant *kernel(Function &function, std::uint32_t sharedBytes, std::uint32_t flags) {
    const DataLayout &layout = module_.getDataLayout();
    SmallVector<Constant *> parameters;
    for (Argument &argument : function.args()) {
      Type *type = parameterType(argument);
      const Align alignment = argument.hasByValAttr()
                                  ? argument.getParamAlign().value_or(layout.getABITypeAlign(type))
                                  : layout.getABITypeAlign(type);
      parameters.push_back(record({i32(layout.getTypeAllocSize(type)), i32(alignment.value())}));
    }
    std::uint64_t maxThreads = 0;
    if (const SmallVector<std::uint64_t> most = numbersOf(function, "nvvm.maxntid"); !most.empty()) {
      maxThreads = 1;
      for (const std::uint64_t value : most)
        maxThreads *= value;
    }
    if (SmallVector<std::uint64_t> cluster = numbersOf(function, "nvvm.cluster_dim"); !cluster.empty()) {
      cluster.resize(3, 1);
      for (std::uint64_t &value : cluster)
        value = std::min<std::uint64_t>(value, 0xff); // more than any device has, and no launch succeeds
      flags |=
          abi::clusterInFlags(static_cast<std::uint32_t>(cluster[0]), static_cast<std::uint32_t>(cluster[1]),
                              static_cast<std::uint32_t>(cluster[2]));
    }
    return record({text(function.getName()), thunk(function), &function, array(parameters, "cupr.parameters"),
                   i32(parameters.size()), i32(sharedBytes), i32(maxThreads), i32(flags)});
  }

  Constant *variable(GlobalVariable &variable) {
    const std::uint64_t bytes = module_.getDataLayout().getTypeAllocSize(variable.getValueType());
    return record({text(variable.getName()), ConstantExpr::getPointerBitCastOrAddrSpaceCast(&variable, ptr_),
                   i64(bytes)});
  }

private:
  /// Of an attribute that is a list of them; empty: there is none.
  static SmallVector<std::uint64_t> numbersOf(const Function &function, StringRef name) {
    SmallVector<std::uint64_t> numbers;
    if (const Attribute attribute = function.getFnAttribute(name); attribute.isValid()) {
      SmallVector<StringRef> parts;
      attribute.getValueAsString().split(parts, ',');
      for (StringRef part : parts) {
        std::uint64_t value = 1;
        (void)part.trim().getAsInteger(10, value);
        numbers.push_back(value);
      }
    }
    return numbers;
  }

  Module &module_;
  LLVMContext &context_;
  IntegerType *i32_, *i64_;
  PointerType *ptr_;
};

/// By the compiler's names, with spaces between.
std::string featuresOf(StringRef processor) {
  SmallVector<StringRef> features;
  X86::getFeaturesForCPU(processor, features);
  return join(features, " ");
}

} // namespace

void emitTables(Module &module, const std::vector<Function *> &kernels, const SharedSizes &shared,
                const std::vector<GlobalVariable *> &variables, const RetargetOptions &options,
                std::uint32_t architecture) {
  Tables tables(module);
  const Reach reach(module);
  SmallVector<Constant *> kernelRecords, variableRecords;
  for (Function *kernel : kernels) {
    const bool records =
        any_of(reach.from(kernel), [](Function *reached) { return isHook(reached->getName()); });
    kernelRecords.push_back(
        tables.kernel(*kernel, shared.lookup(kernel), records ? 0 : abi::kCpuKernelRecordsNothing));
  }
  for (GlobalVariable *variable : variables)
    variableRecords.push_back(tables.variable(*variable));
  Constant *data = tables.record(
      {tables.i32(CUPR_ABI_VERSION), tables.i32(kernelRecords.size()), tables.i32(variableRecords.size()),
       tables.i32(architecture), tables.i64(options.id[0]), tables.i64(options.id[1]),
       tables.array(kernelRecords, "cupr.kernels"), tables.array(variableRecords, "cupr.variables")});
  auto *descriptor =
      new GlobalVariable(module, data->getType(), true, GlobalValue::InternalLinkage, data, "cupr.module");

  LLVMContext &context = module.getContext();
  Type *nothing = Type::getVoidTy(context);
  Type *pointer = PointerType::get(context, 0);
  FunctionCallee registration =
      module.getOrInsertFunction("__cupr_cpu_register_module", FunctionType::get(nothing, {pointer}, false));
  auto *constructor = Function::Create(FunctionType::get(nothing, false), GlobalValue::InternalLinkage,
                                       "cupr.register", module);
  IRBuilder<> b(BasicBlock::Create(context, "", constructor));
  b.CreateCall(registration, {descriptor});
  if (!options.hostCpu.empty()) {
    FunctionCallee need = module.getOrInsertFunction(
        "__cupr_cpu_need_processor", FunctionType::get(nothing, {pointer, pointer, pointer}, false));
    b.CreateCall(need, {descriptor, tables.text(options.hostCpu), tables.text(featuresOf(options.hostCpu))});
  }
  b.CreateRetVoid();
  appendToGlobalCtors(module, constructor, kTablesPriority);
}

} // namespace cupr::cpu
