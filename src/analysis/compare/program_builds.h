// program_builds.h: builds of a program that differ only in where its code is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/private_directory.h"
#include "base/progress.h"
#include "base/result.h"
#include "base/stop.h"

namespace tare::compare {

// Enough for an interval over builds at 95 %.
inline constexpr std::size_t kDefaultBuilds = 8;

struct BuildPlan {
  std::vector<std::string> directories;  // with the sources: OLD and NEW
  std::string command;                   // shell command, run in a copy of each directory
  std::vector<std::string> words;        // program and arguments, relative to the directories
  std::size_t builds = kDefaultBuilds;   // of each; the first is as the command makes it
  std::uint64_t seed = 1;
  StopAsked interrupted;
};

// Copies of the directories, each built once. In the copies after the first, a linker in front of
// the real one shuffles the object files and inserts padding between them, and TARE_PLACEMENT makes
// tare-cc place functions in another order. Build i of all directories has the same shuffle.
class ProgramBuilds {
 public:
  // Fails if a build fails or does not make the program.
  static Result<ProgramBuilds> Make(const BuildPlan& plan, const Progress& progress);

  // The program and its arguments. Arguments that name a file of the directory, but none of the
  // working directory, name the file in the copy.
  std::vector<std::string> Words(std::size_t directory, std::size_t build) const;

 private:
  ProgramBuilds(BuildPlan plan, PrivateDirectory root)
      : plan_(std::move(plan)), root_(std::move(root)) {}

  std::filesystem::path CopyOf(std::size_t directory, std::size_t build) const;
  Result<void> WriteLinker() const;
  Result<void> Build(std::size_t directory, std::size_t build) const;

  BuildPlan plan_;
  PrivateDirectory root_;
};

}  // namespace tare::compare
