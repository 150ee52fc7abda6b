// profile_fields.h: the names that the objects of a profile's file may have.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace tare::machine_profile {

// Says where in the file a field stands that the format does not know, with the nearest one that it
// does: a slip in a profile that was written by hand must not be passed over. Empty when there is
// none. Fields of a wrong type are not its business.
std::string UnknownField(const nlohmann::json& root);

}  // namespace tare::machine_profile
