// usable_engines.h: the engines that count any program exactly, as far as they can run here.
#pragma once

#include <string>
#include <vector>

#include "machine/host/engine_files.h"
#include "measure/engine/engine.h"

namespace tare::engine {

struct UsableEngines {
  std::vector<Engine> engines;  // qemu, which starts faster, before valgrind
  std::string absence;          // why there are none: the reason of each engine
};

UsableEngines ExactEnginesHere(const host::EngineFiles& files);

}  // namespace tare::engine
