// run_conditions.h: the meaning of a factor's level for a run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/why/factor.h"
#include "base/result.h"
#include "measure/engine/engine.h"
#include "measure/run/program.h"
#include "measure/run/setting.h"

namespace tare::why {

// Everything about one run that factors vary, except system inputs and the choice of the file.
struct Conditions {
  run::Setting setting;
  std::optional<std::uint64_t> features;  // AT_HWCAP mask that an engine passes on
  unsigned neighbours = 0;
  bool cold_files = false;
};

// What a measure can vary.
struct Capabilities {
  engine::LayoutControl layout = engine::LayoutControl::kNone;
  bool features = false;  // an engine determines the processor features that the program sees
  bool counts = false;    // process ids matter
  bool machine =
      false;  // runs on the real machine: huge pages, cores, neighbours and cold files matter
};

// A page: the kernel starts a heap at a page boundary, and malloc does extra work otherwise.
std::size_t HeapStep();

struct Absence {
  Factor factor;
  std::string reason;
};

// The setup with all factors fixed, and the change that each level makes. Varying one factor varies
// no other: if the environment or a path grows, the stack is moved back by the same amount.
class FixedSetup {
 public:
  // `given` is the setting that the user wants fixed.
  static Result<FixedSetup> Make(const run::ResolvedProgram& program, const run::Setting& given,
                                 const Capabilities& capabilities);

  // Factors of the setup and of the machine that can be varied here.
  const std::vector<FactorLevels>& Factors() const { return factors_; }
  const std::vector<Absence>& Absences() const { return absences_; }

  Result<Conditions> At(const Levels& levels) const;

  std::size_t EnvironmentBytes() const { return environment_bytes_; }
  std::size_t Argv0Length() const { return argv0_length_; }
  std::optional<std::size_t> CwdLength() const { return fixed_.cwd_length; }
  std::optional<pid_t> ProcessId() const { return fixed_.process_id; }
  std::optional<unsigned> OtherCore() const { return other_core_; }

  // All factors fixed except the heap, moved by `bytes`, or the environment, larger by `bytes`. In
  // the latter case the stack moves too, as it does without tare.
  Conditions Swept(Factor factor, std::size_t bytes) const;

 private:
  FixedSetup() = default;
  Result<void> FixEnvironment();
  void FixLayout(engine::LayoutControl layout);
  void FixProcessId();
  void FixDirectory();
  void AddMachineFactors();
  Result<void> VaryDispatch(unsigned level, Conditions& conditions) const;

  run::Setting fixed_;
  std::size_t environment_bytes_ = 0;
  std::size_t argv0_length_ = 0;
  std::optional<unsigned> other_core_;
  bool moves_stack_ = false;
  std::vector<FactorLevels> factors_;
  std::vector<Absence> absences_;
};

}  // namespace tare::why
