// sign.cc: `tare sign`: one run of a program, for every machine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "base/file.h"
#include "base/printable.h"
#include "cli/application.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/sign/sign_options.h"
#include "cli/commands/sign/sign_reference.h"
#include "cli/program_options.h"
#include "cli/provenance.h"
#include "predict/signature/block_vectors.h"
#include "predict/signature/describe_blocks.h"
#include "predict/signature/signature_file.h"

namespace tare::cli {
namespace {

constexpr auto kPer = std::to_array<std::string_view>({"block", "function", "loop"});
constexpr auto kSources = std::to_array<std::string_view>({"valgrind", "compiled"});
constexpr auto kThreads = std::to_array<std::string_view>({"together", "separate"});

const std::vector<Flag<SignOptions>> kSignFlags = WithProgramFlags<SignOptions>({
    {{"-o,--output", "FILE", "store the signature in FILE"}, &SignOptions::output},
    {{"--show", "FILE", "show a stored signature; runs no program"}, &SignOptions::show},
    {{"--machine", "M...",
      "machine whose hit rates to show: a machine profile or processor description, by name or "
      "path (default: this machine)"},
     &SignOptions::machines},
    {{"--per", "WHAT", "list blocks, functions or loops (default: block)", kPer},
     &SignOptions::per},
    {{"--top", "N", "rows of that list; 0 for all (default: 10)"}, &SignOptions::top},
    {{"--source", "WHICH",
      "valgrind: any program; compiled: a program built by tare-cc --tare-blocks --tare-stream, "
      "without Valgrind (default: valgrind)",
      kSources},
     &SignOptions::source},
    {{"--sample", "", "sample fewer cache sets and lines, for long runs; wider intervals"},
     &SignOptions::sample},
    {{"--exact", "", "simulate all cache sets of the near zone: slower"}, &SignOptions::exact},
    {{"--seed", "N", "seed of the sample (default: 1)"}, &SignOptions::seed},
    {{"--threads", "HOW",
      "together: threads share caches; separate: also each thread with caches of its own (default: "
      "together)",
      kThreads},
     &SignOptions::threads},
    {{"--children", "", "sign child processes and programs started by execve too"},
     &SignOptions::children},
    {{"--once", "",
      "no native run: the program's output and exit status are those of the run that is signed"},
     &SignOptions::once},
    {{"--stride-depth", "N",
      "earlier references that each reference is compared with for strides (default: 8)"},
     &SignOptions::stride_depth},
    {{"--bbv", "FILE", "also write basic-block vectors to FILE, for SimPoint"}, &SignOptions::bbv},
    {{"--bbv-interval", "N", "instructions per basic-block vector (default: 100000000)"},
     &SignOptions::bbv_interval},
    {{"-v,--verbose", "", "show more columns, processes and levels"}, &SignOptions::verbose},
});

constexpr std::array kSignExamples = {
    Example{"tare sign -o spmv.sig -- ./spmv matrix", "one run, stored for every machine"},
    Example{"tare sign --show spmv.sig --machine zen2 --machine power3-ii-375",
            "hit rates of the blocks on two machines"},
    Example{"tare sign --show spmv.sig --per loop --top 0", "all loops, on this machine"},
    Example{"tare sign --exact --threads separate -o x.sig -- ./x",
            "without sampling, with caches of its own for each thread"},
    Example{"tare sign --bbv x.bbv --bbv-interval 10000000 -- ./x",
            "basic-block vectors for SimPoint"},
};

Result<void> AddTables(const signature::Signature& signature,
                       std::span<const DescribedMachine> machines, const SignOptions& options,
                       bool all, report::Document& document) {
  TRY(const auto view, SignViewOf(options, all));
  TRY(const auto hierarchies, HierarchiesOf(machines));
  AddSignTables(signature, hierarchies, view, document);
  if (options.machines.empty() && !machines.front().profile) {
    document.blocks.emplace_back(report::Text{
        "machine", fmt::format("{} is used for this machine, which has no profile; tare machine "
                               "measure makes one.",
                               Printable(machines.front().name()))});
  }
  AddCaveats(document, SignCaveats(signature, machines));
  return {};
}

Result<Outcome> ShowFile(const SignOptions& options, const Session& session) {
  if (!session.program.empty())
    return Fail(ErrorKind::kUsage, "--show runs no program; remove the program after --");
  if (!options.output.empty() || !options.bbv.empty())
    return Fail(ErrorKind::kUsage, "--show writes no files; remove --output and --bbv");
  TRY(const auto machines, SignMachines(options));
  TRY(const auto signature, signature::ReadSignature(options.show));
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Signature {}", Printable(options.show));
    TRY_VOID(AddTables(signature, machines, options, all, document));
    document.blocks.emplace_back(report::Text{
        "signed", fmt::format("Of {}, on {}, {}.",
                              Printable(fmt::format("{}", fmt::join(signature.command, " "))),
                              Printable(signature.machine), Printable(signature.time))});
    return document;
  };
  return MakeOutcome(session, make);
}

Result<Outcome> RunSign(const SignOptions& options, Session& session) {
  if (!options.show.empty()) return ShowFile(options, session);
  if (session.program.empty()) return ProgramMissing("sign");
  TRY_VOID(SignViewOf(options, session.machine_readable));
  TRY(const auto machines, SignMachines(options));
  TRY(const auto ready,
      Prepare(options, session, options.once ? InputUse::kOneRun : InputUse::kSeveralRuns));
  TRY(auto plan, SignPlan(options, ready, session));
  std::optional<SignReference> reference;
  if (!options.once) {
    TRY(reference, RunNatively(plan.engine));
    plan.engine.setting = run::WithDigestedOutput(reference->native.setting);
  }
  TRY(const auto collected, signature::Collect(plan));
  count::Images images;
  const signature::SignedRun run{session.program, std::string(Version()), TimeNow(),
                                 ThisMachine().machine};
  TRY(const auto signature, signature::Describe(collected, run, images));

  std::string stored = "Not stored; use -o FILE to store the signature.";
  if (!options.output.empty()) {
    TRY_VOID(signature::WriteSignature(signature, options.output));
    stored =
        fmt::format("Stored in {0}; tare sign --show {0} shows it.", Printable(options.output));
  }
  if (!options.bbv.empty()) {
    TRY_VOID(WriteFileAtomically(options.bbv, signature::FormatBlockVectors(collected)));
    stored += fmt::format(" {} basic-block vectors are in {}.", collected.vectors.size(),
                          Printable(options.bbv));
  }
  std::vector<Caveat> differences;
  if (reference) {
    TRY(differences, CompareWithNative(*reference, plan.engine, collected.finished));
  }
  const auto make = [&](bool all) -> Result<report::Document> {
    report::Document document;
    document.title = fmt::format("Signature of {}", run::ShownName(ready.program));
    TRY_VOID(AddTables(signature, machines, options, all, document));
    document.blocks.emplace_back(report::Text{"stored", stored});
    AddCaveats(document, collected.finished.caveats);
    AddCaveats(document, differences);
    StateDroppedControl(document);
    AddSettings(document, plan.engine.setting);
    return document;
  };
  TRY(Outcome outcome, MakeOutcome(session, make));
  outcome.beside_program = true;
  const run::Finished& seen = reference ? reference->native.finished : collected.finished;
  outcome.exit_status = seen.ended.ShellStatus();
  outcome.sources = {std::string(Name(engine::Engine::kValgrind))};
  outcome.needed_events = {"instructions", "loads", "stores"};
  return outcome;
}

}  // namespace

Command SignCommand() {
  CommandText text{
      "sign", "collect the signature of a program: one run, hit rates on every machine",
      "Runs the program under Valgrind once and collects for each basic block what it executes and "
      "how it uses "
      "memory: references, strides, floating-point operations, dependences, and reuse distances "
      "from which hit rates follow for every cache hierarchy. tare predict turns a signature into "
      "times.\n\n"
      "The table shows the blocks that make most memory references, with the share of their "
      "references that each level of the machine, or a level nearer to the core, serves. Several "
      "machines can be given.\n\n"
      "The program's output is passed on, and the report goes to standard error. With --json, "
      "--csv or --markdown the report goes to standard output, and the program's output is "
      "discarded. Output and exit status are those of a native run before, and a run under "
      "Valgrind "
      "that ends or writes otherwise has a caveat; --once leaves the native run out.",
      kSignExamples, true};
  text.may_lack_program = true;
  static constexpr auto kForms =
      std::to_array<std::string_view>({"-- PROGRAM [ARGUMENT...]", "--show FILE"});
  text.forms = kForms;
  return MakeCommand<SignOptions>(text, kSignFlags, RunSign);
}

}  // namespace tare::cli
