// step_engine.cc: the ptrace loop: steps threads, counts instructions, passes signals and system
// calls.
#include "measure/engine/step_engine.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/start_thread.h"
#include "measure/engine/step_breakpoints.h"
#include "measure/engine/step_exclusive.h"
#include "measure/engine/step_process.h"
#include "measure/engine/step_registers.h"
#include "measure/engine/step_stack.h"
#include "measure/engine/step_tracee.h"
#include "measure/engine/step_traps.h"
#include "measure/run/layout.h"

namespace tare::engine {
namespace {

// Before the region, an AArch64 program is stepped until it has read DCZID_EL0 (the block size of
// `dc zva`), because the value decides which code the C library selects. The dynamic loader reads
// it in two places, first for its own use only. The step limit bounds programs that do not read it.
constexpr std::size_t kExpectedZeroingReads = 2;
constexpr std::uint64_t kMaxStepsToZeroingRead = 100'000;

constexpr long kOptions = PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                          PTRACE_O_TRACEVFORK | PTRACE_O_TRACEEXIT;

class Stepper {
 public:
  Stepper(const StepPlan& plan, int& layout_error) : plan_(plan), layout_error_(layout_error) {}

  // Returns when the program has ended. Sets `seized` once: 0, or the errno of PTRACE_SEIZE.
  void Run(pid_t program, std::promise<int> seized) {
    root_ = program;
    if (ptrace(PTRACE_SEIZE, program, nullptr, kOptions) != 0) {
      seized.set_value(errno);
      return;
    }
    Thread& first = threads_[program];
    first.process = std::make_shared<StepProcess>(program, plan_.directory, plan_.region);
    first.process->threads = 1;
    seized.set_value(0);
    while (!ended_) Wait();
    ReleaseAll();
  }

 private:
  // Detaches processes that outlive the program; they continue uncounted. A remaining single-step
  // trap or breakpoint would kill them once the tracer is gone.
  void ReleaseAll() {
    for (auto entry = threads_.begin(); entry != threads_.end();) {
      const bool released = Release(entry->first, entry->second, 0);
      if (!released) ptrace(PTRACE_INTERRUPT, entry->first, nullptr, nullptr);
      entry = released ? threads_.erase(entry) : std::next(entry);
    }
    while (!threads_.empty()) {
      int status = 0;
      const pid_t id = waitpid(-1, &status, __WALL | __WNOTHREAD);
      if (id < 0 && errno != EINTR) return;
      const auto found = threads_.find(id);
      if (id < 0 || found == threads_.end()) continue;
      const int event = status >> 16;
      if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK ||
          event == PTRACE_EVENT_VFORK) {
        unsigned long created = 0;
        ptrace(PTRACE_GETEVENTMSG, id, nullptr, &created);
        threads_[static_cast<pid_t>(created)].process = found->second.process;
      }
      const bool for_program = WIFSTOPPED(status) && event == 0 && WSTOPSIG(status) != SIGTRAP;
      const bool stays =
          WIFSTOPPED(status) && !Release(id, found->second, for_program ? WSTOPSIG(status) : 0);
      if (!stays) threads_.erase(id);
    }
  }

  // False if the thread is not stopped or must stop once more: a pending SIGTRAP from a step would
  // kill an untraced thread.
  bool Release(pid_t id, Thread& thread, int signal) {
    Registers registers;
    if (!registers.Read(id)) return false;
    if (signal == 0 && TrapPending(id)) {
      ptrace(PTRACE_CONT, id, nullptr, nullptr);
      return false;
    }
    if (!thread.sequence.empty()) FinishSequence(*thread.process, registers.Pc(), thread.sequence);
    thread.sequence.clear();
    breakpoints_.Remove(*thread.process);
    return ptrace(PTRACE_DETACH, id, nullptr, signal) == 0;
  }

  void Wait() {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL | __WNOTHREAD);
    if (thread < 0) {
      if (errno == EINTR) return;
      ended_ = true;
      return;
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      End(thread);
    } else if (WIFSTOPPED(status)) {
      Stop(thread, status);
    }
  }

  void End(pid_t thread) {
    const auto found = threads_.find(thread);
    if (found != threads_.end()) {
      Thread& gone = found->second;
      if (--gone.process->threads == 0) gone.process->SetState(TARE_WIRE_SEALED);
      const std::shared_ptr<StepProcess> process = gone.process;
      threads_.erase(found);
      LeaveOthers(thread, process.get());
    }
    if (thread == root_) ended_ = true;
  }

  // PTRACE_EVENT_EXIT: counts the exiting system call, which produces no further stop.
  void BeforeExit(pid_t id) {
    unsigned long status = 0;
    ptrace(PTRACE_GETEVENTMSG, id, nullptr, &status);
    const auto found = threads_.find(id);
    if (found != threads_.end()) {
      Thread& thread = found->second;
      if (thread.stepping && thread.site && thread.site->instruction.system_call &&
          WIFEXITED(static_cast<int>(status))) {
        Count(thread, thread.pc + thread.site->instruction.length, plan_.on_step);
      }
      thread.stepping = false;
    }
    if (id == root_ && IsOrphan(id)) {
      // The parent died and this process has become the parent (PR_SET_CHILD_SUBREAPER). Another
      // thread waits for the exit status, so the tracer must not reap the process.
      End(id);
      ptrace(PTRACE_DETACH, id, nullptr, nullptr);
      return;
    }
    ptrace(PTRACE_CONT, id, nullptr, nullptr);
  }

  void Stop(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    const int event = status >> 16;
    if (event == PTRACE_EVENT_EXEC) {
      BecomeProgram(thread);
    } else if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK ||
               event == PTRACE_EVENT_VFORK) {
      unsigned long created = 0;
      ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &created);
      Meet(thread, static_cast<pid_t>(created), event == PTRACE_EVENT_CLONE,
           event == PTRACE_EVENT_VFORK);
      Resume(thread, 0);
    } else if (event == PTRACE_EVENT_EXIT) {
      BeforeExit(thread);
    } else if (event == PTRACE_EVENT_STOP) {
      StopEvent(thread, signal);
    } else {
      SignalStop(thread, signal);
    }
  }

  // PTRACE_EVENT_STOP: a new tracee, or a group-stop; see ptrace(2), "Group-stop".
  void StopEvent(pid_t thread, int signal) {
    const bool group =
        signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    if (group) {
      ptrace(PTRACE_LISTEN, thread, nullptr, nullptr);
      return;
    }
    if (detach_.contains(thread)) {
      Start(thread);
      return;
    }
    const auto found = threads_.find(thread);
    if (found == threads_.end()) {
      waiting_[thread] = true;  // the creator's event has not arrived yet
      return;
    }
    Go(thread, found->second, 0);
  }

  void Meet(pid_t maker, pid_t created, bool is_thread, bool is_vfork) {
    Thread& parent = threads_[maker];
    if (!is_thread && !plan_.children) {
      if (!is_vfork) breakpoints_.RemoveFromCopy(*parent.process, created);
      detach_[created] = true;
    } else {
      Thread child;
      child.started = parent.started;
      child.inside = parent.inside;
      if (is_thread) {
        child.process = parent.process;
        ++child.process->threads;
        child.bank = child.process->TakeBank();
        StepEverything(*parent.process);
      } else {
        child.process = std::make_shared<StepProcess>(created, plan_.directory, plan_.region);
        child.process->threads = 1;
        child.process->InheritRecording(*parent.process);
        child.bank = child.process->TakeBank();
        child.frame = parent.frame;
        child.back = parent.back;
        child.own_frame = parent.own_frame;
        if (!is_vfork) breakpoints_.RemoveFromCopy(*parent.process, created);
        always_step_[child.process.get()] = true;
      }
      threads_[created] = std::move(child);
    }
    if (waiting_.erase(created) > 0) Start(created);
  }

  void Start(pid_t created) {
    if (detach_.erase(created) > 0) {
      ptrace(PTRACE_DETACH, created, nullptr, nullptr);
      return;
    }
    Go(created, threads_[created], 0);
  }

  void BecomeProgram(pid_t thread) {
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &former);
    if (static_cast<pid_t>(former) != thread && threads_.contains(static_cast<pid_t>(former))) {
      threads_[thread] = std::move(threads_[static_cast<pid_t>(former)]);
      threads_.erase(static_cast<pid_t>(former));
    }
    Thread& self = threads_[thread];
    const bool first = !self.started;
    if (!first) {
      if (self.stepping && self.site)
        Count(self, self.pc + self.site->instruction.length, plan_.on_step);
      self.process->SetState(TARE_WIRE_REPLACED);
      if (!plan_.children) {
        // Not following children: detach, so that what it does after execve is not traced.
        threads_.erase(thread);
        ptrace(PTRACE_DETACH, thread, nullptr, nullptr);
        return;
      }
    }
    alone_.erase(self.process.get());
    suspended_.erase(self.process.get());
    self.sequence.clear();
    self.process->BeginRecording();
    self.process->threads = 1;
    self.bank = self.process->TakeBank();
    self.started = true;
    self.stepping = false;
    self.behind_call = true;
    self.inside = !plan_.region;
    self.own_frame = false;
    breakpoints_.Forget(*self.process);
    layout_error_ = LayOutMemory(*self.process, thread, first ? plan_.layout : run::Layout{},
                                 plan_.pin_view ? std::optional(plan_.features) : std::nullopt);
    if (layout_error_ != 0) return;
    UnblockTrap(thread);
    Go(thread, self, 0);
  }

  void SignalStop(pid_t thread, int signal) {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) {
      // Not tracked; it has run freely since its execve.
      ptrace(PTRACE_CONT, thread, nullptr, signal == SIGTRAP ? 0 : signal);
      return;
    }
    Thread& self = found->second;
    Registers registers;
    if (!self.started || !registers.Read(thread)) {
      ptrace(PTRACE_CONT, thread, nullptr, signal);
      return;
    }
    if (signal == SIGTRAP && HitBreakpoint(self, thread, registers)) return;
    if (signal == SIGTRAP && RepeatSequence(thread, self, registers)) return;
    const bool ended_sequence = EndSequence(self, registers);
    const Trap trap = signal == SIGTRAP ? TrapOf(thread) : Trap::kNone;
    const bool own_step = trap != Trap::kNone || (signal == SIGTRAP && ended_sequence);
    const bool moved = registers.Pc() != self.pc || registers.Repetitions() != self.repetitions;
    const bool sure = own_step && !self.behind_call && !self.injected;
    const bool done = trap != Trap::kHandlerEntry && (sure || moved);
    self.behind_call = false;
    if (trap == Trap::kHandlerEntry) UnblockTrap(thread);
    if (self.stepping && done && self.site) {
      Count(self, registers.Pc(), plan_.on_step);
      AfterInstruction(self, thread, registers);
    }
    self.stepping = false;
    Go(thread, self, own_step ? 0 : signal);
  }

  void AfterInstruction(Thread& thread, pid_t id, Registers& registers) {
    const decode::Instruction& instruction = thread.site->instruction;
    if (thread.site->pins_zeroing && plan_.pin_view) {
      // DZP, bit 4 of DCZID_EL0: `dc zva` is prohibited. The emulators report the same.
      registers.SetGeneral(thread.site->word & 31, 0x10);
      registers.Write(id);
      thread.process->zeroing_reads.insert(thread.pc);
    }
    thread.behind_call = instruction.system_call;
    if (instruction.system_call) UnblockTrap(id);
    if (instruction.system_call && ChangesMappings(thread.call)) thread.process->Forget();
    if (plan_.region && LeavesRegion(thread, registers)) thread.inside = false;
  }

  // Outside the region, a single-threaded process runs freely to the region's first instruction.
  // Everything else is stepped.
  void Go(pid_t id, Thread& thread, int signal) {
    Registers registers;
    if (!thread.started) {
      ptrace(PTRACE_CONT, id, nullptr, signal);
      return;
    }
    if (!registers.Read(id)) return;
    const auto alone = alone_.find(thread.process.get());
    if (alone != alone_.end() && alone->second != id) {
      thread.stepping = false;
      suspended_[thread.process.get()].emplace_back(id, signal);
      if (threads_.at(alone->second).sequence.empty()) RunAlone(thread.process.get());
      return;
    }
    if (plan_.region && !thread.inside) {
      const auto start = thread.process->RegionStart();
      if (start && registers.Pc() == *start) {
        EnterRegion(thread, registers);
      } else if (start && !always_step_[thread.process.get()] &&
                 ZeroingReadsDone(*thread.process) && breakpoints_.Place(*thread.process, *start)) {
        thread.stepping = false;
        ptrace(PTRACE_CONT, id, nullptr, signal);
        return;
      }
    }
    Step(id, thread, registers, signal);
  }

  bool ZeroingReadsDone(StepProcess& process) const {
    if (decode::HostArchitecture() != decode::Architecture::kAArch64 || !plan_.pin_view)
      return true;
    return process.zeroing_reads.size() >= kExpectedZeroingReads ||
           ++process.steps_to_zeroing_read > kMaxStepsToZeroingRead;
  }

  void Step(pid_t id, Thread& thread, const Registers& registers, int signal) {
    thread.pc = registers.Pc();
    thread.repetitions = registers.Repetitions();
    thread.call = registers.CallNumber();
    thread.injected = signal != 0;
    const Site* site = thread.process->At(thread.pc);
    thread.site = site == nullptr ? std::nullopt : std::optional(*site);
    thread.stepping = true;
    if (plan_.pin_view && site != nullptr && site->instruction.system_call &&
        thread.call == kClone3) {
      RefuseCall(id, registers);
    }
    if (site != nullptr && site->begins_exclusive && signal == 0) {
      thread.stepping = false;
      alone_[thread.process.get()] = id;
      RunAlone(thread.process.get());
      return;
    }
    ptrace(PTRACE_SINGLESTEP, id, nullptr, signal);
  }

  // Runs the exclusive sequence once no other thread of the process can hit its breakpoints.
  // Threads that are not in a system call are suspended when they stop.
  void RunAlone(const StepProcess* process) {
    const pid_t id = alone_.at(process);
    for (const auto& [other, thread] : threads_) {
      if (other != id && thread.process.get() == process && CanMeetBreakpoints(thread)) return;
    }
    Thread& self = threads_.at(id);
    self.stepping = true;
    if (self.before.Read(id) && BeginSequence(*self.process, self.pc, self.sequence)) {
      ptrace(PTRACE_CONT, id, nullptr, nullptr);
      return;
    }
    ptrace(PTRACE_SINGLESTEP, id, nullptr, nullptr);
    LetOthersGo(process);
  }

  // Call when a thread ends that others may wait for, or that may be waiting.
  void LeaveOthers(pid_t gone, const StepProcess* process) {
    const auto alone = alone_.find(process);
    if (alone == alone_.end()) return;
    if (alone->second == gone) {
      LetOthersGo(process);
    } else if (threads_.at(alone->second).sequence.empty()) {
      RunAlone(process);
    }
  }

  void LetOthersGo(const StepProcess* process) {
    alone_.erase(process);
    const auto suspended = std::exchange(suspended_[process], {});
    for (const auto& [id, signal] : suspended) {
      const auto found = threads_.find(id);
      if (found != threads_.end()) Go(id, found->second, signal);
    }
  }

  // Counts the path through an exclusive sequence that ran to its end or to a signal. True if the
  // thread stopped at an end of the sequence.
  bool EndSequence(Thread& thread, const Registers& registers) {
    if (thread.sequence.empty()) return false;
    const bool ended = std::ranges::find(thread.sequence, registers.Pc(), &SequencePart::stop) !=
                       thread.sequence.end();
    const auto way = FinishSequence(*thread.process, registers.Pc(), thread.sequence);
    thread.sequence.clear();
    for (const SequenceStep& step : way) {
      const Site* site = thread.process->At(step.pc);
      if (site == nullptr) continue;
      thread.pc = step.pc;
      thread.site = *site;
      Count(thread, step.next, plan_.on_step);
    }
    thread.stepping = false;
    LetOthersGo(thread.process.get());
    return ended;
  }

  void StepEverything(StepProcess& process) {
    breakpoints_.Remove(process);
    always_step_[&process] = true;
  }

  bool HitBreakpoint(Thread& thread, pid_t id, Registers& registers) {
    const auto address = breakpoints_.StoppedAt(*thread.process, registers.Pc());
    if (!address || thread.inside) return false;
    breakpoints_.Remove(*thread.process);
    registers.SetPc(*address);
    registers.Write(id);
    Go(id, thread, 0);
    return true;
  }

  void Resume(pid_t id, int signal) {
    const auto found = threads_.find(id);
    if (found == threads_.end()) {
      ptrace(PTRACE_CONT, id, nullptr, signal);
    } else if (found->second.stepping) {
      // Inside the system call that is being stepped over.
      ptrace(PTRACE_SINGLESTEP, id, nullptr, signal);
    } else {
      ptrace(PTRACE_CONT, id, nullptr, signal);
    }
  }

  StepPlan plan_;
  int& layout_error_;
  pid_t root_ = 0;
  bool ended_ = false;
  std::map<pid_t, Thread> threads_;
  std::map<pid_t, bool> waiting_;  // stopped before the creator's event arrived
  std::map<pid_t, bool> detach_;
  // The thread that runs, or waits to run, an exclusive sequence; and the threads suspended
  // meanwhile, with the signals to deliver to them.
  std::map<const StepProcess*, pid_t> alone_;
  std::map<const StepProcess*, std::vector<std::pair<pid_t, int>>> suspended_;
  RegionBreakpoints breakpoints_;
  std::map<const StepProcess*, bool> always_step_;
};

}  // namespace

StepTracer::~StepTracer() {
  if (thread_.joinable()) thread_.join();
}

Result<void> StepTracer::WaitForLayout() {
  if (thread_.joinable()) thread_.join();
  if (layout_error_ == 0 || layout_error_ == ESRCH) return {};
  return std::unexpected(run::CannotMove(layout_error_));
}

Result<void> StepTracer::Attach(pid_t program) {
  const auto attached = std::make_shared<std::promise<int>>();
  std::future<int> seized = attached->get_future();
  TRY(thread_, StartThread([this, program, attached] {
        Stepper(plan_, layout_error_).Run(program, std::move(*attached));
      }));
  const int error_number = seized.get();
  if (error_number == 0) return {};
  return Fail(ErrorKind::kUnsupported, fmt::format("ptrace is not allowed here: {}",
                                                   std::generic_category().message(error_number)));
}

}  // namespace tare::engine
