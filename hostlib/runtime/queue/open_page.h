/// A page that warps were still filling when the GPU stopped.
///
/// The problem: who reserved how much of it, and what of that has been written, only the device's memory says, and that is gone. A page in
/// host memory is still there, with what had arrived: whole records, and some of which a part is missing. All else in it is 0, since
/// pages are cleared when they are freed.
#ifndef CUPR_RUNTIME_OPEN_PAGE_H
#define CUPR_RUNTIME_OPEN_PAGE_H

#include <cstdint>
#include <set>
#include <vector>

namespace cupr::host {

/// The records that have certainly arrived in a page of so many bytes, one behind the other: those of launches with these tags, of which 0 is none
/// (abi::tagOf). What is left of a record whose beginning is missing is not taken for one so: addresses have 0 where the tag stands, and offsets hardly ever
/// a tag and 0.
std::vector<unsigned char> arrivedRecords(const unsigned char *page, std::uint32_t bytes,
                                          const std::set<std::uint64_t> &tags);

} // namespace cupr::host

#endif
