// perf_rings.h: the rings, one per processor, into which the kernel writes the records of events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace tare::profile {

class PerfRings {
 public:
  PerfRings() : rings_(new std::vector<Ring>) {}

  // The number of processors that may get a ring.
  static std::size_t Processors();
  // A quarter of a ring: for perf_event_attr::wakeup_watermark.
  static std::uint32_t QuarterBytes();

  // The first event of a processor gets a ring; the others write into it. Events must stay open.
  Result<void> Add(std::size_t processor, const Descriptor& event);

  // Waits until a ring is a quarter full, at most so long.
  void Wait(int milliseconds) const;
  // Calls `take` on every whole record in the rings and frees their space.
  void Drain(const std::function<void(std::span<const std::byte>)>& take);

 private:
  struct Ring {
    void* memory = nullptr;
    std::size_t bytes = 0;  // of the data
  };
  struct Unmap {
    void operator()(std::vector<Ring>* rings) const;
  };

  std::vector<int> owner_;  // descriptor by processor; -1: none
  std::unique_ptr<std::vector<Ring>, Unmap> rings_;
  std::vector<std::byte> wrapped_;
};

}  // namespace tare::profile
