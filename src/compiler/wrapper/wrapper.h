// wrapper.h: the main function of tare-cc.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/wrapper/compiler_run.h"
#include "compiler/wrapper/wrapper_options.h"

namespace tare::wrapper {

struct WrapperSetting {
  WrapperFiles files;
  std::string search_path;          // as in $PATH
  std::filesystem::path own;        // path of the running program
  std::filesystem::path directory;  // working directory
};

struct WrapperEnding {
  int wait_status = 0;  // as from waitpid(2)
  std::string output;
  std::vector<std::string> notes;  // for standard error
};

// Runs the compiler. If nothing remains to be done after it, the compiler replaces this process and
// the function does not return.
Result<WrapperEnding> Wrap(const WrapperOptions& options, const WrapperSetting& setting);

}  // namespace tare::wrapper
