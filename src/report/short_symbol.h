// short_symbol.h: shortens function names so that they fit into a table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tare::report {

// Empties the brackets of a name of more than `max_width` characters: "std::sort<…>(…)". If it is
// still too long, removes its middle. `name` must be printable.
std::string ShortSymbol(std::string_view name, std::size_t max_width);

}  // namespace tare::report
