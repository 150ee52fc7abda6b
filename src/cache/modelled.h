// modelled.h: which events a description of a processor has a model for.
#pragma once

#include <string>

#include "cache/event.h"
#include "cache/processor.h"

namespace tare::cache {

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

}  // namespace tare::cache
