// profile.cc: `tare profile`: where a program spends its time, and how sure that is.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <system_error>

#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/count/count_tables.h"
#include "cli/commands/profile/profile_exact.h"
#include "cli/commands/profile/profile_files.h"
#include "cli/commands/profile/profile_options.h"
#include "cli/commands/profile/profile_tables.h"
#include "cli/cut_short.h"
#include "cli/provenance.h"
#include "format/sampled_profile_file.h"
#include "machine/host/other_programs.h"

namespace tare::cli {
namespace {

constexpr auto kEvents = std::to_array<std::string_view>({"auto", "clock", "cycles"});
constexpr auto kChains = std::to_array<std::string_view>({"none", "fp", "dwarf"});
constexpr auto kParts = std::to_array<std::string_view>({"function", "line", "block"});

using Options = ProfileOptions;

// --pid has another meaning here than in other commands.
std::vector<Flag<Options>> Flags(std::vector<Flag<Options>> own) {
  auto shared = WithProgramFlags<Options>({});
  std::erase_if(shared, [](const Flag<Options>& flag) { return flag.text.names == "--pid"; });
  own.insert(own.end(), shared.begin(), shared.end());
  return own;
}

const std::vector<Flag<Options>> kProfileFlags = Flags({
    {{"-F,--frequency", "HZ", "samples per second of processor time (default: 1000)"},
     &Options::frequency},
    {{"--event", "WHICH",
      "clock: the kernel's timer; cycles: the processor's counter (default: cycles if there is a "
      "counter)",
      kEvents},
     &Options::event},
    {{"-g,--call-graph", "HOW", "call chains by frame pointer, by DWARF, or none (default: fp)",
      kChains},
     &Options::chains},
    {{"--pid", "N", "sample a running process until it ends"}, &Options::process},
    {{"--system", "", "sample all processes, until the program or --duration ends"},
     &Options::system},
    {{"--duration", "TIME", "with --pid, --system: sample so long; with --plan: processor time"},
     &Options::duration},
    {{"--runs", "N", "run the program N times and add the samples (default: 1)"}, &Options::runs},
    {{"--per", "WHAT", "list functions, source lines or basic blocks (default: function)", kParts},
     &Options::per},
    {{"--inclusive", "", "sort by samples with callees"}, &Options::inclusive},
    {{"--tree", "", "also show the call tree"}, &Options::tree},
    {{"--top", "N", "rows to show; 0 for all (default: 20)"}, &Options::top},
    {{"--confidence", "P", "confidence level of the intervals (default: 0.95)"},
     &Options::confidence},
    {{"-v,--verbose", "", "show more columns, and how it was sampled"}, &Options::verbose},
    {{"-o,--output", "FILE", "store the samples in FILE"}, &Options::output},
    {{"--show", "", "show stored profiles, added: FILE..."}, &Options::show},
    {{"--diff", "", "compare two stored profiles: FILE FILE"}, &Options::diff},
    {{"--exact", "", "count every executed block instead of sampling"}, &Options::exact},
    {{"--both", "", "sample and count, and compare"}, &Options::both},
    {{"--folded", "FILE", "write folded stacks, for flame graphs"}, &Options::folded},
    {{"--speedscope", "FILE", "write a file for speedscope"}, &Options::speedscope},
    {{"--pprof", "FILE", "write a file for pprof"}, &Options::pprof},
    {{"--callgrind", "FILE", "write a file for callgrind_annotate and KCachegrind"},
     &Options::callgrind},
    {{"--perf-data", "FILE", "write a file for perf report and perf script"}, &Options::perf_data},
    {{"--plan", "", "compute how often or how long to sample; runs no program"}, &Options::plan},
    {{"--share", "P", "with --plan: percentage of the smallest part (default: 5)"},
     &Options::share},
    {{"--samples", "K", "with --plan: samples that it needs (default: 10)"}, &Options::samples},
    {{"--chance", "Q", "with --plan: chance that it gets them (default: 0.99)"}, &Options::chance},
    {{"--parts", "N", "with --plan: number of such parts (default: 1)"}, &Options::parts},
});

constexpr std::array kProfileExamples = {
    Example{"tare profile -- sort words", "functions by their share of the time"},
    Example{"tare profile --per line -- ./program", "source lines of a program compiled with -g"},
    Example{"tare profile -g dwarf --tree --inclusive -- gzip -c file",
            "call tree of a program without frame pointers"},
    Example{"tare profile --pid 1234 --duration 10s", "a process that runs already"},
    Example{"tare profile -o before.profile --runs 5 -- ./program",
            "samples of five runs in a file"},
    Example{"tare profile --diff before.profile after.profile",
            "functions whose share of the time changed"},
    Example{"tare profile --both -- ./program", "time and executed instructions by function"},
    Example{"tare profile --plan --share 5 --samples 10 --parts 12 --duration 30s",
            "how often to sample"},
    Example{"tare profile --pprof p.gz --folded p.txt -- ./program", "files for other tools"},
};

ProfileView ViewOf(const Options& options, double confidence) {
  ProfileView view;
  view.part = PartOf(options);
  view.top = static_cast<std::size_t>(std::max<std::int64_t>(0, options.top.value_or(20)));
  view.inclusive = options.inclusive;
  view.verbose = options.verbose;
  view.tree = options.tree;
  view.confidence = confidence;
  return view;
}

Result<Outcome> RunProfile(const Options& options, Session& session) {
  TRY_VOID(CheckProfileOptions(options, session));
  TRY(const double confidence, Confidence(options.confidence));
  const ProfileView view = ViewOf(options, confidence);
  if (options.plan) {
    TRY(const auto request, PlanOf(options));
    TRY(const auto plan, profile::PlanSamples(request));
    Outcome outcome;
    outcome.document.title = "Sampling plan";
    ShowPlan(request, plan, outcome.document);
    return outcome;
  }
  if (options.show || options.diff) return ShowStoredProfiles(options, session, view);
  profile::ProfileRequest request;
  TRY(request.plan, SamplingOf(options));
  request.machine = ThisMachine().machine;
  request.interrupted = session.interrupted;
  request.system = options.system;
  if (options.process) request.process = static_cast<pid_t>(*options.process);
  if (options.duration) request.seconds = options.duration->seconds;
  const bool needs_program = !options.process && !(options.system && options.duration);
  if (session.program.empty() && needs_program) return ProgramMissing("profile");

  std::optional<ReadyProgram> ready;
  const std::int64_t runs = options.runs.value_or(1);
  if (!session.program.empty()) {
    ProgramOptions how = options;
    // A profile shows the code that runs without tare, except where engines must run the same.
    how.native_view = how.native_view || !options.both;
    const bool once = runs == 1 && !options.both && !options.exact;
    TRY(auto prepared, Prepare(how, session, once ? InputUse::kOneRun : InputUse::kSeveralRuns));
    ready.emplace(std::move(prepared));
    if (options.exact) return ShowExactProfile(*ready, session, view);
    request.program = ready->program;
    request.setting = ready->setting;
  }
  // Pipes and devices get the whole profile at the end.
  std::error_code failure;
  const auto present = std::filesystem::status(options.output, failure);
  const bool may_grow =
      !std::filesystem::exists(present) || std::filesystem::is_regular_file(present);
  if (!options.output.empty() && may_grow) {
    const auto file = std::make_shared<format::GrowingProfile>(options.output);
    request.checkpoint = [file](format::SampledProfile& profile) {
      // A failure will be that of the last write too.
      static_cast<void>(file->Add(profile));
    };
  }
  const host::OtherPrograms others;
  TRY(auto taken, profile::TakeProfile(request));
  request.checkpoint = nullptr;
  request.measure_cost = false;
  request.setting = run::WithDiscardedOutput(request.setting);
  for (std::int64_t run = 1; run < runs && request.program; ++run) {
    if (session.interrupted()) return Stopped();
    TRY(const auto more, profile::TakeProfile(request));
    TRY_VOID(profile::AddSamples(taken.profile, more.profile));
  }
  std::vector<Caveat> disturbances = others.Disturbances();
  // Other programs do not change a program's own processor time much.
  std::erase_if(disturbances, [](const Caveat& caveat) { return caveat.key != CaveatId::kSteal; });
  TRY_VOID(WriteExports(options, taken.profile));
  count::Images images;
  std::optional<count::CountReport> counted;
  if (options.both) {
    TRY(counted, CountExactly(*ready, false, session, images));
  }
  const auto make = [&](bool all) -> Result<report::Document> {
    const ProfileView shown = WithAll(view, all);
    report::Document document;
    document.title =
        fmt::format("Profile of {}", Printable(profile::FileNameOf(taken.profile.facts.program)));
    if (counted) {
      const auto& tally = counted->engines[*counted->reference].tally;
      TRY_VOID(ShowBoth(taken.profile, tally, shown, document));
      AddCaveats(document, AllCaveats(*counted));
    } else {
      TRY_VOID(ShowProfile(taken.profile, shown, document));
    }
    if (taken.finished) AddCaveats(document, taken.finished->caveats);
    if (taken.finished) AddCaveats(document, WhyCutShort(taken.finished->ended));
    AddCaveats(document, disturbances);
    if (request.program) AddSettings(document, request.setting);
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.beside_program = taken.finished.has_value();
  if (taken.finished) outcome.exit_status = taken.finished->ended.ShellStatus();
  if (counted) {
    outcome.sources = {std::string(Name(counted->engines[*counted->reference].engine))};
  }
  return outcome;
}

}  // namespace

Command ProfileCommand() {
  CommandText text{
      "profile", "find where a program spends its time, with confidence intervals",
      "Samples the program counter and call chain of a program, of all its threads and children, "
      "and shows the share of the time of each function, source line or basic block. Every share "
      "has a confidence interval, and a part with too few samples is marked. Two sampling periods "
      "run side by side, so that sampling in step with the program is noticed. The cost of "
      "sampling is measured and shown.\n\n"
      "The program's output is passed on, and the report goes to standard error. With --json, "
      "--csv or --markdown the report goes to standard output, and the program's output is "
      "discarded. The exit status is that of the program.\n\n"
      "--exact counts instructions instead of sampling time. --plan, --show and --diff run no "
      "program.",
      kProfileExamples, true};
  text.operands = {"[FILE...]", 0, 10000};
  text.may_lack_program = true;
  static constexpr auto kForms = std::to_array<std::string_view>(
      {"-- PROGRAM [ARGUMENT...]", "--pid N", "--show FILE...", "--diff FILE FILE"});
  text.forms = kForms;
  return MakeCommand<Options>(text, kProfileFlags, RunProfile);
}

}  // namespace tare::cli
