/// The loops of an object's source, of which compilers that are ours leave a table in it (devicelib/abi/source_loops.h).
///
/// An object has those of all its units, headers' and libraries' too; a trace needs those that hold its places. Tables are nonsense where
/// the file is: what is no extent is left out.
#ifndef CUPR_RUNTIME_OBJECT_LOOPS_H
#define CUPR_RUNTIME_OBJECT_LOOPS_H

#include "elf_image.h"

#include "hostlib/trace/host_batch.h"

#include <span>
#include <vector>

namespace cupr::host {

/// The extents around the frames of these places of the object, with files as the frames name them.
std::vector<trace::HostLoop> loopsAround(std::span<const trace::HostPlace> places, ElfImage &image);

} // namespace cupr::host

#endif
