// load_program.cc: one thread waits for the program, another reads the kernel's account of it.
#include "cli/commands/load/load_program.h"

#include <unistd.h>

#include <chrono>
#include <string>
#include <utility>

#include "measure/run/reference.h"

namespace tare::cli {
namespace {

// A thread that ends loses what it waited since the last sample.
constexpr auto kSampleEvery = std::chrono::milliseconds(10);

double TickSeconds() { return 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK)); }

}  // namespace

RunBesides::RunBesides(const ReadyProgram& ready, const StopAsked& interrupted)
    : meter_(host::SystemFiles{}, TickSeconds()),
      sampler_([this] { SampleWaits(); }),
      thread_([this, program = ready.program, setting = run::WithoutControl(ready.setting),
               interrupted] { Run(program, setting, interrupted); }) {}

void RunBesides::Run(const run::ResolvedProgram& program, const run::Setting& setting,
                     const StopAsked& interrupted) {
  run::Hooks hooks;
  hooks.interrupted = interrupted;
  hooks.before_exec = [this](pid_t process) -> Result<void> {
    process_ = process;
    return {};
  };
  finished_ = run::RunProgram(program, setting, hooks);
  ended_ = true;
}

void RunBesides::SampleWaits() {
  while (!ended_) {
    if (const pid_t process = process_) meter_.Sample(static_cast<std::uint64_t>(process));
    std::this_thread::sleep_for(kSampleEvery);
  }
}

Result<run::Finished> RunBesides::Wait() {
  thread_.join();
  sampler_.join();
  return std::move(finished_);
}

report::Table IoWaitTable(const load::IoWait& wait, double wall_seconds) {
  report::Table table{
      "io_wait", "Waiting for storage", {{"what"}, {"time", "s"}, {"share", "%"}}, {}};
  table.whole = true;
  const auto add = [&](const char* what, const Measured& seconds) {
    Measured share = seconds;
    if (seconds.value) share = Scaled(seconds, 100 / wall_seconds);
    table.rows.push_back({std::string(what), seconds, std::move(share)});
  };
  add("threads of the program, together", wait.program);
  add("at least one task of the machine", wait.machine_some);
  add("all tasks of the machine", wait.machine_full);
  return table;
}

}  // namespace tare::cli
