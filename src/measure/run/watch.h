// watch.h: waiting for a program's end, with timeouts, interruptions and a supervisor that may die.
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
  // `mask` is the signal mask while it waits. The supervisor has just been forked.
  Watch(Launch& launch, const Setting& setting, const sigset_t& mask, pid_t supervisor);

  // Runs the hook, lets the program go and returns when its status is in the shared memory.
  Result<Watched> ToTheEnd();

  // Ends the supervisor's life, whatever state it is in.
  void Dismiss();

 private:
  using Clock = std::chrono::steady_clock;
  struct Signal {
    Clock::time_point when;
    int number;
    bool timeout;
  };

  Result<void> LetGo();
  Result<void> WaitForEnd();
  // The next byte of the supervisor, 0 when it is dead, -1 when there is none yet.
  int NextReport();
  void SendDueSignals();
  void AskForInterruption();
  void SignalGroup(int number) const;
  // The program was stopped.
  void AnswerStop();
  // Lets a program that waits for the terminal have it, if it is ours to give. False: it waits on.
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
