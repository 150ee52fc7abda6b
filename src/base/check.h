// check.h: CHECK, an assertion that is also enabled in release builds.
#pragma once

namespace tare {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace tare

// Prints the condition with its file and line and ends the program when `condition` is false. A
// failure is always a bug in tare, never bad input.
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) ::tare::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)
