// debugger_test.cc: compares counts with those of a debugger that stops at every call and change.
#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "levels.h"

namespace tare::compiled {
namespace {

using format::InstrumentPlan;
using format::MetricEvent;

// Returns how often gdb stopped at each of `stops`, in their order.
std::vector<std::int64_t> HitsOf(const CompiledProgram& program,
                                 const std::vector<std::string>& stops) {
  std::string command = "gdb -nx -batch -ex 'set confirm off' -ex 'break main' -ex run";
  for (std::size_t i = 0; i < stops.size(); ++i) {
    command += " -ex '" + stops[i] + "' -ex 'ignore " + std::to_string(i + 2) + " 1000000'";
  }
  command += " -ex continue -ex 'info breakpoints' " + program.Executable().string();
  const Built result = Shell("LC_ALL=C DEBUGINFOD_URLS= timeout 120 " + command);
  std::vector<std::int64_t> hits(stops.size(), 0);
  std::istringstream lines(result.messages);
  std::size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_search(line, found, std::regex("^([0-9]+) +(breakpoint|hw watchpoint)"))) {
      number = std::stoul(found[1]);
    }
    if (number >= 2 && number < stops.size() + 2 &&
        std::regex_search(line, found, std::regex("already hit ([0-9]+) time"))) {
      hits[number - 2] = std::stoll(found[1]);
    }
  }
  EXPECT_TRUE(result.messages.find("exited normally") != std::string::npos) << result.messages;
  return hits;
}

class Debugger : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string why = WhyNot(); !why.empty()) GTEST_SKIP() << why;
    const Built probe = Shell("gdb -nx -batch -ex run --args /bin/true");
    if (probe.messages.find("exited normally") == std::string::npos) {
      GTEST_SKIP() << "gdb cannot run programs here: " << probe.messages;
    }
  }
};

TEST_F(Debugger, StopsAsOftenAsCallsAreCounted) {
  const std::vector<std::string> names = {"fibonacci", "pointed", "small", "elsewhere", "malloc"};
  InstrumentPlan plan;
  std::vector<std::string> stops;
  for (const std::string& name : names) {
    plan.metrics.push_back(Metric(MetricEvent::kCall, name));
    if (name != "malloc") stops.push_back("break " + name);
  }
  CompiledProgram program({"calls.c", "calls_elsewhere.c"}, plan);
  ASSERT_EQ(program.Build({"-O0", "-g"}).status, 0);
  program.Run();
  const Counts counts = program.Counted();
  const auto hits = HitsOf(program, stops);
  for (std::size_t i = 0; i < hits.size(); ++i) EXPECT_EQ(counts.at(names[i]), hits[i]) << names[i];
}

// gdb detects a change of value, so every store here changes the value.
TEST_F(Debugger, SeesAsManyChangesAsUpdatesAreCounted) {
  InstrumentPlan plan;
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "shared"));
  plan.metrics.push_back(Metric(MetricEvent::kUpdate, "own"));
  CompiledProgram program({"updates.c"}, plan);
  ASSERT_EQ(program.Build({"-O0", "-g"}).status, 0);
  program.Run();
  const Counts counts = program.Counted();
  const auto hits = HitsOf(program, {"watch -location shared", "watch -location own"});
  EXPECT_EQ(counts.at("shared"), hits[0]);
  EXPECT_EQ(counts.at("own"), hits[1]);
}

}  // namespace
}  // namespace tare::compiled
