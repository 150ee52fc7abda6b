// instrument_plan.h: what the compiler's plugin shall count, as text in an environment variable.
//
// Written by tare-cc from a TOML file that it has checked, read by the plugin. Nothing but the
// standard library, because both include it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tare::format {

inline constexpr const char* kPlanVariable = "TARE_PLAN";

enum class MetricEvent { kCall, kVirtual, kUpdate, kLine, kLoop, kBlock };
// A glob is one of fnmatch(3) without flags; a regular expression is an extended one of POSIX and
// must match the whole name.
enum class NameMatch { kExact, kGlob, kRegex };

// What is summed up beside the number of events.
struct ValueOf {
  static constexpr int kReturn = 0;
  int argument = 1;  // from 1, or kReturn
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
  // A function ("BZ2_compressBlock", "Table::Find"), a variable ("total", "main.calls" for a static
  // one of a function), a member ("EState::nblock"), a line or loop ("compress.c:120"), a block
  // ("BZ2_compressBlock:3").
  std::string what;
  std::string file;  // a glob over paths of source files; empty: any
  std::optional<ValueOf> value;
};

// A counter for each function that passes all of these.
struct FunctionSelection {
  std::vector<std::string> names;  // globs; empty: all
  std::vector<std::string> not_names;
  std::vector<std::string> files;  // globs; empty: all
  std::vector<std::string> not_files;
  std::uint64_t at_least = 0;  // instructions before optimisation
  bool skip_inline = false;    // marked inline, and members defined in their class
  // From a profile: functions of these names, as the linker knows them or demangled, are left out.
  std::vector<std::string> too_often;
};

// Debug information that was asked for on behalf of the plugin alone, to be taken away when its
// work is done.
enum class StripDebug {
  kNothing,
  kToLines,  // all but the table of lines: as with -g1
  kAll,
};

struct InstrumentPlan {
  std::vector<PlannedMetric> metrics;
  std::optional<FunctionSelection> functions;
  bool blocks = false;          // count the executions of all blocks
  bool stream = false;          // blocks and addresses, in order
  bool names = true;            // leave the names that could be chosen in the object
  bool atomic = false;          // increments that no signal handler can come between
  std::uint64_t placement = 0;  // functions at other places for each number; 0: as they come
  StripDebug strip_debug = StripDebug::kNothing;
  std::string list;  // a file to append to what could be chosen; empty: none. Nothing is counted
};

// One item in a line, fields between tabs, "\\", "\t" and "\n" in fields escaped by a backslash.
std::string PlanText(const InstrumentPlan& plan);

// Nothing when the text is not one that PlanText has made.
std::optional<InstrumentPlan> ParsePlanText(std::string_view text);

// What could be chosen in a translation unit: one line of the section .tare_names and of the list.
enum class ChoiceKind {
  kFunction,  // defined here, for `call`
  kLibrary,   // called here and defined elsewhere, for `call`
  kVirtual,   // called through a table here, for `virtual`
  kVariable,  // for `update`
  kMember,    // for `update`
  kLine,      // for `line`: one with code
  kLoop,      // for `loop`
  kBlock,     // for `block`
};

struct Choice {
  ChoiceKind kind = ChoiceKind::kFunction;
  std::string name;        // as PlannedMetric::what is to name it
  std::string file;        // of the source; may be empty
  std::uint64_t line = 0;  // 0: not known
  std::string detail;      // "inline", "static"; may be empty
};

// "KIND\tNAME\tFILE\tLINE\tDETAIL\n", escaped as in PlanText.
std::string ChoiceLine(const Choice& choice);

// Of one line, with or without its end. Nothing when it is not one that ChoiceLine has made.
std::optional<Choice> ParseChoiceLine(std::string_view line);

}  // namespace tare::format
