// stack_unwinder.h: call chains of programs without frame pointers, from copied stacks by DWARF
// (libdw).
#pragma once

#include <memory>

#include "base/result.h"
#include "measure/profile/sample_store.h"

namespace tare::profile {

// kUnsupported if this tare was built without libdw.
Result<UnwindSample> MakeUnwinder();

}  // namespace tare::profile
