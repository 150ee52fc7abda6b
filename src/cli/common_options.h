// common_options.h: the options that every command has.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"

namespace tare::cli {

struct CommonOptions {
  bool json = false;
  std::string csv;
  std::string markdown;
  std::string save;
  std::string html;
  std::string svg;
  std::string figure;
  bool verbose = false;
  bool list_tables = false;
  bool quiet = false;
  bool help = false;
};

// The common flags; a command's own flag takes precedence over a common one of the same name.
std::vector<BoundFlag> BindCommonFlags(const std::shared_ptr<CommonOptions>& options,
                                       std::span<const BoundFlag> own);

}  // namespace tare::cli
