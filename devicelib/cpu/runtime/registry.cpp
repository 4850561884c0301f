#include "registry.h"

#include "processor.h"

#include "devicelib/abi/standard_error.h"
#include "devicelib/abi/version.h"

#include <cstdio>
#include <cstring>
#include <utility>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cupr::cpu {

namespace {

/// What `__cudaRegisterFatBinary` is given (fatbinary_section.h of the toolkit).
struct FatBinaryWrapper {
  std::uint32_t magic, version;
  const void *data;
  void *unused;
};

/// The start of the image: a real fat binary's, and that of an image that only
/// carries an id.
struct FatBinaryHeader {
  std::uint32_t magic;
  std::uint16_t version, headerBytes;
  std::uint64_t payloadBytes;
};

constexpr std::uint32_t kWrapperMagic = 0x466243b1u, kFatBinaryMagic = 0xba55ed50u;

} // namespace

Registry &Registry::instance() {
  static Registry *registry = new Registry;
  return *registry;
}

void Registry::addModule(const abi::CpuModule *module) {
  std::lock_guard lock(mutex_);
  if (module->abiVersion != CUPR_ABI_VERSION) {
    abi::say("cuprewrite: a device object speaks version %u of the CPU device's interface, this runtime "
             "version %u: rebuild the program with one version of cupr++\n",
             module->abiVersion, CUPR_ABI_VERSION);
    return;
  }
  modules_.push_back(module);
}

std::size_t Registry::moduleCount() {
  std::lock_guard lock(mutex_);
  return modules_.size();
}

void Registry::needProcessor(const abi::CpuModule *module, const char *processor, const char *features) {
  const std::string missing = missingFeatures(features, processorHas);
  if (missing.empty())
    return;
  std::lock_guard lock(mutex_);
  unfit_[module] = "the program's kernels were compiled for processors like " + std::string(processor) +
                   ", and this one has no " + missing +
                   "; they can't run here unless built with cupr++ --host-cpu=x86-64";
}

bool Registry::canRun(const abi::CpuModule *module) {
  std::lock_guard lock(mutex_);
  return unfit_.count(module) == 0;
}

void Registry::warnOfProcessor() {
  std::lock_guard lock(mutex_);
  std::string said; // most modules have the same to say
  for (auto &[module, text] : unfit_) {
    if (!text.empty() && text != said)
      abi::say("cuprewrite: CPU device: %s\n", text.c_str());
    if (!text.empty())
      said = std::exchange(text, {});
  }
}

void **Registry::addImage(const void *wrapper) {
  const auto *w = static_cast<const FatBinaryWrapper *>(wrapper);
  auto *image = new Image{};
  FatBinaryHeader header;
  std::memcpy(&header, w->data, sizeof header);
  if (w->magic == kWrapperMagic && header.magic == kFatBinaryMagic) {
    const XXH128_hash_t hash = XXH3_128bits(w->data, header.headerBytes + header.payloadBytes);
    image->id[0] = hash.low64;
    image->id[1] = hash.high64;
  } else {
    abi::say("cuprewrite: the program registers a device image in an unknown form (magic %08x); its "
             "kernels can't run on the CPU device\n",
             header.magic);
  }
  std::lock_guard lock(mutex_);
  images_.push_back(image);
  return reinterpret_cast<void **>(image);
}

void Registry::addKernel(void **image, const void *handle, const char *name) {
  std::lock_guard lock(mutex_);
  kernels_[handle] = Entry{reinterpret_cast<Image *>(image), name, {}, nullptr};
}

void Registry::addVariable(void **image, const void *handle, const char *name) {
  std::lock_guard lock(mutex_);
  variables_[handle] = Entry{reinterpret_cast<Image *>(image), name, {}, nullptr};
}

const abi::CpuKernel *Registry::kernelOfCode(const void *code) {
  std::lock_guard lock(mutex_);
  for (const abi::CpuModule *module : modules_)
    for (std::uint32_t i = 0; i < module->kernelCount; ++i)
      if (module->kernels[i].code == code)
        return &module->kernels[i];
  return nullptr;
}

const abi::CpuModule *Registry::resolve(Image &image) {
  if (!image.module)
    for (const abi::CpuModule *module : modules_)
      if (module->id[0] == image.id[0] && module->id[1] == image.id[1])
        image.module = module;
  return image.module;
}

Registry::Kernel Registry::kernel(const void *handle, std::string *name) {
  std::lock_guard lock(mutex_);
  const auto found = kernels_.find(handle);
  if (found == kernels_.end())
    return {};
  Entry &entry = found->second;
  if (!entry.kernel.kernel)
    if (const abi::CpuModule *module = resolve(*entry.image))
      for (std::uint32_t i = 0; i < module->kernelCount; ++i)
        if (entry.name == module->kernels[i].name)
          entry.kernel = {module, &module->kernels[i], handle};
  if (name && !entry.kernel.kernel)
    *name = entry.name;
  return entry.kernel;
}

const void *Registry::kernelBeside(const void *handle, const char *name) {
  const Kernel known = kernel(handle);
  std::lock_guard lock(mutex_);
  for (std::uint32_t i = 0; known.module && i < known.module->kernelCount; ++i)
    if (const abi::CpuKernel *other = &known.module->kernels[i]; !std::strcmp(name, other->name)) {
      kernels_.try_emplace(other, Entry{nullptr, name, {known.module, other, handle}, nullptr});
      return other;
    }
  return nullptr;
}

namespace {
const abi::CpuVariable *findVariable(const abi::CpuModule *module, const char *name) {
  for (std::uint32_t i = 0; module && i < module->variableCount; ++i)
    if (!std::strcmp(name, module->variables[i].name))
      return &module->variables[i];
  return nullptr;
}
} // namespace

const abi::CpuVariable *Registry::variable(const void *handle) {
  std::lock_guard lock(mutex_);
  const auto found = variables_.find(handle);
  if (found == variables_.end())
    return nullptr;
  Entry &entry = found->second;
  if (!entry.variable)
    entry.variable = findVariable(resolve(*entry.image), entry.name.c_str());
  return entry.variable;
}

void *Registry::setManaged(const void *handle) {
  const abi::CpuVariable *const known = variable(handle);
  if (!known)
    return nullptr;
  std::lock_guard lock(mutex_);
  managed_.insert(known);
  return known->address;
}

bool Registry::isManaged(const abi::CpuVariable *variable) {
  std::lock_guard lock(mutex_);
  return managed_.count(variable) != 0;
}

std::vector<const abi::CpuVariable *> Registry::ownVariables() {
  std::lock_guard lock(mutex_);
  std::vector<const abi::CpuVariable *> own;
  for (const abi::CpuModule *module : modules_)
    for (std::uint32_t i = 0; i < module->variableCount; ++i)
      // Reserved names: what instrumented code says of itself.
      if (const abi::CpuVariable *variable = &module->variables[i];
          !managed_.count(variable) && std::strncmp(variable->name, "__cupr_", 7) != 0)
        own.push_back(variable);
  return own;
}

const abi::CpuVariable *Registry::moduleVariable(const void *kernelHandle, const char *name) {
  const Kernel found = kernel(kernelHandle);
  return findVariable(found.module, name);
}

const abi::CpuVariable *Registry::variableAt(const void *address) {
  std::lock_guard lock(mutex_);
  const char *p = static_cast<const char *>(address);
  for (const abi::CpuModule *module : modules_)
    for (std::uint32_t i = 0; i < module->variableCount; ++i) {
      const char *start = static_cast<const char *>(module->variables[i].address);
      if (p >= start && p < start + module->variables[i].bytes)
        return &module->variables[i];
    }
  return nullptr;
}

std::uint32_t Registry::architecture() {
  std::lock_guard lock(mutex_);
  std::uint32_t newest = 0;
  for (const abi::CpuModule *module : modules_)
    newest = module->architecture > newest ? module->architecture : newest;
  return newest ? newest : 75;
}

} // namespace cupr::cpu

extern "C" {

void __cupr_cpu_register_module(const cupr::abi::CpuModule *module) {
  cupr::cpu::Registry::instance().addModule(module);
}

void __cupr_cpu_need_processor(const cupr::abi::CpuModule *module, const char *processor,
                               const char *features) {
  cupr::cpu::Registry::instance().needProcessor(module, processor, features);
}

const void *cuprCpuKernelBeside(const void *kernelHandle, const char *name) {
  return cupr::cpu::Registry::instance().kernelBeside(kernelHandle, name);
}

unsigned cuprCpuModuleCount(void) {
  return static_cast<unsigned>(cupr::cpu::Registry::instance().moduleCount());
}

const cupr::abi::CpuVariable *cuprCpuFindVariable(const void *kernelHandle, const char *name) {
  return cupr::cpu::Registry::instance().moduleVariable(kernelHandle, name);
}

} // extern "C"
