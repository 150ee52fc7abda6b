// profile_fields.h: the valid field names of the objects in a profile file.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tare::machine_profile {

// Returns the location of an unknown field and suggests the nearest known one, so that a
// misspelling in a handwritten profile is not ignored. Empty when there is none. Does not check
// types.
std::string UnknownField(const nlohmann::json& root);

}  // namespace tare::machine_profile
