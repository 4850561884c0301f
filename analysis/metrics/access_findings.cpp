/// Each rule looks at the requests of one access, and at those of its kernel's others. They are tried in an order, each where those before
/// it do not hold, so they stand together, though they are many.
#include "access_findings.h"

#include "analysis/output/text.h"
#include "device_figures.h"
#include "library_tables.h"
#include "meeting_rules.h"
#include "small_request_rules.h"
#include "source_expression.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <fmt/format.h>
#include <iterator>
#include <string_view>
#include <tuple>
#include <utility>

namespace cupr::analysis {

namespace {

/// Repeated accesses are told of from this part of the program's sectors on.
constexpr double kOfRepeats = 0.01;
/// An access so near to one whose requests begin with sectors reads what that one's neighbours read, in bytes.
constexpr std::int64_t kHalo = 256;
/// A window is shifted once in so many turns, at least: one behind the other, its columns are as many.
constexpr std::uint64_t kOfWindow = 64;

std::uint64_t wasteOf(const RequestFigures &made) { return made.sectors - made.leastSectors; }

class AccessRules {
public:
  AccessRules(const Model &model, const std::map<KernelSite, SitePatterns> &patterns)
      : model_(model), device_(figuresOf(model.header().process.deviceName)),
        accesses_(sourceAccesses(model, patterns, abi::MemorySpace::Global)),
        local_(sourceAccesses(model, patterns, abi::MemorySpace::Local)), totals_(totalsOf(accesses_)),
        words_(model) {
    for (const SourceAccess &access : accesses_)
      for (const AccessPart &part : access.parts)
        kernels_[part.place.launch].push_back(part);
  }

  std::vector<Finding> run() {
    const LibraryTables tables(model_);
    for (const SourceAccess &access : accesses_)
      if (!tables.areAllOf(access))
        judge(access);
    const std::uint64_t sectors = totals_.sectors + totalsOf(local_).sectors;
    for (const SourceAccess &access : local_)
      localScatter(access, sectors);
    return std::move(findings_);
  }

private:
  struct Cause {
    FindingRule rule;
    std::string title, advice;
    /// All bytes of the sectors are used by the same threads, one after the other: what is too much comes from the L1 cache.
    bool isCached = false;
  };

  /// What many meet at is not sorted better, and what a thread keeps to itself is neither shared nor small.
  void judge(const SourceAccess &access) {
    std::optional<AccessCause> meeting = meetingCause(access, totals_, device_);
    const bool isContended = meeting && meeting->rule == FindingRule::ContendedAtomics;
    const bool isWasted = !isContended && wastedSectors(access), isRepeated = repeated(access);
    if (meeting && (!isRepeated || meeting->rule == FindingRule::AtomicsOnOneAddress || isContended))
      add(access, std::move(*meeting));
    else if (!isWasted && !isRepeated)
      if (std::optional<AccessCause> small = smallRequestCause(access, totals_, device_))
        add(access, std::move(*small));
  }

  void add(const SourceAccess &access, AccessCause cause) {
    Finding &finding =
        findings_.emplace_back(findingAt(model_, cause.rule, access, largestOf(access), words_.of(access)));
    finding.title = std::move(cause.title);
    finding.advice = std::move(cause.advice);
    finding.amount = cause.amount;
    finding.share = cause.share;
    finding.seconds = cause.seconds;
  }

  /// The part with most waste, or, where there is none, most requests.
  static const AccessPart &largestOf(const SourceAccess &access) {
    return *std::ranges::max_element(access.parts, {}, [](const AccessPart &part) {
      return std::pair(wasteOf(part.all.made), part.all.made.requests);
    });
  }

  double secondsFor(std::uint64_t sectors, bool areCached = false) const {
    return static_cast<double>(sectors) * kSectorBytes /
           (areCached ? device_.cacheBytesPerSecond : device_.memoryBytesPerSecond);
  }

  // Sectors that hold nothing of use.

  bool wastedSectors(const SourceAccess &access) {
    const std::uint64_t waste = wasteOf(access.all.made);
    if (partOf(waste, access.all.made.sectors) < kOfTheAccess ||
        partOf(waste, totals_.sectors) < kOfTheProgram)
      return false;
    std::map<PatternKind, std::uint64_t> kinds;
    for (const auto &[pattern, volume] : access.patterns)
      kinds[pattern.kind] += wasteOf(volume.made);
    const PatternKind kind =
        std::ranges::max_element(kinds, {}, [](const auto &of) { return of.second; })->first;
    RequestPattern pattern{kind};
    PatternVolume made;
    for (const auto &[of, volume] : access.patterns)
      if (of.kind == kind && wasteOf(volume.made) > wasteOf(made.made)) {
        pattern = of;
        made = volume;
      }
    std::optional<Cause> cause = causeOf(access, pattern);
    if (!cause)
      return false;
    add(access, {cause->rule, cause->title + sectorsText(access), std::move(cause->advice), waste,
                 partOf(waste, totals_.sectors), secondsFor(waste, cause->isCached)});
    return true;
  }

  static std::string sectorsText(const SourceAccess &access) {
    return fmt::format(": {:.1f} sectors per request, where {:.1f} would hold the data",
                       partOf(access.all.made.sectors, access.all.made.requests),
                       partOf(access.all.made.leastSectors, access.all.made.requests));
  }

  std::optional<Cause> causeOf(const SourceAccess &access, const RequestPattern &pattern) {
    switch (pattern.kind) {
    case PatternKind::Packed:
      return std::nullopt;
    case PatternKind::Shifted:
      return misaligned(access);
    case PatternKind::Pieces:
      return pieces(access);
    case PatternKind::Sparse:
      return Cause{FindingRule::InactiveThreads,
                   "Between the threads that access, others are not active, or access another array",
                   "Let the threads that work be neighbours: thread t takes the t-th element that there is "
                   "to do, and the threads left over are the last ones. Where a condition decides what a "
                   "thread stores, choose the value, and let all threads store."};
    case PatternKind::Rows:
      return rows(access, pattern);
    case PatternKind::Strided:
      return strided(access, pattern);
    case PatternKind::Structures:
      return structureAccess(access, pattern);
    case PatternKind::Scattered:
      return scattered(access);
    }
    return std::nullopt;
  }

  /// None where it is the halo of an access that is aligned: what neighbours of a stencil's point cost is in the cache.
  std::optional<Cause> misaligned(const SourceAccess &access) const {
    const AccessPart &most = largestOf(access);
    // Rows that are no longer than a warp have their ends in most requests, wherever they begin.
    if (access.all.threads < kLanesOfFull * access.all.warpAccesses)
      return std::nullopt;
    if (isHalo(most) || isWindow(access, most))
      return std::nullopt;
    return Cause{FindingRule::Misaligned, "Requests are without gaps, but begin in the middle of a sector",
                 "Let the rows of the data begin at multiples of 32 bytes (cudaMallocPitch, or a row length "
                 "that is a multiple of 8 floats), and thread 0 of each warp at the begin of a row or a "
                 "multiple of 32 bytes behind it."};
  }

  bool isHalo(const AccessPart &most) const {
    return hasBeside(most, [&](const AccessPart &other) {
      const auto apart = static_cast<std::int64_t>(other.patterns->first - most.patterns->first);
      return lengthOf(apart) <= kHalo;
    });
  }
  /// Of few threads, beside a tile, wherever they begin: blocks at a border have a part of their halo alone.
  bool isHaloOfTile(const AccessPart &most) const {
    return isHalo(most) || hasBeside(most, [&](const AccessPart &other) { return covers(other, most); });
  }
  /// A loop goes over what lies around a thread's own element, so that all requests but some are shifted, however rows are aligned. The
  /// loop may have been unrolled.
  bool isWindow(const SourceAccess &access, const AccessPart &most) const {
    const bool isShifting = kOfWindow * most.patterns->shifts >= most.all.warpAccesses;
    return hasBeside(most, [&](const AccessPart &other) {
      const auto isOther = [&](const AccessPart &part) { return part.patterns == other.patterns; };
      return covers(other, most) && (isShifting || std::ranges::any_of(access.parts, isOther));
    });
  }
  /// Another access of the kernel is as it should be, and is `which`.
  template <typename Which> bool hasBeside(const AccessPart &most, Which which) const {
    return std::ranges::any_of(kernels_.at(most.place.launch), [&](const AccessPart &other) {
      return other.patterns != most.patterns &&
             partOf(wasteOf(other.all.made), other.all.made.sectors) < kOfTheAccess && which(other);
    });
  }
  /// `most` reaches no further, or not much, than `other`, whose requests are about full.
  static bool covers(const AccessPart &other, const AccessPart &most) {
    return other.all.threads >= kLanesOfFull * other.all.warpAccesses &&
           most.patterns->reach.isWithin(other.patterns->reach, kHalo);
  }

  std::optional<Cause> rows(const SourceAccess &access, const RequestPattern &pattern) const {
    // Threads of a row share an address: what a wider block would spare here, it would cost elsewhere.
    if (pattern.stride == 0)
      return std::nullopt;
    if (const std::optional<Cause> narrow = narrowRows(access))
      return narrow;
    return misaligned(access);
  }

  /// Nearly as good as can be, unless they are rows of the block, or short.
  std::optional<Cause> pieces(const SourceAccess &access) {
    if (std::optional<Cause> narrow = narrowRows(access))
      return narrow;
    return 2 * wasteOf(access.all.made) > access.all.made.sectors ? scattered(access) : std::nullopt;
  }

  /// Of a block that is narrower than a warp, whose rows are no whole sectors.
  std::optional<Cause> narrowRows(const SourceAccess &access) const {
    const AccessPart &most = largestOf(access);
    const std::uint32_t width = model_.launches()[most.place.launch].launch.block.x;
    const std::uint64_t rowBytes = std::uint64_t{width} * most.site->bytes;
    if (width >= abi::kLanes || rowBytes % kSectorBytes == 0)
      return std::nullopt;
    return Cause{FindingRule::NarrowRows,
                 fmt::format("A warp covers {} rows of a block that is {} threads wide; each has {}",
                             (abi::kLanes + width - 1) / width, width,
                             distanceText(static_cast<std::int64_t>(rowBytes))),
                 "Make the block 32 threads wide, or a multiple of it, so that a warp lies in one row."};
  }

  std::optional<Cause> strided(const SourceAccess &access, const RequestPattern &pattern) const {
    const AccessPart &most = largestOf(access);
    const PatternVolume &wasting = access.patterns.at(pattern);
    const bool isFew = wasting.threads < kLanesOfFull * wasting.warpAccesses;
    if (pattern.stride == 0)
      return isFew && isHaloOfTile(most) ? std::nullopt : std::optional(oneOfEachRow(pattern.pitch));
    const std::int64_t stride = lengthOf(pattern.stride), bytes = most.site->bytes;
    const std::string apart = fmt::format("Neighbouring threads are {} apart, and use {} of it",
                                          distanceText(stride), distanceText(bytes));
    // A loop that was unrolled has made several accesses of one.
    const Fields unrolled = fieldsOf(access.parts, most, stride);
    const std::int64_t next = unrolled.count > 1 ? unrolled.gap : lengthOf(most.patterns->next);
    const std::int64_t along = pattern.pitch != 0 ? lengthOf(pattern.pitch) : lengthOf(most.patterns->along);
    const std::int64_t block = lengthOf(most.patterns->block);
    const bool isAlong = along != 0 && along <= kSectorBytes && along < stride,
               isByBlocks = !isAlong && block != 0 && block <= kSectorBytes && block < stride;
    // What is nearer than a thread's own next access is what lies side by side.
    const bool isNearer = (isAlong && along < next) || (isByBlocks && block < next);
    if (next != 0 && next < stride && bytes != 0 && next % bytes == 0 && !isNearer)
      return unrolled.bytes == stride && unrolled.count > 1
                 ? wholePieces(unrolled, bytes, stride)
                 : Cause{FindingRule::ThreadRows,
                         fmt::format("Each thread walks along memory of its own, {} at a time, and "
                                     "neighbouring threads are {} apart",
                                     distanceText(next), distanceText(stride)),
                         threadRowsAdvice(stride)};
    if (isAlong || isByBlocks) {
      const std::string how =
          isAlong ? fmt::format("Threads that are neighbours along x are {} apart, and along y {}",
                                distanceText(stride), distanceText(along))
                  : fmt::format("Neighbouring threads are {} apart, and neighbouring blocks {}",
                                distanceText(stride), distanceText(block));
      if (hasOtherGrain(most, stride, isAlong ? &SitePatterns::along : &SitePatterns::block))
        return Cause{FindingRule::Transposed, how + ", while other accesses of the kernel lie the other way",
                     "Bring a tile of 32 x 32 through shared memory: let the block load it along x and, "
                     "behind a barrier, take it from there "
                     "the other way. Declare it as [32][33], so that its columns are in different banks."};
      return Cause{FindingRule::SwappedAxes, how,
                   isAlong ? "Swap x and y: let threadIdx.x (and blockIdx.x) count along what lies side by "
                             "side in memory, and swap the "
                             "block's and the grid's dimensions with them."
                           : "Let threads go along what blocks go along now: give each block 32 of its "
                             "present neighbours' places, and let "
                             "its threads along y, or a loop, go along what threads go along now."};
    }
    if (isFew && isHaloOfTile(most))
      return std::nullopt;
    if (const Fields fields = fieldsOf(kernels_.at(most.place.launch), most, stride);
        stride <= kLargestStructure)
      return Cause{FindingRule::StructureStride,
                   fields.count > 1
                       ? fmt::format("{}; this kernel accesses {} fields of the {}, {} in all", apart,
                                     fields.count, distanceText(stride), distanceText(fields.bytes))
                       : apart,
                   stride == 8 || stride == 16
                       ? fmt::format("Let each thread access the {} at once, as one vector (float{}, int{}), "
                                     "or keep each field in an array of its own.",
                                     distanceText(stride), stride / 4, stride / 4)
                   : fields.count > 1
                       ? "Keep each field in an array of its own (a structure of arrays), so that "
                         "neighbouring threads access neighbouring elements."
                       : "If it is a field of a structure, keep each in an array of its own (a structure of "
                         "arrays). If it is a sample of what is more, gather the samples once, side by side.",
                   fields.bytes == stride};
    return Cause{FindingRule::Strided, apart, kStridedAdvice};
  }

  static constexpr const char *kStridedAdvice = "Let neighbouring threads access neighbouring elements: "
                                                "change the order of the loops or of the data, or "
                                                "bring a tile through shared memory.";

  static Cause oneOfEachRow(std::int64_t pitch) {
    return {FindingRule::Strided,
            fmt::format("Of each row of the block, one thread accesses, {} from that of the next",
                        distanceText(pitch)),
            kStridedAdvice};
  }

  /// Whether another access of the kernel, which matters as much, is side by side along x, and apart in the other way, along y or from
  /// block to block.
  bool hasOtherGrain(const AccessPart &most, std::int64_t stride, Distances SitePatterns::*way) const {
    return std::ranges::any_of(kernels_.at(most.place.launch), [&](const AccessPart &other) {
      const std::int64_t across = lengthOf(other.patterns->across), apart = lengthOf(other.patterns->*way);
      return 4 * other.all.made.requests >= most.all.made.requests && across == other.site->bytes &&
             apart > across && apart >= std::min<std::int64_t>(stride, kSectorBytes + 1);
    });
  }

  struct Fields {
    std::size_t count = 0;
    std::int64_t bytes = 0; ///< of them together
    std::int64_t gap = 0;   ///< from the begin of one to that of another, at least
  };
  /// Of structures as long as `stride`, those that the kernel's `parts` access in the same way as `most`.
  static Fields fieldsOf(const std::vector<AccessPart> &parts, const AccessPart &most, std::int64_t stride) {
    std::map<std::uint64_t, std::uint32_t> found; // offset from the first -> bytes
    const auto size = static_cast<std::uint64_t>(stride);
    for (const AccessPart &other : parts)
      if (other.place.launch == most.place.launch && lengthOf(other.patterns->across) == stride) {
        const std::uint64_t offset =
            (other.patterns->first % size + size - most.patterns->first % size) % size;
        std::uint32_t &bytes = found[offset];
        bytes = std::max(bytes, other.site->bytes);
      }
    Fields fields{found.size(), 0, stride};
    for (auto field = found.begin(); field != found.end(); ++field) {
      fields.bytes += field->second;
      const auto next = std::next(field);
      const std::uint64_t end = next == found.end() ? found.begin()->first + size : next->first;
      fields.gap = std::min(fields.gap, static_cast<std::int64_t>(end - field->first));
    }
    fields.bytes = std::min(fields.bytes, stride);
    return fields;
  }

  /// Pieces without gaps between them, each of which one thread accesses by one expression: a structure that the compiler has taken to
  /// pieces, or a loop that it has unrolled. The length is the only hint at which of them it is.
  static Cause wholePieces(const Fields &unrolled, std::int64_t bytes, std::int64_t stride) {
    const bool isLoop = std::has_single_bit(static_cast<std::uint64_t>(stride));
    return {isLoop ? FindingRule::ThreadRows : FindingRule::StructureStride,
            fmt::format("Each thread accesses {} of its own by {} accesses of {}", distanceText(stride),
                        unrolled.count, distanceText(bytes)),
            isLoop
                ? threadRowsAdvice(stride)
                : "Keep each field in an array of its own (a structure of arrays), so that neighbouring "
                  "threads access neighbouring elements. Or bring the structures of a block through shared "
                  "memory: its threads copy neighbouring words, and take their own behind a barrier.",
            true};
  }

  static std::string threadRowsAdvice(std::int64_t stride) {
    if (stride == 8 || stride == 16)
      return fmt::format("Let each thread access its {} at once, as one vector (float{}, int{}).",
                         distanceText(stride), stride / 4, stride / 4);
    return "Deal the elements out: thread t takes t, t + threads, t + 2 * threads and so on. Where a thread "
           "needs a whole piece, let a warp share each (its threads take neighbouring elements, and add up "
           "by shuffles), or bring the pieces through shared memory, with rows padded by one element.";
  }

  static std::optional<Cause> structureAccess(const SourceAccess &access, const RequestPattern &pattern) {
    const AccessPart &most = largestOf(access);
    const std::uint32_t bytes = most.site->bytes;
    const double parts = partOf(most.all.made.requests, most.patterns->all().warpAccesses);
    std::string title =
        fmt::format("Each thread accesses {} at once, in {:.0f} requests", distanceText(bytes), parts);
    if (pattern.stride != 0)
      title += fmt::format(" whose threads are {} apart", distanceText(pattern.stride));
    return Cause{
        FindingRule::StructureAccess, std::move(title),
        bytes == 8 || bytes == 16
            ? fmt::format("Align the type to {} bytes (alignas), and load it by __ldg, or member by member: "
                          "clang moves what is copied as a whole in pieces of 8 bytes.",
                          bytes)
            : "Keep each field in an array of its own (a structure of arrays), or make the structure 16 "
              "bytes, aligned to 16 and loaded by __ldg or member by member, which is one instruction.",
        true};
  }

  std::optional<Cause> scattered(const SourceAccess &access) {
    const AccessPart &most = largestOf(access);
    const std::int64_t next = lengthOf(most.patterns->next), bytes = most.site->bytes;
    if (next != 0 && next <= kSectorBytes && bytes != 0 && next % bytes == 0)
      return Cause{
          FindingRule::ThreadRows,
          fmt::format("Each thread walks along memory of its own, {} at a time, and threads begin far apart",
                      distanceText(next)),
          threadRowsAdvice(0)};
    const std::string index = lookedUpIn(words_.of(access));
    const std::string from = index.empty() ? "Addresses follow no pattern"
                                           : fmt::format("Addresses follow `{}`, in no pattern", index);
    if (access.operation == abi::OperationClass::Load)
      return Cause{FindingRule::Gather, from,
                   "Bring the data in the order in which it is looked up, or sort what looks it up, so that "
                   "threads of a warp meet in sectors. A table of up to some 100 KB can be copied to shared "
                   "memory by each block first."};
    return Cause{FindingRule::Scatter, from,
                 "Sort by destination first, within each block at least: let the block put its elements in "
                 "order in shared memory, and write runs of neighbours from there."};
  }

  // Local memory. `sectors`: of all of the program's.

  void localScatter(const SourceAccess &access, std::uint64_t sectors) {
    const std::uint64_t waste = wasteOf(access.all.made);
    if (partOf(waste, access.all.made.sectors) < kOfTheAccess || partOf(waste, sectors) < kOfTheProgram)
      return;
    add(access, {FindingRule::LocalScatter,
                 "Threads of a warp are at different places of an array of their own" + sectorsText(access),
                 "Keep the array in shared memory, as [index][threadIdx.x], which has no bank conflicts "
                 "whatever the index; "
                 "or let all threads of a warp use one index at a time, known when the loop is unrolled, so "
                 "that it stays in registers.",
                 waste, partOf(waste, sectors), secondsFor(waste, true)});
  }

  // The same address, again and again.

  bool repeated(const SourceAccess &access) {
    if (access.operation == abi::OperationClass::Atomic)
      return false;
    std::uint64_t sectors = 0, times = 0;
    for (const AccessPart &part : access.parts) {
      const std::uint64_t same = part.patterns->next.timesOf(0);
      times += same;
      sectors += static_cast<std::uint64_t>(static_cast<double>(part.all.made.sectors) *
                                            partOf(same, part.patterns->all().warpAccesses));
    }
    if (2 * times < access.all.warpAccesses || partOf(sectors, totals_.sectors) < kOfRepeats)
      return false;
    const bool isLoad = access.operation == abi::OperationClass::Load;
    add(access,
        {isLoad ? FindingRule::RepeatedLoad : FindingRule::RepeatedStore,
         fmt::format("{} of {} accesses of warps {} the address of the one before", grouped(times),
                     grouped(access.all.warpAccesses), isLoad ? "load from" : "store to"),
         isLoad ? "Load it once, into a local variable in front of the loop. The compiler can't: a store in "
                  "the loop may change it, for all it knows (__restrict__ tells that none does)."
                : "Keep it in a local variable, and store it once, behind the loop.",
         sectors, partOf(sectors, totals_.sectors), secondsFor(sectors)});
    return true;
  }

  const Model &model_;
  const DeviceFigures device_;
  const std::vector<SourceAccess> accesses_, local_;
  const AccessTotals totals_; ///< of global memory
  std::map<LaunchIndex, std::vector<AccessPart>> kernels_;
  SourceWords words_;
  std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> accessFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns) {
  return AccessRules(model, patterns).run();
}

} // namespace cupr::analysis
