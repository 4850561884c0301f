#include "site_table.h"

#include "access_timing.h"
#include "constant_values.h"
#include "devicelib/abi/unit_suffix.h"
#include "memory_ordering.h"
#include "plan.h"
#include "shared_variables.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Compression.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace cupr::pass {
namespace {

/// Texts beyond this size are left out: a table lies in device memory.
constexpr std::size_t kMaxSourceBytes = 4u << 20;

abi::SpaceVerdict verdictOf(abi::MemorySpace space, SpaceProof proof) {
  switch (space) {
  case abi::MemorySpace::Global:
    return proof == SpaceProof::Decided ? abi::SpaceVerdict::Decided : abi::SpaceVerdict::Global;
  case abi::MemorySpace::Shared:
    return abi::SpaceVerdict::Shared;
  case abi::MemorySpace::Constant:
    return abi::SpaceVerdict::Constant;
  case abi::MemorySpace::Local:
    return abi::SpaceVerdict::Local;
  case abi::MemorySpace::Texture:
    return abi::SpaceVerdict::Texture;
  }
  return abi::SpaceVerdict::Global;
}

/// Whether other threads may wait for what a load or store does.
bool isVolatile(const Access &access) {
  const abi::OperationClass kind = abi::operationClass(access.operation);
  return access.ordering.order != abi::MemoryOrder::None &&
         (kind == abi::OperationClass::Load || kind == abi::OperationClass::Store);
}

void align(std::string &blob) { blob.resize((blob.size() + 7) & ~std::size_t{7}); }

template <typename T> std::uint32_t append(std::string &blob, const std::vector<T> &elements) {
  align(blob);
  const auto offset = static_cast<std::uint32_t>(blob.size());
  blob.append(reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(T));
  return offset;
}

} // namespace

SiteTable::SiteTable(const SourcePlaces &places, SourceTypes &types, const DeclaredVariables &variables)
    : places_(places), types_(types), variables_(variables), strings_(1, '\0') {
  stringOffsets_[""] = 0;
}

std::uint32_t SiteTable::string(StringRef text) {
  const auto [entry, fresh] = stringOffsets_.try_emplace(text, static_cast<std::uint32_t>(strings_.size()));
  if (fresh) {
    strings_ += text;
    strings_ += '\0';
  }
  return entry->second;
}

std::uint32_t SiteTable::type(const Type &type) {
  std::string text;
  raw_string_ostream(text) << type;
  return string(text);
}

std::uint32_t SiteTable::file(const std::string &path) {
  if (!is_contained(paths_, path))
    paths_.push_back(path);
  return string(path);
}

std::uint32_t SiteTable::add(const abi::Frame &frame) {
  frames_.push_back(frame);
  return static_cast<std::uint32_t>(frames_.size() - 1);
}

abi::Frame SiteTable::frameAt(const DILocation &at) {
  const SourcePlace place = places_.at(at);
  abi::Frame frame{};
  frame.file = file(place.file);
  frame.line = place.line;
  frame.column = place.column;
  frame.function = string(place.function);
  return frame;
}

std::uint32_t SiteTable::inlinedCalls(const DILocation *at, std::uint32_t outer) {
  if (!at)
    return outer;
  if (const auto known = inlinedNumbers_.find({at, outer}); known != inlinedNumbers_.end())
    return known->second;
  const std::uint32_t parent = inlinedCalls(at->getInlinedAt(), outer);
  abi::Frame frame = frameAt(*at);
  frame.parent = parent;
  return inlinedNumbers_[{at, outer}] = add(frame);
}

std::uint32_t SiteTable::addCall(const CallBase &call, std::uint32_t outer) {
  abi::Frame frame{};
  frame.parent = outer;
  if (const DILocation *at = places_.userLocation(call)) {
    const std::uint32_t parent = inlinedCalls(at->getInlinedAt(), outer);
    frame = frameAt(*at);
    frame.parent = parent;
  } else {
    frame.function = string(demangle(call.getFunction()->getName()));
  }
  frame.kind = static_cast<std::uint32_t>(abi::FrameKind::Called);
  return add(frame);
}

std::uint32_t SiteTable::addRecursion(const Function &entry, std::uint32_t outer) {
  abi::Frame frame{};
  if (const DISubprogram *program = entry.getSubprogram()) {
    frame.file = file(pathOf(*program));
    frame.line = program->getLine();
  }
  frame.function = string(demangle(abi::withoutUnit(entry.getName().str())));
  frame.parent = outer;
  frame.kind = static_cast<std::uint32_t>(abi::FrameKind::Recursive);
  return add(frame);
}

std::uint32_t SiteTable::addPlaceless(abi::FrameKind kind) {
  abi::Frame frame{};
  frame.parent = abi::kNoFrame;
  frame.kind = static_cast<std::uint32_t>(kind);
  return add(frame);
}

std::uint32_t SiteTable::reserve(std::uint64_t count) {
  const auto first = static_cast<std::uint32_t>(sites_.size());
  sites_.resize(sites_.size() + count);
  return first;
}

void SiteTable::setAccess(std::uint32_t number, const TracedAccess &traced, abi::MemorySpace space,
                          std::uint32_t frame) {
  const Access &access = traced.access;
  abi::Site &site = sites_[number];
  if (access.operation == abi::Operation::LocalVariable)
    return setLocalVariable(site, access, frame);
  site.bytes = static_cast<std::uint32_t>(access.bytes);
  site.operation = static_cast<std::uint8_t>(access.operation);
  site.space = static_cast<std::uint8_t>(verdictOf(space, traced.proof));
  const unsigned parts = access.part == 0 ? abi::kSiteWhole : Log2_64(access.part) + 1;
  site.flags = static_cast<std::uint16_t>(
      (traced.proof == SpaceProof::Decided ? abi::kSiteDecided : 0) |
      (access.length || access.tensor ? abi::kSiteRange : 0) |
      (SourcePlaces::isGridBarrier(*access.instruction) ? abi::kSiteGridBarrier : 0) |
      (traced.hasValues ? abi::kSiteValues : 0) | (isVolatile(access) ? abi::kSiteVolatile : 0) |
      (traced.hasClock ? abi::kSiteClock : 0) | (traced.hasDuration ? abi::kSiteDuration : 0) |
      (storesOneValue(access) ? abi::kSiteOneValue : 0) | (isOfLock(access) ? abi::kSiteLock : 0) |
      (access.isCopied ? abi::kSiteCopy : 0) | (access.isSure ? abi::kSiteSure : 0) |
      (access.isRegardless && space != abi::MemorySpace::Local ? abi::kSiteRegardless : 0) |
      (access.isSpeculated ? abi::kSiteSpeculated : 0) | parts << abi::kSitePartShift);
  site.order = static_cast<std::uint8_t>(access.ordering.order);
  site.scope = static_cast<std::uint8_t>(access.ordering.scope);
  if (access.type)
    site.type = type(*access.type);
  if (const auto known = types_.of(access)) {
    site.sourceType = string(known->name);
    site.layout = string(known->layout);
  }
  site.name = string(access.variable.empty() ? access.imageInstruction : access.variable);
  setPlace(site, *access.instruction, frame);
}

void SiteTable::setLocalVariable(abi::Site &site, const Access &access, std::uint32_t frame) {
  site.bytes = static_cast<std::uint32_t>(access.bytes);
  site.operation = static_cast<std::uint8_t>(access.operation);
  site.space = static_cast<std::uint8_t>(abi::SpaceVerdict::Local);
  site.flags = access.isSure ? abi::kSiteSure : 0;
  site.name = string(access.variable);
  setPlace(site, *access.instruction, frame);
}

void SiteTable::setExecution(std::uint32_t number, const ExecutedLine &line, bool follows,
                             std::uint32_t frame) {
  abi::Site &site = sites_[number];
  site.operation = static_cast<std::uint8_t>(abi::Operation::Instructions);
  site.space = static_cast<std::uint8_t>(abi::SpaceVerdict::Global);
  site.flags = follows ? abi::kSiteFollows : 0;
  site.name = string(textOf(line.mix));
  setPlace(site, *line.at, frame);
}

void SiteTable::setPlace(abi::Site &site, const Instruction &instruction, std::uint32_t frame) {
  site.frame = frame;
  if (const DILocation *at = places_.userLocation(instruction)) {
    const SourcePlace place = places_.at(*at);
    site.file = file(place.file);
    site.line = place.line;
    site.column = place.column;
    site.function = string(place.function);
    site.frame = inlinedCalls(at->getInlinedAt(), frame);
  } else {
    site.function = string(demangle(instruction.getFunction()->getName()));
  }
}

std::uint32_t SiteTable::addBlock(const Function &kernel) {
  abi::Site site{};
  site.operation = static_cast<std::uint8_t>(abi::Operation::Load);
  site.space = static_cast<std::uint8_t>(abi::SpaceVerdict::Global);
  site.flags = abi::kSiteBlock;
  site.frame = abi::kNoFrame;
  site.function = string(demangle(kernel.getName()));
  sites_.push_back(site);
  return static_cast<std::uint32_t>(sites_.size() - 1);
}

void SiteTable::setVariable(std::uint32_t number, const GlobalVariable &variable, const Function &kernel) {
  abi::Site &site = sites_[number];
  site.operation = static_cast<std::uint8_t>(abi::Operation::Variable);
  site.space = static_cast<std::uint8_t>(abi::SpaceVerdict::Shared);
  site.frame = abi::kNoFrame;
  const DataLayout &layout = variable.getParent()->getDataLayout();
  const auto bytesOf = [&](Type *type) { return layout.getTypeAllocSize(type).getFixedValue(); };
  site.bytes = static_cast<std::uint32_t>(bytesOf(variable.getValueType()));
  Type *element = variable.getValueType();
  while (element->isArrayTy())
    element = element->getArrayElementType();
  std::uint64_t elementBytes = bytesOf(element);
  site.type = type(*variable.getValueType());
  const VariableName name = nameInSource(variable);
  site.function = string(name.function);
  site.name = string(name.name);
  if (const auto declared = variables_.of(variable, &kernel)) {
    site.sourceType = string(declared->type);
    if (!declared->type.empty())
      elementBytes = declared->bytes;
    if (declared->line != 0)
      site.file = file(declared->path);
    site.line = declared->line;
    site.column = declared->column;
  }
  site.elementBytes = static_cast<std::uint16_t>(elementBytes > UINT16_MAX ? 0 : elementBytes);
}

std::uint32_t SiteTable::addSlice(const Function &kernel, std::uint32_t blockSite, Slice slice) {
  abi::SliceHeader header{};
  header.kernel = string(kernel.getName());
  header.blockSite = blockSite;
  header.registerCount = slice.registerCount;
  header.inputCount = static_cast<std::uint32_t>(slice.inputs.size());
  header.constantCount = static_cast<std::uint32_t>(slice.constants.size());
  header.instructionCount = static_cast<std::uint32_t>(slice.code.size());
  sliceHeaders_.push_back(header);
  slices_.push_back(std::move(slice));
  return static_cast<std::uint32_t>(slices_.size() - 1);
}

std::string SiteTable::loops(const SourceLoops &loops) const {
  std::set<std::string> lines;
  const auto add = [&](std::uint32_t file, std::uint32_t line, std::uint32_t column) {
    if (line != 0)
      loops.addAround(strings_.c_str() + file, {line, column}, lines);
  };
  for (const abi::Site &site : sites_)
    add(site.file, site.line, site.column);
  for (const abi::Frame &frame : frames_)
    add(frame.file, frame.line, frame.column);
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

std::string SiteTable::blob() const {
  std::vector<abi::Source> sources;
  std::vector<SmallVector<std::uint8_t, 0>> texts;
  for (const std::string &path : paths_) {
    abi::Source source{};
    source.path = stringOffsets_.lookup(path);
    texts.emplace_back();
    if (auto text = MemoryBuffer::getFile(path);
        text && (*text)->getBufferSize() <= kMaxSourceBytes && compression::zstd::isAvailable()) {
      compression::zstd::compress(arrayRefFromStringRef((*text)->getBuffer()), texts.back(), 9);
      source.textBytes = static_cast<std::uint32_t>((*text)->getBufferSize());
      source.packedBytes = static_cast<std::uint32_t>(texts.back().size());
    }
    sources.push_back(source);
  }
  abi::SiteTableHeader header{};
  header.magic = abi::kSiteTableMagic;
  header.abiVersion = CUPR_ABI_VERSION;
  header.siteCount = static_cast<std::uint32_t>(sites_.size());
  header.frameCount = static_cast<std::uint32_t>(frames_.size());
  header.sourceCount = static_cast<std::uint32_t>(sources.size());
  header.stringBytes = static_cast<std::uint32_t>(strings_.size());
  header.timed = static_cast<std::uint16_t>(latencyScheme());
  header.recorded =
      static_cast<std::uint16_t>((recordsSynchronisation() ? abi::kRecordsSynchronisation : 0u) |
                                 tracedSpaceSet() << abi::kRecordsSpaces);
  std::string blob(sizeof header, '\0');
  header.siteOffset = append(blob, sites_);
  header.frameOffset = append(blob, frames_);
  header.sourceOffset = append(blob, sources);
  header.sliceCount = static_cast<std::uint32_t>(slices_.size());
  header.sliceOffset = append(blob, sliceHeaders_);
  align(blob);
  header.stringOffset = static_cast<std::uint32_t>(blob.size());
  blob += strings_;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    align(blob);
    sources[i].packedOffset = static_cast<std::uint32_t>(blob.size());
    blob.append(reinterpret_cast<const char *>(texts[i].data()), texts[i].size());
  }
  std::vector<abi::SliceHeader> sliceHeaders = sliceHeaders_;
  for (std::size_t i = 0; i < slices_.size(); ++i) {
    sliceHeaders[i].offset = append(blob, slices_[i].inputs);
    blob.append(reinterpret_cast<const char *>(slices_[i].constants.data()),
                slices_[i].constants.size() * sizeof(std::uint64_t));
    blob.append(reinterpret_cast<const char *>(slices_[i].code.data()),
                slices_[i].code.size() * sizeof(abi::SliceInstruction));
  }
  align(blob);
  header.totalBytes = static_cast<std::uint32_t>(blob.size());
  std::memcpy(blob.data(), &header, sizeof header);
  std::memcpy(blob.data() + header.sourceOffset, sources.data(), sources.size() * sizeof(abi::Source));
  std::memcpy(blob.data() + header.sliceOffset, sliceHeaders.data(),
              sliceHeaders.size() * sizeof(abi::SliceHeader));
  return blob;
}

} // namespace cupr::pass
