/// The version of the contract between the pass, the device library, the host
/// runtime and the CPU device. The host entry points that augmented sources
/// call carry it in their names, so that a mix of versions is a link error.
#ifndef CUPR_ABI_VERSION_H
#define CUPR_ABI_VERSION_H

#define CUPR_ABI_VERSION 1
#define CUPR_ABI_CONCAT_(a, b) a##b
#define CUPR_ABI_CONCAT(a, b) CUPR_ABI_CONCAT_(a, b)
/// `CUPR_VERSIONED(cuprLaunch_v)` is `cuprLaunch_v1`.
#define CUPR_VERSIONED(name) CUPR_ABI_CONCAT(name, CUPR_ABI_VERSION)
#define CUPR_ABI_TEXT_(name) #name
#define CUPR_ABI_TEXT(name) CUPR_ABI_TEXT_(name)
/// The same as a string literal: `"cuprLaunch_v1"`.
#define CUPR_VERSIONED_TEXT(name) CUPR_ABI_TEXT(CUPR_VERSIONED(name))

#endif
