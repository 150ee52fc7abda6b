// watch.h: waits for a program's end, with timeouts, interruptions and a supervisor that may die.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <chrono>
#include <vector>

#include "base/result.h"
#include "measure/run/setting.h"
#include "measure/run/supervisor.h"

namespace tare::run {

struct Watched {
  bool timed_out = false;
  bool interrupted = false;
  bool supervisor_died = false;
};

class Watch {
 public:
  // `mask` is the signal mask during the wait. The supervisor has just been forked.
  Watch(Launch& launch, const Setting& setting, const sigset_t& mask, pid_t supervisor);

  // Runs the hook, releases the program and returns when its status is in the shared memory.
  Result<Watched> ToTheEnd();

  // Ends the supervisor in whatever state it is.
  void Dismiss();

 private:
  using Clock = std::chrono::steady_clock;
  struct Signal {
    Clock::time_point when;
    int number;
    bool timeout;
  };

  Result<void> Release();
  Result<void> WaitForEnd();
  // The next byte from the supervisor, 0 if it is dead, -1 if there is none yet.
  int NextReport();
  void SendDueSignals();
  void RequestInterruption();
  void SignalGroup(int number) const;
  // Handles a stop of the program.
  void AnswerStop();
  // Gives the terminal to a program that waits for it, if this process owns it. False: it still
  // waits.
  bool GiveTerminal();
  void ReapSupervisor();

  Launch& launch_;
  const Setting& setting_;
  sigset_t mask_;
  pid_t supervisor_;
  std::vector<Signal> plan_;
  Watched watched_;
  bool wants_terminal_ = false;
};

}  // namespace tare::run
