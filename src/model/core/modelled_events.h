// modelled_events.h: the events that a processor's description has a model for.
#pragma once

#include <string>

#include "model/core/model_event.h"
#include "model/core/processor.h"

namespace tare::model {

// The input of the models.
enum class ModelInputs {
  kAll,
  kData,  // neither code nor branches
};

// Whether the event can occur with that input.
bool IsModelled(Event event, ModelInputs inputs);

// Why the event is not modelled: "the description has no L3". Empty if it is modelled.
std::string WhyAbsent(const Processor& processor, const EventText& text,
                      ModelInputs inputs = ModelInputs::kAll);

}  // namespace tare::model
