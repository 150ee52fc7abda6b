// terminal.h: properties of the terminal, checked output and the progress bar.
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
  std::size_t width;  // 100 if unknown
};

Terminal ExamineTerminal();

// Call first in main. The parent may have closed 0, 1 or 2. Files of tare must not get these
// numbers, otherwise output would go into a file. Programs still find them closed.
void ReserveStandardDescriptors();

// Writes to standard output; a full disk or a closed pipe is an error.
Result<void> WriteOutput(std::string_view text);

// Writes to standard error and ignores failures, which could not be reported anywhere.
void WriteErrors(std::string_view text);

// A progress bar on standard error, shown for work of more than half a second and erased at the
// end.
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
