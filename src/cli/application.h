// application.h: the whole program, from its command line to its exit status.
#pragma once

#include <span>
#include <string_view>

namespace tare::cli {

// Never throws; every failure is one line on standard error and an exit status.
int RunApplication(std::span<char* const> arguments);

std::string_view Version();

}  // namespace tare::cli
