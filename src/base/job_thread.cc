// job_thread.cc: hands jobs over under a mutex.
#include "base/job_thread.h"

#include <utility>

#include "base/start_thread.h"

namespace tare {

JobThread::~JobThread() {
  if (!thread_.joinable()) return;
  Wait();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void JobThread::Start(std::function<void()> job) {
  if (!thread_.joinable() && !refused_) {
    if (auto started = StartThreadWithoutSignals([this] { Work(); })) {
      thread_ = std::move(*started);
    } else {
      refused_ = true;
    }
  }
  if (refused_) return job();
  Wait();
  {
    const std::lock_guard lock(mutex_);
    job_ = std::move(job);
  }
  changed_.notify_all();
}

void JobThread::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !job_; });
}

void JobThread::Work() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return job_ || ends_; });
    if (!job_) return;
    lock.unlock();
    job_();
    lock.lock();
    job_ = nullptr;
    changed_.notify_all();
  }
}

}  // namespace tare
