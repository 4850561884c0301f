#include "gpu_targets.h"

#include "words.h"

#include <algorithm>
#include <cctype>
#include <dlfcn.h>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>

namespace cupr::commandline {
namespace {

constexpr unsigned kOldest = 75;

struct Named {
  std::string number; ///< 80, 90a
  bool real = false;  ///< sm_, not compute_
};

/// sm_90, compute_90a; lto_90 is compute_90 here, since device code is linked as bitcode anyway.
std::optional<Named> named(const std::string &text) {
  for (const std::string prefix : {"sm_", "compute_", "lto_"}) {
    if (!text.starts_with(prefix))
      continue;
    const std::string number = text.substr(prefix.size());
    const std::size_t digits = std::min(number.find_first_not_of("0123456789"), number.size());
    const std::string suffix = number.substr(digits);
    if (digits > 0 && (suffix.empty() || suffix == "a" || suffix == "f"))
      return Named{number, prefix == "sm_"};
  }
  return std::nullopt;
}

bool isGroup(const std::string &text) { return text == "native" || text == "all" || text == "all-major"; }

std::string unknown(const std::string &text) {
  return fmt::format("no GPU architecture that I know in '{}'; expected sm_XX or compute_XX", text);
}

std::string problemOf(const std::string &text) {
  if (isGroup(text))
    return "";
  if (!named(text))
    return unknown(text);
  return architectureNumber(text) >= kOldest
             ? ""
             : fmt::format("{} is older than sm_{}, the oldest that CUDA 13 builds for: name a newer one",
                           text, kOldest);
}

std::vector<std::string> group(const std::string &name, std::vector<std::string> &notes) {
  if (name != "native")
    return architectureGroup(name);
  std::vector<std::string> found = nativeArchitectures();
  if (found.empty()) {
    found.push_back(defaultGpuTarget().architecture);
    notes.push_back(fmt::format("-arch=native: there is no GPU here; building for {}", found.front()));
  }
  return found;
}

/// By number, and the ones with a suffix behind those without.
bool older(const std::string &a, const std::string &b) {
  const unsigned first = architectureNumber(a), second = architectureNumber(b);
  return first != second ? first < second : a < b;
}

struct Older {
  bool operator()(const std::string &a, const std::string &b) const { return older(a, b); }
};

} // namespace

unsigned architectureNumber(const std::string &architecture) {
  const std::size_t digit = architecture.find_first_of("0123456789");
  return digit == std::string::npos
             ? 0
             : static_cast<unsigned>(std::strtoul(architecture.c_str() + digit, nullptr, 10));
}

GpuTarget defaultGpuTarget() { return {"sm_75", {"sm_75"}, true}; }

const std::vector<std::string> &knownArchitectures() {
  static const std::vector<std::string> known = {"sm_75", "sm_80",  "sm_86",  "sm_87",  "sm_89",
                                                 "sm_90", "sm_100", "sm_103", "sm_120", "sm_121"};
  return known;
}

std::vector<std::string> architectureGroup(const std::string &name) {
  std::vector<std::string> found;
  for (const std::string &known : knownArchitectures())
    if (name == "all" || known == knownArchitectures().front() || known.back() == '0')
      found.push_back(known);
  return found;
}

std::vector<std::string> nativeArchitectures() {
  void *const driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (!driver)
    return {};
  const auto init = reinterpret_cast<int (*)(unsigned)>(dlsym(driver, "cuInit"));
  const auto count = reinterpret_cast<int (*)(int *)>(dlsym(driver, "cuDeviceGetCount"));
  const auto attribute = reinterpret_cast<int (*)(int *, int, int)>(dlsym(driver, "cuDeviceGetAttribute"));
  int devices = 0;
  if (!init || !count || !attribute || init(0) != 0 || count(&devices) != 0)
    return {};
  constexpr int kMajor = 75, kMinor = 76; // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_*
  std::set<std::string, Older> found;
  for (int device = 0; device < devices; ++device) {
    int major = 0, minor = 0;
    if (attribute(&major, kMajor, device) == 0 && attribute(&minor, kMinor, device) == 0)
      found.insert(fmt::format("sm_{}{}", major, minor));
  }
  return {found.begin(), found.end()};
}

std::string GpuTargetFlags::addArchitecture(const std::string &value) {
  for (const std::string &part : splitAt(value, ',')) {
    if (std::string problem = problemOf(part); !problem.empty())
      return problem;
    plain_.push_back({part, {}});
  }
  return "";
}

std::string GpuTargetFlags::addCode(const std::string &value) {
  for (const std::string &code : splitAt(value, ',')) {
    if (std::string problem = problemOf(code); !problem.empty() || isGroup(code))
      return problem.empty() ? unknown(code) : problem;
    codes_.push_back(code);
  }
  return "";
}

/// arch=compute_80,code=[sm_80,compute_80]; the list may also stand in quotation marks, or be one word.
std::string GpuTargetFlags::addSpecification(const std::string &value) {
  std::string text;
  std::copy_if(value.begin(), value.end(), std::back_inserter(text),
               [](char c) { return c != '[' && c != ']' && c != '"' && c != '\'' && c != ' '; });
  Request request;
  for (const std::string &part : splitAt(text, ',')) {
    const bool isArchitecture = part.starts_with("arch=");
    const std::string name = part.substr(isArchitecture || part.starts_with("code=") ? 5 : 0);
    if (std::string problem = problemOf(name); !problem.empty() || isGroup(name))
      return problem.empty() ? unknown(name) : problem;
    if (isArchitecture)
      request.architecture = name;
    else
      request.codes.push_back(name);
  }
  if (request.architecture.empty())
    return fmt::format("'{}': expected arch=compute_XX,code=sm_XX", value);
  specified_.push_back(request);
  return "";
}

std::vector<GpuTarget> GpuTargetFlags::resolve(std::string &error, std::vector<std::string> &notes) const {
  struct Codes {
    std::set<std::string, Older> machines;
    bool ptx = false;
  };
  std::map<std::string, Codes, Older> targets;
  const auto add = [&](const std::string &architecture, const std::vector<std::string> &codes) {
    const std::string number = named(architecture)->number;
    Codes &target = targets["sm_" + number];
    for (const std::string &code : codes) {
      const Named wanted = *named(code);
      if (architectureNumber(code) < architectureNumber(architecture) && error.empty())
        error = fmt::format("code for {} can't be made of what is compiled for {}: it is the older one", code,
                            architecture);
      if (wanted.real)
        target.machines.insert(code);
      else
        target.ptx = true;
    }
  };
  std::vector<Request> requests = plain_;
  if (requests.empty() && !codes_.empty())
    requests.push_back({codes_.front(), {}});
  for (const Request &request : requests) {
    if (!isGroup(request.architecture)) {
      const std::string number = named(request.architecture)->number;
      add(request.architecture,
          codes_.empty() ? std::vector<std::string>{"sm_" + number, "compute_" + number} : codes_);
      continue;
    }
    const std::vector<std::string> members = group(request.architecture, notes);
    for (const std::string &member : members)
      add(member, {member});
    targets[members.back()].ptx = true;
  }
  for (const Request &request : specified_)
    add(request.architecture, request.codes.empty() ? std::vector{request.architecture} : request.codes);
  std::vector<GpuTarget> result;
  for (auto &[architecture, codes] : targets) {
    for (const std::string &without : withoutPtx_)
      codes.ptx &= without != "all" && without != architecture;
    // Registers are counted on machine code, which is there for programs that name PTX alone, too.
    if (codes.machines.empty())
      codes.machines.insert(architecture);
    result.push_back({architecture, {codes.machines.begin(), codes.machines.end()}, codes.ptx});
  }
  return result;
}

} // namespace cupr::commandline
