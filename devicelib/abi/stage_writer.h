/// What groups of a warp's lanes do with its stage (stage.h): claim, write, commit; close, move, open again.
///
/// As with the queue (bin_writer.h) it is one algorithm for the GPU and for the threads of a host, where it is tested. `Memory` is what a
/// memory operation is, all of them among the warp's own lanes:
///
///     u32 add(u32 *, u32)                atomic; returns what was there
///     void mark(u32 *, u32 bits)         atomic; adds bits
///     u32 load(const u32 *), void store(u32 *, u32)
///     void fence()                       acquire and release
///
/// A group writes no word before it knows that the space is its own: so what the group before it has read there is read, without a fence.
#ifndef CUPR_ABI_STAGE_WRITER_H
#define CUPR_ABI_STAGE_WRITER_H

#include "bin_writer.h"
#include "stage.h"

namespace cupr {
namespace abi {

enum class StageAnswer : std::uint32_t {
  Mine,    ///< there is space
  Closing, ///< the asking group closes the stage, and moves what lies in front
  Again,   ///< another one does
};

/// A warp's stage as the leader of a group of its lanes sees it.
template <typename Memory> class StageWriter {
public:
  /// `bytes`: that there is room for.
  CUPR_QUEUE_FUNCTION StageWriter(StageControl *control, std::uint32_t bytes, Memory memory = Memory())
      : control_(control), bytes_(bytes), memory_(memory) {}

  CUPR_QUEUE_FUNCTION std::uint32_t bytes() const { return bytes_; }

  /// Where no record is being written.
  CUPR_QUEUE_FUNCTION std::uint32_t staged() const { return memory_.load(&control_->claimed); }
  CUPR_QUEUE_FUNCTION bool isEmpty() const { return staged() == 0; }
  /// Space for `bytes`, at `at`; of Closing, how many bytes lie in front.
  CUPR_QUEUE_FUNCTION StageAnswer claim(std::uint32_t bytes, std::uint32_t &at) const {
    at = memory_.add(&control_->claimed, bytes);
    return at > bytes_ ? StageAnswer::Again : at + bytes > bytes_ ? StageAnswer::Closing : StageAnswer::Mine;
  }
  /// Space that no stage has.
  CUPR_QUEUE_FUNCTION StageAnswer close(std::uint32_t &at) const { return claim(bytes() + kWordBytes, at); }
  CUPR_QUEUE_FUNCTION bool isClosing() const { return memory_.load(&control_->claimed) > bytes(); }

  /// The record at `at` is written, by the calling lane and those that it has synchronised with.
  CUPR_QUEUE_FUNCTION void commit(std::uint32_t at, std::uint32_t bytes) const {
    memory_.mark(&control_->heads[at / kWordBytes / 32u], 1u << (at / kWordBytes % 32u));
    memory_.fence();
    memory_.add(&control_->committed, bytes);
  }
  /// What claim and commit do, for a group that is all lanes of the warp: no other one is between its claim and its commit, so nothing has to be atomic.
  /// `at`: what staged() has told all lanes before one of them could go on to add().
  CUPR_QUEUE_FUNCTION bool hasSpace(std::uint32_t at, std::uint32_t bytes) const {
    return at + bytes <= bytes_;
  }
  /// `mine`: of one of the lanes, which has written the record, and behind which all are synchronised before one goes on.
  CUPR_QUEUE_FUNCTION void add(std::uint32_t at, std::uint32_t bytes, bool mine) const {
    std::uint32_t *const heads = &control_->heads[at / kWordBytes / 32u];
    const std::uint32_t marked = memory_.load(heads) | 1u << (at / kWordBytes % 32u);
    if (!mine)
      return;
    memory_.store(heads, marked);
    memory_.store(&control_->claimed, at + bytes);
    memory_.store(&control_->committed, at + bytes);
  }
  /// Of the closing group: whether all in front of it is written.
  CUPR_QUEUE_FUNCTION bool isWritten(std::uint32_t at) const {
    const bool written = memory_.load(&control_->committed) == at;
    memory_.fence();
    return written;
  }
  /// Whether word `word` begins a record.
  CUPR_QUEUE_FUNCTION bool isHead(std::uint32_t word) const {
    return (memory_.load(&control_->heads[word / 32u]) >> (word % 32u) & 1u) != 0;
  }
  /// Of the closing group, behind its move.
  CUPR_QUEUE_FUNCTION void reopen() const {
    for (std::uint32_t i = 0; i < kStageHeadWords; ++i)
      memory_.store(&control_->heads[i], 0u);
    memory_.store(&control_->committed, 0u);
    memory_.fence();
    memory_.store(&control_->claimed, 0u);
  }

private:
  StageControl *control_;
  std::uint32_t bytes_;
  Memory memory_;
};

} // namespace abi
} // namespace cupr

#endif
