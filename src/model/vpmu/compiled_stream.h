// compiled_stream.h: memory that a program built by tare-cc touches, told to the models of a
// processor.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"

namespace tare::vpmu {

// Code between two calls.
struct CompiledPlace {
  std::uint64_t address = 0;  // in the process, of the instruction at which its record is begun
  model::EventCounts events;
};

// One process, all that it ran of code that was built with --tare-stream. Libraries that were not
// are missing.
struct CompiledEvents {
  std::uint64_t process = 0;
  // Accesses told. One that is longer than a line of the first level counts once for each line; a
  // copy, and an atomic, as loads and as stores.
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  model::EventCounts events;  // those of data (model::Told); the others are absent, not zero
  // Those that had events, in the order of their addresses. Code whose place the compiler did not
  // tell is missing.
  std::vector<CompiledPlace> places;
  // Several threads or modules: their records were told as they came, and another run may tell them
  // in another order.
  bool order_varies = false;
  // The program did not wait for its reader any more, and the rest is missing.
  bool cut_short = false;
};

// Before the program begins: has it deliver its streams into `directory`, which TARE_RUN_VARIABLE
// names to it.
Result<void> RequestStreams(const std::filesystem::path& directory);

// Takes every stream in `directory` until `ended` is set and nothing is left: one element for each
// process, in order of their numbers; each has a core of its own. In a thread of its own. After an
// error the program goes on without waiting for long.
Result<std::vector<CompiledEvents>> ConsumeCompiled(const model::Processor& processor,
                                                    const std::filesystem::path& directory,
                                                    const std::atomic<bool>& ended);

}  // namespace tare::vpmu
