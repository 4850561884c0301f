#include "report_builder.h"

#include "cuprewrite/report/static_report.h"
#include "explanation.h"

#include "devicelib/abi/unit_suffix.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cupr::pass {
namespace {

cl::opt<std::string> reportFile("cupr-static-report", cl::init(""), cl::value_desc("file"),
                                cl::desc("Write what is known of every memory access, as JSON if the name "
                                         "ends in .json, else as text; - is standard output"));

class ReportBuilder {
public:
  ReportBuilder(const AddressSpaceAnalysis &analysis, const SourcePlaces &places)
      : analysis_(analysis), places_(places) {}

  report::StaticReport build(const Module &module, const std::vector<ContextPlan> &plans,
                             const Derivations &derivations) {
    report_.modules.push_back(module.getSourceFileName());
    SmallPtrSet<const Context *, 16> planned;
    for (const ContextPlan &plan : plans) {
      planned.insert(plan.context);
      const auto derivation = derivations.find(plan.context);
      derivation_ = derivation == derivations.end() ? nullptr : &derivation->second;
      addAccesses(*plan.context, plan.accesses, "");
      addFunction(plan);
    }
    derivation_ = nullptr;
    addUntracedKernels(planned);
    report::StaticReport ordered;
    ordered.add(std::move(report_));
    return ordered;
  }

private:
  /// Kernels without a traced variant, and what only they call.
  void addUntracedKernels(const SmallPtrSet<const Context *, 16> &planned) {
    SmallVector<const Context *, 16> reached;
    SmallPtrSet<const Context *, 16> seen = planned;
    for (const auto &context : analysis_.contexts())
      if (isKernel(*context->function) && seen.insert(context.get()).second)
        reached.push_back(context.get());
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const Context &context = *reached[i];
      const bool kernel = isKernel(*context.function);
      addAccesses(context, {}, kernel ? kNoRoomForTrace : "only kernels without a traced variant lead here");
      if (kernel)
        addFunction(context, report::FunctionEntry::Kind::Kernel, false, kNoRoomForTrace);
      for (const Instruction &instruction : instructions(*context.function))
        if (const auto *call = dyn_cast<CallBase>(&instruction))
          if (const Context *target = context.calls.lookup(const_cast<CallBase *>(call));
              target && seen.insert(target).second)
            reached.push_back(target);
    }
  }

  void addFunction(const ContextPlan &plan) {
    if (isKernel(*plan.context->function))
      addFunction(
          *plan.context, report::FunctionEntry::Kind::Kernel, true,
          std::string(
              takesTrace(*plan.context->function)
                  ? "the trace is the first parameter"
                  : "keeps its signature: the traced variant has the trace as an added last parameter") +
              (plan.accesses.empty() ? "" : "; its accesses are ") +
              (plan.accesses.empty()      ? ""
               : derivation_->isDerived() ? "derived"
                                          : "recorded: " + textOf(firstObstacle())));
    else if (plan.needsTrace && plan.keepsSignature)
      addFunction(*plan.context, report::FunctionEntry::Kind::KeptSignature, true,
                  "keeps its signature, since its address is taken: reads the block's trace from a shared "
                  "variable");
    else if (plan.needsTrace)
      addFunction(*plan.context, report::FunctionEntry::Kind::Clone, true,
                  "clone with the trace as an added last argument");
  }

  void addFunction(const Context &context, report::FunctionEntry::Kind kind, bool traced,
                   std::string handle) {
    const Function &function = *context.function;
    report::FunctionEntry entry;
    entry.kind = kind;
    if (const DISubprogram *program = function.getSubprogram())
      entry.place = {pathOf(*program), program->getLine(), 0};
    entry.name = demangle(abi::withoutUnit(function.getName().str()));
    entry.clone = cloneText(context);
    entry.traced = traced;
    entry.handle = std::move(handle);
    report_.functions.push_back(std::move(entry));
  }

  /// All accesses of a context. `traced` lists, in order, those that the plan traces.
  void addAccesses(const Context &context, ArrayRef<TracedAccess> traced, StringRef whyNone) {
    for (Instruction &instruction : instructions(*context.function)) {
      SmallVector<Untraced, 1> untraced;
      for (const Access &access : accessesOf(instruction, untraced)) {
        while (!traced.empty() && !traced.front().executed.empty())
          traced = traced.drop_front();
        const bool isTraced = !traced.empty() && traced.front().access.instruction == access.instruction &&
                              traced.front().access.pointer == access.pointer &&
                              traced.front().access.operation == access.operation &&
                              traced.front().access.offset == access.offset;
        if (isTraced)
          traced = traced.drop_front();
        addAccess(context, access, isTraced, whyNone);
      }
      for (const Untraced &missing : untraced) {
        if (!isWanted(missing))
          continue;
        report::AccessEntry entry = place(context, instruction);
        entry.space = report::kUnknownSpace;
        entry.reason = missing.reason;
        report_.accesses.push_back(std::move(entry));
      }
    }
  }

  void addAccess(const Context &context, const Access &access, bool traced, StringRef whyNone) {
    report::AccessEntry entry = place(context, *access.instruction);
    entry.operation = abi::operationName(access.operation);
    entry.bytes = access.bytes;
    if (access.type)
      raw_string_ostream(entry.type) << *access.type;
    Space space = Space::Global;
    if (access.space) {
      space = *access.space == abi::MemorySpace::Global ? Space::Global : Space::NotGlobal;
      entry.why = abi::isAccess(access.operation)
                      ? std::string("the instruction names ") + abi::spaceName(*access.space) + " memory"
                      : "it synchronises";
    } else {
      space =
          access.pointer->getType()->isIntegerTy() ? Space::Both : analysis_.spaceOf(context, access.pointer);
      const Explanation explanation = explain(analysis_, context, access.pointer);
      entry.why = explanation.text(space);
      for (const Explanation::Source &source : explanation.sources)
        entry.sources.push_back({source.what, spaceText(source.space)});
    }
    entry.space = spaceText(space);
    entry.traced = traced;
    entry.derived = traced && derivation_ && derivation_->isDerived();
    if (traced && !entry.derived)
      entry.recordedBecause = whyRecorded(*access.instruction);
    if (!traced)
      entry.reason = !whyNone.empty() ? whyNone.str() : "this space is not traced";
    report_.accesses.push_back(std::move(entry));
  }

  const RecordedBecause &firstObstacle() const { return derivation_->obstacles.front(); }

  std::string whyRecorded(const Instruction &instruction) const {
    if (!derivation_)
      return "it is in a function that is not inlined";
    for (const RecordedBecause &obstacle : derivation_->obstacles)
      if (obstacle.instruction == &instruction)
        return textOf(obstacle);
    return "another one of its kernel is: " + textOf(firstObstacle());
  }

  /// `its address depends on data (step.cu:12:7)`.
  std::string textOf(const RecordedBecause &obstacle) const {
    const auto *cause = dyn_cast_or_null<Instruction>(obstacle.cause);
    const Instruction *at = cause && cause->getDebugLoc() ? cause : obstacle.instruction;
    const DILocation *location = at ? places_.userLocation(*at) : nullptr;
    if (!location)
      return obstacle.reason;
    const SourcePlace place = places_.at(*location);
    return obstacle.reason + " (" + sys::path::filename(place.file).str() + ":" + std::to_string(place.line) +
           ":" + std::to_string(place.column) + ")";
  }

  report::AccessEntry place(const Context &context, const Instruction &instruction) {
    report::AccessEntry entry;
    entry.clone = cloneText(context);
    const DILocation *at = places_.userLocation(instruction);
    if (!at) {
      entry.function = shortName(context.function->getName());
      return entry;
    }
    entry.place = placeOf(*at, entry.function);
    for (at = at->getInlinedAt(); at; at = at->getInlinedAt()) {
      report::InlinedCall call;
      call.place = placeOf(*at, call.function);
      entry.inlinedAt.push_back(std::move(call));
    }
    return entry;
  }

  report::Place placeOf(const DILocation &at, std::string &function) {
    const SourcePlace place = places_.at(at);
    if (const DISubprogram *program = at.getScope()->getSubprogram())
      function =
          program->getLinkageName().empty() ? program->getName().str() : shortName(program->getLinkageName());
    return {place.file, place.line, place.column};
  }

  const AddressSpaceAnalysis &analysis_;
  const SourcePlaces &places_;
  report::StaticReport report_;
  const Derivation *derivation_ = nullptr; ///< of the function at hand; null: it is no kernel
};

} // namespace

void writeStaticReport(Module &module, const AddressSpaceAnalysis &analysis,
                       const std::vector<ContextPlan> &plans, const Derivations &derivations,
                       const SourcePlaces &places) {
  if (reportFile.empty())
    return;
  const report::StaticReport report = ReportBuilder(analysis, places).build(module, plans, derivations);
  if (const std::string problem = report::write(report, reportFile); !problem.empty())
    module.getContext().emitError("cuprewrite: the static report " + problem);
}

} // namespace cupr::pass
