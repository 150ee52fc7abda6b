// derived.h: numbers computed from measured ones.
#pragma once

#include <initializer_list>

#include "base/measured.h"

namespace tare {

// The number with the worst verdict of those that it was computed from, and with its reason: a
// derived number is never better than they are. Keeps its own verdict if that is as bad.
Measured WithWorstVerdict(Measured derived, std::initializer_list<Measured> from);

}  // namespace tare
