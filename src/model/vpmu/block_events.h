// block_events.h: what a model counts for each block.
#pragma once

#include "model/core/model_event.h"

namespace tare::vpmu {

// Its type BlockEvents, or model::EventCounts.
template <typename Model>
struct BlockEventsOf {
  using Type = model::EventCounts;
};
template <typename Model>
  requires requires { typename Model::BlockEvents; }
struct BlockEventsOf<Model> {
  using Type = Model::BlockEvents;
};

}  // namespace tare::vpmu
