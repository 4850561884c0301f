#include "launch_site.h"

#include "devicelib/abi/thread_owned.h"
#include "devicelib/abi/version.h"

#include <vector>

namespace cupr::host {
namespace {

/// Nested: a launch's arguments may launch. There is room from a thread's first launch on, since a site that could
/// not be noted would make the kernel's arguments be misread.
struct OpenSites : std::vector<LaunchSite> {
  OpenSites() { reserve(16); }
};
OpenSites &openSites() { return abi::ThreadOwned<OpenSites>::get(); }

} // namespace

const LaunchSite *currentLaunchSite() { return openSites().empty() ? nullptr : &openSites().back(); }

} // namespace cupr::host

extern "C" {
extern const char CUPR_RUNTIME_NEEDED;
const char CUPR_RUNTIME_NEEDED = 0;
extern const char CUPR_INTERFACE_NEEDED;
const char CUPR_INTERFACE_NEEDED = 0;

void CUPR_VERSIONED(cuprLaunchBegin_v)(const char *file, unsigned line, unsigned) {
  cupr::host::openSites().push_back({file, line, /*bringsTrace=*/true});
}
void CUPR_VERSIONED(cuprLaunchPlace_v)(const char *file, unsigned line, unsigned) {
  cupr::host::openSites().push_back({file, line, /*bringsTrace=*/false});
}
void CUPR_VERSIONED(cuprLaunchEnd_v)() {
  if (!cupr::host::openSites().empty())
    cupr::host::openSites().pop_back();
}
}
