// compiled_engine.h: counting by the program itself, which tare-cc has built with block counters.
#pragma once

#include <filesystem>
#include <vector>

#include "base/caveat.h"
#include "base/result.h"
#include "format/recording.h"
#include "measure/engine/coverage.h"

namespace tare::engine {

struct CompiledRecordings {
  std::vector<format::Recording> recordings;  // as other engines leave them
  Coverage coverage;
  std::vector<Caveat> caveats;
};

// Of the directory that TARE_RUN named while the program ran. `name` is the program's, for
// messages. kUnsupported when nothing in it was built by tare-cc with block counters.
Result<CompiledRecordings> ReadCompiledRun(const std::filesystem::path& directory,
                                           const std::string& name);

}  // namespace tare::engine
