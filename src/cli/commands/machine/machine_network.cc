// machine_network.cc: runs the ping-pong under the user's launcher and writes the network file.
#include "cli/commands/machine/machine_network.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "base/file.h"
#include "base/printable.h"
#include "base/private_directory.h"
#include "base/units.h"
#include "cli/cells.h"
#include "measure/mpi/mpi_record.h"
#include "measure/run/process.h"
#include "measure/run/program.h"
#include "predict/replay/network_survey.h"
#include "report/figures.h"

namespace tare::cli {
namespace {

constexpr std::uint64_t kMaxSurveyBytes = 1 << 20;

Result<std::filesystem::path> PingPongProgram(mpi::MpiKind kind) {
  TRY(auto program, mpi::RecordingLibrary(kind));
  program.replace_filename(fmt::format("tare-pingpong-{}", mpi::Name(kind)));
  std::error_code error;
  if (!std::filesystem::exists(program, error)) {
    return Fail(ErrorKind::kUnsupported,
                fmt::format("this tare was built without the ping-pong for {}; install its "
                            "development package and build tare again",
                            mpi::Name(kind)));
  }
  return program;
}

report::Table NetworkTable(const replay::Network& network) {
  report::Table table{"network",
                      fmt::format("Network {}", network.name),
                      {{"parameter"}, {"between_nodes"}, {"within_node"}},
                      {}};
  const auto cell = [](const replay::Uncertain& of, const char* unit) {
    Measured measured = Unbounded(of.value);
    measured.low = of.low;
    measured.high = of.high;
    return WithUnit(unit, measured);
  };
  const bool one = network.nodes == 1;
  const auto add = [&](const char* name, replay::Uncertain replay::LinkCosts::* member,
                       const char* unit) {
    table.rows.push_back(
        {std::string(name),
         one ? report::Cell(Absent("one node")) : cell(network.between.*member, unit),
         cell(network.within.*member, unit)});
  };
  add("latency", &replay::LinkCosts::latency, "s");
  add("bandwidth", &replay::LinkCosts::bandwidth, "B/s");
  add("overhead", &replay::LinkCosts::overhead, "s");
  if (network.hand_over.high > 0) {
    table.rows.push_back({std::string("hand_over"), report::Cell(Absent("within a node only")),
                          cell(network.hand_over, "s")});
    table.rows.push_back({std::string("shared_overhead"),
                          report::Cell(Absent("within a node only")),
                          cell(network.shared_overhead, "s")});
    table.rows.push_back({std::string("time_slice"), report::Cell(Absent("within a node only")),
                          cell(replay::Certain(network.time_slice), "s")});
  }
  return table;
}

report::Table MessageTable(const replay::NetworkSurvey& survey, const replay::Network& network) {
  report::Table table{"messages",
                      "One way of a message, measured and as the parameters describe it",
                      {{"pair"}, {"bytes", "B"}, {"measured", "s"}, {"model", "s"}},
                      {}};
  const auto add = [&](const char* pair, const replay::PairSurvey& of,
                       const replay::LinkCosts& costs) {
    for (const replay::MessageTime& time : of.times) {
      Measured measured = Unbounded(time.seconds.value);
      measured.low = time.seconds.low;
      measured.high = time.seconds.high;
      table.rows.push_back({std::string(pair), Count(time.bytes), measured,
                            Unbounded(replay::ModelTime(costs, of.eager_limit, time.bytes))});
    }
  };
  add("between", survey.between, network.between);
  add("within", survey.within, network.within);
  // Two ranks of one core: the latency passes during the hand-over, and so does a handshake.
  replay::PairSurvey shared = survey.shared;
  replay::LinkCosts costs = network.within;
  costs.latency = network.hand_over;
  if (network.shared_overhead.value > 0) costs.overhead = network.shared_overhead;
  shared.eager_limit = UINT64_MAX;
  add("shared", shared, costs);
  return table;
}

std::string NetworkText(const replay::Network& network, const std::string& output) {
  const replay::LinkCosts& costs = network.nodes == 1 ? network.within : network.between;
  const auto readable = [](double value, std::string_view unit) {
    const ScaledUnit scaled = ReadableUnit(value, unit);
    return fmt::format("{} {}", report::ShowRounded(value * scaled.factor, 3), scaled.symbol);
  };
  return fmt::format(
      "A message takes {}, plus {} of each processor, and {} per second{}; a send of up to {} "
      "bytes "
      "does not wait for its receiver. Stored in {}.",
      readable(costs.latency.value, "s"), readable(costs.overhead.value, "s"),
      readable(costs.bandwidth.value, "B"), network.nodes == 1 ? " within this node" : "",
      network.eager_limit, Printable(output));
}

}  // namespace

Result<Outcome> MeasureNetwork(const std::string& output, const std::string& name, bool quick,
                               Session& session) {
  if (output.empty()) return Fail(ErrorKind::kUsage, "--network needs -o FILE for the network");
  if (session.program.empty()) {
    return Fail(
        ErrorKind::kUsage,
        "--network needs a launcher: tare machine measure --network -o FILE -- mpirun -n 2");
  }
  const char* path = std::getenv("PATH");
  const auto kind = mpi::FindMpiKind(session.program, path == nullptr ? "" : path);
  TRY(const auto pingpong, PingPongProgram(kind.value_or(mpi::MpiKind::kOpenMpi)));
  TRY(const auto directory, PrivateDirectory::Make());
  const std::filesystem::path results = directory.path() / "pingpong";
  std::vector<std::string> words = session.program;
  words.insert(words.end(), {pingpong.string(), results.string(), quick ? "0.02" : "0.2"});
  TRY(const auto program, run::Resolve({words}));
  run::Setting setting;
  setting.randomize_addresses = true;
  run::Hooks hooks;
  hooks.interrupted = session.interrupted;
  session.progress(0, "ping-pong");
  TRY(const auto finished, run::RunProgram(program, setting, hooks));
  if (finished.ended.interrupted) return Stopped();
  const auto text = ReadFile(results, kMaxSurveyBytes);
  if (finished.ended.ShellStatus() != 0 || !text) {
    return Fail(
        ErrorKind::kUnsupported,
        fmt::format("the ping-pong did not run: '{}' ended with status {}; it needs two ranks "
                    "or more, such as mpirun -n 2",
                    Printable(words.front()), finished.ended.ShellStatus()));
  }
  TRY(const auto survey, replay::ParseSurvey(*text));
  const std::string network_name =
      name.empty() ? std::filesystem::path(output).stem().string() : name;
  TRY(const auto network, replay::NetworkOf(survey, network_name));
  TRY_VOID(WriteFileAtomically(output, replay::FormatNetwork(network)));
  Outcome outcome;
  outcome.beside_program = true;
  report::Document& document = outcome.document;
  document.title = fmt::format("Network {}", Printable(network_name));
  document.blocks.emplace_back(report::Text{"answer", NetworkText(network, output)});
  document.blocks.emplace_back(NetworkTable(network));
  document.blocks.emplace_back(MessageTable(survey, network));
  return outcome;
}

}  // namespace tare::cli
