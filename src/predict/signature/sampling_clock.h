// sampling_clock.h: which parts of a run are looked at, by chunks.
#pragma once

#include <cstdint>

#include "predict/signature/collect.h"

namespace tare::signature {

// The chunk that begins.
struct SampledChunk {
  bool is_burst = false;
  bool predicts_branches = false;
  bool counts_branches = false;
  enum class Pages : std::uint8_t { kIgnored, kRestarted, kUnchanged, kCounted };
  Pages pages = Pages::kCounted;
};

class SamplingClock {
 public:
  explicit SamplingClock(const Sampling& sampling) : sampling_(sampling) {}

  SampledChunk Next() {
    SampledChunk chunk;
    chunk.is_burst = chunks_ % sampling_.burst_period < sampling_.burst_chunks;
    const std::uint64_t branches = chunks_ % sampling_.branch_period;
    // The start of a program is counted at once: short ones consist of it.
    chunk.predicts_branches = branches < sampling_.branch_chunks;
    chunk.counts_branches =
        chunk.predicts_branches && (branches > 0 || chunks_ < sampling_.branch_chunks ||
                                    sampling_.branch_chunks >= sampling_.branch_period);
    const std::uint64_t pages = chunks_ % sampling_.page_period;
    if (pages >= sampling_.page_chunks) {
      chunk.pages = SampledChunk::Pages::kIgnored;
    } else if (chunks_ < sampling_.page_chunks || sampling_.page_chunks >= sampling_.page_period ||
               pages >= sampling_.page_chunks / 2) {
      chunk.pages = SampledChunk::Pages::kCounted;
      ++page_chunks_;
    } else {
      chunk.pages = pages == 0 ? SampledChunk::Pages::kRestarted : SampledChunk::Pages::kUnchanged;
    }
    ++chunks_;
    return chunk;
  }

  // The same for a chunk of a window, and for the time until the next window.
  void BeginWindow() { in_window_ = 0; }
  SampledChunk NextOfWindow() {
    SampledChunk chunk;
    chunk.is_burst = in_window_ % kBurstPeriod < sampling_.burst_chunks;
    chunk.predicts_branches = true;
    chunk.counts_branches = in_window_ > 0 || is_first_window_;
    if (is_first_window_ || in_window_ >= sampling_.page_chunks / 2) {
      chunk.pages = SampledChunk::Pages::kCounted;
    } else {
      chunk.pages =
          in_window_ == 0 ? SampledChunk::Pages::kRestarted : SampledChunk::Pages::kUnchanged;
    }
    ++in_window_;
    return chunk;
  }
  SampledChunk EndWindow() {
    is_first_window_ = is_first_window_ && in_window_ == 0;
    SampledChunk chunk;
    chunk.pages = SampledChunk::Pages::kIgnored;
    return chunk;
  }

  // All chunks for each one in which pages were counted.
  double PageScale() const {
    if (page_chunks_ == 0) return 1;
    return static_cast<double>(chunks_) / static_cast<double>(page_chunks_);
  }

 private:
  static constexpr std::uint64_t kBurstPeriod = 16;  // chunks of a window

  Sampling sampling_;
  std::uint64_t chunks_ = 0;
  std::uint64_t page_chunks_ = 0;
  bool is_first_window_ = true;
  std::uint64_t in_window_ = 0;  // chunks
};

}  // namespace tare::signature
