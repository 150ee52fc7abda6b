// listing.h: what could be chosen, as lines for the TOML file.
#pragma once

#include <span>
#include <string>

#include "format/instrument_plan.h"

namespace tare::wrapper {

// Under a heading for each kind the lines that choose: `call = "f"  # file.c:12`. Blocks are shown
// as the first and the last of a function, lines as the first and the last of a file. The choices
// are in the order of ParseChoices.
std::string ListingOf(std::span<const format::Choice> choices);

}  // namespace tare::wrapper
