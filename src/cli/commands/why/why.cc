// why.cc: `tare why`: finds what changes a program's counts or its time.
#include "analysis/why/why.h"

#include <fmt/format.h>

#include <array>

#include "base/file.h"
#include "base/printable.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/why/why_tables.h"
#include "cli/program_options.h"

namespace tare::cli {
namespace {

struct WhyOptions : ProgramOptions {
  std::string of;
  std::string engine = "valgrind";
  std::string region;
  std::string other_linking;
  std::string objects;
  std::string linker;
  std::optional<WrittenDuration> budget;
  std::optional<double> alpha;
  std::optional<double> min_effect;
  std::optional<std::int64_t> seed;
  bool whole = false;
  bool children = false;
  bool fix = false;
};

constexpr auto kOf = std::to_array<std::string_view>({"counts", "time", "both"});
constexpr auto kEngines =
    std::to_array<std::string_view>({"valgrind", "qemu", "step", "compiled", "hardware"});

const std::vector<Flag<WhyOptions>> kFlags = WithProgramFlags<WhyOptions>({
    {{"--of", "WHAT", "what shall be explained: counts, time or both (both)", kOf},
     &WhyOptions::of},
    {{"--engine", "NAME", "who counts instructions (valgrind)", kEngines}, &WhyOptions::engine},
    {{"--region", "FUNCTION", "count inside this function only, callees included (main)"},
     &WhyOptions::region},
    {{"--whole", "", "count the whole program, the loader's work included"}, &WhyOptions::whole},
    {{"--children", "", "count child processes and programs started by execve too"},
     &WhyOptions::children},
    {{"--static", "FILE", "the same program, linked statically, or dynamically if PROGRAM is not"},
     &WhyOptions::other_linking},
    {{"--objects", "FILE", "names the program's object files in the order of its link, one a line"},
     &WhyOptions::objects},
    {{"--linker", "WORDS", "command that links the objects; they and -o follow (c++)"},
     &WhyOptions::linker},
    {{"--budget", "TIME", "all runs together (100 times the program's own time, 1min at least)"},
     &WhyOptions::budget},
    {{"--alpha", "P", "chance that anything without effect is called a cause (0.05)"},
     &WhyOptions::alpha},
    {{"--min-effect", "PERCENT",
      "smallest change of the response that is called a cause (default: 0.1)"},
     &WhyOptions::min_effect},
    {{"--seed", "N", "of the order of the runs (1)"}, &WhyOptions::seed},
    {{"--fix", "", "print the options of tare that make it repeatable, in the first line"},
     &WhyOptions::fix},
});

constexpr std::array kExamples = {
    Example{"tare why -- ./parser input", "what moves its instructions, and what its time"},
    Example{"tare why --of counts --whole -- perl script.pl",
            "its counts alone, the start of the program included"},
    Example{"tare why --of counts --fix -- ./p", "what to add to other commands of tare"},
    Example{"tare why --of time --objects order.txt --linker \"cc -lm\" -- ./p",
            "is it the order of linking?"},
};

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text + ' ') {
    if (letter != ' ' && letter != '\n') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  return words;
}

Result<void> ChooseObjects(const WhyOptions& options, why::WhyRequest& request) {
  if (options.objects.empty()) {
    if (options.linker.empty()) return {};
    return Fail(ErrorKind::kUsage, "--linker needs --objects FILE");
  }
  TRY(const auto text, ReadFile(options.objects, 1 << 20));
  request.objects = Words(text);
  request.linker = Words(options.linker.empty() ? "c++" : options.linker);
  if (request.linker.empty()) return Fail(ErrorKind::kUsage, "--linker: a command is expected");
  return {};
}

// main, unless another function or the whole program is requested, or there is no main.
Result<std::string> ChooseRegion(const WhyOptions& options, const run::ResolvedProgram& program) {
  if (options.whole && !options.region.empty()) {
    return Fail(ErrorKind::kUsage, "--whole and --region exclude each other");
  }
  const auto engine = engine::ParseEngine(options.engine);
  const bool can = engine && engine::Row(*engine).counts_regions;
  if (options.whole || !can) {
    if (options.region.empty()) return "";
    return Fail(ErrorKind::kUsage, fmt::format("the engine {} knows no regions", options.engine));
  }
  if (!options.region.empty()) return options.region;
  return engine::FindRegion(program, "main") ? "main" : "";
}

Result<why::WhyRequest> MakeRequest(const WhyOptions& options, const ReadyProgram& ready,
                                    const Session& session) {
  why::WhyRequest request;
  request.program = ready.program;
  request.setting = ready.setting;
  request.engine_seconds = ready.engine_seconds;
  if (options.of == "counts") request.responses = {why::Response::kCounts};
  if (options.of == "time") request.responses = {why::Response::kTime};
  request.engine = engine::ParseEngine(options.engine);
  // Without an engine that sees instructions, the processor's counter is read.
  if (request.engine && !engine::Row(*request.engine).sees_instructions) request.engine.reset();
  TRY(request.region, ChooseRegion(options, ready.program));
  request.children = options.children;
  if (!options.other_linking.empty()) request.other_linking = options.other_linking;
  TRY_VOID(ChooseObjects(options, request));
  if (options.budget) request.budget_seconds = options.budget->seconds;
  request.alpha = options.alpha.value_or(0.05);
  if (!(request.alpha > 0 && request.alpha < 0.5)) {
    return Fail(ErrorKind::kUsage, "--alpha: a chance between 0 and 0.5 is expected");
  }
  if (options.min_effect) request.min_effect = *options.min_effect / 100;
  if (!(request.min_effect >= 0 && request.min_effect <= 1)) {
    return Fail(ErrorKind::kUsage, "--min-effect: a percentage from 0 to 100 is expected");
  }
  request.seed = static_cast<std::uint64_t>(options.seed.value_or(1));
  if (options.fix) request.setting = run::Silenced(request.setting);
  request.interrupted = session.interrupted;
  return request;
}

Result<Outcome> RunWhy(const WhyOptions& options, Session& session) {
  TRY(const auto ready, Prepare(options, session));
  TRY(const auto request, MakeRequest(options, ready, session));
  count::Images images;
  TRY(const auto found, why::FindWhy(request, host::FindEngineFiles(), images, session.progress));
  const auto fixes = why::FixesFor(found);
  Outcome outcome;
  outcome.exit_status = found.first.ended.ShellStatus();
  report::Document& document = outcome.document;
  if (options.fix) {
    document.blocks.emplace_back(report::Text{"options", FixText(fixes)});
    AddSettings(document, found.setting);
    return outcome;
  }
  outcome.beside_program = true;
  document.title =
      fmt::format("What moves {}", Printable(request.program.path.filename().string()));
  document.blocks.emplace_back(CausesTable(found, 1 - request.alpha, session.machine_readable));
  for (const why::Answer& answer : found.answers) {
    if (answer.sweep) document.blocks.emplace_back(SweepSeries(answer));
  }
  if (!fixes.empty()) document.blocks.emplace_back(FixTable(fixes));
  document.blocks.emplace_back(report::Text{"summary", WhySummary(found, request.region)});
  AddCaveats(document, found.caveats);
  StateDroppedControl(document);
  AddSettings(document, found.setting);
  return outcome;
}

}  // namespace

Command WhyCommand() {
  return MakeCommand<WhyOptions>(
      {"why", "which cause moves a program's counts or its time",
       "Runs the program again and again with everything held fixed but one thing: where stack, "
       "heap and libraries lie, the size of the environment, the lengths of paths, the processor "
       "that libraries see, the process id, the time, random numbers and files of /proc that it is "
       "told, and for its time huge pages, cores, a busy neighbour and cold files. All are moved "
       "at once first; only what moves the program is looked at closer, put to a test with runs of "
       "its own, and ranked.\n\n"
       "The program's own output is passed on from its first run and the report goes to standard "
       "error; with --json, --csv or --markdown the report goes to standard output and the "
       "program's is dropped. The exit status is the program's.",
       kExamples, true},
      kFlags, RunWhy);
}

}  // namespace tare::cli
