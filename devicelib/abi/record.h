/// Records as those see them who look at whole accesses, on the host: taken apart, written and read. What the
/// bits are is said in record_head.h.
#ifndef CUPR_ABI_RECORD_H
#define CUPR_ABI_RECORD_H

#include "value_record.h"

#include <cstring>

namespace cupr {
namespace abi {

/// A record, taken apart. `address[n]` is valid for the lanes in `laneMask`.
struct WarpAccess {
  std::uint32_t site;
  std::uint32_t laneMask;
  std::uint64_t cta;
  std::uint32_t warp;
  std::uint32_t sm;
  RecordForm form;
  /// For Affine records: the distance between neighbouring lanes, in bytes.
  std::int32_t stride;
  /// For Rows records: see RowsShape.
  std::uint32_t shape;
  std::uint64_t address[kLanes];
  /// For Range records: the bytes of each lane in `laneMask`.
  std::uint64_t bytes[kLanes];
};

/// The bytes that one active lane accessed, at a site of `siteBytes`.
inline std::uint64_t laneBytes(const WarpAccess &access, unsigned lane, std::uint64_t siteBytes) {
  return access.form == RecordForm::Range ? access.bytes[lane] : siteBytes;
}

/// The bytes that all lanes of a record accessed together, at a site of `siteBytes`.
inline std::uint64_t recordBytes(const WarpAccess &access, std::uint64_t siteBytes) {
  if (access.form != RecordForm::Range)
    return activeLanes(access.laneMask) * siteBytes;
  std::uint64_t total = 0;
  for (std::uint32_t left = access.laneMask; left; left &= left - 1u)
    total += access.bytes[__builtin_ctz(left)];
  return total;
}

/// The shape of a Rows record for `access`, or 0 if it isn't one (no such record's shape is 0).
inline std::uint32_t findRows(const WarpAccess &access, unsigned widthLog2) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(access.laneMask));
  const unsigned next = laneOfNextRow(access.laneMask, first, widthLog2);
  if (next == 0)
    return 0;
  const std::uint64_t base = access.address[first];
  const std::int64_t stride = static_cast<std::int64_t>(access.address[first + 1u] - base);
  const auto columns = static_cast<std::uint64_t>(columnsFrom(first, next, widthLog2));
  // Modulo 2^64, since addresses may be any numbers.
  const auto pitch =
      static_cast<std::int64_t>(access.address[next] - base - static_cast<std::uint64_t>(stride) * columns);
  if (!fitRows(stride, pitch))
    return 0;
  const std::uint32_t shape = packRows(widthLog2, stride, pitch);
  for (std::uint32_t rest = access.laneMask; rest; rest &= rest - 1u) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(rest));
    if (static_cast<std::int64_t>(access.address[lane] - base) != rowsOffset(shape, lane, first))
      return 0;
  }
  return shape;
}

/// Writes the record of this form and shape for `access`, which it must fit. Returns its words.
inline std::uint32_t writeRecord(const WarpAccess &access, RecordForm form, std::uint32_t shape,
                                 std::uint32_t generation, void *words) {
  const std::uint64_t base = access.address[__builtin_ctz(access.laneMask)];
  const RecordHead head{packSite(access.site & kSiteMask, form),
                        access.laneMask,
                        access.cta,
                        base,
                        shape,
                        packWhere(access.warp & kWarpMask, access.sm, generation)};
  unsigned char *out = static_cast<unsigned char *>(words);
  std::memcpy(out, &head, sizeof head);
  const unsigned active = activeLanes(access.laneMask);
  const std::uint32_t size = recordWords(form, active);
  if (size == kHeadWords)
    return size;
  const std::uint32_t unused = unusedBytes(form, active);
  std::memset(out + size * kWordBytes - unused, 0, unused);
  out += sizeof head;
  const std::uint32_t step = addressBytes(form);
  for (std::uint32_t left = access.laneMask; left; left &= left - 1u, out += step) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if (form == RecordForm::Offset32) {
      const std::int32_t offset = static_cast<std::int32_t>(access.address[lane] - base);
      std::memcpy(out, &offset, sizeof offset);
      continue;
    }
    std::memcpy(out, &access.address[lane], sizeof(std::uint64_t));
    if (form == RecordForm::Range)
      std::memcpy(out + sizeof(std::uint64_t), &access.bytes[lane], sizeof(std::uint64_t));
  }
  return size;
}

/// Writes the shortest record for `access` (its form and stride are ignored) to
/// `words`, which has room for kMaxRecordWords words. Returns the number of
/// words written. The lane mask must not be 0. `blockWidth`: blockDim.x, or 0 if it isn't known.
inline std::uint32_t encodeRecord(const WarpAccess &access, std::uint32_t generation, void *words,
                                  unsigned blockWidth = 0) {
  const unsigned first = static_cast<unsigned>(__builtin_ctz(access.laneMask));
  const std::uint64_t base = access.address[first];
  std::int64_t stride = 0;
  const std::uint32_t others = access.laneMask & (access.laneMask - 1u);
  bool affine = true, narrow = true;
  if (others) {
    const unsigned second = static_cast<unsigned>(__builtin_ctz(others));
    const std::int64_t distance = static_cast<std::int64_t>(access.address[second] - base);
    stride = distance / static_cast<std::int64_t>(second - first);
    affine = stride >= INT32_MIN && stride <= INT32_MAX;
    for (unsigned lane = second; lane < kLanes; ++lane) {
      if (!((access.laneMask >> lane) & 1u))
        continue;
      const std::int64_t offset = static_cast<std::int64_t>(access.address[lane] - base);
      affine = affine && offset == stride * static_cast<std::int64_t>(lane - first);
      narrow = narrow && offset >= INT32_MIN && offset <= INT32_MAX;
    }
  }
  if (affine)
    return writeRecord(access, RecordForm::Affine, static_cast<std::uint32_t>(stride), generation, words);
  if (const std::uint32_t rows = findRows(access, rowsWidthLog2(blockWidth)))
    return writeRecord(access, RecordForm::Rows, rows, generation, words);
  return writeRecord(access, narrow ? RecordForm::Offset32 : RecordForm::Raw, 0, generation, words);
}

/// Writes the Range record for `access`, of which every active lane's `bytes` count, as
/// encodeRecord does.
inline std::uint32_t encodeRange(const WarpAccess &access, std::uint32_t generation, void *words) {
  return writeRecord(access, RecordForm::Range, 0, generation, words);
}

/// Writes the value record for the lanes `laneMask`, of whose numbers the low `bytes` bytes count. Returns its words.
inline std::uint32_t writeValue(std::uint32_t bytes, std::uint32_t laneMask, const std::uint64_t *lanes,
                                void *words) {
  unsigned char *out = static_cast<unsigned char *>(words);
  const unsigned first = static_cast<unsigned>(__builtin_ctz(laneMask));
  const std::uint64_t base = cutValue(lanes[first], bytes);
  std::int64_t step = 0;
  if (const std::uint32_t others = laneMask & (laneMask - 1u)) {
    const unsigned second = static_cast<unsigned>(__builtin_ctz(others));
    // As a signed number of the value's own size, so that steps back are short, too.
    const unsigned spare = 64u - 8u * bytes;
    step = static_cast<std::int64_t>((lanes[second] - base) << spare) >> spare;
    step /= static_cast<std::int64_t>(second - first);
  }
  bool isAffine = step == static_cast<std::int32_t>(step);
  for (std::uint32_t left = laneMask; left; left &= left - 1u) {
    const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    isAffine = isAffine && cutValue(base + static_cast<std::uint64_t>(step) * (lane - first), bytes) ==
                               cutValue(lanes[lane], bytes);
  }
  const unsigned active = activeLanes(laneMask);
  const FirstWord head =
      isAffine ? affineValue(bytes, static_cast<std::int32_t>(step), base) : denseValue(bytes, active);
  std::memcpy(out, &head, sizeof head);
  if (isAffine)
    return 1;
  out += sizeof head;
  std::memset(out, 0, (head.lanes - 1u) * kWordBytes);
  for (std::uint32_t left = laneMask; left; left &= left - 1u, out += bytes)
    std::memcpy(out, &lanes[__builtin_ctz(left)], bytes); // little endian
  return head.lanes;
}

/// Reads the value record at `words`, of which `available` can be read, into those of `lanes` that are in the mask. Returns its
/// words; 0: it is none, or not one of `bytes` bytes for these lanes.
inline std::uint32_t readValue(const void *words, std::size_t available, std::uint32_t bytes,
                               std::uint32_t laneMask, std::uint64_t *lanes) {
  const unsigned char *in = static_cast<const unsigned char *>(words);
  if (available == 0)
    return 0;
  FirstWord head;
  std::memcpy(&head, in, sizeof head);
  if (!isValue(head.siteAndForm) || bytesOfValue(head.siteAndForm) != bytes)
    return 0;
  const std::uint32_t size = valueWords(head, available);
  const unsigned first = static_cast<unsigned>(__builtin_ctz(laneMask));
  if (formOf(head.siteAndForm) == RecordForm::ValueAffine) {
    const std::uint64_t step =
        static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(head.lanes)));
    for (std::uint32_t left = laneMask; left; left &= left - 1u) {
      const unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
      lanes[lane] = cutValue(head.place + step * (lane - first), bytes);
    }
    return size;
  }
  if (size != denseValueWords(bytes, activeLanes(laneMask)))
    return 0;
  in += sizeof head;
  for (std::uint32_t left = laneMask; left; left &= left - 1u, in += bytes) {
    std::uint64_t &value = lanes[__builtin_ctz(left)];
    value = 0;
    std::memcpy(&value, in, bytes);
  }
  return size;
}

enum class RecordStatus { Access, Pad, Malformed };

/// The first half of decodeRecord(): all but addresses and sizes of the lanes.
inline RecordStatus decodeHead(const void *words, std::size_t available, WarpAccess &access, RecordHead &head,
                               std::uint32_t &size) {
  size = 0;
  if (available == 0)
    return RecordStatus::Malformed;
  const unsigned char *in = static_cast<const unsigned char *>(words);
  FirstWord start;
  std::memcpy(&start, in, sizeof start);
  if (isPad(start.siteAndForm)) {
    size = padWords(start, available);
    return size ? RecordStatus::Pad : RecordStatus::Malformed;
  }
  size = accessWords(start, activeLanes(start.lanes), available);
  if (size == 0)
    return RecordStatus::Malformed;
  std::memcpy(&head, in, sizeof head);
  access.form = formOf(head.siteAndForm);
  access.site = siteOf(head.siteAndForm);
  access.laneMask = head.laneMask;
  access.cta = head.cta;
  access.warp = warpOf(head.where);
  access.sm = smOf(head.where);
  access.stride = access.form == RecordForm::Affine ? static_cast<std::int32_t>(head.shape) : 0;
  access.shape = access.form == RecordForm::Rows ? head.shape : 0;
  return RecordStatus::Access;
}

/// The other half, of a record whose head has been read: what each lane accesses.
inline RecordStatus decodeAddresses(const void *words, const RecordHead &head, WarpAccess &access) {
  const unsigned char *in = static_cast<const unsigned char *>(words);
  const unsigned first = static_cast<unsigned>(__builtin_ctz(head.laneMask));
  if (access.form == RecordForm::Affine) {
    const std::uint64_t stride = static_cast<std::uint64_t>(static_cast<std::int64_t>(access.stride));
    std::uint64_t address = head.base - stride * first;
    for (unsigned lane = 0; lane < kLanes; ++lane, address += stride)
      access.address[lane] = address;
    return RecordStatus::Access;
  }
  if (access.form == RecordForm::Rows) {
    const RowsShape rows(head.shape);
    std::uint64_t row = head.base - static_cast<std::uint64_t>(rows.offset(first));
    for (unsigned lane = 0; lane < kLanes; row += static_cast<std::uint64_t>(rows.pitch))
      for (std::uint64_t address = row, end = lane + (1u << rows.widthLog2); lane < end && lane < kLanes;
           ++lane, address += static_cast<std::uint64_t>(rows.stride))
        access.address[lane] = address;
    return RecordStatus::Access;
  }
  in += sizeof head;
  const std::uint32_t step = addressBytes(access.form);
  for (unsigned lane = first; lane < kLanes; ++lane) {
    if (!((head.laneMask >> lane) & 1u))
      continue;
    if (access.form == RecordForm::Offset32) {
      std::int32_t offset;
      std::memcpy(&offset, in, sizeof offset);
      access.address[lane] = head.base + static_cast<std::uint64_t>(static_cast<std::int64_t>(offset));
    } else {
      std::memcpy(&access.address[lane], in, sizeof(std::uint64_t));
    }
    if (access.form == RecordForm::Range) {
      std::memcpy(&access.bytes[lane], in + sizeof(std::uint64_t), sizeof(std::uint64_t));
      if (access.bytes[lane] == 0 || access.bytes[lane] > kMaxRangeBytes)
        return RecordStatus::Malformed;
    }
    in += step;
  }
  return RecordStatus::Access;
}

/// Takes apart the record that starts at `words`, of which `available` words
/// can be read. Sets `size` to its number of words. `access` is set when the
/// result is Access. Malformed: the form is unknown, the lane mask is 0, a range has another size than it
/// may, or the record is longer than what is available.
inline RecordStatus decodeRecord(const void *words, std::size_t available, WarpAccess &access,
                                 std::uint32_t &size) {
  RecordHead head;
  const RecordStatus status = decodeHead(words, available, access, head, size);
  return status == RecordStatus::Access ? decodeAddresses(words, head, access) : status;
}

} // namespace abi
} // namespace cupr

#endif
