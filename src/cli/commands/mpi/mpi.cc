// mpi.cc: `tare mpi`: records the MPI calls of a command, and shows, checks and joins traces.
#include <fmt/format.h>

#include <array>
#include <random>
#include <system_error>

#include "base/file.h"
#include "base/printable.h"
#include "base/private_directory.h"
#include "cli/cells.h"
#include "cli/commands.h"
#include "cli/commands/mpi/mpi_files.h"
#include "cli/commands/mpi/mpi_tables.h"
#include "machine/host/installed_program.h"
#include "measure/mpi/mpi_record.h"

namespace tare::cli {
namespace {

struct MpiOptions {
  std::string output;
  std::string library;
  std::optional<std::int64_t> job;
  std::optional<WrittenDuration> timeout;
  std::string otf2;
  bool verbose = false;
};

constexpr auto kLibraries = std::to_array<std::string_view>({"openmpi", "mpich"});

const std::vector<Flag<MpiOptions>> kMpiFlags = {
    {{"-o,--output", "DIRECTORY", "store the trace in DIRECTORY, which must be new or empty"},
     &MpiOptions::output},
    {{"--mpi", "LIBRARY",
      "MPI library of the program (default: the one that it links, or the launcher's)", kLibraries},
     &MpiOptions::library},
    {{"--job", "N", "job to read, if the command started several (default: 1)"}, &MpiOptions::job},
    {{"--otf2", "DIRECTORY", "with export: write an OTF2 archive to this new directory"},
     &MpiOptions::otf2},
    {{"--timeout", "TIME", "end the command after this time (default: no limit)"},
     &MpiOptions::timeout},
    {{"-v,--verbose", "", "show all ranks and functions, and sizes of messages"},
     &MpiOptions::verbose},
};

constexpr std::array kMpiExamples = {
    Example{"tare mpi -o trace -- mpirun -n 4 ./solver", "record a run of four ranks"},
    Example{"tare mpi show trace -v", "where its ranks spent their time, in full"},
    Example{"tare mpi check trace", "whether every message has its receive"},
    Example{"tare mpi join -o trace host1/trace host2/trace",
            "files that hosts without a common file system wrote"},
    Example{"tare mpi export trace --otf2 archive", "for other tools"},
    Example{"tare mpi show archive/traces.otf2", "an archive of another tool, or our own"},
};

Result<std::uint32_t> JobOf(const MpiOptions& options) {
  const std::int64_t job = options.job.value_or(1);
  if (job < 1 || job > 1'000'000) return Fail(ErrorKind::kUsage, "--job must be 1 or more");
  return static_cast<std::uint32_t>(job);
}

std::uint64_t RandomRun() {
  std::random_device device;
  std::uint64_t run = 0;
  while (run == 0) run = std::uint64_t{device()} << 32 | device();
  return run;
}

Result<mpi::MpiKind> KindOf(const MpiOptions& options, const Session& session) {
  if (!options.library.empty()) return *mpi::ParseMpiKind(options.library);
  return mpi::FindMpiKind(session.program, host::SearchPath()).value_or(mpi::MpiKind::kOpenMpi);
}

Result<Outcome> Record(const MpiOptions& options, Session& session) {
  if (!session.operands.empty()) {
    return Fail(ErrorKind::kUsage,
                fmt::format("'{}' before the command; give either an action or a command after --",
                            Printable(session.operands.front())));
  }
  if (options.job || !options.otf2.empty()) {
    return Fail(ErrorKind::kUsage, "--job and --otf2 are for stored traces: tare mpi show, export");
  }
  mpi::RecordRequest request;
  TRY(request.kind, KindOf(options, session));
  TRY(request.library, mpi::RecordingLibrary(request.kind));
  TRY(request.program, run::Resolve({session.program}));
  std::optional<PrivateDirectory> temporary;
  if (options.output.empty()) {
    TRY(auto made, PrivateDirectory::MakeOnDisk());
    temporary.emplace(std::move(made));
    request.directory = temporary->path();
  } else {
    TRY(request.directory, MakeTraceDirectory(options.output));
  }
  TRY(const auto counters, PrivateDirectory::Make());
  request.counters = counters.path();
  request.run = RandomRun();
  request.interrupted = session.interrupted;
  request.setting.randomize_addresses = true;
  request.setting.environment.sorted = false;
  if (options.timeout) request.setting.timeout_seconds = options.timeout->seconds;
  if (session.discards_output) request.setting.output = run::Output::kDiscarded;
  TRY(const auto finished, mpi::RecordMpi(request));

  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.beside_program = true;
    outcome.exit_status = finished.ended.ShellStatus();
    report::Document& document = outcome.document;
    document.title = fmt::format("MPI trace of {}", run::ShownName(request.program));
    document.provenance.settings["mpi"] = std::string(mpi::Name(request.kind));
    const auto joined = mpi::ReadMpiDirectory(request.directory);
    if (!joined) {
      document.blocks.emplace_back(report::Text{
          "answer",
          fmt::format("No MPI process was recorded (looked for {}).", mpi::Name(request.kind))});
      AddCaveats(document, std::array{Caveat{CaveatId::kNoMpiProcess, ""}});
      return outcome;
    }
    AddMpiTables(*joined, {options.verbose || all}, document);
    const std::string directory = Printable(options.output);
    std::string stored = fmt::format("Stored in {}.", directory);
    if (temporary) {
      stored = "Not stored; use -o DIRECTORY to store the trace.";
    } else if (!joined->trace.ranks.front().header.is_without_mpi) {
      stored = fmt::format("Stored in {0}; tare replay {0} predicts its time on other networks.",
                           directory);
    }
    document.blocks.emplace_back(report::Text{"stored", std::move(stored)});
    AddCaveats(document, finished.caveats);
    return outcome;
  });
}

Result<std::string> OnlyDirectory(const Session& session) {
  if (session.operands.size() != 2) {
    return Fail(ErrorKind::kUsage, fmt::format("tare mpi {} needs one directory",
                                               Printable(session.operands.front())));
  }
  return session.operands[1];
}

Result<Outcome> Show(const MpiOptions& options, const Session& session) {
  TRY(const auto job, JobOf(options));
  TRY(const auto directory, OnlyDirectory(session));
  TRY(const auto joined, mpi::ReadMpiDirectory(directory, job));
  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.document.title = fmt::format("MPI trace {}", Printable(directory));
    AddMpiTables(joined, {options.verbose || all}, outcome.document);
    return outcome;
  });
}

Result<Outcome> Check(const MpiOptions& options, const Session& session) {
  TRY(const auto job, JobOf(options));
  TRY(const auto directory, OnlyDirectory(session));
  TRY(const auto joined, mpi::ReadMpiDirectory(directory, job));
  Outcome outcome;
  outcome.document.title = fmt::format("Check of the MPI trace {}", Printable(directory));
  AddMpiCheck(joined, outcome.document);
  outcome.exit_status = IsSound(joined, mpi::MatchMpiTrace(joined.trace)) ? 0 : 1;
  return outcome;
}

Result<Outcome> Join(const MpiOptions& options, const Session& session) {
  const std::vector<std::string> directories(session.operands.begin() + 1, session.operands.end());
  if (directories.empty() || options.output.empty()) {
    return Fail(ErrorKind::kUsage, "tare mpi join needs -o DIRECTORY and directories to join");
  }
  TRY(const auto joined, JoinDirectories(directories, options.output));
  return MakeOutcome(session, [&](bool all) -> Result<Outcome> {
    Outcome outcome;
    outcome.document.title = fmt::format("Joined MPI trace {}", Printable(options.output));
    AddMpiTables(joined, {options.verbose || all}, outcome.document);
    return outcome;
  });
}

Result<Outcome> Export(const MpiOptions& options, const Session& session) {
  if (options.otf2.empty()) {
    return Fail(ErrorKind::kUsage, "tare mpi export needs --otf2 DIRECTORY");
  }
  TRY(const auto job, JobOf(options));
  TRY(const auto directory, OnlyDirectory(session));
  TRY(const auto joined, mpi::ReadMpiDirectory(directory, job));
  TRY(const std::string text, ExportOtf2(joined, options.otf2));
  Outcome outcome;
  outcome.document.title = fmt::format("Export of the MPI trace {}", Printable(directory));
  outcome.document.blocks.emplace_back(report::Text{"answer", text});
  AddCaveats(outcome.document, joined.caveats);
  return outcome;
}

struct Action {
  std::string_view name;
  Result<Outcome> (*run)(const MpiOptions&, const Session&);
};
constexpr std::array kActions = {Action{"show", Show}, Action{"check", Check}, Action{"join", Join},
                                 Action{"export", Export}};

Result<Outcome> RunMpi(const MpiOptions& options, Session& session) {
  if (!session.program.empty()) return Record(options, session);
  if (session.operands.empty()) return ProgramMissing("mpi");
  for (const Action& action : kActions) {
    if (session.operands.front() == action.name) return action.run(options, session);
  }
  return Fail(ErrorKind::kUsage,
              fmt::format("no such action: '{}'; the actions are show, check, join and export, and "
                          "a command to record follows --",
                          Printable(session.operands.front())));
}

}  // namespace

Command MpiCommand() {
  static constexpr auto kForms = std::to_array<std::string_view>(
      {"-- PROGRAM [ARGUMENT...]", "show DIRECTORY", "check DIRECTORY",
       "join -o DIRECTORY DIRECTORY...", "export DIRECTORY --otf2 DIRECTORY"});
  return MakeCommand<MpiOptions>(
      {"mpi",
       "record the MPI calls of a program, and the computation between them",
       "Runs a command such as mpirun and records every MPI process that it starts: point-to-point "
       "messages, collectives, requests, communicators and one-sided operations with their peers, "
       "sizes and times, and the CPU time between them. The program need not be changed or linked "
       "again; Open MPI and MPICH, C and Fortran are supported. OpenMP programs built by clang "
       "also show their parallel regions and how long threads waited at barriers, even without "
       "MPI. Programs built by tare-cc --tare-blocks add what their blocks counted between calls, "
       "by "
       "which tare replay --machine predicts the speed of each burst. Each process writes a file "
       "of "
       "its own, which stays readable if the process dies.\n\n"
       "tare mpi show DIRECTORY shows a stored trace. tare mpi check DIRECTORY verifies that every "
       "message has its receive and that collective calls match; its exit status is 1 if not. "
       "tare mpi join -o DIRECTORY FROM... collects files that several hosts wrote. tare mpi "
       "export DIRECTORY --otf2 ARCHIVE writes a trace for other tools. An OTF2 archive, of tare "
       "or "
       "another tool, can be shown, checked and replayed like a directory. tare replay predicts "
       "the "
       "time of a trace on other networks.\n\n"
       "The program's output is passed on, and the report goes to standard error. With --json, "
       "--csv or --markdown the report goes to standard output, and the program's output is "
       "discarded. The exit status is that of the command.",
       kMpiExamples,
       true,
       {"[ACTION DIRECTORY...]", 0, 4096},
       true,
       kForms},
      kMpiFlags, RunMpi);
}

}  // namespace tare::cli
