// compiled_engine.h: reads the block counters of a program built by tare-cc as recordings.
#pragma once

#include <filesystem>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "format/recording.h"
#include "measure/engine/coverage.h"

namespace tare::engine {

struct CompiledRecordings {
  std::vector<format::Recording> recordings;  // in the form that all engines produce
  Coverage coverage;
  std::vector<Caveat> caveats;
};

// Reads `directory`, which TARE_RUN named while the program ran. `name` is the program's name, for
// messages. kUnsupported if no file in it comes from a module with block counters.
Result<CompiledRecordings> ReadCompiledRun(const std::filesystem::path& directory,
                                           const std::string& name);

}  // namespace tare::engine
