/// NVTX ranges, for CUPR_NVTX. NVTX is a header library: at its first call it looks for a tool,
/// which may be linked into the program under the name InitializeInjectionNvtx2_fnptr (nvtxInit.h of
/// the toolkit). The tool fills in the functions that it wants to be called.
///
/// A tool named by NVTX_INJECTION64_PATH (a profiler) goes first; the ranges are then not
/// seen here.
#include "hostlib/runtime/settings/selection.h"

#include "devicelib/abi/thread_owned.h"

#include <cstdint>
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <vector>

namespace cupr::host {
namespace {

/// What CUPR_NVTX names; null when it isn't set. Ranges may be opened before the first CUDA call.
const std::regex *watched() {
  static const auto *const range =
      new std::optional<std::regex>( // launches may be made while static objects are destroyed
          parseExpression("CUPR_NVTX", Settings::textFromEnvironment(abi::SettingName::CUPR_NVTX)));
  return *range ? &**range : nullptr;
}

/// The open ranges of a thread (nvtxRangePush).
struct ThreadRanges {
  std::vector<bool> matches; ///< whether each of them does, innermost last
  unsigned matching = 0;
};
ThreadRanges &threadRanges() { return abi::ThreadOwned<ThreadRanges>::get(); }

/// Ranges of the process (nvtxRangeStart) that are open and match.
struct ProcessRanges {
  std::mutex mutex;
  std::unordered_map<nvtxRangeId_t, bool> open;
  nvtxRangeId_t last = 0;
};
ProcessRanges &processRanges() {
  static ProcessRanges *const ranges = new ProcessRanges; // ranges may be closed by static destructors
  return *ranges;
}
std::atomic<unsigned> matchingStarted{0};

bool matches(const char *name) { return watched() && name && std::regex_search(name, *watched()); }

const char *nameOf(const nvtxEventAttributes_t *event) {
  return event && event->messageType == NVTX_MESSAGE_TYPE_ASCII ? event->message.ascii : nullptr;
}

int push(bool match) {
  ThreadRanges &ranges = threadRanges();
  ranges.matches.push_back(match);
  ranges.matching += match;
  return static_cast<int>(ranges.matches.size()) - 1;
}

int pop() {
  ThreadRanges &ranges = threadRanges();
  if (ranges.matches.empty())
    return -1;
  ranges.matching -= ranges.matches.back();
  ranges.matches.pop_back();
  return static_cast<int>(ranges.matches.size());
}

nvtxRangeId_t start(bool match) {
  ProcessRanges &ranges = processRanges();
  const std::scoped_lock lock(ranges.mutex);
  ranges.open[++ranges.last] = match;
  matchingStarted += match;
  return ranges.last;
}

void end(nvtxRangeId_t id) {
  ProcessRanges &ranges = processRanges();
  const std::scoped_lock lock(ranges.mutex);
  if (const auto range = ranges.open.find(id); range != ranges.open.end()) {
    matchingStarted -= range->second;
    ranges.open.erase(range);
  }
}

int NVTX_API rangePush(const char *name) { return push(matches(name)); }
int NVTX_API rangePushEx(const nvtxEventAttributes_t *event) { return push(matches(nameOf(event))); }
int NVTX_API rangePop() { return pop(); }
nvtxRangeId_t NVTX_API rangeStart(const char *name) { return start(matches(name)); }
nvtxRangeId_t NVTX_API rangeStartEx(const nvtxEventAttributes_t *event) {
  return start(matches(nameOf(event)));
}
void NVTX_API rangeEnd(nvtxRangeId_t id) { end(id); }

// The ranges of domains, whose names may be strings that the domain has registered.
nvtxStringHandle_t NVTX_API registerString(nvtxDomainHandle_t, const char *text) {
  return reinterpret_cast<nvtxStringHandle_t>(new std::string(text ? text : "")); // for the process's life
}
const char *domainNameOf(const nvtxEventAttributes_t *event) {
  if (event && event->messageType == NVTX_MESSAGE_TYPE_REGISTERED && event->message.registered)
    return reinterpret_cast<const std::string *>(event->message.registered)->c_str();
  return nameOf(event);
}
int NVTX_API domainPush(nvtxDomainHandle_t, const nvtxEventAttributes_t *event) {
  return push(matches(domainNameOf(event)));
}
int NVTX_API domainPop(nvtxDomainHandle_t) { return pop(); }
nvtxRangeId_t NVTX_API domainStart(nvtxDomainHandle_t, const nvtxEventAttributes_t *event) {
  return start(matches(domainNameOf(event)));
}
void NVTX_API domainEnd(nvtxDomainHandle_t, nvtxRangeId_t id) { end(id); }

/// Puts `function` into slot `index` of the module's table, if it has that slot.
template <typename Function>
void set(NvtxFunctionTable table, unsigned slots, unsigned index, Function *function) {
  if (index < slots && table[index])
    *table[index] = reinterpret_cast<NvtxFunctionPointer>(function);
}

} // namespace

bool insideNvtxRange() {
  return !watched() || threadRanges().matching > 0 || matchingStarted.load(std::memory_order_relaxed) > 0;
}

} // namespace cupr::host

extern "C" {

static int initialise(NvtxGetExportTableFunc_t getExportTable) {
  using namespace cupr::host;
  const auto *const callbacks =
      static_cast<const NvtxExportTableCallbacks *>(getExportTable(NVTX_ETID_CALLBACKS));
  if (!callbacks)
    return 0;
  NvtxFunctionTable table = nullptr;
  unsigned slots = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &slots)) {
    set(table, slots, NVTX_CBID_CORE_RangePushA, rangePush);
    set(table, slots, NVTX_CBID_CORE_RangePushEx, rangePushEx);
    set(table, slots, NVTX_CBID_CORE_RangePop, rangePop);
    set(table, slots, NVTX_CBID_CORE_RangeStartA, rangeStart);
    set(table, slots, NVTX_CBID_CORE_RangeStartEx, rangeStartEx);
    set(table, slots, NVTX_CBID_CORE_RangeEnd, rangeEnd);
  }
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &slots)) {
    set(table, slots, NVTX_CBID_CORE2_DomainRegisterStringA, registerString);
    set(table, slots, NVTX_CBID_CORE2_DomainRangePushEx, domainPush);
    set(table, slots, NVTX_CBID_CORE2_DomainRangePop, domainPop);
    set(table, slots, NVTX_CBID_CORE2_DomainRangeStartEx, domainStart);
    set(table, slots, NVTX_CBID_CORE2_DomainRangeEnd, domainEnd);
  }
  return 1;
}

/// NVTX calls this at its first use, before the program's first range.
extern NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr;
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = initialise;
}
