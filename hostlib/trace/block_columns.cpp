#include "block_columns.h"

#include <cstring>

namespace cupr::trace {

namespace {

struct Head {
  std::uint32_t site, zero;
  std::uint64_t first, step;
};

abi::RecordHead recordOf(std::uint32_t site, std::uint64_t cta, std::uint32_t sm) {
  return {abi::packSite(site, abi::RecordForm::Affine), 1u, cta, 0, 0, abi::packWhere(0, sm, 0)};
}

abi::RecordHead recordAt(std::span<const Word> words, std::size_t record) {
  abi::RecordHead head;
  std::memcpy(&head, &words[record * abi::kHeadWords], sizeof head);
  return head;
}

} // namespace

bool encodeBlocks(std::span<const Word> words, std::vector<std::byte> &columns) {
  const std::size_t records = words.size() / abi::kHeadWords;
  if (records < 2 || records * abi::kHeadWords != words.size())
    return false;
  const abi::RecordHead front = recordAt(words, 0), second = recordAt(words, 1);
  const Head head{abi::siteOf(front.siteAndForm), 0, front.cta, second.cta - front.cta};
  if (const abi::RecordHead last = recordAt(words, records - 1); last.laneMask != 1u || last.base != 0)
    return false; // accesses
  columns.resize(sizeof head + 2 * records);
  std::memcpy(columns.data(), &head, sizeof head);
  std::byte *const lower = columns.data() + sizeof head, *const upper = lower + records;
  // Without a branch for each: there are many, and nearly always they are what they must be.
  std::uint64_t odd = 0;
  for (std::size_t i = 0; i < records; ++i) {
    const abi::RecordHead is = recordAt(words, i);
    const std::uint32_t sm = abi::smOf(is.where);
    const abi::RecordHead must = recordOf(head.site, head.first + i * head.step, sm);
    odd |= (is.siteAndForm ^ must.siteAndForm) | (is.laneMask ^ must.laneMask) | (is.cta ^ must.cta) |
           (is.base ^ must.base) | (is.shape ^ must.shape) | (is.where ^ must.where);
    lower[i] = static_cast<std::byte>(sm);
    upper[i] = static_cast<std::byte>(sm >> 8);
  }
  return odd == 0;
}

std::string decodeBlocks(std::span<const std::byte> columns, std::span<Word> words) {
  const std::size_t records = words.size() / abi::kHeadWords;
  Head head;
  if (records * abi::kHeadWords != words.size() || columns.size() != sizeof head + 2 * records)
    return "the columns of the chunk's blocks do not have their length";
  std::memcpy(&head, columns.data(), sizeof head);
  if (head.zero != 0 || head.site > abi::siteOf(UINT32_MAX))
    return "the site of the chunk's blocks can't be";
  for (std::size_t i = 0; i < records; ++i) {
    const auto byte = [&](std::size_t at) { return std::to_integer<std::uint32_t>(columns[at]); };
    const std::uint32_t sm = byte(sizeof head + i) | byte(sizeof head + records + i) << 8;
    const abi::RecordHead record = recordOf(head.site, head.first + i * head.step, sm);
    std::memcpy(static_cast<void *>(&words[i * abi::kHeadWords]), &record, sizeof record);
  }
  return {};
}

} // namespace cupr::trace
