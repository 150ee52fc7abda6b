// instrument_plan.h: what the compiler plugin counts, passed as text in an environment variable.
//
// tare-cc writes the plan from a TOML file that it has checked, and the plugin reads it. Both
// include this header, so it uses only the standard library.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tare::format {

inline constexpr const char* kPlanVariable = "TARE_PLAN";

enum class MetricEvent { kCall, kVirtual, kUpdate, kLine, kLoop, kBlock };
// A glob is matched with fnmatch(3) without flags. A regular expression is a POSIX extended one and
// must match the whole name.
enum class NameMatch { kExact, kGlob, kRegex };

// The values that are aggregated in addition to the number of events.
struct ValueOf {
  static constexpr int kReturn = 0;
  int argument = 1;  // number of the argument from 1, or kReturn
  bool is_signed = false;
  bool sum = false;
  bool minimum = false;
  bool maximum = false;
  bool histogram = false;
};

struct PlannedMetric {
  std::string name;
  MetricEvent event = MetricEvent::kCall;
  NameMatch match = NameMatch::kExact;
  // A function ("BZ2_compressBlock", "Table::Find"), a variable ("total", or "main.calls" for a
  // static variable of a function), a member ("EState::nblock"), a line or loop ("compress.c:120"),
  // or a block ("BZ2_compressBlock:3").
  std::string what;
  std::string file;  // a glob for the paths of source files; empty: any
  std::optional<ValueOf> value;
};

// Selects the functions that satisfy all conditions; each gets a counter.
struct FunctionSelection {
  std::vector<std::string> names;  // globs; empty: all
  std::vector<std::string> not_names;
  std::vector<std::string> files;  // globs; empty: all
  std::vector<std::string> not_files;
  std::uint64_t min_instructions = 0;  // minimum number of instructions before optimisation
  bool skip_inline = false;            // marked inline, or members defined in their class
  // From a profile: functions with these linker symbols or demangled names are excluded.
  std::vector<std::string> too_often;
};

// Which debug information to remove after the plugin's work, because it was generated only for the
// plugin.
enum class StripDebug {
  kNothing,
  kToLines,  // all except the line table, as with -g1
  kAll,
};

// What a program writes down in order.
enum class StreamContent {
  kNothing,
  kBlocks,
  kAddresses,  // blocks and the addresses that they access
};

struct InstrumentPlan {
  std::vector<PlannedMetric> metrics;
  std::optional<FunctionSelection> functions;
  bool blocks = false;  // count the executions of all blocks
  StreamContent stream = StreamContent::kNothing;
  bool names = true;            // store the names that can be selected in the object file
  bool atomic = false;          // make increments atomic with respect to signal handlers
  std::uint64_t placement = 0;  // seed of random function order and alignment; 0: original order
  StripDebug strip_debug = StripDebug::kNothing;
  std::string list;  // file to which the selectable names are appended; empty: none. If set,
                     // nothing is counted
};

// One item per line, with fields separated by tabs. Backslash, tab and newline in fields are
// escaped with a backslash.
std::string PlanText(const InstrumentPlan& plan);

// Returns nothing if the text was not produced by PlanText.
std::optional<InstrumentPlan> ParsePlanText(std::string_view text);

// Something that a metric can select in a translation unit: one line of section .tare_names and of
// InstrumentPlan::list.
enum class CandidateKind {
  kFunction,  // defined here, for `call`
  kLibrary,   // called here and defined elsewhere, for `call`
  kVirtual,   // called here through a virtual table, for `virtual`
  kVariable,  // for `update`
  kMember,    // for `update`
  kLine,      // with code, for `line`
  kLoop,      // for `loop`
  kBlock,     // for `block`
};

struct Candidate {
  CandidateKind kind = CandidateKind::kFunction;
  std::string name;        // as in PlannedMetric::what
  std::string file;        // source file; may be empty
  std::uint64_t line = 0;  // 0: unknown
  std::string detail;      // "inline", "static"; may be empty
};

// "KIND\tNAME\tFILE\tLINE\tDETAIL\n", escaped as in PlanText.
std::string CandidateLine(const Candidate& candidate);

// Parses one line, with or without its newline. Returns nothing if CandidateLine did not produce
// it.
std::optional<Candidate> ParseCandidateLine(std::string_view line);

}  // namespace tare::format
