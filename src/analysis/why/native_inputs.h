// native_inputs.h: fixes and varies the date and the random numbers that a native program reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "analysis/why/factor.h"
#include "base/private_directory.h"
#include "base/result.h"
#include "measure/run/setting.h"

namespace tare::why {

// By a preloaded library that replaces functions of libc. Programs that are linked statically, and
// inputs by system calls or instructions of the program itself, are not changed.
class NativeInputs {
 public:
  static Result<NativeInputs> Open(const std::filesystem::path& library);

  // Adds the library to the setting, with fixed inputs. Environments of all levels have the same
  // size.
  Result<void> Fix(run::Setting& setting) const;
  // The inputs of these levels, in a setting that was fixed.
  Result<void> Apply(const Levels& levels, run::Setting& setting) const;
  // Before each run.
  Result<void> Begin() const;
  // The factors that the last run requested.
  Result<std::vector<FactorLevels>> Requested() const;

 private:
  NativeInputs(PrivateDirectory directory, std::filesystem::path library);
  std::filesystem::path SharedFile() const { return directory_.path() / "inputs"; }
  std::string Variable(unsigned time_level, unsigned random_level) const;

  PrivateDirectory directory_;
  std::filesystem::path library_;
  std::int64_t start_seconds_ = 0;
};

}  // namespace tare::why
