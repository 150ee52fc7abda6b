// cut_short.h: why a program was not measured to its own end.
#pragma once

#include <vector>

#include "base/caveat.h"
#include "measure/run/process.h"

namespace tare::cli {

// Nothing if the program ended by itself.
std::vector<Caveat> WhyCutShort(const run::Ended& ended);

}  // namespace tare::cli
