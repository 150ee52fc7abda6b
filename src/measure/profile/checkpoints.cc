// checkpoints.cc: one snapshot at a time.
#include "measure/profile/checkpoints.h"

#include <algorithm>
#include <system_error>

namespace tare::profile {
namespace {

constexpr auto kLongestWait = std::chrono::seconds(60);

}  // namespace

void Checkpoints::Take(SampleStore store, SampledTime time) {
  Finish();
  busy_ = true;
  wait_ = std::min<Clock::duration>(2 * wait_, kLongestWait);
  due_ = Clock::now() + std::max<Clock::duration>(wait_, 20 * duration_.load());
  try {
    thread_ = std::thread([this, store = std::move(store), time]() mutable {
      const auto start = Clock::now();
      take_(std::move(store), time);
      duration_ = Clock::now() - start;
      busy_ = false;
    });
  } catch (const std::system_error&) {
    busy_ = false;
  }
}

void Checkpoints::Finish() {
  if (thread_.joinable()) thread_.join();
}

}  // namespace tare::profile
