#include <csignal>
#include <cstdlib>
#include <exception>
#include <optional>
#include <vector>

#include <ATen/ops/from_blob.h>
#include <fmt/format.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "gumption/base/error.h"
#include "gumption/cluster/gloo.h"
#include "gumption/cluster/process_group_torch.h"
#include "gumption/cluster/transport.h"

namespace gumption {

namespace {

using Group = c10d::ProcessGroupGloo;

constexpr int kFatalOnly = 3;

/// LibTorch's messages may go on with a stack of calls.
std::string first_line(const std::exception& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

UserError unreachable(std::size_t rank, std::size_t size, const std::exception& error) {
  return UserError(
      fmt::format("Process {} of {} (RANK counts from 0) has ended or can't be reached, so this one ends too. What it "
                  "said last tells why; then start all of them again, with --resume where the command has it. ({})",
                  rank, size, first_line(error)));
}

c10::intrusive_ptr<c10d::Store> open_store(const ClusterOptions& options) {
  c10d::TCPStoreOptions store;
  store.port = options.port;
  store.isServer = options.rank == 0 && !options.agent_has_store;
  store.timeout = options.timeout;
  store.waitWorkers = false;
  try {
    auto opened = c10::make_intrusive<c10d::TCPStore>(options.address, store);
    return c10::make_intrusive<c10d::PrefixStore>("gumption/" + options.attempt, opened);
  } catch (const std::exception& error) {
    const std::string advice = store.isServer ? "Is the port in use? Another MASTER_PORT may be free"
                                              : "Is the process with RANK 0 running there, and may it be reached";
    throw UserError(fmt::format("MASTER_ADDR and MASTER_PORT: can't {} {}:{} ({}). {}{}",
                                store.isServer ? "listen at" : "connect to", options.address, options.port,
                                first_line(error), advice, store.isServer ? "." : "?"));
  }
}

/// Where the others are to connect to: the interface that torch's own variable names; else, among processes of one
/// machine, the loopback, which always works; else what this machine's name stands for.
std::shared_ptr<gloo::transport::Device> open_device(const ClusterOptions& options) {
  // As torch's own programs do it.
  if (const char* const name = std::getenv("GLOO_SOCKET_IFNAME"); name != nullptr && *name != '\0') {
    return Group::createDeviceForInterface(name);
  }
  const bool loopback = options.address == "localhost" || options.address.starts_with("127.");
  return loopback ? Group::createDeviceForHostname("127.0.0.1") : Group::createDefaultDevice();
}

c10::intrusive_ptr<Group> join(const c10::intrusive_ptr<c10d::Store>& store, const ClusterOptions& options) {
  try {
    auto group = Group::Options::create(options.timeout);
    group->devices.push_back(open_device(options));
    return c10::make_intrusive<Group>(store, static_cast<int>(options.rank), static_cast<int>(options.size), group);
  } catch (const std::exception& error) {
    throw UserError(fmt::format(
        "Not all of the {} processes that WORLD_SIZE promises came together at {}:{} within {} s ({}). Were "
        "all started, each with a RANK of its own? (GUMPTION_TIMEOUT: seconds to wait.)",
        options.size, options.address, options.port, options.timeout.count() / 1000, first_line(error)));
  }
}

}  // namespace

class GlooTransport final : public Transport {
 public:
  explicit GlooTransport(const ClusterOptions& options)
      : size_(options.size), store_(open_store(options)), group_(join(store_, options)) {}

  void exchange(std::size_t to, std::string_view out, std::size_t from, std::span<char> in) override {
    const auto received = start(from, in, &Group::recv);
    const auto sent = start(to, {const_cast<char*>(out.data()), out.size()}, &Group::send);
    finish(to, sent);
    finish(from, received);
  }

  void all_reduce_sum(std::span<std::uint64_t> values) override {
    // Sums of two's complement are the same bits with a sign and without.
    reduce(values.data(), values.size(), at::kLong);
  }
  void all_reduce_sum(std::span<float> values) override { reduce(values.data(), values.size(), at::kFloat); }
  void all_reduce_sum(std::span<double> values) override { reduce(values.data(), values.size(), at::kDouble); }

  const c10::intrusive_ptr<Group>& group() const { return group_; }
  const c10::intrusive_ptr<c10d::Store>& store() const { return store_; }

 private:
  using Operation = c10::intrusive_ptr<c10d::Work> (Group::*)(std::vector<at::Tensor>&, int, int);

  c10::intrusive_ptr<c10d::Work> start(std::size_t rank, std::span<char> bytes, Operation operation) {
    if (bytes.empty()) return {};
    try {
      std::vector<at::Tensor> tensors = {
          at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size())}, at::kByte)};
      return (group_.get()->*operation)(tensors, static_cast<int>(rank), 0);
    } catch (const std::exception& error) {
      throw unreachable(rank, size_, error);
    }
  }

  void finish(std::size_t rank, const c10::intrusive_ptr<c10d::Work>& work) {
    if (!work) return;
    try {
      work->wait();
    } catch (const std::exception& error) {
      throw unreachable(rank, size_, error);
    }
  }

  void reduce(void* values, std::size_t size, at::ScalarType type) {
    try {
      std::vector<at::Tensor> tensors = {at::from_blob(values, {static_cast<std::int64_t>(size)}, type)};
      group_->allreduce(tensors)->wait();
    } catch (const std::exception& error) {
      throw UserError(
          fmt::format("Another of the {} processes has ended or can't be reached, so this one ends too. What it said "
                      "last tells why; then start all of them again, with --resume where the command has it. ({})",
                      size_, first_line(error)));
    }
  }

  std::size_t size_;
  c10::intrusive_ptr<c10d::Store> store_;
  c10::intrusive_ptr<Group> group_;
};

namespace {

std::unique_ptr<Transport> connect_processes(const ClusterOptions& options) {
  ensure(options.size > 1, "there are others to connect to");
  // Writing to a process that has ended is an error to be reported, not the end of this one.
  std::signal(SIGPIPE, SIG_IGN);
  // LibTorch's own account, with its stacks of calls, would bury the message.
  FLAGS_caffe2_log_level = kFatalOnly;
  return std::make_unique<GlooTransport>(options);
}

}  // namespace

void use_gloo() { set_transport(connect_processes); }

c10::intrusive_ptr<c10d::Backend> torch_backend(const ProcessGroup& group) {
  const auto* transport = dynamic_cast<const GlooTransport*>(group.transport());
  return transport == nullptr ? nullptr : c10::static_intrusive_pointer_cast<c10d::Backend>(transport->group());
}

c10::intrusive_ptr<c10d::Store> torch_store(const ProcessGroup& group) {
  const auto* transport = dynamic_cast<const GlooTransport*>(group.transport());
  return transport == nullptr ? nullptr : transport->store();
}

}  // namespace gumption
