// sources.h: where the numbers of each command's blocks come from.
#pragma once

#include <string_view>

#include "report/document.h"

namespace tare::cli {

// What the numbers of a block come from, unless they state more; empty for an unknown command.
std::string_view SourceOf(std::string_view command, std::string_view id);

// Gives each block that has numbers and no source of its own that of its command.
void AddSources(report::Document& document);

}  // namespace tare::cli
