// profile_fields.h: the valid field names of the objects in a profile file.
#pragma once

#include "base/json_value.h"
#include "base/result.h"

namespace tare::machine_profile {

// Rejects an unknown field, names its location and suggests the nearest known field, so that a
// misspelling in a handwritten profile is not ignored. Does not check types.
Result<void> RequireKnownFields(const JsonValue& root);

}  // namespace tare::machine_profile
