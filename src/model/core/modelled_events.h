// modelled_events.h: the events that a processor's description has a model for.
#pragma once

#include <string>

#include "model/core/model_event.h"
#include "model/core/processor.h"

namespace tare::model {

// The input of the models.
enum class Told {
  kEverything,
  kData,  // neither code nor branches
};

// Whether the event can occur with that input.
bool IsTold(Event event, Told told);

// Why the event is not modelled: "the description has no third level". Empty if it is modelled.
std::string WhyAbsent(const Processor& processor, const EventText& text,
                      Told told = Told::kEverything);

}  // namespace tare::model
