// last_line.h: what a failing program says of its failure.
#pragma once

#include <string>
#include <string_view>

namespace tare {

// The last line of a program's messages, printable and cut if it is long. The line with which tare
// closes a report is left out, because it says nothing of a failure.
std::string LastLine(std::string_view messages);

}  // namespace tare
