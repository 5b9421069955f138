#pragma once

// Several processes, on one machine or many, that work as one.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gumption/cluster/cluster_options.h"

namespace gumption {

class Transport;

/// This process among the others. All of them must make the same calls in the same order; one that doesn't makes the
/// others wait. Where another process has ended or can't be reached, the call throws a UserError that names it: at once
/// where its connection broke, after the time-out where nothing is heard. Not thread-safe.
class ProcessGroup {
 public:
  /// Blocks are never larger than this, so that memory doesn't grow with what is sent.
  static constexpr std::size_t kBlock = std::size_t{1} << 22;

  /// Waits for all others, over what set_transport() was given (use_gloo() in gloo.h); from then on SIGPIPE is ignored
  /// in this process. A single process needs nothing but itself, and its calls do nothing.
  explicit ProcessGroup(const ClusterOptions& options);
  ProcessGroup(const ProcessGroup&) = delete;
  ProcessGroup& operator=(const ProcessGroup&) = delete;
  ~ProcessGroup();

  std::size_t rank() const { return rank_; }
  std::size_t size() const { return size_; }
  bool is_first() const { return rank_ == 0; }
  /// How long a call waits for another process.
  std::chrono::milliseconds timeout() const { return timeout_; }

  /// Returns when all have called it.
  void barrier();

  /// What each process gave, by rank. Any sizes; all of it is held in memory.
  std::vector<std::string> all_gather(std::string_view own);

  /// Gives the next block to send: at most kBlock bytes, valid until the next call; empty at the end.
  using GiveBlock = std::function<std::string_view()>;
  using TakeBlock = std::function<void(std::string_view)>;

  void send(std::size_t to, const GiveBlock& give);
  void receive(std::size_t from, const TakeBlock& take);

  /// Everyone to everyone but themselves: give(to) makes what to send there, take(from, block) gets what comes. Blocks
  /// of one sender arrive in order; one sender comes after another.
  void all_to_all(const std::function<GiveBlock(std::size_t to)>& give,
                  const std::function<void(std::size_t from, std::string_view block)>& take);

  /// Sums over all processes, in place, the same everywhere. All must give as many values.
  void all_reduce_sum(std::span<std::uint64_t> values);
  void all_reduce_sum(std::span<float> values);
  void all_reduce_sum(std::span<double> values);

  /// For process_group_torch.h; nullptr for a single process.
  Transport* transport() const { return transport_.get(); }

 private:
  void stream(std::size_t to, const GiveBlock& give, std::size_t from, const TakeBlock& take);

  std::size_t rank_;
  std::size_t size_;
  std::chrono::milliseconds timeout_;
  std::unique_ptr<Transport> transport_;
};

/// The group that the launcher's variables describe, made when it is first asked for, kept until the program ends.
ProcessGroup& launched_group();

/// False only in a process of launched_group() that isn't its first; such a process prints nothing.
bool is_first_process();

}  // namespace gumption
