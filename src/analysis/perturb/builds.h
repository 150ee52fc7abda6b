// builds.h: a program built again and again, each time with other software metrics.
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/private_directory.h"
#include "base/result.h"

namespace tare::perturb {

using MetricSet = std::set<std::string>;

struct BuildRequest {
  std::string command;            // for a shell, in the current directory
  std::filesystem::path product;  // the program that it makes
  std::filesystem::path metrics;  // the TOML file of all metrics
  std::function<bool()> interrupted;
};

// Keeps a copy of each program that was built, in a directory of its own that has the program's
// name in it, so that two of them differ in nothing but what they count.
class Builds {
 public:
  static Result<Builds> Make(BuildRequest request);

  // The program that counts these and nothing else: the command is run with TARE_METRICS and
  // TARE_ONLY set, or neither for none, and with TARE_PLACEMENT where its functions shall lie
  // otherwise than they come (0). kUsage when it fails, with the last lines of what it printed, and
  // when it left the program as it was.
  Result<std::filesystem::path> With(const MetricSet& metrics, std::size_t placement = 0);

 private:
  Builds(BuildRequest request, PrivateDirectory directory)
      : request_(std::move(request)), directory_(std::move(directory)) {}

  Result<void> Run(const MetricSet& metrics, std::size_t placement) const;

  BuildRequest request_;
  PrivateDirectory directory_;
  std::map<std::pair<MetricSet, std::size_t>, std::filesystem::path> made_;
};

}  // namespace tare::perturb
