// known_effect.h: workloads that cause a known number of events on a processor.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "machine/host/topology.h"
#include "model/core/processor.h"

namespace tare::self_test {

// The sources that a count can come from.
enum class Kind {
  kInstructions,  // the metrics of engines that see instructions: count::MetricTable()
  kModel,         // the events of the virtual PMU: model::EventTable()
  kHardware,      // pmu::HardwareMetrics() and pmu::NamedEvents()
  kKernel,        // pmu::KernelMetrics()
};

// The counts that COUNT further repetitions of a workload add to an event: inclusive bounds.
struct Known {
  Kind kind = Kind::kInstructions;
  std::string event;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
};

// A workload of engines/known/known.c.
struct Effect {
  std::string workload;
  std::uint64_t count = 0;
  std::vector<std::string> places;  // SLOTS and STRIDE, or nothing
  std::string does;                 // what it repeats: "a load, a store and a taken branch"
  std::vector<Known> known;
};

// The effects that the processor's caches, TLBs and predictors have. A level is tested with more
// lines of one set than it and all nearer levels have ways, so that each access misses.
std::vector<Effect> EffectsOn(const model::Processor& processor);

// The effects on the hardware's events for caches, TLBs and predictors. Working sets exceed the
// machine's caches, and real processors prefetch and speculate, so that the bounds are wide. A
// cache of unknown size is left out.
std::vector<Effect> EffectsOnHardware(const host::Topology& topology);

}  // namespace tare::self_test
