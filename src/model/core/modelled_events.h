// modelled_events.h: which events a description of a processor has a model for.
#pragma once

#include <string>

#include "model/core/model_event.h"
#include "model/core/processor.h"

namespace tare::model {

// What the models are told of a program.
enum class Told {
  kEverything,
  kData,  // neither code nor branches
};

// Whether the event can happen at all in what is told.
bool IsTold(Event event, Told told);

// Why nothing can be said of it: "the description has no third level". Empty: it is modelled.
std::string WhyAbsent(const Processor& processor, const EventText& text,
                      Told told = Told::kEverything);

}  // namespace tare::model
