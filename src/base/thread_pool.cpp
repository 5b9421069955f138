#include "gumption/base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <latch>
#include <limits>

#if defined(__linux__)
#include <sched.h>
#endif

namespace gumption {

std::size_t usable_cores() {
#if defined(__linux__)
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(std::max(1, CPU_COUNT(&set)));
#endif
  return std::max(1U, std::thread::hardware_concurrency());
}

ThreadPool::ThreadPool(std::size_t threads) {
  if (threads == 0) threads = usable_cores();
  if (threads == 1) return;
  workers_.reserve(threads);
  for (std::size_t i = 0; i < threads; ++i) workers_.emplace_back([this] { work(); });
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (auto& worker : workers_) worker.join();
}

void ThreadPool::work() {
  while (true) {
    std::function<void()> job;
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [this] { return stopping_ || !jobs_.empty(); });
      if (jobs_.empty()) return;
      job = std::move(jobs_.front());
      jobs_.pop();
    }
    job();
  }
}

void ThreadPool::parallel_for(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (count == 0) return;
  std::atomic<std::size_t> next{0};
  std::mutex failure_mutex;
  std::exception_ptr failure;
  std::size_t failed_task = std::numeric_limits<std::size_t>::max();

  const auto take_tasks = [&] {
    for (std::size_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) {
      try {
        task(i);
      } catch (...) {
        next.store(count);
        const std::lock_guard lock(failure_mutex);
        if (i < failed_task) {
          failed_task = i;
          failure = std::current_exception();
        }
      }
    }
  };

  if (workers_.empty() || count == 1) {
    take_tasks();
  } else {
    const std::size_t helpers = std::min(count, workers_.size());
    std::latch done(static_cast<std::ptrdiff_t>(helpers));
    {
      const std::lock_guard lock(mutex_);
      for (std::size_t i = 0; i < helpers; ++i) {
        jobs_.emplace([&] {
          take_tasks();
          done.count_down();
        });
      }
    }
    wake_.notify_all();
    done.wait();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace gumption
