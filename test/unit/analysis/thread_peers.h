/// Peers that are threads of one process.
#ifndef CUPR_TEST_THREAD_PEERS_H
#define CUPR_TEST_THREAD_PEERS_H

#include "analysis/engine/peers.h"

#include <algorithm>
#include <barrier>
#include <exception>
#include <functional>
#include <thread>
#include <vector>

namespace cupr::test {

/// Calls `work` with each peer, all at once; the result is what each threw, by its number.
class ThreadPeers {
public:
  explicit ThreadPeers(unsigned count)
      : barrier_(count), values_(count), letters_(count, std::vector<analysis::Bytes>(count)), files_(count) {
  }

  std::vector<std::exception_ptr> run(const std::function<void(analysis::Peers &)> &work) {
    std::vector<std::exception_ptr> thrown(values_.size());
    std::vector<std::thread> threads;
    for (unsigned number = 0; number < values_.size(); ++number)
      threads.emplace_back([&, number] {
        Peer peer(*this, number);
        try {
          work(peer);
        } catch (...) {
          thrown[number] = std::current_exception();
        }
      });
    for (std::thread &thread : threads)
      thread.join();
    return thrown;
  }

private:
  class Peer : public analysis::Peers {
  public:
    Peer(ThreadPeers &all, unsigned number) : all_(all), number_(number) {}
    unsigned number() const override { return number_; }
    unsigned count() const override { return static_cast<unsigned>(all_.values_.size()); }
    unsigned onThisMachine() override { return count(); }
    std::uint64_t least(std::uint64_t value) override {
      all_.values_[number_] = value;
      all_.barrier_.arrive_and_wait();
      const std::uint64_t least = *std::min_element(all_.values_.begin(), all_.values_.end());
      all_.barrier_.arrive_and_wait();
      return least;
    }
    std::vector<analysis::Bytes> exchange(std::vector<analysis::Bytes> toEach) override {
      for (unsigned peer = 0; peer < count(); ++peer)
        all_.letters_[peer][number_] = std::move(toEach[peer]);
      all_.barrier_.arrive_and_wait();
      std::vector<analysis::Bytes> received = std::move(all_.letters_[number_]);
      all_.letters_[number_].resize(count());
      all_.barrier_.arrive_and_wait();
      return received;
    }
    std::vector<analysis::UnnamedFile> gather(std::FILE *file) override {
      if (file) {
        std::fflush(file);
        all_.files_[number_] = file;
      }
      all_.barrier_.arrive_and_wait();
      std::vector<analysis::UnnamedFile> files;
      if (isFirst()) {
        files.emplace_back();
        for (unsigned peer = 1; peer < count(); ++peer)
          files.push_back(copyOf(all_.files_[peer]));
      }
      all_.barrier_.arrive_and_wait();
      return files;
    }

  private:
    static analysis::UnnamedFile copyOf(std::FILE *file) {
      analysis::UnnamedFile copy = analysis::unnamedFile();
      std::rewind(file);
      for (int byte; (byte = std::getc(file)) != EOF;)
        std::putc(byte, copy.get());
      std::rewind(copy.get());
      return copy;
    }
    ThreadPeers &all_;
    const unsigned number_;
  };

  std::barrier<> barrier_;
  std::vector<std::uint64_t> values_;
  std::vector<std::vector<analysis::Bytes>> letters_; ///< by receiver, then sender
  std::vector<std::FILE *> files_;
};

} // namespace cupr::test

#endif
