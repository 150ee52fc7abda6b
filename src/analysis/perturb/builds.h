// builds.h: builds a program repeatedly with different software metrics.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/private_directory.h"
#include "base/result.h"
#include "base/stop.h"

namespace tare::perturb {

using MetricSet = std::set<std::string>;

struct BuildRequest {
  std::string command;            // shell command, run in the current directory
  std::filesystem::path product;  // the program that the command builds
  std::filesystem::path metrics;  // TOML file with all metrics
  StopAsked interrupted;
};

// Keeps a copy of each built program under the same name in its own directory, so that two copies
// differ only in what they count.
class Builds {
 public:
  static Result<Builds> Make(BuildRequest request);

  // The program that counts exactly these metrics. Runs the command with TARE_METRICS and TARE_ONLY
  // set (or neither, if `metrics` is empty), and with TARE_PLACEMENT if `placement` is not 0, the
  // default order of functions. kUsage if the command fails, with the last lines of its output, or
  // if it leaves the program unchanged.
  Result<std::filesystem::path> With(const MetricSet& metrics, std::size_t placement = 0);

 private:
  Builds(BuildRequest request, PrivateDirectory directory)
      : request_(std::move(request)), directory_(std::move(directory)) {}

  Result<void> Run(const MetricSet& metrics, std::size_t placement) const;

  BuildRequest request_;
  PrivateDirectory directory_;
  std::map<std::pair<MetricSet, std::size_t>, std::filesystem::path> built_;
};

}  // namespace tare::perturb
