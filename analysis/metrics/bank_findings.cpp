#include "bank_findings.h"

#include "analysis/output/text.h"
#include "device_figures.h"
#include "source_expression.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

namespace cupr::analysis {

namespace {

/// Of one row of banks: what is as long, or longer, is the row of an array.
constexpr std::int64_t kRowOfBanks = kBanks * static_cast<std::int64_t>(BankWidth::Four);
/// So many elements are the row of an array, whatever their size.
constexpr std::int64_t kShortestRow = 8;
/// What a wavefront moves at most, in bytes.
constexpr double kWavefrontBytes = kRowOfBanks;

/// "one element", "4 bytes".
std::string countText(std::int64_t count, const char *one, const char *many) {
  return count == 1 ? fmt::format("one {}", one) : fmt::format("{} {}", count, many);
}

class BankRules {
public:
  BankRules(const Model &model, const std::map<KernelSite, SitePatterns> &patterns)
      : model_(model), device_(figuresOf(model.header().process.deviceName)), words_(model),
        accesses_(sourceAccesses(model, patterns, abi::MemorySpace::Shared)) {
    for (const SourceAccess &access : accesses_)
      for (const AccessPart &part : access.parts) {
        kernels_[part.place.launch].emplace_back(&access, &part);
        wavefronts_ += part.all.banks.wavefronts;
      }
  }

  std::vector<Finding> run() {
    std::vector<Finding> findings;
    for (const SourceAccess &access : accesses_) {
      const auto [most, waste] = wasteOf(access);
      const BankFigures &banks = access.all.banks;
      if (waste == 0 || partOf(waste, banks.wavefronts) < kOfTheAccess ||
          partOf(waste, wavefronts_) < kOfTheProgram)
        continue;
      std::string expression = words_.of(access);
      auto [title, advice] = causeOf(access, *most, expression);
      Finding &finding = findings.emplace_back(
          findingAt(model_, FindingRule::BankConflict, access, *most, std::move(expression)));
      finding.title = fmt::format("{}: {:.1f} wavefronts per request, where {:.1f} would do", title,
                                  partOf(banks.idealWavefronts + waste, banks.requests),
                                  partOf(banks.idealWavefronts, banks.requests));
      finding.advice = std::move(advice);
      finding.amount = waste;
      finding.share = partOf(waste, wavefronts_);
      finding.seconds = static_cast<double>(waste) * kWavefrontBytes / device_.cacheBytesPerSecond;
    }
    return findings;
  }

private:
  struct Cause {
    std::string title, advice;
  };

  std::uint64_t wasteOf(const AccessPart &part) const {
    const BankFigures &banks = part.all.banks;
    const std::string &type = model_.moduleOf(model_.launches()[part.place.launch])->strings[part.site->type];
    const bool mayBeCounted = part.site->operation == abi::Operation::AtomicAdd && type == "i32";
    return (mayBeCounted ? banks.wordWavefronts : banks.wavefronts) - banks.idealWavefronts;
  }
  /// The part with most of it, and all of it.
  std::pair<const AccessPart *, std::uint64_t> wasteOf(const SourceAccess &access) const {
    const AccessPart *most = &access.parts.front();
    std::uint64_t sum = 0;
    for (const AccessPart &part : access.parts) {
      sum += wasteOf(part);
      if (wasteOf(part) > wasteOf(*most))
        most = &part;
    }
    return {most, sum};
  }

  Cause causeOf(const SourceAccess &access, const AccessPart &most, const std::string &expression) const {
    if (access.operation == abi::OperationClass::Atomic &&
        2 * access.all.sharedAddresses >= access.all.threads)
      return {
          fmt::format("{:.0f} % of the atomics have the address of another thread of their warp, and take "
                      "turns",
                      100 * partOf(access.all.sharedAddresses, access.all.threads)),
          "Add up within the warp first (cub::WarpReduce, __reduce_add_sync), and let one thread do the "
          "atomic; or give each warp, or each few threads, a place of their own, and add these up at the "
          "end."};
    std::map<PatternKind, std::uint64_t> kinds;
    for (const auto &[pattern, volume] : access.patterns)
      kinds[pattern.kind] += volume.banks.excess();
    const PatternKind kind =
        std::ranges::max_element(kinds, {}, [](const auto &of) { return of.second; })->first;
    RequestPattern pattern{kind};
    std::uint64_t excess = 0;
    for (const auto &[of, volume] : access.patterns)
      if (of.kind == kind && volume.banks.excess() > excess) {
        pattern = of;
        excess = volume.banks.excess();
      }
    if (kind == PatternKind::Rows && pattern.pitch != 0)
      return narrowRows(most, pattern, expression);
    if (kind == PatternKind::Strided && pattern.stride != 0)
      return strided(access, most, pattern, expression);
    return scattered(expression);
  }

  Cause narrowRows(const AccessPart &most, const RequestPattern &pattern,
                   const std::string &expression) const {
    const std::uint32_t width = std::max(1u, pattern.width);
    const std::optional<Padding> padding = paddingFor(most, pattern, &RequestPattern::pitch);
    return {fmt::format("A warp covers {} rows of {} threads, {} apart, which meet in the same banks",
                        (abi::kLanes + width - 1) / width, width, distanceText(pattern.pitch)),
            padding ? paddingAdvice(*padding, most, pattern.pitch, expression) +
                          " Or make the block 32 threads wide, so that a warp lies in one row."
                    : "Make the block 32 threads wide, or a multiple of it, so that a warp lies in one row."};
  }

  Cause strided(const SourceAccess &access, const AccessPart &most, const RequestPattern &pattern,
                const std::string &expression) const {
    const std::int64_t stride = lengthOf(pattern.stride), bytes = most.site->bytes;
    const std::set<std::int64_t> strides = stridesOf(access);
    const std::string apart =
        fmt::format("Neighbouring threads are {} apart in shared memory, and use {} of it",
                    distanceText(stride), distanceText(bytes));
    if (strides.size() > 1 && std::ranges::all_of(strides, [&](std::int64_t of) {
          return of % bytes == 0 && std::has_single_bit(static_cast<std::uint64_t>(of / bytes));
        }))
      return {
          fmt::format("Neighbouring threads are further apart from step to step, by powers of two: {} to {}",
                      distanceText(*strides.begin()), distanceText(*strides.rbegin())),
          "Let the distance between the two elements that a thread combines shrink instead, and its threads "
          "be "
          "neighbours: for (s = n / 2; s > 0; s /= 2), thread t < s takes t and t + s. Sums need no shared "
          "memory below 32 (__reduce_add_sync, __shfl_down_sync, cub::BlockReduce)."};
    const std::optional<Padding> padding = paddingFor(most, pattern, &RequestPattern::stride);
    const std::size_t fields = fieldsOf(most, stride);
    if (stride < kRowOfBanks && (fields > 1 || most.all.banks.requests > most.all.warpAccesses))
      return {fields > 1
                  ? fmt::format("{}; this kernel accesses {} fields of the {}", apart, fields,
                                distanceText(stride))
                  : fmt::format("Each thread accesses {} at once, in {:.0f} requests whose threads are {} "
                                "apart",
                                distanceText(bytes), partOf(most.all.banks.requests, most.all.warpAccesses),
                                distanceText(stride)),
              "Keep each field in an array of its own (a structure of arrays in shared memory)" +
                  (padding
                       ? fmt::format(", or make the structure {} longer, so that its length is an odd number "
                                     "of words",
                                     distanceText(padding->bytes))
                       : std::string()) +
                  "."};
    const std::int64_t next = lengthOf(most.patterns->next);
    if (stride < kRowOfBanks && stride < kShortestRow * bytes)
      return {apart,
              "Let neighbouring threads take neighbouring elements: thread t takes t, t + threads, t + 2 * "
              "threads and so on." +
                  (stride == 8 || stride == 16
                       ? fmt::format(" Where a thread needs all of its {}, let it take them at once, as one "
                                     "vector (float{}, int{}).",
                                     distanceText(stride), stride / 4, stride / 4)
                       : std::string())};
    std::string title =
        next == bytes ? fmt::format("Each thread walks along a row of its own, and rows are {} apart",
                                    distanceText(stride))
                      : fmt::format("A warp accesses a column: neighbouring threads are in rows {} apart",
                                    distanceText(stride));
    return {std::move(title),
            (padding ? paddingAdvice(*padding, most, stride, expression) + " Or swizzle" : "Swizzle") +
                swizzleText(stride, bytes)};
  }

  static Cause scattered(const std::string &expression) {
    const std::string index = lookedUpIn(expression);
    return {index.empty()
                ? "Addresses follow no pattern, and meet in banks by chance"
                : fmt::format("Addresses follow `{}`, in no pattern, and meet in banks by chance", index),
            "Padding doesn't help: data say which bank is asked. Places of each thread's own are best laid "
            "out as "
            "[place][thread], which is a bank for each thread. Where threads share few places, give each "
            "warp, or each few "
            "threads, copies of their own, and add them up at the end. Else sort first what looks up."};
  }

  /// Bytes between rows that would be fewer conflicts, and what they would be.
  struct Padding {
    std::int64_t bytes;
    double wavefronts; ///< per request of a full warp
  };
  /// The least that does away with conflicts, or with half of them: tried out on a full warp. `way`: which of the distances is a row's.
  static std::optional<Padding> paddingFor(const AccessPart &part, const RequestPattern &pattern,
                                           std::int64_t RequestPattern::*way) {
    const std::int64_t grain = std::max<std::int64_t>(1, part.site->bytes & -part.site->bytes);
    const auto figuresWith = [&](std::int64_t padding) {
      RequestPattern padded = pattern;
      padded.*way = lengthOf(pattern.*way) + padding;
      Record record{};
      record.site = part.site;
      record.access.laneMask = ~0u;
      const std::uint32_t width = std::max(1u, pattern.width);
      for (std::uint32_t lane = 0; lane < abi::kLanes; ++lane)
        record.access.address[lane] = static_cast<std::uint64_t>(lengthOf(padded.stride) * (lane % width) +
                                                                 lengthOf(padded.pitch) * (lane / width));
      return bankFigures(record, BankWidth::Four);
    };
    if (lengthOf(pattern.stride) > kLargestDistance || lengthOf(pattern.pitch) > kLargestDistance)
      return std::nullopt;
    std::optional<Padding> best;
    const std::uint64_t now = figuresWith(0).excess();
    std::uint64_t least = now;
    for (std::int64_t padding = grain; padding <= kRowOfBanks && least != 0; padding += grain)
      if (const BankFigures figures = figuresWith(padding); figures.excess() < least) {
        least = figures.excess();
        best = {padding, partOf(figures.wavefronts, figures.requests)};
      }
    return 2 * least <= now ? best : std::nullopt;
  }

  /// "Make the rows of `tile` one element longer ([33] instead of [32]): 1.0 wavefronts per request."
  static std::string paddingAdvice(const Padding &padding, const AccessPart &part, std::int64_t row,
                                   const std::string &expression) {
    const std::int64_t bytes = part.site->bytes, length = lengthOf(row);
    const std::size_t open = expression.find('[');
    const std::string array = open == expression.npos || open == 0 ? std::string("the array")
                                                                   : "`" + expression.substr(0, open) + "`";
    const bool isWhole = length % bytes == 0 && padding.bytes % bytes == 0;
    return fmt::format(
        "Make the rows of {} {} longer{}: a full warp takes {:.1f} wavefronts per request then.", array,
        isWhole ? countText(padding.bytes / bytes, "element", "elements")
                : countText(padding.bytes, "byte", "bytes"),
        isWhole ? fmt::format(" ([{}] instead of [{}])", (length + padding.bytes) / bytes, length / bytes)
                : std::string(),
        padding.wavefronts);
  }

  /// Of rows `row` bytes apart: columns change places within what a phase serves, or within the row, if that is shorter.
  static std::string swizzleText(std::int64_t row, std::int64_t bytes) {
    const std::int64_t places = std::min(kRowOfBanks, row) /
                                std::max<std::int64_t>(bytes, static_cast<std::int64_t>(BankWidth::Four));
    return fmt::format(
        ": keep what belongs in column c of row r in column c ^ (r % {}), which takes no more memory.",
        std::bit_floor(static_cast<std::uint64_t>(places)));
  }

  /// Those that conflict.
  static std::set<std::int64_t> stridesOf(const SourceAccess &access) {
    std::set<std::int64_t> strides;
    for (const auto &[pattern, volume] : access.patterns)
      if (pattern.kind == PatternKind::Strided && pattern.stride != 0 && volume.banks.excess() != 0)
        strides.insert(lengthOf(pattern.stride));
    return strides;
  }

  /// Of structures as long as `stride`, how many fields the kernel accesses as `most` accesses one. A loop that was unrolled makes several
  /// accesses of one place in the source, which are one.
  std::size_t fieldsOf(const AccessPart &most, std::int64_t stride) const {
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t> offsets; // by line and column
    const auto size = static_cast<std::uint64_t>(stride);
    for (const auto &[access, part] : kernels_.at(most.place.launch))
      if (lengthOf(part->patterns->across) == stride)
        offsets[{access->line, access->column}] =
            (part->patterns->first % size + size - most.patterns->first % size) % size;
    std::set<std::uint64_t> different;
    for (const auto &[place, offset] : offsets)
      different.insert(offset);
    return different.size();
  }

  /// Of what is tried out: no shared memory is as large.
  static constexpr std::int64_t kLargestDistance = 1 << 20;

  const Model &model_;
  const DeviceFigures device_;
  SourceWords words_;
  const std::vector<SourceAccess> accesses_;
  std::map<LaunchIndex, std::vector<std::pair<const SourceAccess *, const AccessPart *>>> kernels_;
  std::uint64_t wavefronts_ = 0; ///< of the program
};

} // namespace

std::vector<Finding> bankFindings(const Model &model, const std::map<KernelSite, SitePatterns> &patterns) {
  return BankRules(model, patterns).run();
}

} // namespace cupr::analysis
