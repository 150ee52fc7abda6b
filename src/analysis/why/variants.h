// variants.h: the files that a run can execute: the program, a differently linked build of it, and
// its objects linked in other orders.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "analysis/why/factor.h"
#include "base/private_directory.h"
#include "base/result.h"
#include "measure/engine/engine_run.h"

namespace tare::why {

struct VariantRequest {
  run::ResolvedProgram program;
  std::optional<std::filesystem::path>
      other_linking;                 // static if the program is dynamic, or the reverse
  std::vector<std::string> objects;  // in the order of the program's own link
  std::vector<std::string> linker;   // words of the command; the objects and "-o FILE" are appended
  std::string region;                // counted in each of them; empty: everything
};

struct Variant {
  run::ResolvedProgram program;
  std::optional<engine::Region> region;
};

class Variants {
 public:
  // With objects, the program's own file is replaced by the result of linking them in the given
  // order, so that only the order differs.
  static Result<Variants> Make(const VariantRequest& request);

  const std::vector<FactorLevels>& Factors() const { return factors_; }
  const Variant& At(const Levels& levels) const;
  // The length of the longest path among them; all are started under a path of that length.
  std::size_t Argv0Length() const;

 private:
  Variants() = default;
  Result<void> AddLinks(const VariantRequest& request);

  std::optional<PrivateDirectory> directory_;
  Variant fixed_;
  std::optional<Variant> other_linking_;
  std::vector<Variant> orders_;
  std::vector<FactorLevels> factors_;
};

}  // namespace tare::why
