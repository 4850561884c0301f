/// The writer's hot path: each record is looked at once and copied once.
#include "gather.h"

#include <cstring>

namespace cupr::trace {

namespace {

/// Beyond this many gathered bytes in all launches together, lanes hand over what they
/// have at once, whatever its size.
constexpr std::uint64_t kMaxBuffered = 64u << 20;

/// Length in words of the record or pad at `words`; 0: it is neither, or is cut off.
std::size_t recordLength(const abi::RecordHead &head, std::size_t available, bool &pad) {
  const std::uint32_t form = head.siteAndForm >> abi::kSiteBits;
  pad = form == static_cast<std::uint32_t>(abi::RecordForm::Pad);
  std::size_t length = 0;
  if (pad)
    length = head.laneMask;
  else if (abi::isAccessForm(form) && head.laneMask != 0)
    length = abi::recordWords(static_cast<abi::RecordForm>(form), abi::activeLanes(head.laneMask));
  return length <= available ? length : 0;
}

/// Sets the places behind the last active lane's address to 0.
void clearUnused(const abi::RecordHead &head, unsigned char *addresses) {
  const auto form = static_cast<abi::RecordForm>(head.siteAndForm >> abi::kSiteBits);
  const unsigned active = abi::activeLanes(head.laneMask);
  if (form == abi::RecordForm::Offset32)
    std::memset(addresses + 4 * active, 0, (0u - active) % 4 * 4);
  else if (form == abi::RecordForm::Raw)
    std::memset(addresses + 8 * active, 0, active % 2 * 8);
}

/// The bytes that the lanes of a record accessed, at a site of `siteBytes`.
std::uint64_t bytesOf(const abi::RecordHead &head, const unsigned char *lanes, std::uint64_t siteBytes) {
  const unsigned active = abi::activeLanes(head.laneMask);
  if (static_cast<abi::RecordForm>(head.siteAndForm >> abi::kSiteBits) != abi::RecordForm::Range)
    return active * siteBytes;
  std::uint64_t total = 0, bytes = 0;
  for (unsigned i = 0; i < active; ++i) {
    std::memcpy(&bytes, lanes + abi::kWordBytes * i + sizeof(std::uint64_t), sizeof bytes);
    total += bytes;
  }
  return total;
}

} // namespace

Gather::~Gather() {
  for (const auto &[number, lane] : lanes_)
    buffered_.fetch_sub(lane->batch.words.size() * sizeof(Word), std::memory_order_relaxed);
}

Gather::Lane &Gather::lane(std::uint32_t number) {
  std::lock_guard lock(lanesMutex_);
  auto &lane = lanes_[number];
  if (!lane)
    lane = std::make_unique<Lane>();
  return *lane;
}

void Gather::hand(std::uint32_t number, Lane &lane, Sink &sink) {
  if (lane.batch.records == 0)
    return;
  lane.batch.shares.assign(1, {number, lane.batch.records});
  sink.batch(lane.batch);
  buffered_.fetch_sub(lane.batch.words.size() * sizeof(Word), std::memory_order_relaxed);
  lane.batch.words.clear();
  lane.batch.records = 0;
}

void Gather::take(std::uint32_t number, const Word *words, std::size_t count, Sink &sink) {
  Lane &to = lane(number);
  std::lock_guard lock(to.mutex);
  std::uint64_t taken = 0, added = 0;
  const auto account = [&] {
    buffered_.fetch_add(added, std::memory_order_relaxed);
    added = 0;
  };
  for (std::size_t at = 0; at < count;) {
    abi::RecordHead head{};
    const std::size_t available = count - at;
    std::memcpy(&head, words + at, available >= 2 ? sizeof head : sizeof(Word));
    bool pad = false;
    const std::size_t length = recordLength(head, available, pad);
    if (length == 0) {
      malformedWords_.fetch_add(available, std::memory_order_relaxed);
      break;
    }
    if (pad) {
      at += length;
      continue;
    }
    if (to.batch.words.size() + length > kChunkWords) {
      account();
      hand(number, to, sink);
    }
    const std::size_t begin = to.batch.words.size();
    to.batch.words.insert(to.batch.words.end(), words + at, words + at + length);
    added += length * sizeof(Word);
    head.where &= 0xffffu;
    std::memcpy(to.batch.words[begin + 1].bytes + offsetof(abi::RecordHead, where) - abi::kWordBytes,
                &head.where, sizeof head.where);
    clearUnused(head, reinterpret_cast<unsigned char *>(to.batch.words.data() + begin + 2));
    ++to.batch.records;
    ++to.records;
    taken += length;
    if (weights_) {
      const std::uint32_t site = head.siteAndForm & abi::kSiteMask;
      if (site < weights_->size())
        to.counts.in((*weights_)[site].space)
            .add((*weights_)[site].operation, abi::activeLanes(head.laneMask),
                 bytesOf(head, reinterpret_cast<const unsigned char *>(words + at + 2),
                         (*weights_)[site].bytes));
      else
        unknownSites_.fetch_add(1, std::memory_order_relaxed);
    }
    at += length;
  }
  words_.fetch_add(taken, std::memory_order_relaxed);
  account();
  if (buffered_.load(std::memory_order_relaxed) > kMaxBuffered)
    hand(number, to, sink);
}

void Gather::flush(Sink &sink) {
  std::lock_guard lock(lanesMutex_);
  Batch rest;
  for (const auto &[number, lane] : lanes_) {
    std::lock_guard laneLock(lane->mutex);
    Batch &batch = lane->batch;
    if (batch.records == 0)
      continue;
    if (rest.records != 0 && rest.words.size() + batch.words.size() > kChunkWords) {
      sink.batch(rest);
      rest = Batch();
    }
    rest.words.insert(rest.words.end(), batch.words.begin(), batch.words.end());
    rest.records += batch.records;
    rest.shares.push_back({number, batch.records});
    buffered_.fetch_sub(batch.words.size() * sizeof(Word), std::memory_order_relaxed);
    batch.words.clear();
    batch.records = 0;
  }
  if (rest.records != 0)
    sink.batch(rest);
}

std::uint64_t Gather::records() const {
  std::lock_guard lock(lanesMutex_);
  std::uint64_t total = 0;
  for (const auto &[number, lane] : lanes_) {
    std::lock_guard laneLock(lane->mutex);
    total += lane->records;
  }
  return total;
}

SpaceCounts Gather::counts() const {
  std::lock_guard lock(lanesMutex_);
  SpaceCounts total;
  for (const auto &[number, lane] : lanes_) {
    std::lock_guard laneLock(lane->mutex);
    total += lane->counts;
  }
  return total;
}

} // namespace cupr::trace
