// checkpoints.cc: one part at a time.
#include "measure/profile/checkpoints.h"

#include <algorithm>
#include <memory>
#include <system_error>

namespace tare::profile {

void Checkpoints::Take(const SampleStore& store, SampledTime time) {
  Finish();
  due_ = Clock::now() + std::max<Clock::duration>(kInterval, duration_);
  const auto part = std::make_shared<StoredPart>(store.Since(marks_));
  const auto take = [this, part, time] {
    const auto start = Clock::now();
    take_(std::move(*part), time);
    duration_ = Clock::now() - start;
    busy_ = false;
  };
  busy_ = true;
  try {
    thread_ = std::thread(take);
  } catch (const std::system_error&) {
    take();
  }
}

void Checkpoints::Finish() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace tare::profile
