// short_symbol.h: names of functions that fit into a table.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tare::report {

// A name of more than `most` characters without what is in its brackets: "std::sort<…>(…)"; one
// that is still longer loses its middle. Text must be safe for a terminal.
std::string ShortSymbol(std::string_view name, std::size_t most);

}  // namespace tare::report
