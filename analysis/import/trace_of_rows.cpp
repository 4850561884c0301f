#include "trace_of_rows.h"

#include "analysis/model/model.h"
#include "analysis/model/value_text.h"
#include "cells.h"
#include "devicelib/abi/version.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace cupr::analysis {

namespace {

constexpr std::string_view kFormat = "cuprewrite export";

/// The lanes of a record, and what each has in a list of the row.
struct Lanes {
  std::span<const std::uint64_t> numbers;

  /// Throws unless the list has one for each lane.
  template <typename T> std::span<const T> each(std::span<const T> list, Cells &cells) const {
    if (list.size() != numbers.size())
      cells.bad("must have as many as `lanes`");
    return list;
  }
};

/// What the lanes of a record read and wrote, when, and how long it took: the next cells. `more`: set where they say more than records of the site have.
trace::AccessValues valuesOf(Cells &cells, const Lanes &lanes, const trace::Module &module,
                             const trace::Site &site, const abi::ValueShape &shape, bool &more) {
  trace::AccessValues values;
  values.shape = shape;
  if (abi::piecesOf(shape) != 0 && !abi::isRecorded(shape))
    throw BrokenExport("its site says that it has values, which can't be");
  const unsigned pieces = abi::piecesOfPart(shape.bytes);
  const ValueForm form = shape.parts != 0 ? valueForm(module, site) : ValueForm();
  const auto take = [&](ValueRole role) {
    const std::span<const std::string> texts = cells.texts();
    more |= shape.parts == 0 && !texts.empty();
    const std::optional<unsigned> part = partOf(site.operation, role);
    if (!part || *part >= shape.parts)
      return;
    lanes.each(texts, cells);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      std::array<unsigned char, abi::kMaxValuePieces * abi::kPieceBytesMax> bytes{};
      if (!bytesOfText(form, texts[i], std::span(bytes).first(shape.bytes)))
        cells.bad(fmt::format("has a text that is no value of the type {}", module.strings[site.type]));
      for (unsigned piece = 0; piece < pieces; ++piece)
        std::memcpy(&values.pieces[*part * pieces + piece][lanes.numbers[i]],
                    bytes.data() + piece * abi::kPieceBytesMax, abi::kPieceBytesMax);
    }
  };
  for (const ValueRole role : kMovedRoles)
    take(role);
  for (unsigned coordinate = 0; coordinate < 3; ++coordinate) // of the thread, which the lanes say
    cells.skip();
  take(ValueRole::Coordinates);
  const auto takePiece = [&](bool isThere, unsigned piece, std::uint64_t most) {
    const std::span<const std::uint64_t> numbers = cells.numbers();
    more |= !isThere && !numbers.empty();
    if (!isThere)
      return;
    lanes.each(numbers, cells);
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] > most)
        cells.bad("is too large");
      values.pieces[piece][lanes.numbers[i]] = numbers[i];
    }
  };
  takePiece(shape.hasClock, abi::valuePieces(shape), UINT64_MAX);
  takePiece(shape.hasDuration, abi::valuePieces(shape) + 1, UINT32_MAX);
  return values;
}

/// What is kept of a row that is no record's, about.
std::uint64_t bytesOf(const Row &row) {
  constexpr std::uint64_t kOfEveryRow = 400;
  std::uint64_t bytes = kOfEveryRow;
  for (const Value &value : row.values)
    if (const auto *text = std::get_if<std::string_view>(&value))
      bytes += text->size();
    else if (const auto *texts = std::get_if<std::span<const std::string>>(&value))
      for (const std::string &each : *texts)
        bytes += sizeof(std::string) + each.size();
  return bytes;
}

} // namespace

/// Rules that a message breaks by itself are told here, where its row is known.
void TraceOfRows::append(const trace::Message &message) {
  const trace::Payload payload = std::visit([](const auto &value) { return encode(value); }, message);
  trace::Message again;
  if (const std::string rule = trace::decode(payload, again); !rule.empty())
    throw BrokenExport(rule);
  file_.append(message, payload);
}

void TraceOfRows::take(const Row &row) {
  if (hasEnd_)
    throw BrokenExport("nothing must follow `end`");
  if ((row.kind == RowKindId::Header) == hasHeader_)
    throw BrokenExport(hasHeader_ ? "a second header" : "the first row must be a `header`");
  const bool isSite = row.kind == RowKindId::Site || row.kind == RowKindId::Frame;
  if (isSite && hasSites_)
    throw BrokenExport("sites and frames must come before everything that the host did");
  if (!isSite && row.kind != RowKindId::Header && !hasSites_)
    finishSites();
  const bool isOfLaunch = row.kind == RowKindId::Record || row.kind == RowKindId::LaunchEnd;
  if (isOfLaunch != open_.has_value())
    throw BrokenExport(isOfLaunch ? "it stands behind no launch" : "the launch before it has no end");
  if (row.kind != RowKindId::Record && row.kind != RowKindId::Count)
    limit_.keep(bytesOf(row),
                [&] { return std::string("rows of the kind ") + std::string(rowKind(row.kind).name); });
  switch (row.kind) {
  case RowKindId::Header:
    return header(row);
  case RowKindId::Frame:
    return sites_.addFrame(row);
  case RowKindId::Site:
    return sites_.addSite(row);
  case RowKindId::Launch:
    return launch(row);
  case RowKindId::Record:
    return record(row);
  case RowKindId::LaunchEnd:
    return launchEnd(row);
  case RowKindId::Count:
    return count(row);
  case RowKindId::Allocation:
    return allocation(row);
  case RowKindId::ImageObject:
    return imageObject(row);
  case RowKindId::Copy:
    return act<trace::Copy>(row);
  case RowKindId::Set:
    return act<trace::Set>(row);
  case RowKindId::Synchronisation:
    return act<trace::Synchronisation>(row);
  case RowKindId::HostCall:
    return host_.addCall(row);
  case RowKindId::HostSample:
    return host_.addSample(row);
  case RowKindId::HostFrame:
    return host_.addFrame(row);
  case RowKindId::Loop:
    return host_.addLoop(row);
  case RowKindId::End:
    return end(row);
  case RowKindId::Access:
  case RowKindId::WideAccess:
    throw BrokenExport("accesses by thread are not what is read here, but records of warps");
  }
}

void TraceOfRows::header(const Row &row) {
  Cells cells(row);
  std::string format;
  std::uint64_t version = 0;
  cells.takeAll(format, version);
  if (format != kFormat)
    throw BrokenExport(fmt::format("`format` must be \"{}\"", kFormat));
  if (version == 0 || version > kExportVersion)
    throw BrokenExport(fmt::format("the export's version is {}, and this program knows those up to {}",
                                   version, kExportVersion));
  trace::Header header;
  header.abiVersion = CUPR_ABI_VERSION;
  cells.take(header.process.program);
  const std::span<const std::string> arguments = cells.texts();
  header.process.arguments.assign(arguments.begin(), arguments.end());
  cells.takeAll(header.process.pid, header.process.deviceKind, header.process.deviceName,
                header.process.startTime);
  cells.skip();
  if (const auto notWhole = cells.next<std::string_view>())
    notes_.push_back(fmt::format("The trace that was exported is not whole: {}", *notWhole));
  append(header);
  hasHeader_ = true;
}

void TraceOfRows::finishSites() {
  modules_ = sites_.modules();
  for (const trace::Module &module : modules_) {
    append(module);
    valueSites_.push_back(trace::valueSitesOf(module.sites));
  }
  hasSites_ = true;
}

#define CUPR_TAKE(type, member, ...) cells.take(out.member);

void TraceOfRows::launch(const Row &row) {
  Cells cells(row);
  trace::Launch &out = open_.emplace();
#define CUPR_LAUNCH CUPR_TAKE
#define CUPR_LAUNCH_PART CUPR_TAKE
#include "hostlib/trace/events.def"
  if (!launches_.insert(static_cast<std::uint64_t>(out.id)).second)
    throw BrokenExport(fmt::format("there is a launch {} already", static_cast<std::uint64_t>(out.id)));
  endUpTo(out.order);
  launchRecords_.reset();
  recordsBefore_ = records_;
  isCounted_ = false;
}

/// Which module a launch is of is not said, but which its records' sites are.
void TraceOfRows::beginRecords(std::uint32_t module) {
  open_->module = static_cast<trace::ModuleId>(module_ = module);
  moduleOfKernel_[open_->mangled] = module;
  append(*open_);
  launchRecords_.emplace(file_, *open_, modules_[module].sites, valueSites_[module]);
}

void TraceOfRows::record(const Row &row) {
  Cells cells(row);
  std::uint64_t launch = 0, siteId = 0, sm = 0;
  trace::Dim3 cta;
  abi::WarpAccess access{};
  cells.takeAll(launch, siteId);
  if (launch != static_cast<std::uint64_t>(open_->id) || !open_->traced)
    throw BrokenExport("a record must be of the launch before it, which is traced");
  const SitePlace *const place = sites_.find(siteId);
  if (!place)
    throw BrokenExport(fmt::format("there is no site {}", siteId));
  if (!launchRecords_)
    beginRecords(place->module);
  if (place->module != module_)
    throw BrokenExport("the launch has records at sites of several modules");
  const trace::Site &site = modules_[module_].sites[place->site];
  cells.takeAll(cta.x, cta.y, cta.z);
  const trace::Dim3 &grid = open_->grid;
  if (cta.x >= grid.x || cta.y >= grid.y || cta.z >= grid.z)
    throw BrokenExport("its block is not in the grid");
  access.site = place->site;
  access.cta = cta.x + std::uint64_t{grid.x} * (cta.y + std::uint64_t{grid.y} * cta.z);
  cells.take(access.warp);
  if (access.warp > abi::kWarpMask)
    cells.bad("is larger than a block's can be");
  cells.take(sm);
  if (sm > abi::kSmMask)
    cells.bad("is larger than a record can hold");
  access.sm = static_cast<std::uint32_t>(sm);
  const Lanes lanes{cells.numbers()};
  if (lanes.numbers.empty())
    cells.bad("must not be empty");
  for (std::size_t i = 0; i < lanes.numbers.size(); ++i) {
    if (lanes.numbers[i] >= abi::kLanes || (i > 0 && lanes.numbers[i] <= lanes.numbers[i - 1]))
      cells.bad("must be numbers below 32 that ascend");
    access.laneMask |= 1u << lanes.numbers[i];
  }
  const std::span<const std::uint64_t> addresses = lanes.each(cells.numbers(), cells);
  for (std::size_t i = 0; i < addresses.size(); ++i)
    access.address[lanes.numbers[i]] = addresses[i];
  if (const std::span<const std::uint64_t> bytes = cells.numbers(); !bytes.empty()) {
    access.form = abi::RecordForm::Range;
    lanes.each(bytes, cells);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      if (bytes[i] == 0 || bytes[i] > abi::kMaxRangeBytes)
        cells.bad("must be from 1 to 2^32 - 1");
      access.bytes[lanes.numbers[i]] = bytes[i];
    }
  }
  bool more = false;
  const trace::AccessValues values =
      valuesOf(cells, lanes, modules_[module_], site, launchRecords_->shapeOf(site), more);
  if (more && !losesValues_) {
    losesValues_ = true;
    notes_.push_back(
        "Values are left out, clocks and durations, that accesses have of which the export does not say so "
        "(`has_values`, `has_clock`, `has_duration`).");
  }
  if (const std::string rule = launchRecords_->add(access, &values); !rule.empty())
    throw BrokenExport(rule);
  ++records_;
  accesses_ += isAccess(site) ? lanes.numbers.size() : 0;
}

void TraceOfRows::launchEnd(const Row &row) {
  Cells cells(row);
  trace::LaunchEnd end;
  std::uint64_t records = 0;
  cells.takeAll(end.id, end.complete, end.reason, end.time, end.waits, records);
  cells.skip();
  end.began = cells.next<std::uint64_t>().value_or(0);
  end.ended = cells.next<std::uint64_t>().value_or(0);
  cells.takeAll(end.evictedPages);
  if (end.id != open_->id)
    throw BrokenExport("it must be of the launch before it");
  if (!open_->traced && !end.complete) { // then it has no end in a trace
    append(*open_);
    counted_ = end.id;
    isCounted_ = false;
    open_.reset();
    return;
  }
  if (!launchRecords_) {
    // That of a launch before it of the same kernel; or else it is not known, and nobody asks for it.
    const auto before = moduleOfKernel_.find(open_->mangled);
    if (before != moduleOfKernel_.end())
      open_->module = static_cast<trace::ModuleId>(before->second);
    append(*open_);
    launchRecords_.emplace(file_, *open_, std::span<const trace::Site>());
  }
  const std::uint64_t there = records_ - recordsBefore_;
  isCounted_ = records == there;
  if (!isCounted_) {
    end.complete = false;
    end.reason = fmt::format("the export has {} of its {} records", there, records);
  }
  if (const std::string rule = launchRecords_->finish(end); !rule.empty())
    throw BrokenExport(rule);
  counts_ = launchRecords_->totals().counts;
  counted_ = end.id;
  open_.reset();
}

void TraceOfRows::count(const Row &row) {
  Cells cells(row);
  trace::LaunchId launch{};
  cells.take(launch);
  if (launch != counted_)
    throw BrokenExport("it must be of the launch before it");
  abi::MemorySpace space{};
  cells.takeNamed(space, abi::kMemorySpaces, abi::spaceName);
  trace::Counts said;
  cells.takeAll(said.loads, said.stores, said.atomics, said.loadBytes, said.storeBytes, said.atomicBytes);
  if (isCounted_ && said != counts_.in(space))
    throw BrokenExport("the counts are not those of the launch's records");
}

void TraceOfRows::allocation(const Row &row) {
  Cells cells(row);
  trace::Allocation out;
  cells.skip();
#define CUPR_ALLOCATION CUPR_TAKE
#include "hostlib/trace/events.def"
  endUpTo(out.order);
  append(out);
  if (const auto freed = cells.next<std::uint64_t>()) {
    trace::Free free;
    free.address = out.address;
    free.order = *freed;
    ends_.emplace(*freed, std::move(free));
  }
}

void TraceOfRows::imageObject(const Row &row) {
  Cells cells(row);
  trace::ImageObject out;
  cells.skip();
#define CUPR_IMAGE_OBJECT CUPR_TAKE
#include "hostlib/trace/events.def"
  endUpTo(out.order);
  append(out);
  cells.skip(); // the allocation follows from the others
  if (const auto ended = cells.next<std::uint64_t>()) {
    trace::ImageObject end;
    end.kind = out.kind;
    end.object = out.object;
    end.order = *ended;
    end.isDestroyed = true;
    ends_.emplace(*ended, std::move(end));
  }
}

void TraceOfRows::endUpTo(std::uint64_t order) {
  while (!ends_.empty() && ends_.begin()->first <= order) {
    append(ends_.begin()->second);
    ends_.erase(ends_.begin());
  }
}

template <typename Act> void TraceOfRows::act(const Row &row) {
  Cells cells(row);
  Act out;
  if constexpr (std::is_same_v<Act, trace::Copy>) {
#define CUPR_COPY CUPR_TAKE
#define CUPR_COPY_PART CUPR_TAKE
#include "hostlib/trace/events.def"
  } else if constexpr (std::is_same_v<Act, trace::Set>) {
#define CUPR_SET CUPR_TAKE
#define CUPR_SET_PART CUPR_TAKE
#include "hostlib/trace/events.def"
  } else {
#define CUPR_SYNCHRONISATION CUPR_TAKE
#include "hostlib/trace/events.def"
  }
  endUpTo(out.order);
  append(out);
}
#undef CUPR_TAKE

void TraceOfRows::end(const Row &row) {
  Cells cells(row);
  std::uint64_t launches = 0, records = 0, accesses = 0;
  std::string selection;
  cells.takeAll(launches, records, accesses, selection);
  if (launches != launches_.size() || records != records_ || accesses != accesses_)
    throw BrokenExport(
        fmt::format("rows are missing: of {} launches, {} records and {} accesses there are {}, {} "
                    "and {}",
                    launches, records, accesses, launches_.size(), records_, accesses_));
  if (!selection.empty())
    notes_.push_back(fmt::format("The export holds a selection: {}", selection));
  hasEnd_ = true;
}

void TraceOfRows::finish() {
  if (!hasEnd_)
    throw BrokenExport("the export is cut off: its last row, `end`, is missing");
  endUpTo(UINT64_MAX);
  trace::HostCounts counts;
  for (trace::PackedHostBatch &packed : trace::packHost(host_.batch(), trace::kFastLevel)) {
    packed.first = counts;
    counts += packed;
    append(packed);
  }
  trace::End end;
  end.lost = !notes_.empty();
  file_.finish(std::move(end));
}

} // namespace cupr::analysis
