// step_engine.cc: the loop that steps threads, counts what they did, and lets signals and system
// calls pass.
#include "count/step_engine.h"

#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "count/step_exclusive.h"
#include "count/step_process.h"
#include "count/step_registers.h"
#include "count/step_stack.h"

namespace tare::count {
namespace {

// Before the region the program runs freely, once it has asked how much `dc zva` zeroes: the answer
// decides which code the C library picks. A program that never asks is not stepped for longer.
constexpr std::uint64_t kMostStepsToQuestion = 100'000;

constexpr long kOptions = PTRACE_O_TRACEEXEC | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK |
                          PTRACE_O_TRACEVFORK | PTRACE_O_EXITKILL;

struct Thread {
  std::shared_ptr<StepProcess> process;
  std::optional<unsigned> bank;
  bool started = false;  // has become the program; before that nothing counts
  bool inside = true;    // of the region
  std::uint64_t frame = 0;
  std::uint64_t back = 0;
  bool own_frame = false;  // entered the region itself, and so can leave it
  // The step under way.
  bool stepping = false;
  // Behind a system call, execve above all, and with a signal a step may end before anything was
  // done.
  bool behind_call = false;
  bool injected = false;
  std::uint64_t pc = 0;
  std::uint64_t stack = 0;
  std::uint64_t repetitions = 0;
  std::uint64_t repeating = 0;  // pc of the repeated instruction under way
  std::uint64_t call = 0;
  std::optional<Site> site;
  std::vector<SequencePart> sequence;  // run in one go up to a breakpoint
};

class Stepper {
 public:
  explicit Stepper(const StepPlan& plan) : plan_(plan) {}

  int Run(pid_t program, const std::function<void()>& release) {
    root_ = program;
    if (ptrace(PTRACE_SEIZE, program, nullptr, kOptions) != 0) {
      release();
      int status = 0;
      while (waitpid(program, &status, 0) < 0 && errno == EINTR) {
      }
      return status;
    }
    Thread& first = threads_[program];
    first.process = std::make_shared<StepProcess>(program, plan_.folder, plan_.region);
    first.process->threads = 1;
    release();
    while (!ended_) Wait();
    return status_;
  }

 private:
  void Wait() {
    int status = 0;
    const pid_t thread = waitpid(-1, &status, __WALL);
    if (thread < 0) {
      if (errno == EINTR) return;
      ended_ = true;
      return;
    }
    if (WIFEXITED(status) || WIFSIGNALED(status)) {
      End(thread, status);
    } else if (WIFSTOPPED(status)) {
      Stop(thread, status);
    }
  }

  void End(pid_t thread, int status) {
    const auto found = threads_.find(thread);
    if (found != threads_.end()) {
      Thread& gone = found->second;
      // The system call that ended it is an instruction that was done.
      if (gone.stepping && gone.site && gone.site->instruction.system_call && WIFEXITED(status)) {
        Count(gone, gone.pc + gone.site->instruction.length);
      }
      if (--gone.process->threads == 0) gone.process->SetState(TARE_WIRE_SEALED);
      threads_.erase(found);
    }
    if (thread != root_) return;
    status_ = status;
    ended_ = true;
  }

  void Stop(pid_t thread, int status) {
    const int signal = WSTOPSIG(status);
    const int event = status >> 16;
    if (event == PTRACE_EVENT_EXEC) {
      BecomeProgram(thread);
    } else if (event == PTRACE_EVENT_CLONE || event == PTRACE_EVENT_FORK ||
               event == PTRACE_EVENT_VFORK) {
      unsigned long made = 0;
      ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &made);
      Meet(thread, static_cast<pid_t>(made), event == PTRACE_EVENT_CLONE,
           event == PTRACE_EVENT_VFORK);
      Resume(thread, 0);
    } else if (event == PTRACE_EVENT_STOP) {
      StopEvent(thread, signal);
    } else {
      SignalStop(thread, signal);
    }
  }

  // A new tracee, or the stop of the whole group by SIGSTOP and its kin.
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
      waiting_[thread] = true;  // its maker's report is still to come
      return;
    }
    Go(thread, found->second, 0);
  }

  void Meet(pid_t maker, pid_t made, bool is_thread, bool is_vfork) {
    Thread& parent = threads_[maker];
    if (!is_thread && !plan_.children) {
      if (!is_vfork) RemoveBreakpointFrom(*parent.process, made);
      detach_[made] = true;
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
        child.process = std::make_shared<StepProcess>(made, plan_.folder, plan_.region);
        child.process->threads = 1;
        child.process->InheritRecording(*parent.process);
        child.bank = child.process->TakeBank();
        child.frame = parent.frame;
        child.back = parent.back;
        child.own_frame = parent.own_frame;
        if (!is_vfork) RemoveBreakpointFrom(*parent.process, made);
        always_step_[child.process.get()] = true;
      }
      threads_[made] = std::move(child);
    }
    if (waiting_.erase(made) > 0) Start(made);
  }

  void Start(pid_t made) {
    if (detach_.erase(made) > 0) {
      ptrace(PTRACE_DETACH, made, nullptr, nullptr);
      return;
    }
    Go(made, threads_[made], 0);
  }

  void BecomeProgram(pid_t thread) {
    unsigned long former = 0;
    ptrace(PTRACE_GETEVENTMSG, thread, nullptr, &former);
    if (static_cast<pid_t>(former) != thread && threads_.contains(static_cast<pid_t>(former))) {
      threads_[thread] = std::move(threads_[static_cast<pid_t>(former)]);
      threads_.erase(static_cast<pid_t>(former));
    }
    Thread& self = threads_[thread];
    if (self.started) {
      if (self.stepping && self.site) Count(self, self.pc + self.site->instruction.length);
      self.process->SetState(TARE_WIRE_REPLACED);
      if (!plan_.children) {
        self.stepping = false;
        threads_.erase(thread);
        ptrace(PTRACE_CONT, thread, nullptr, nullptr);
        return;
      }
    }
    self.process->BeginRecording();
    self.process->threads = 1;
    self.bank = self.process->TakeBank();
    self.started = true;
    self.stepping = false;
    self.behind_call = true;
    self.inside = !plan_.region;
    self.own_frame = false;
    breakpoints_.erase(self.process.get());
    if (plan_.pin_view) PinStack(*self.process, thread);
    Go(thread, self, 0);
  }

  void SignalStop(pid_t thread, int signal) {
    const auto found = threads_.find(thread);
    if (found == threads_.end()) {
      // Runs on its own since its execve.
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
    const bool ended_sequence = EndSequence(self, registers);
    const Trap trap = signal == SIGTRAP ? TrapOf(thread) : Trap::kNone;
    const bool own_step = trap != Trap::kNone || (signal == SIGTRAP && ended_sequence);
    const bool moved = registers.Pc() != self.pc || registers.Repetitions() != self.repetitions;
    const bool sure = own_step && !self.behind_call && !self.injected;
    const bool done = trap != Trap::kHandlerEntry && (sure || moved);
    self.behind_call = false;
    if (self.stepping && done && self.site) {
      Count(self, registers.Pc());
      AfterInstruction(self, thread, registers);
    }
    self.stepping = false;
    Go(thread, self, own_step ? 0 : signal);
  }

  // kNone: the program itself asked for it, by a breakpoint instruction or kill.
  enum class Trap { kNone, kStep, kHandlerEntry };
  static Trap TrapOf(pid_t thread) {
    siginfo_t info{};
    if (ptrace(PTRACE_GETSIGINFO, thread, nullptr, &info) != 0) return Trap::kNone;
    // The end of a stepped system call is reported by nobody (AArch64) or as TRAP_BRKPT (x86-64,
    // whose int3 gives SI_KERNEL); the entry of a signal handler as SIGTRAP itself.
    if (info.si_code == SIGTRAP) return Trap::kHandlerEntry;
    if (info.si_code == SI_USER) return info.si_pid == 0 ? Trap::kStep : Trap::kNone;
#if defined(__x86_64__)
    if (info.si_code == TRAP_BRKPT) return Trap::kStep;
#endif
    const bool step = info.si_code == TRAP_TRACE || info.si_code == TRAP_HWBKPT;
    return step ? Trap::kStep : Trap::kNone;
  }

  // What the step from thread.pc to `now` did.
  void Count(Thread& thread, std::uint64_t now) {
    const binary::Instruction& instruction = thread.site->instruction;
    const bool again = instruction.repeated && thread.repeating == thread.pc;
    thread.repeating = instruction.repeated && now == thread.pc ? thread.pc : 0;
    if (!thread.inside || !thread.bank || thread.site->index == TARE_WIRE_NO_BLOCK) return;
    tare_wire_counters& counters = thread.process->Counters(*thread.site, *thread.bank);
    if (!again) ++counters.executions;
    if (instruction.repeated && thread.repetitions != 0) ++counters.second;
    if (instruction.branch == binary::BranchKind::kConditional &&
        now == thread.pc + instruction.length) {
      ++counters.second;
    }
  }

  void AfterInstruction(Thread& thread, pid_t id, Registers& registers) {
    const binary::Instruction& instruction = thread.site->instruction;
    if (thread.site->pins_zeroing && plan_.pin_view) {
      // "Not permitted", as the emulators say in their own ways.
      registers.SetGeneral(thread.site->word & 31, 0x10);
      registers.Write(id);
      thread.process->steps_to_question = kMostStepsToQuestion;
    }
    thread.behind_call = instruction.system_call;
    if (instruction.system_call && ChangesMappings(thread.call)) thread.process->Forget();
    if (plan_.region && thread.inside && thread.own_frame &&
        instruction.branch == binary::BranchKind::kReturn && registers.Pc() == thread.back &&
        registers.Stack() >= thread.frame) {
      thread.inside = false;
    }
  }

  static bool ChangesMappings(std::uint64_t call) {
#if defined(__aarch64__)
    return call == 222 || call == 215 || call == 226;
#else
    return call >= 9 && call <= 11;
#endif
  }

  // Outside of the region a process with one thread runs freely up to the region's first
  // instruction; otherwise everything is stepped.
  void Go(pid_t id, Thread& thread, int signal) {
    Registers registers;
    if (!thread.started) {
      ptrace(PTRACE_CONT, id, nullptr, signal);
      return;
    }
    if (!registers.Read(id)) return;
    if (plan_.region && !thread.inside) {
      const auto start = thread.process->RegionStart();
      if (start && registers.Pc() == *start) {
        EnterRegion(thread, registers);
      } else if (start && !always_step_[thread.process.get()] && Answered(*thread.process) &&
                 PlaceBreakpoint(*thread.process, *start)) {
        thread.stepping = false;
        ptrace(PTRACE_CONT, id, nullptr, signal);
        return;
      }
    }
    Step(id, thread, registers, signal);
  }

  bool Answered(StepProcess& process) const {
    if (binary::HostArchitecture() != binary::Architecture::kAArch64 || !plan_.pin_view)
      return true;
    return ++process.steps_to_question > kMostStepsToQuestion;
  }

  void EnterRegion(Thread& thread, const Registers& registers) {
    thread.inside = true;
    thread.own_frame = true;
    thread.frame = registers.Stack();
    thread.back = registers.Link();
    if (thread.back == 0) {
      thread.process->ReadMemory(thread.frame, std::as_writable_bytes(std::span(&thread.back, 1)));
    }
    if (thread.process->recorded()) ++thread.process->header()->region_entries;
  }

  void Step(pid_t id, Thread& thread, const Registers& registers, int signal) {
    thread.pc = registers.Pc();
    thread.stack = registers.Stack();
    thread.repetitions = registers.Repetitions();
    thread.call = registers.CallNumber();
    thread.injected = signal != 0;
    const Site* site = thread.process->At(thread.pc);
    thread.site = site == nullptr ? std::nullopt : std::optional(*site);
    thread.stepping = true;
    if (site != nullptr && site->begins_exclusive && signal == 0 &&
        BeginSequence(*thread.process, thread.pc, thread.sequence)) {
      ptrace(PTRACE_CONT, id, nullptr, nullptr);
      return;
    }
    ptrace(PTRACE_SINGLESTEP, id, nullptr, signal);
  }

  // A sequence between exclusive load and store ran as a whole, or up to a signal: count the way it
  // took. True when the thread stopped at the sequence's own end.
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
      Count(thread, step.next);
    }
    thread.stepping = false;
    return ended;
  }

  bool PlaceBreakpoint(StepProcess& process, std::uint64_t address) {
    SavedCode& saved = breakpoints_[&process];
    if (saved.address == address) return true;
    const Breakpoint breakpoint = BreakpointHere();
    saved.address = 0;
    if (!process.ReadMemory(address, std::span(saved.code).first(breakpoint.bytes))) return false;
    if (!process.WriteMemory(
            address, std::as_bytes(std::span(&breakpoint.code, 1)).first(breakpoint.bytes))) {
      return false;
    }
    saved.address = address;
    return true;
  }

  void RemoveBreakpoint(StepProcess& process) {
    const auto found = breakpoints_.find(&process);
    if (found == breakpoints_.end() || found->second.address == 0) return;
    process.WriteMemory(found->second.address,
                        std::span(found->second.code).first(BreakpointHere().bytes));
    breakpoints_.erase(found);
  }

  // A forked child has a copy of the code, breakpoint and all.
  void RemoveBreakpointFrom(const StepProcess& parent, pid_t child) {
    const auto found = breakpoints_.find(&parent);
    if (found == breakpoints_.end() || found->second.address == 0) return;
    StepProcess copy(child, plan_.folder, std::nullopt);
    copy.WriteMemory(found->second.address,
                     std::span(found->second.code).first(BreakpointHere().bytes));
  }

  void StepEverything(StepProcess& process) {
    RemoveBreakpoint(process);
    always_step_[&process] = true;
  }

  bool HitBreakpoint(Thread& thread, pid_t id, Registers& registers) {
    const auto found = breakpoints_.find(thread.process.get());
    if (found == breakpoints_.end() || found->second.address == 0 || thread.inside) return false;
    const std::uint64_t address = found->second.address;
    if (registers.Pc() != address + BreakpointHere().stops_after) return false;
    RemoveBreakpoint(*thread.process);
    registers.SetPc(address);
    registers.Write(id);
    Go(id, thread, 0);
    return true;
  }

  void Resume(pid_t id, int signal) {
    const auto found = threads_.find(id);
    if (found == threads_.end()) {
      ptrace(PTRACE_CONT, id, nullptr, signal);
    } else if (found->second.stepping) {
      // In the middle of the system call that is being stepped over.
      ptrace(PTRACE_SINGLESTEP, id, nullptr, signal);
    } else {
      ptrace(PTRACE_CONT, id, nullptr, signal);
    }
  }

  struct SavedCode {
    std::uint64_t address = 0;
    std::array<std::byte, 4> code{};
  };

  StepPlan plan_;
  pid_t root_ = 0;
  bool ended_ = false;
  int status_ = 0;
  std::map<pid_t, Thread> threads_;
  std::map<pid_t, bool> waiting_;  // stopped before their maker's report came
  std::map<pid_t, bool> detach_;
  std::map<const StepProcess*, SavedCode> breakpoints_;
  std::map<const StepProcess*, bool> always_step_;
};

}  // namespace

std::function<int(pid_t, const std::function<void()>&)> StepSupervisor(const StepPlan& plan) {
  return [plan](pid_t program, const std::function<void()>& release) {
    return Stepper(plan).Run(program, release);
  };
}

}  // namespace tare::count
