// terminal.h: where the output goes, and how long work shows that it is alive.
#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

#include "base/progress.h"
#include "base/result.h"

namespace tare::cli {

struct Terminal {
  bool output_is_terminal;
  bool errors_are_terminal;
  bool colour;        // a terminal, NO_COLOR not set, TERM not dumb
  std::size_t width;  // 100 where nobody knows
};

Terminal ExamineTerminal();

// Call first of all. Whoever starts us may have closed 0, 1 or 2: files of ours must not get these
// numbers, or what is meant for a reader goes into a file. Programs still find them closed.
void ReserveStandardDescriptors();

// Writes to standard output and sees that it arrived: a full disk or a closed pipe is an error.
Result<void> WriteOutput(std::string_view text);

// Writes to standard error. What does not arrive is lost: there is nobody left to be told.
void WriteErrors(std::string_view text);

// A bar on standard error, drawn for work of more than half a second, and wiped when it goes.
class ProgressBar {
 public:
  explicit ProgressBar(bool shown);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Show(double fraction, std::string_view what);
  void Wipe();

 private:
  bool shown_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point start_;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace tare::cli
