/// The version of the contract between the pass, the device library, the host
/// runtime and the CPU device. The hooks, and the host entry points that augmented
/// sources call, carry it in their names, so that a mix of versions is a link error.
#ifndef CUPR_ABI_VERSION_H
#define CUPR_ABI_VERSION_H

// Tests build parts of the next version.
#ifndef CUPR_ABI_VERSION
#define CUPR_ABI_VERSION 6
#endif
#define CUPR_ABI_CONCAT_(a, b) a##b
#define CUPR_ABI_CONCAT(a, b) CUPR_ABI_CONCAT_(a, b)
/// `CUPR_VERSIONED(cuprLaunch_v)` is `cuprLaunch_v1`.
#define CUPR_VERSIONED(name) CUPR_ABI_CONCAT(name, CUPR_ABI_VERSION)
#define CUPR_ABI_TEXT_(name) #name
#define CUPR_ABI_TEXT(name) CUPR_ABI_TEXT_(name)
/// The same as a string literal: `"cuprLaunch_v1"`.
#define CUPR_VERSIONED_TEXT(name) CUPR_ABI_TEXT(CUPR_VERSIONED(name))

/// Undefined in an object, so that a link that lacks something tells its user what to do: in each object of
/// an augmented source, defined by the runtime.
#define CUPR_RUNTIME_NEEDED                                                                                  \
  __cupr_runtime_is_missing__link_with_cuprxx_or_add_the_output_of_cuprewrite_ldflags
/// The same for the runtime's version: what says so when objects of several versions are linked.
#define CUPR_INTERFACE_NEEDED                                                                                \
  CUPR_VERSIONED(__cupr_mixed_versions__rebuild_all_objects_with_one_cuprewrite__this_needs_interface_)
/// In each object with device code to link, defined by the object of the device link.
#define CUPR_DEVICE_LINK_NEEDED                                                                              \
  __cupr_device_code_is_not_linked__link_with_cuprxx_or_add_an_object_made_by_cuprxx_dlink

#endif
