#include "bank_findings.h"

#include "bank_layouts.h"
#include "device_figures.h"
#include "source_expression.h"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <initializer_list>
#include <optional>
#include <set>
#include <utility>

namespace cupr::analysis {

namespace {

/// So many elements, or a row of banks, are the row of an array, whatever their size.
constexpr std::int64_t kShortestRow = 8;
/// Wavefronts for each of the least, up to which words that lie anywhere meet by chance: for 32 words it is 3.5 on average.
constexpr double kMostByChance = 6;
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
      finding.title = fmt::format("{}: {:.1f} wavefronts per request, where {:.1f} would do{}", title,
                                  partOf(banks.idealWavefronts + waste, banks.requests),
                                  partOf(banks.idealWavefronts, banks.requests), inVariables(access));
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
  /// ", in `tile` and `rest`"; nothing where they are not known.
  static std::string inVariables(const SourceAccess &access) {
    std::set<std::string_view> names;
    for (const AccessPart &part : access.parts)
      names.insert(part.patterns->variables.begin(), part.patterns->variables.end());
    std::string text;
    for (auto name = names.begin(); name != names.end(); ++name)
      text += fmt::format("{}`{}`",
                          name == names.begin()            ? ", in "
                          : std::next(name) == names.end() ? " and "
                                                           : ", ",
                          *name);
    return text;
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
    // What is wider than an instruction.
    if (most.all.banks.requests > most.all.warpAccesses && kind != PatternKind::Scattered)
      return inParts(most, pattern);
    if (kind == PatternKind::Rows && pattern.pitch != 0)
      return rowsThatMeet(most, pattern, expression);
    if (kind == PatternKind::Strided && pattern.stride != 0)
      return strided(access, most, pattern, expression);
    return scattered(access, expression);
  }

  static Cause inParts(const AccessPart &most, const RequestPattern &pattern) {
    const std::uint32_t bytes = most.site->bytes;
    const std::optional<BankLayouts::Padded> padding =
        BankLayouts(*most.site, pattern).padded(&RequestPattern::stride);
    return {
        fmt::format("Each thread accesses {} at once, in {:.0f} requests whose threads are {} apart",
                    distanceText(bytes), partOf(most.all.banks.requests, most.all.warpAccesses),
                    distanceText(pattern.stride)),
        bytes == 8 || bytes == 16
            ? fmt::format(
                  "Copy it member by member, which is one instruction of {0}, of a type that is aligned to "
                  "{0}: clang moves what is copied as a whole in pieces of 8 bytes at most.",
                  distanceText(bytes))
            : structureAdvice(padding)};
  }

  static std::string structureAdvice(const std::optional<BankLayouts::Padded> &padding) {
    return "Keep each field in an array of its own (a structure of arrays in shared memory)" +
           (padding ? fmt::format(
                          ", or make the structure {} longer, so that its length is an odd number of words",
                          distanceText(padding->bytes))
                    : std::string()) +
           ".";
  }

  /// What lies side by side, in several rows.
  Cause rowsThatMeet(const AccessPart &most, const RequestPattern &pattern,
                     const std::string &expression) const {
    const BankLayouts layouts(*most.site, pattern);
    const std::uint32_t width = std::max(1u, pattern.width);
    if (width != model_.launches()[most.place.launch].launch.block.x)
      return {fmt::format("Groups of {} neighbouring threads are {} apart, and meet in the same banks", width,
                          distanceText(pattern.pitch)),
              oneOf({gapAdvice(layouts), kNeighbours})};
    const std::optional<BankLayouts::Padded> padding = layouts.padded(&RequestPattern::pitch);
    return {fmt::format("A warp covers {} rows of {} threads, {} apart, which meet in the same banks",
                        (abi::kLanes + width - 1) / width, width, distanceText(pattern.pitch)),
            oneOf({padding ? paddingAdvice(*padding, most, pattern.pitch, expression) : "",
                   "Make the block 32 threads wide, or a multiple of it, so that a warp lies in one row."})};
  }

  Cause strided(const SourceAccess &access, const AccessPart &most, const RequestPattern &pattern,
                const std::string &expression) const {
    const std::int64_t stride = lengthOf(pattern.stride), bytes = most.site->bytes;
    const std::string apart =
        fmt::format("Neighbouring threads are {} apart in shared memory, and use {} of it",
                    distanceText(stride), distanceText(bytes));
    if (const std::set<std::int64_t> strides = stridesOf(access);
        strides.size() > 1 && std::ranges::all_of(strides, [&](std::int64_t of) {
          return of % bytes == 0 && std::has_single_bit(static_cast<std::uint64_t>(of / bytes));
        }))
      return {
          fmt::format("Neighbouring threads are further apart from step to step, by powers of two: {} to {}",
                      distanceText(*strides.begin()), distanceText(*strides.rbegin())),
          "Let the distance between the two elements that a thread combines shrink instead, and its threads "
          "be "
          "neighbours: for (s = n / 2; s > 0; s /= 2), thread t < s takes t and t + s. Sums need no shared "
          "memory "
          "below 32 (__reduce_add_sync, __shfl_down_sync, cub::BlockReduce)."};
    const BankLayouts layouts(*most.site, pattern);
    const std::optional<BankLayouts::Padded> padding = layouts.padded(&RequestPattern::stride);
    if (stride < kRowOfBanks) {
      if (const std::size_t fields = fieldsOf(most, stride); fields > 1)
        return {
            fmt::format("{}; this kernel accesses {} fields of the {}", apart, fields, distanceText(stride)),
            structureAdvice(padding)};
      // A loop that was unrolled.
      if (const std::size_t pieces = piecesOf(access, most, stride);
          pieces > 1 && static_cast<std::int64_t>(pieces) * bytes >= stride)
        return {fmt::format(
                    "Each thread takes {} of its own, by {} accesses of {}, and its neighbour's lie behind "
                    "them",
                    distanceText(stride), pieces, distanceText(bytes)),
                oneOf({kNeighbours, gapAdvice(layouts)})};
      if (stride < kShortestRow * bytes)
        return {
            apart,
            oneOf({kNeighbours, gapAdvice(layouts),
                   stride == 8 || stride == 16
                       ? fmt::format(
                             "Where a thread needs all of its {}, let it take them at once, as one vector "
                             "(float{}, int{}).",
                             distanceText(stride), stride / 4, stride / 4)
                       : ""})};
    }
    std::optional<BankLayouts::Swizzled> swizzled = layouts.swizzled();
    if (swizzled && padding && swizzled->wavefronts > padding->wavefronts)
      swizzled.reset();
    const char *how = lengthOf(most.patterns->next) == bytes
                          ? "Each thread walks along a row of its own, and rows are "
                          : "A warp accesses a column: neighbouring threads are in rows ";
    return {how + distanceText(stride) + " apart",
            oneOf({padding ? paddingAdvice(*padding, most, stride, expression) : "",
                   swizzled
                       ? fmt::format(
                             "Swizzle, which takes no more memory: keep what belongs in column c of row r in "
                             "column c ^ (r % {}){}",
                             swizzled->places, thenTakes(swizzled->wavefronts))
                       : "",
                   padding || swizzled ? "" : kNeighbours})};
  }

  static Cause scattered(const SourceAccess &access, const std::string &expression) {
    const std::string index = lookedUpIn(expression);
    const bool isByChance =
        partOf(access.all.banks.wavefronts, access.all.banks.idealWavefronts) <= kMostByChance;
    const std::string from = index.empty() ? "Addresses follow no pattern"
                                           : fmt::format("Addresses follow `{}`, in no pattern", index);
    return {from + (isByChance ? ", and meet in banks by chance" : ", and lie in few banks"),
            "Where data say which bank is asked, padding doesn't help. Places of each thread's own are best "
            "laid out as "
            "[place][thread], which is a bank for each thread. Where threads share few places, give each "
            "warp, or "
            "each few threads, copies of their own, and add them up at the end. Where the thread's number "
            "says it, as "
            "when bits are reversed, leave one element free behind each 32 words (index i + i / 32)."};
  }

  static std::string thenTakes(double wavefronts) {
    return fmt::format(": a full warp takes {:.1f} wavefronts per request then.", wavefronts);
  }
  static constexpr const char *kNeighbours = "Let neighbouring threads take neighbouring elements: thread t "
                                             "takes t, t + threads, t + 2 * threads and so on.";

  static std::string gapAdvice(const BankLayouts &layouts) {
    const std::optional<BankLayouts::Gapped> gapped = layouts.gapped();
    return gapped ? fmt::format("Leave one element free behind every {0} (index i + i / {0}){1}",
                                gapped->elements, thenTakes(gapped->wavefronts))
                  : std::string();
  }

  /// Those that there are, as choices.
  static std::string oneOf(std::initializer_list<std::string> choices) {
    std::string text;
    for (const std::string &choice : choices)
      if (!choice.empty())
        text += (text.empty() ? "" : " Or: ") + choice;
    return text;
  }

  /// "Make the rows of `tile` one element longer ([33] instead of [32]): a full warp takes 1.0 wavefronts per request then."
  static std::string paddingAdvice(const BankLayouts::Padded &padding, const AccessPart &part,
                                   std::int64_t row, const std::string &expression) {
    const std::int64_t bytes = part.site->bytes, length = lengthOf(row);
    const std::set<std::string_view> &variables = part.patterns->variables;
    const std::size_t open = expression.find('[');
    const std::string array = variables.size() == 1                  ? fmt::format("`{}`", *variables.begin())
                              : open == expression.npos || open == 0 ? std::string("the array")
                                                                     : "`" + expression.substr(0, open) + "`";
    const bool isWhole = length % bytes == 0 && padding.bytes % bytes == 0;
    return fmt::format(
        "Make the rows of {} {} longer{}{}", array,
        isWhole ? countText(padding.bytes / bytes, "element", "elements")
                : countText(padding.bytes, "byte", "bytes"),
        isWhole ? fmt::format(" ([{}] instead of [{}])", (length + padding.bytes) / bytes, length / bytes)
                : std::string(),
        thenTakes(padding.wavefronts));
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

  /// Of pieces as long as `stride`, at how many offsets `access` accesses those that `most` accesses.
  static std::size_t piecesOf(const SourceAccess &access, const AccessPart &most, std::int64_t stride) {
    std::set<std::uint64_t> offsets;
    for (const AccessPart &part : access.parts)
      if (part.place.launch == most.place.launch && lengthOf(part.patterns->across) == stride)
        offsets.insert(part.patterns->first % static_cast<std::uint64_t>(stride));
    return offsets.size();
  }

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
