#include "gumption/cluster/process_group.h"

#include "gumption/base/build_info.h"
#include "gumption/base/error.h"
#include "gumption/cluster/transport.h"

namespace gumption {

namespace {

bool first_process = true;           // set once, before anything is printed
ConnectProcesses connect = nullptr;  // set once, when the program starts

std::unique_ptr<Transport> connect_processes(const ClusterOptions& options) {
  require_feature("cluster");
  ensure(connect != nullptr, "a program that makes groups of several processes says how they connect");
  return connect(options);
}

std::string_view bytes_of(const std::uint64_t& number) {
  return {reinterpret_cast<const char*>(&number), sizeof(number)};
}
std::span<char> room_of(std::uint64_t& number) { return {reinterpret_cast<char*>(&number), sizeof(number)}; }

}  // namespace

void set_transport(ConnectProcesses how) { connect = how; }

ProcessGroup::ProcessGroup(const ClusterOptions& options)
    : rank_(options.rank), size_(options.size), timeout_(options.timeout) {
  ensure(rank_ < size_, "a process is one of its group");
  if (size_ > 1) transport_ = connect_processes(options);
}

ProcessGroup::~ProcessGroup() = default;

void ProcessGroup::barrier() { all_gather({}); }

/// Sends and receives at once, so that two that send to each other don't both wait for a reader. Each block goes behind
/// its length, and a length of 0 ends the stream.
void ProcessGroup::stream(std::size_t to, const GiveBlock& give, std::size_t from, const TakeBlock& take) {
  std::string block;
  bool sending = static_cast<bool>(give);
  bool receiving = static_cast<bool>(take);
  while (sending || receiving) {
    const std::string_view out = sending ? give() : std::string_view();
    ensure(out.size() <= kBlock, "blocks are of bounded size");
    const std::uint64_t out_size = out.size();
    std::uint64_t in_size = 0;
    transport_->exchange(to, sending ? bytes_of(out_size) : std::string_view(), from,
                         receiving ? room_of(in_size) : std::span<char>());
    ensure(in_size <= kBlock, "blocks are of bounded size");
    block.resize(in_size);
    transport_->exchange(to, out, from, block);
    if (in_size > 0) take(block);
    sending = sending && out_size > 0;
    receiving = receiving && in_size > 0;
  }
}

void ProcessGroup::send(std::size_t to, const GiveBlock& give) {
  ensure(to < size_ && to != rank_, "there is such a process");
  stream(to, give, to, {});
}

void ProcessGroup::receive(std::size_t from, const TakeBlock& take) {
  ensure(from < size_ && from != rank_, "there is such a process");
  stream(from, {}, from, take);
}

void ProcessGroup::all_to_all(const std::function<GiveBlock(std::size_t to)>& give,
                              const std::function<void(std::size_t from, std::string_view block)>& take) {
  for (std::size_t step = 1; step < size_; ++step) {
    const std::size_t to = (rank_ + step) % size_;
    const std::size_t from = (rank_ + size_ - step) % size_;
    stream(to, give(to), from, [&](std::string_view block) { take(from, block); });
  }
}

std::vector<std::string> ProcessGroup::all_gather(std::string_view own) {
  std::vector<std::string> all(size_);
  all[rank_] = own;
  const auto give = [&](std::size_t) -> GiveBlock {
    return [left = own]() mutable {
      const std::string_view block = left.substr(0, kBlock);
      left.remove_prefix(block.size());
      return block;
    };
  };
  all_to_all(give, [&](std::size_t from, std::string_view block) { all[from] += block; });
  return all;
}

void ProcessGroup::all_reduce_sum(std::span<std::uint64_t> values) {
  if (transport_ && !values.empty()) transport_->all_reduce_sum(values);
}
void ProcessGroup::all_reduce_sum(std::span<float> values) {
  if (transport_ && !values.empty()) transport_->all_reduce_sum(values);
}
void ProcessGroup::all_reduce_sum(std::span<double> values) {
  if (transport_ && !values.empty()) transport_->all_reduce_sum(values);
}

ProcessGroup& launched_group() {
  static ProcessGroup group(ClusterOptions::from_environment());
  first_process = group.is_first();
  return group;
}

bool is_first_process() { return first_process; }

}  // namespace gumption
