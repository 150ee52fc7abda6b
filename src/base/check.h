// check.h: what our own code must have made true; on in release builds too.
#pragma once

namespace tare {

[[noreturn]] void CheckFailed(const char* condition, const char* file, int line);

}  // namespace tare

// Ends the program with the condition and its place when `condition` is false: that is a bug of
// ours, never bad input.
#define CHECK(condition)                                                   \
  do {                                                                     \
    if (!(condition)) ::tare::CheckFailed(#condition, __FILE__, __LINE__); \
  } while (false)
