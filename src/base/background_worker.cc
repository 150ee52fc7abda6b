// background_worker.cc: a queue that one thread empties.
#include "base/background_worker.h"

#include <utility>

#include "base/start_thread.h"

namespace tare {

BackgroundWorker::~BackgroundWorker() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BackgroundWorker::Add(std::function<void()> task) {
  if (!thread_.joinable()) {
    auto started = StartThreadWithoutSignals([this] { Work(); });
    if (!started) return task();
    thread_ = std::move(*started);
  }
  {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return unfinished_.size() < max_unfinished_; });
    unfinished_.push_back(std::move(task));
  }
  changed_.notify_all();
}

void BackgroundWorker::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return unfinished_.empty(); });
}

void BackgroundWorker::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return ends_ || !unfinished_.empty(); });
    if (unfinished_.empty()) return;
    // References to elements stay valid while others are added at the end.
    const auto& task = unfinished_.front();
    lock.unlock();
    task();
    lock.lock();
    unfinished_.pop_front();
    changed_.notify_all();
  }
}

}  // namespace tare
