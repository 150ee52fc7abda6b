// usable_engines.cc: the engines that count any program exactly, as far as they can run here.
#include "measure/engine/usable_engines.h"

#include <fmt/format.h>

namespace tare::engine {

UsableEngines ExactEnginesHere(const host::EngineFiles& files) {
  UsableEngines usable;
  for (const Engine engine : {Engine::kQemu, Engine::kValgrind}) {
    if (const auto can = CanRun(engine, files); can) {
      usable.engines.push_back(engine);
    } else {
      usable.absence += fmt::format("{}{}: {}", usable.absence.empty() ? "" : "; ", Name(engine),
                                    can.error().message);
    }
  }
  if (!usable.engines.empty()) usable.absence.clear();
  return usable;
}

}  // namespace tare::engine
