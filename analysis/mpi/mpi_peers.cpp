/// Messages may be longer than an int can say: they go in pieces.
#include "mpi_peers.h"

#include <algorithm>
#include <cstdlib>
#include <mpi.h>

namespace cupr::analysis {

namespace {

constexpr std::size_t kPiece = std::size_t{1} << 28;
constexpr std::size_t kFileBlock = std::size_t{1} << 24;

/// Calls `visitor(bytes, count, tag)` for the pieces of a message.
template <typename Visitor> void forEachPiece(Bytes &message, Visitor visitor) {
  int tag = 0;
  for (std::size_t at = 0; at < message.size(); at += kPiece)
    visitor(message.data() + at, static_cast<int>(std::min(kPiece, message.size() - at)), tag++);
}

} // namespace

MpiPeers::MpiPeers(int *argc, char ***argv) {
  int got = 0, number = 0, count = 1;
  MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &got);
  MPI_Comm_rank(MPI_COMM_WORLD, &number);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  number_ = static_cast<unsigned>(number);
  count_ = static_cast<unsigned>(count);
}

MpiPeers::~MpiPeers() { MPI_Finalize(); }

unsigned MpiPeers::onThisMachine() {
  MPI_Comm machine;
  int count = 1;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine);
  MPI_Comm_size(machine, &count);
  MPI_Comm_free(&machine);
  return static_cast<unsigned>(count);
}

std::uint64_t MpiPeers::least(std::uint64_t value) {
  std::uint64_t least = value;
  MPI_Allreduce(&value, &least, 1, MPI_UINT64_T, MPI_MIN, MPI_COMM_WORLD);
  return least;
}

std::vector<Bytes> MpiPeers::exchange(std::vector<Bytes> toEach) {
  std::vector<std::uint64_t> sent(count_), received(count_);
  for (unsigned peer = 0; peer < count_; ++peer)
    sent[peer] = toEach[peer].size();
  MPI_Alltoall(sent.data(), 1, MPI_UINT64_T, received.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
  std::vector<Bytes> fromEach(count_);
  std::vector<MPI_Request> requests;
  fromEach[number_] = std::move(toEach[number_]);
  for (unsigned peer = 0; peer < count_; ++peer) {
    if (peer == number_)
      continue;
    fromEach[peer].resize(received[peer]);
    forEachPiece(fromEach[peer], [&](std::byte *bytes, int count, int tag) {
      MPI_Irecv(bytes, count, MPI_BYTE, static_cast<int>(peer), tag, MPI_COMM_WORLD,
                &requests.emplace_back());
    });
    forEachPiece(toEach[peer], [&](std::byte *bytes, int count, int tag) {
      MPI_Isend(bytes, count, MPI_BYTE, static_cast<int>(peer), tag, MPI_COMM_WORLD,
                &requests.emplace_back());
    });
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  return fromEach;
}

std::vector<UnnamedFile> MpiPeers::gather(std::FILE *file) {
  Bytes block(kFileBlock);
  std::vector<UnnamedFile> files;
  if (!isFirst()) {
    std::rewind(file);
    std::size_t got;
    do { // the last block is not full, or empty
      got = std::fread(block.data(), 1, block.size(), file);
      MPI_Send(block.data(), static_cast<int>(got), MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    } while (got == block.size());
    return files;
  }
  files.emplace_back();
  for (unsigned peer = 1; peer < count_; ++peer) {
    UnnamedFile copy = unnamedFile();
    int got = 0;
    do {
      MPI_Status status;
      MPI_Recv(block.data(), static_cast<int>(block.size()), MPI_BYTE, static_cast<int>(peer), 0,
               MPI_COMM_WORLD, &status);
      MPI_Get_count(&status, MPI_BYTE, &got);
      writeAll(copy.get(), block.data(), static_cast<std::size_t>(got));
    } while (static_cast<std::size_t>(got) == block.size());
    std::rewind(copy.get());
    files.push_back(std::move(copy));
  }
  return files;
}

void MpiPeers::abort(int exitCode) {
  MPI_Abort(MPI_COMM_WORLD, exitCode);
  std::abort(); // MPI_Abort may return, says the standard
}

} // namespace cupr::analysis
