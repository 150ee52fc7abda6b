// measures.h: measures one run at given levels, by counting or timing.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/why/native_inputs.h"
#include "analysis/why/run_conditions.h"
#include "analysis/why/system_inputs.h"
#include "analysis/why/variants.h"
#include "base/caveat.h"
#include "base/stop.h"
#include "machine/host/engine_files.h"
#include "measure/count/count_program.h"

namespace tare::why {

// The time that a run may take before it is ended; a run that takes longer fails with kTimedOut.
using SecondsLeft = std::function<double()>;

// Counts instructions with an engine or the hardware counter.
class CountMeasure {
 public:
  struct Plan {
    std::optional<engine::Engine> engine;  // absent: the hardware counter
    bool children = false;
    std::optional<engine::EngineLimit> limit = std::nullopt;
    run::Ended expected = {};  // how a native run ends
    SecondsLeft seconds_left;
    StopAsked interrupted;
  };

  // All references must outlive the object. `inputs` is null if system inputs cannot be replayed.
  CountMeasure(Plan plan, const host::EngineFiles& files, count::Images& images,
               const Variants& variants, const FixedSetup& setup, SystemInputs* inputs)
      : plan_(std::move(plan)),
        files_(files),
        images_(images),
        variants_(variants),
        setup_(setup),
        inputs_(inputs) {}

  // A first run that records the system inputs. Requires `inputs`.
  Result<void> Record();

  Result<double> At(const Levels& levels);
  Result<double> Under(const Conditions& conditions);

  // Observations that make the counts doubtful, each once.
  const std::vector<Caveat>& Caveats() const { return caveats_; }

 private:
  Result<double> Count(const Conditions& conditions, const Variant& variant,
                       const engine::SystemLogs& system_logs);
  Result<double> CountByProcessor(const Conditions& conditions, const Variant& variant);
  void Compare(const run::Ended& ended);
  void Warn(CaveatId id, std::string detail);

  Plan plan_;
  const host::EngineFiles& files_;
  count::Images& images_;
  const Variants& variants_;
  const FixedSetup& setup_;
  SystemInputs* inputs_;
  std::optional<run::Ended> first_ended_;
  std::vector<Caveat> caveats_;
};

// Measures seconds from execve to the end.
class TimeMeasure {
 public:
  // `inputs` is null if the program's inputs are left as they are.
  TimeMeasure(StopAsked interrupted, SecondsLeft seconds_left, const Variants& variants,
              const FixedSetup& setup, const NativeInputs* inputs)
      : interrupted_(std::move(interrupted)),
        seconds_left_(std::move(seconds_left)),
        variants_(variants),
        setup_(setup),
        inputs_(inputs) {}

  Result<double> At(const Levels& levels);

 private:
  StopAsked interrupted_;
  SecondsLeft seconds_left_;
  const Variants& variants_;
  const FixedSetup& setup_;
  const NativeInputs* inputs_;
};

}  // namespace tare::why
