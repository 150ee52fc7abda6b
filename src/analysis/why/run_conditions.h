// run_conditions.h: what a level of a factor means for a run.
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

// Everything about one run that factors move, but for what the program is told and which file it
// is.
struct Conditions {
  run::Setting setting;
  std::optional<std::uint64_t> features;  // mask of AT_HWCAP that an engine lets through
  unsigned neighbours = 0;
  bool cold_files = false;
};

// What a measure can move.
struct Reach {
  engine::LayoutControl layout = engine::LayoutControl::kNone;
  bool features = false;  // an engine shows the program its processor
  bool counts = false;    // process ids matter
  bool machine = false;   // the processor itself is measured: huge pages, cores, neighbours, files
};

// The kernel begins a heap at a page, and malloc works more where it does not begin at one.
std::size_t HeapStep();

struct Absence {
  Factor factor;
  std::string reason;
};

// The program with everything held, and how far each level moves away from that. Moving one factor
// moves no other: where the environment or a path grows, the stack is moved back by as much.
class Ground {
 public:
  // `given` is the setting that the user wants held.
  static Result<Ground> Lay(const run::ResolvedProgram& program, const run::Setting& given,
                            const Reach& reach);

  // Factors of the surroundings and of the machine that can be varied here.
  const std::vector<Choice>& Choices() const { return choices_; }
  const std::vector<Absence>& Absences() const { return absences_; }

  Result<Conditions> At(const Levels& levels) const;

  std::size_t EnvironmentBytes() const { return environment_bytes_; }
  std::size_t Argv0Length() const { return name_bytes_; }
  std::optional<std::size_t> CwdLength() const { return held_.cwd_length; }
  std::optional<pid_t> ProcessId() const { return held_.process_id; }
  std::optional<unsigned> OtherCore() const { return other_core_; }

  // All held but the heap, moved by so much, or the environment, grown by so much; the stack then
  // moves with it, as it does in life.
  Conditions Swept(Factor factor, std::size_t bytes) const;

 private:
  Ground() = default;
  Result<void> HoldEnvironment();
  void HoldLayout(engine::LayoutControl layout);
  void HoldProcessId();
  void HoldDirectory();
  void ChooseMachine();
  Result<void> ReleaseDispatch(unsigned level, Conditions& conditions) const;

  run::Setting held_;
  std::size_t environment_bytes_ = 0;
  std::size_t name_bytes_ = 0;
  std::optional<unsigned> other_core_;
  bool moves_stack_ = false;
  std::vector<Choice> choices_;
  std::vector<Absence> absences_;
};

}  // namespace tare::why
