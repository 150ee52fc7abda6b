// simgrid_module.h: the function of the module that is loaded to replay with SimGrid. SimGrid and
// the libraries that it needs take longer to load than most commands take to run, so tare itself
// does not link it.
#pragma once

#include "predict/replay/replay.h"

namespace tare::replay {

struct SimGridCall {
  const MessageProgram* program;
  const Network* network;
  const ReplayOptions* options;
  Result<ReplayResult>* result;
};

inline constexpr const char* kSimGridFunction = "TareSimGridReplay";
// Tells a module of another build of tare from its own.
inline constexpr const char* kSimGridSizes = "TareSimGridSizes";
inline constexpr std::size_t kSimGridSizesHere =
    sizeof(MessageProgram) + 4099 * sizeof(Network) + 4099 * 4099 * sizeof(ReplayResult);

}  // namespace tare::replay

extern "C" {
__attribute__((visibility("default"))) void TareSimGridReplay(
    const tare::replay::SimGridCall& call);
__attribute__((visibility("default"))) extern const std::size_t TareSimGridSizes;
}
