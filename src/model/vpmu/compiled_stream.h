// compiled_stream.h: models the memory accesses of a program built by tare-cc.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "model/core/model_event.h"
#include "model/core/processor.h"

namespace tare::vpmu {

// A stretch: code between two calls.
struct CompiledPlace {
  std::uint64_t address = 0;  // in the process, of the instruction that starts its record
  model::EventCounts events;
};

// One process: all code that was built with --tare-stream. Other libraries are missing.
struct CompiledEvents {
  std::uint64_t process = 0;
  // The number of modelled accesses. An access longer than an L1 line counts once per line; a copy
  // and an atomic access count as loads and as stores.
  std::uint64_t loads = 0;
  std::uint64_t stores = 0;
  model::EventCounts
      events;  // data events only (see model::ModelInputs); the others are absent, not zero
  // The stretches with events, ordered by address. Code whose address the compiler did not record
  // is missing.
  std::vector<CompiledPlace> places;
  // There were several threads or modules. Their records were modelled in order of arrival, which
  // may differ in another run.
  bool order_varies = false;
  // The program stopped waiting for its reader, and the rest is missing.
  bool cut_short = false;
};

// Requests streams in `directory`. Must be called before the program starts; the program gets the
// directory in TARE_RUN_VARIABLE.
Result<void> RequestStreams(const std::filesystem::path& directory);

// Reads all streams in `directory` until `ended` is set and none is left. Returns one element per
// process, ordered by PID; each process has its own core. Must run in its own thread. After an
// error the program soon continues without waiting.
Result<std::vector<CompiledEvents>> ConsumeCompiled(const model::Processor& processor,
                                                    const std::filesystem::path& directory,
                                                    const std::atomic<bool>& ended);

}  // namespace tare::vpmu
