#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

namespace gumption {

/// Cores this process may use; at least 1.
std::size_t usable_cores();

/// A fixed set of worker threads. parallel_for() may be called from one thread at a time, never from inside a task.
class ThreadPool {
 public:
  /// `threads` 0 means one for each usable core. With 1, everything runs on the calling thread.
  explicit ThreadPool(std::size_t threads = 0);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  std::size_t size() const { return workers_.empty() ? 1 : workers_.size(); }

  /// Runs task(0) … task(count − 1), in any order, and waits for all. When tasks throw, those not yet begun are
  /// dropped and the exception of the lowest-numbered failed task reaches the caller.
  void parallel_for(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  void work();

  std::mutex mutex_;
  std::condition_variable wake_;
  std::queue<std::function<void()>> jobs_;
  bool stopping_ = false;
  std::vector<std::thread> workers_;
};

}  // namespace gumption
