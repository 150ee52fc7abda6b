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

const std::vector<Flag<WhyOptions>> kWhyFlags = WithProgramFlags<WhyOptions>({
    {{"--of", "WHAT", "response to explain: counts, time or both (default: both)", kOf},
     &WhyOptions::of},
    {{"--engine", "NAME", "engine that counts instructions (default: valgrind)", kEngines},
     &WhyOptions::engine},
    {{"--region", "FUNCTION", "count inside this function only, callees included (default: main)"},
     &WhyOptions::region},
    {{"--whole", "", "count the whole program, including the dynamic loader"}, &WhyOptions::whole},
    {{"--children", "", "count child processes and programs started by execve too"},
     &WhyOptions::children},
    {{"--static", "FILE",
      "the same program linked statically, or dynamically if PROGRAM is static"},
     &WhyOptions::other_linking},
    {{"--objects", "FILE", "list of the program's object files in link order, one per line"},
     &WhyOptions::objects},
    {{"--linker", "WORDS",
      "command that links the objects; tare appends them and -o (default: c++)"},
     &WhyOptions::linker},
    {{"--budget", "TIME",
      "total time for all runs (default: 100 times the program's run time, at least 1min)"},
     &WhyOptions::budget},
    {{"--alpha", "P",
      "probability that any factor without effect is called a cause (default: 0.05)"},
     &WhyOptions::alpha},
    {{"--min-effect", "PERCENT", "smallest change that is called a cause (default: 0.1)"},
     &WhyOptions::min_effect},
    {{"--seed", "N", "seed of the order of the runs (default: 1)"}, &WhyOptions::seed},
    {{"--fix", "", "print the options of tare that make the program repeatable, in the first line"},
     &WhyOptions::fix},
});

constexpr std::array kWhyExamples = {
    Example{"tare why -- ./parser input", "what changes its instruction count, and what its time"},
    Example{"tare why --of counts --whole -- perl script.pl",
            "only its counts, including program start"},
    Example{"tare why --of counts --fix -- ./p", "the options to add to other tare commands"},
    Example{"tare why --of time --objects order.txt --linker \"cc -lm\" -- ./p",
            "test whether the link order matters"},
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
    return Fail(ErrorKind::kUsage, "--linker requires --objects FILE");
  }
  TRY(const auto text, ReadFile(options.objects, 1 << 20));
  request.objects = Words(text);
  request.linker = Words(options.linker.empty() ? "c++" : options.linker);
  if (request.linker.empty()) return Fail(ErrorKind::kUsage, "--linker: expected a command");
  return {};
}

// main, unless another function or the whole program is requested, or there is no main.
Result<std::string> ChooseRegion(const WhyOptions& options, const run::ResolvedProgram& program) {
  if (options.whole && !options.region.empty()) {
    return Fail(ErrorKind::kUsage, "--whole and --region cannot be combined");
  }
  const auto engine = engine::ParseEngine(options.engine);
  const bool can = engine && engine::Row(*engine).counts_regions;
  if (options.whole || !can) {
    if (options.region.empty()) return "";
    return Fail(ErrorKind::kUsage,
                fmt::format("engine {} does not support --region", options.engine));
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
    return Fail(ErrorKind::kUsage, "--alpha: expected a probability between 0 and 0.5");
  }
  if (options.min_effect) request.min_effect = *options.min_effect / 100;
  if (!(request.min_effect >= 0 && request.min_effect <= 1)) {
    return Fail(ErrorKind::kUsage, "--min-effect: expected a percentage from 0 to 100");
  }
  request.seed = static_cast<std::uint64_t>(options.seed.value_or(1));
  if (options.fix) request.setting = run::WithDiscardedOutput(request.setting);
  request.interrupted = session.interrupted;
  return request;
}

Result<Outcome> RunWhy(const WhyOptions& options, Session& session) {
  TRY(const auto ready, Prepare(options, session));
  TRY(const auto request, MakeRequest(options, ready, session));
  count::Images images;
  TRY(const auto found, why::FindWhy(request, host::FindEngineFiles(), images, session.progress));
  const auto fixes = why::FixesFor(found);
  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.exit_status = found.first.ended.ShellStatus();
    report::Document& document = outcome.document;
    if (options.fix) {
      document.blocks.emplace_back(report::Text{"options", FixText(fixes)});
      AddSettings(document, found.setting);
      outcome.only_blocks = true;
      return outcome;
    }
    outcome.beside_program = true;
    document.title = fmt::format("Causes of variation in {}", run::ShownName(request.program));
    document.blocks.emplace_back(CausesTable(found, 1 - request.alpha, all));
    for (const why::Answer& answer : found.answers) {
      if (answer.sweep) document.blocks.emplace_back(SweepSeries(answer));
    }
    if (!fixes.empty()) document.blocks.emplace_back(FixTable(fixes));
    document.blocks.emplace_back(report::Text{"summary", WhySummary(found, request.region)});
    if (all) document.blocks.emplace_back(WhySamplesTable(found));
    outcome.not_in_text = {"samples"};
    for (const why::Answer& answer : found.answers) {
      if (answer.response == why::Response::kCounts) outcome.sources.push_back(answer.source);
    }
    AddCaveats(document, found.caveats);
    StateDroppedControl(document);
    AddSettings(document, found.setting);
    return outcome;
  });
}

}  // namespace

Command WhyCommand() {
  return MakeCommand<WhyOptions>(
      {"why", "find the factors that change a program's counts or time",
       "Runs the program repeatedly with all factors fixed except the varied ones: the addresses "
       "of "
       "stack, heap and libraries, the size of the environment, the lengths of paths, the "
       "processor that libraries see, the process ID, the time, random numbers and files of /proc "
       "that it reads, and for its time huge pages, cores, a busy neighbour and cold files. All "
       "factors are varied together first. Only factors that change the response are examined "
       "further, confirmed with fresh runs, and ranked.\n\n"
       "The program's output of the first run is passed on, and the report goes to standard "
       "error. With --json, --csv or --markdown the report goes to standard output, and the "
       "program's output is discarded. The exit status is that of the program.",
       kWhyExamples, true},
      kWhyFlags, RunWhy);
}

}  // namespace tare::cli
