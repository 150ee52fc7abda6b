// application.h: runs tare, from the command line to the exit status.
#pragma once

#include <span>
#include <string_view>

namespace tare::cli {

// Never throws. Every failure is one line on standard error and an exit status.
int RunApplication(std::span<char* const> arguments);

std::string_view Version();

}  // namespace tare::cli
