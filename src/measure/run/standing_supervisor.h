// standing_supervisor.h: a supervisor that stays for the next run, so that this
// process is not copied for each run.
#pragma once

#include <sched.h>
#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "measure/run/directory_path.h"

namespace tare::run {

struct Launch;
struct StandingMemory;

// Give it to RunProgram with Hooks::standing. The process is started by the first run that can use
// it, replaced if it was killed or if orphans are left, and ends with this object.
class StandingSupervisor {
 public:
  StandingSupervisor() = default;
  ~StandingSupervisor() { End(); }
  StandingSupervisor(const StandingSupervisor&) = delete;
  StandingSupervisor& operator=(const StandingSupervisor&) = delete;

  // Whether the run can be supervised by it: no hook in another process, no process id, no setting
  // of memory that would stay.
  static bool CanRun(const Launch& launch);

  // Sends the run to the supervisor, started if necessary, and sets the launch's pipes and shared
  // memory. Returns its PID, or 0 if it cannot be used; then the launch is unchanged.
  pid_t Begin(Launch& launch);

  // A directory whose path has this length. It stays for the next run, and the supervisor's mount
  // on it with it; only its path changes with the length.
  Result<std::string> Directory(std::size_t bytes);

  // Takes the pipes back, so that the next run can use the supervisor.
  void Keep(Launch& launch);

  // Asks the supervisor to end. The caller of Begin waits for it.
  void Dismiss();

  // Ends the supervisor; the next run starts another. Only then the processor time of the runs
  // counts as that of children of this process (getrusage(2), RUSAGE_CHILDREN).
  void End();

 private:
  bool Start(const Launch& launch, bool mounts);
  // Whether the supervisor runs and has what the program would inherit from this process.
  bool Fits(bool mounts) const;
  // False if the arguments or the environment are too long.
  bool Fill(const Launch& launch);
  bool Send(const Launch& launch);

  pid_t process_ = 0;
  pid_t owner_ = 0;      // the process that started it
  bool mounts_ = false;  // it has a mount namespace
  Descriptor socket_;
  Descriptor go_write_;
  Descriptor report_read_;
  StandingMemory* memory_ = nullptr;
  std::optional<DirectoryPath> path_;
  // Of this process when it was started; a program inherits them.
  cpu_set_t processors_{};
  dev_t directory_device_ = 0;
  ino_t directory_ = 0;
};

}  // namespace tare::run
