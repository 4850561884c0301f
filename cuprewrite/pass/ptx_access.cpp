/// An instruction is looked up in the table of PTX instructions, which says what it does to memory; what it accesses
/// follows from its words and operands, which registers of the asm's own stand between (ptx_register_file.h).
///
/// Long, since what statements access and what they synchronise is one walk over the text with one state.
#include "ptx_access.h"

#include "access.h"
#include "matrix_tile.h"

#include "devicelib/ptx/image_intrinsic.h"
#include "devicelib/ptx/instructions.h"
#include "devicelib/ptx/parser.h"
#include "devicelib/ptx/tensor_copy.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace cupr::pass {
namespace {

using abi::MemorySpace;
using ptx::Statement;
using Words = SmallVector<StringRef, 12>;

bool has(ArrayRef<StringRef> words, StringRef word) { return is_contained(words, word); }

/// Of what an instruction moves: `v4.f32`, 16. The type is the last word that is one; in an atomic the
/// operation may stand behind it. 0: there is none.
std::uint64_t bytesMoved(ArrayRef<StringRef> words) {
  const unsigned count = ptx::vectorLength(words);
  for (const StringRef word : reverse(words))
    if (const unsigned bits = ptxTypeBits(word))
      return std::uint64_t{bits} / 8 * count;
  return 0;
}

std::optional<abi::Operation> atomicIn(ArrayRef<StringRef> words) {
  for (const StringRef word : words)
    if (const auto operation = ptx::atomicNamed(word))
      return operation;
  return std::nullopt;
}

/// How many coordinates the words of an instruction ask for; 0: they name no shape.
unsigned coordinatesOf(ArrayRef<StringRef> words) {
  for (const StringRef word : words)
    if (const unsigned count = ptx::coordinatesOf(word))
      return count;
  return 0;
}

class Reader {
public:
  PtxAccesses run(StringRef assembly) {
    for (const Statement &statement : ptx::parse(ptx::withOperandNames(assembly.str())))
      see(statement);
    finishWaits();
    return std::move(result_);
  }

private:
  void see(const Statement &s) {
    statement_ = &s;
    switch (s.kind) {
    case Statement::Kind::Declaration:
      return;
    case Statement::Kind::Label:
      flows_ = true;
      return;
    case Statement::Kind::Unparsed:
      if (s.text.front() != '.' && (s.text.find('[') != std::string::npos || first(s) == "call"))
        unknown();
      registers_.forgetAll();
      return;
    case Statement::Kind::Instruction:
      break;
    }
    words_.assign(s.operation.begin(), s.operation.end());
    instruction_ = ptx::findInstruction(name());
    memory_ = instruction_ ? instruction_->memory : ptx::Memory::Registers;
    const std::size_t before = result_.accesses.size();
    if (recordsSynchronisation())
      synchronise();
    if (!isHint())
      access();
    madeHere_ = result_.accesses.size() - before;
    follow();
  }

  static StringRef first(const Statement &s) {
    return s.operation.empty() ? StringRef() : StringRef(s.operation[0]);
  }
  StringRef name() const { return words_.front(); }
  bool has(StringRef word) const { return cupr::pass::has(words_, word); }
  ArrayRef<ptx::Operand> operands() const { return statement_->operands; }
  std::optional<PtxValue> number(const ptx::Operand &operand) const { return registers_.number(operand); }
  std::optional<PtxAddress> address(std::size_t index, std::optional<MemorySpace> space) const {
    return index < operands().size() ? registers_.address(operands()[index], space) : std::nullopt;
  }
  bool isAddress(std::size_t index) const {
    return index < operands().size() && operands()[index].kind == ptx::Operand::Kind::Address;
  }

  /// What the instruction leaves behind.
  void follow() {
    if (memory_ == ptx::Memory::Jump) {
      flows_ = true;
      return;
    }
    if (operands().empty() || isAddress(0))
      return;
    followWait();
    forgetResult(operands()[0].name);
    for (const ptx::Operand &element : operands()[0].elements)
      forgetResult(element.name);
    registers_.execute(*statement_);
  }

  /// A register is written again: at the end of the asm it is not what an earlier instruction has read.
  void forgetResult(StringRef name) {
    unsigned number = 0;
    if (!name.consume_front("$") || name.getAsInteger(10, number))
      return;
    for (std::size_t i = 0; i < result_.accesses.size() - madeHere_; ++i)
      if (any_of(result_.accesses[i].values, [&](const PtxRegisters &part) {
            return part.areResults && is_contained(part.operands, number);
          }))
        result_.accesses[i].values.clear();
  }

  // The accesses.

  /// Forms of instructions that access memory which access none, or nothing that a program could observe.
  bool isHint() const {
    if (memory_ == ptx::Memory::Hint)
      return true;
    if (memory_ == ptx::Memory::Copy && (has("prefetch") || has("commit_group") || has("wait_group") ||
                                         has("wait_all") || (has("mbarrier") && has("arrive"))))
      return true;
    return name() == "tcgen05" && !has("cp") && !has("mma") && !has("alloc");
  }

  void unknown(std::string why = "", std::optional<MemorySpace> space = std::nullopt) {
    result_.unknown.push_back({statement_->text, std::move(why), space});
  }

  /// Adds an access of the instruction, if its conditions are known.
  void add(std::optional<PtxAddress> place, PtxAccess access, std::optional<MemorySpace> space) {
    if (flows_)
      return unknown("it stands behind a jump or a label", space);
    if (!place)
      return unknown("its address is not an operand of the asm", space);
    access.address = *place;
    if (abi::isAccess(access.operation))
      access.ordering = orderingNamed(words_);
    access.isCopied =
        memory_ == ptx::Memory::Copy && !has("bulk") && access.operation == abi::Operation::Store;
    if (has("async") && memory_ != ptx::Memory::Copy) { // st.async, red.async: an mbarrier tells of it
      access.isCopied = true;
      access.ordering = {abi::MemoryOrder::Relaxed, abi::MemoryScope::Cluster};
    }
    if (!statement_->guard.empty()) {
      const auto guard = registers_.condition(statement_->guard, statement_->guardNegated);
      if (!guard)
        return unknown("its predicate is not an operand of the asm, nor a comparison of two",
                       abi::isOfImage(access.operation) ? space : place->space);
      access.conditions.push_back(*guard);
    }
    result_.accesses.push_back(std::move(access));
  }

  // Synchronisation.

  void synchronise() {
    const std::size_t barrierAt = has("tensor") ? 2 : 3;
    if (memory_ == ptx::Memory::Copy && has("bulk") && has("mbarrier::complete_tx::bytes") &&
        operands().size() > barrierAt)
      addSynchronisation({abi::Operation::MbarrierCopy, {}}, address(barrierAt, MemorySpace::Shared));
    const auto found = synchronisationNamed(words_);
    if (!found)
      return;
    PtxAddress place; // a number, in no memory
    place.space = MemorySpace::Global;
    const auto numberAt = [&](std::size_t index) {
      return index < operands().size() ? number(operands()[index]) : PtxValue();
    };
    switch (found->operation) {
    case abi::Operation::Barrier:
    case abi::Operation::BarrierArrive: {
      const std::size_t at = has("red") ? 1 : 0; // behind the result
      const bool isCounted = operands().size() > at + (has("red") ? 2 : 1);
      const auto barrier = numberAt(at), threads = isCounted ? numberAt(at + 1) : std::nullopt;
      if (!barrier || threads.has_value() != isCounted)
        return unknown("which barrier it is, is not an operand of the asm");
      place.value = *barrier;
      return addSynchronisation(*found, place, threads);
    }
    case abi::Operation::WarpBarrier:
    case abi::Operation::CopyWait:
    case abi::Operation::BulkWait: {
      const auto what = numberAt(0);
      if (!what)
        return unknown("what it waits for is not an operand of the asm");
      place.value = *what;
      return addSynchronisation(*found, place);
    }
    case abi::Operation::WarpShuffle:
    case abi::Operation::WarpVote:
    case abi::Operation::WarpMatch:
    case abi::Operation::WarpReduce:
    case abi::Operation::WarpElect: {
      const auto mask = numberAt(operands().size() - 1);
      const bool isGuarded = !statement_->guard.empty();
      if (!mask || flows_ ||
          (isGuarded && !registers_.condition(statement_->guard, statement_->guardNegated)))
        return; // no memory is missed by that
      place.value = *mask;
      return addSynchronisation(*found, place, PtxValue{PtxValue::kNoOperand, PtxValue::kNoOperand, 1});
    }
    default:
      break;
    }
    if (!isOfMbarrier(found->operation))
      return addSynchronisation(*found, place);
    const ptx::Operand *const object = find_if(
        operands(), [](const ptx::Operand &operand) { return operand.kind == ptx::Operand::Kind::Address; });
    if (object == operands().end())
      return unknown("its object is not an operand of the asm");
    // Without a space the address is generic.
    const auto spaces = ptxSpacesNamed(words_);
    auto at = address(static_cast<std::size_t>(object - operands().begin()),
                      spaces.empty() ? std::nullopt : std::optional(MemorySpace::Shared));
    if (at)
      at->space = MemorySpace::Shared;
    if (found->operation == abi::Operation::MbarrierWait && !operands().empty())
      waits_.push_back({operands()[0].name, result_.accesses.size()});
    PtxAccess synchronisation;
    if (abi::hasFigures(found->operation))
      synchronisation.figures = figures(object + 1, found->operation);
    addSynchronisation(*found, at, std::nullopt, std::move(synchronisation));
  }

  /// `given`: the operand behind the object, if there is one.
  SmallVector<PtxValue, abi::kFigures> figures(const ptx::Operand *given, abi::Operation operation) const {
    const PtxValue none, one{PtxValue::kNoOperand, PtxValue::kNoOperand, 1};
    if (given == operands().end())
      return {one, none}; // arrives
    const auto figure = number(*given);
    if (!figure)
      return {};
    if (has("expect_tx"))
      return {operation == abi::Operation::MbarrierArrive ? one : none, *figure};
    return {*figure, none};
  }

  void addSynchronisation(const Synchronisation &found, std::optional<PtxAddress> place,
                          std::optional<PtxValue> threads = std::nullopt, PtxAccess synchronisation = {}) {
    synchronisation.operation = found.operation;
    synchronisation.ordering = found.ordering;
    synchronisation.threads = threads;
    synchronisation.isBehind = found.operation == abi::Operation::MbarrierWait;
    if (!synchronisation.isBehind)
      return add(place, std::move(synchronisation), std::nullopt);
    if (!place || !statement_->guard.empty())
      return unknown("its object is not an operand of the asm");
    synchronisation.address = *place;
    result_.accesses.push_back(std::move(synchronisation));
  }

  /// A test of an mbarrier, in `predicate`, became a number: `selp %0, 1, 0, predicate`.
  void followWait() {
    if (name() != "selp" || operands().size() != 4 || operands()[3].negated)
      return;
    unsigned result = 0;
    StringRef to = operands()[0].name;
    const auto yes = number(operands()[1]), no = number(operands()[2]);
    const auto isNumber = [](const std::optional<PtxValue> &value, bool isZero) {
      return value && value->operand == PtxValue::kNoOperand && (value->offset == 0) == isZero;
    };
    if (!isNumber(yes, false) || !isNumber(no, true) || !to.consume_front("$") || to.getAsInteger(10, result))
      return;
    for (const Wait &wait : waits_)
      if (wait.predicate == operands()[3].name && wait.access < result_.accesses.size())
        result_.accesses[wait.access].success = result;
  }

  /// An asm with jumps that tests an mbarrier comes to its end when the test has succeeded. Of other tests it has to be known whether
  /// they have.
  void finishWaits() {
    if (!flows_)
      for (const Wait &wait : reverse(waits_))
        if (wait.access < result_.accesses.size() && !result_.accesses[wait.access].success) {
          result_.unknown.push_back(
              {"mbarrier.test_wait", "whether its phase was over is not a result of the asm", std::nullopt});
          result_.accesses.erase(result_.accesses.begin() + static_cast<std::ptrdiff_t>(wait.access));
        }
  }

  void access() {
    switch (memory_) {
    case ptx::Memory::Load:
    case ptx::Memory::Store:
      return loadOrStore();
    case ptx::Memory::Atomic:
      return atomic();
    case ptx::Memory::Copy:
      return copy();
    case ptx::Memory::Matrix:
      if (name() != "wmma")
        return matrix(matrixRows(words_), name() == "ldmatrix", MemorySpace::Shared);
      if (has("load") || has("store"))
        return matrix(wmmaTile(words_), has("load"), std::nullopt);
      break;
    case ptx::Memory::Multicast:
      return unknown("a multicast address stands for memory of several devices");
    case ptx::Memory::Image:
      return image();
    case ptx::Memory::Descriptors:
      if (has("mma_async"))
        return unknown("its matrices are given by descriptors", MemorySpace::Shared);
      break;
    case ptx::Memory::Tensor:
      return unknown("", MemorySpace::Shared);
    case ptx::Memory::Call:
      return unknown();
    case ptx::Memory::Registers:
    case ptx::Memory::Hint:
    case ptx::Memory::Jump:
      break;
    }
    if (any_of(operands(),
               [](const ptx::Operand &operand) { return operand.kind == ptx::Operand::Kind::Address; }))
      unknown();
  }

  void loadOrStore() {
    if (any_of(words_, [](StringRef word) { return word.starts_with("param"); }))
      return;
    const auto spaces = ptxSpacesNamed(words_);
    std::optional<MemorySpace> space;
    if (!spaces.empty())
      space = spaces.front();
    if (name() == "st" && has("bulk")) { // zeros: [a], size, 0
      const auto size = operands().size() > 1 ? number(operands()[1]) : std::nullopt;
      return size ? addSized(0, space, abi::Operation::Store, *size) : unknown("", MemorySpace::Shared);
    }
    // Without a space this form writes to another block of the cluster.
    if (name() == "st" && has("async") && !space)
      space = MemorySpace::Shared;
    PtxAccess access;
    access.operation = name() == "st" ? abi::Operation::Store : abi::Operation::Load;
    access.bytes = bytesMoved(words_);
    if (!access.bytes)
      return unknown("", space);
    const std::size_t at = instruction_->address();
    if (access.operation == abi::Operation::Load)
      access.values = values({{0, true}});
    else
      access.values = values({{at + 1, false}});
    add(address(at, space), access, space);
  }

  /// The operand of the asm that a register holds, whole; nothing: it is not known to hold one.
  std::optional<unsigned> operandOf(const ptx::Operand &one) const {
    const auto value = number(one);
    if (!value || value->operand == PtxValue::kNoOperand || value->added != PtxValue::kNoOperand ||
        value->offset)
      return std::nullopt;
    return value->operand;
  }

  /// The registers of operands, and whether they are written; none unless all are operands of the asm, whole.
  SmallVector<PtxRegisters, 3> values(ArrayRef<std::pair<std::size_t, bool>> wanted) {
    SmallVector<PtxRegisters, 3> parts;
    for (const auto &[index, areResults] : wanted) {
      if (index >= operands().size())
        return {};
      PtxRegisters &part = parts.emplace_back();
      part.areResults = areResults;
      const ptx::Operand &operand = operands()[index];
      const ArrayRef<ptx::Operand> all =
          operand.kind == ptx::Operand::Kind::Vector ? ArrayRef(operand.elements) : ArrayRef(operand);
      for (const ptx::Operand &one : all) {
        unsigned number = 0;
        if (areResults) {
          StringRef name = one.name;
          if (one.kind != ptx::Operand::Kind::Register || !name.consume_front("$") ||
              name.getAsInteger(10, number))
            return {};
        } else {
          const auto operand = operandOf(one);
          if (!operand)
            return {};
          number = *operand;
        }
        part.operands.push_back(number);
      }
      part.bytes = bytesMoved(words_) / part.operands.size();
    }
    return parts;
  }

  void atomic() {
    const auto spaces = ptxSpacesNamed(words_);
    std::optional<MemorySpace> space;
    if (!spaces.empty())
      space = spaces.front();
    else if (has("async"))
      space = MemorySpace::Shared;
    const auto operation = atomicIn(words_);
    PtxAccess access;
    access.bytes = bytesMoved(words_);
    if (!operation || !access.bytes)
      return unknown("", space);
    access.operation = *operation;
    const std::size_t at = instruction_->address();
    if (at == 1 && *operation == abi::Operation::AtomicCAS)
      access.values = values({{0, true}, {2, false}, {3, false}});
    else if (at == 1) // `red` gives nothing back
      access.values = values({{0, true}, {2, false}});
    add(address(at, space), access, space);
  }

  /// An access whose size is a number or an operand.
  void addSized(std::size_t index, std::optional<MemorySpace> space, abi::Operation operation,
                const PtxValue &size, std::optional<PtxCondition> condition = std::nullopt) {
    PtxAccess access;
    access.operation = operation;
    if (size.operand == PtxValue::kNoOperand && size.offset <= 0)
      return; // nothing is copied
    if (size.operand == PtxValue::kNoOperand)
      access.bytes = static_cast<std::uint64_t>(size.offset);
    else
      access.length = size;
    if (condition)
      access.conditions.push_back(*condition);
    add(address(index, space), access, space);
  }

  /// cp.async, cp.async.bulk and cp.reduce.async.bulk: [destination], [source], size ...
  void copy() {
    const auto spaces = ptxSpacesNamed(words_);
    if (has("tensor"))
      return tensorCopy();
    if (spaces.size() != 2 || !isAddress(0) || !isAddress(1) || operands().size() < 3)
      return unknown();
    const auto size = number(operands()[2]);
    if (!size)
      return unknown("its size is not an operand of the asm");
    if (has("bulk")) {
      const auto operation = has("reduce") ? atomicIn(words_) : abi::Operation::Store;
      if (!operation)
        return unknown();
      addSized(1, spaces[1], abi::Operation::Load, *size);
      if (has("cp_mask"))
        unknown("a mask chooses the bytes that are written", spaces[0]);
      else if (has("multicast::cluster"))
        unknown("it writes to several blocks", spaces[0]);
      else
        addSized(0, spaces[0], *operation, *size);
      return;
    }
    // The fourth operand: how many bytes are read, or a predicate that is true where none are. The
    // rest of the destination becomes zero. A cache policy comes last.
    const std::size_t values = operands().size() - (has("L2::cache_hint") ? 1 : 0);
    PtxValue read = *size;
    std::optional<PtxCondition> condition;
    if (values > 3) {
      const ptx::Operand &fourth = operands()[3];
      if (const auto bytes = number(fourth)) {
        read = *bytes;
      } else if (registers_.isPredicate(fourth.name)) {
        condition = registers_.condition(fourth.name, !fourth.negated);
      } else {
        unknown("how much it reads is not an operand of the asm", spaces[1]);
        return addSized(0, spaces[0], abi::Operation::Store, *size);
      }
    }
    addSized(1, spaces[1], abi::Operation::Load, read, condition);
    addSized(0, spaces[0], abi::Operation::Store, *size);
  }

  void tensorCopy() {
    const auto found = ptx::tensorCopy(*statement_);
    const auto spaces = ptxSpacesNamed(words_);
    if (!found || spaces.size() != 2)
      return unknown("copies by a tensor map are known of tiles and of im2col");
    PtxTensorCopy copy;
    bool areKnown = true;
    const auto known = [&](const ptx::Operand &operand) {
      const auto value = number(operand);
      areKnown &= value.has_value();
      return value.value_or(PtxValue());
    };
    for (const ptx::Operand &one : found->coordinates)
      copy.coordinates.push_back(known(one));
    for (const ptx::Operand &one : found->offsets)
      copy.offsets.push_back(known(one));
    if (found->blocks)
      copy.blocks = known(*found->blocks);
    ptx::Operand map = operands()[found->map];
    map.elements.clear();
    auto place = registers_.address(map, std::nullopt);
    if (!place || !areKnown)
      return unknown("its map or its coordinates are not operands of the asm");
    copy.map = place->value;
    place->space = MemorySpace::Global;
    PtxAccess global, shared;
    const bool isLoad = found->operation == abi::Operation::Load;
    global.operation = found->operation;
    shared.operation = isLoad ? abi::Operation::Store : abi::Operation::Load;
    global.tensor = copy;
    shared.tensor = std::move(copy);
    const MemorySpace box = isLoad ? spaces[0] : spaces[1];
    if (!isLoad)
      add(address(found->box, box), shared, box);
    add(place, std::move(global), MemorySpace::Global);
    if (isLoad)
      add(address(found->box, box), shared, box);
  }

  /// tex, tld4: results, [object, {coordinates}]; suld the same; sust, sured: [object, {coordinates}], values. Where samplers are
  /// apart, one stands behind the object.
  void image() {
    const auto cannot = [&] {
      unknown("textures and surfaces have coordinates, not addresses, and these are not operands of the asm",
              MemorySpace::Global);
    };
    const std::size_t at = name() == "sust" || name() == "sured" ? 0 : 1;
    const auto operation = ptx::imageOperation(words_);
    if (!operation || !isAddress(at) || operands()[at].elements.empty() ||
        operands()[at].elements.back().kind != ptx::Operand::Kind::Vector)
      return cannot();
    ptx::Operand object = operands()[at];
    const std::vector<ptx::Operand> coordinates = std::move(object.elements.back().elements);
    object.elements.clear();
    PtxAccess access;
    access.operation = *operation;
    access.bytes = ptxBytesOfImage(words_);
    access.imageInstruction = join(words_, ".");
    PtxRegisters &where = access.values.emplace_back();
    where.bytes = 4;
    const unsigned count = coordinatesOf(words_);
    if (!access.bytes || count == 0 || count > coordinates.size())
      return cannot();
    for (const ptx::Operand &one : ArrayRef(coordinates).take_front(count)) {
      const auto operand = operandOf(one);
      if (!operand)
        return cannot();
      where.operands.push_back(*operand);
    }
    auto place = registers_.address(object, std::nullopt);
    if (place)
      place->space = MemorySpace::Texture;
    add(place, std::move(access), MemorySpace::Global); // which it comes from: who traces that is told
  }

  void matrix(std::optional<MatrixTile> tile, bool load, std::optional<MemorySpace> space) {
    if (const auto spaces = ptxSpacesNamed(words_); !spaces.empty())
      space = spaces.front();
    if (!tile)
      return unknown("", space);
    PtxAccess access;
    access.operation = load ? abi::Operation::Load : abi::Operation::Store;
    access.bytes = tile->lineBytes;
    access.lanes = tile->lines;
    if (tile->elementBits) { // wmma: one address for all, and a stride
      access.rowBits = tile->elementBits;
      access.rowStride.offset = tile->denseStride;
      if (operands().size() > 2) {
        const auto stride = number(operands()[2]);
        if (!stride)
          return unknown("its stride is not an operand of the asm", space);
        access.rowStride = *stride;
      }
    }
    add(address(load ? 1 : 0, space), access, space);
  }

  const Statement *statement_ = nullptr;
  const ptx::Instruction *instruction_ = nullptr; ///< null: it is not in the table
  ptx::Memory memory_ = ptx::Memory::Registers;   ///< what that says
  Words words_;
  std::size_t madeHere_ = 0; ///< accesses of the instruction
  bool flows_ = false;       ///< behind a label or a jump: what is executed is not known
  PtxRegisterFile registers_;
  struct Wait {
    StringRef predicate;
    std::size_t access; ///< in the result
  };
  SmallVector<Wait, 1> waits_; ///< tests of mbarriers
  PtxAccesses result_;
};

} // namespace

std::uint64_t ptxBytesOfImage(ArrayRef<StringRef> words) { return bytesMoved(words.drop_back()); }

PtxAccesses parsePtxAccesses(StringRef assembly) { return Reader().run(assembly); }

} // namespace cupr::pass
