// observations.h: what several sources counted for several programs, and what ran in each.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "report/document.h"

namespace tare::explain {

enum class CauseKind {
  kOpcode,
  kPrefix,       // a repeat prefix: iterations beyond the first
  kEvent,        // page faults, context switches, seconds
  kInstruction,  // every instruction alike
  kConstant,     // the same for every program
};

std::string_view Name(CauseKind kind);

// Something that happens in programs and may be counted by one source and not by another.
struct Cause {
  CauseKind kind;
  std::string name;

  friend auto operator<=>(const Cause&, const Cause&) = default;
};

// The event whose coefficient is a rate, and those that speak of the clock and explain no count.
inline constexpr std::string_view kSeconds = "seconds";
inline constexpr std::string_view kCycles = "cycles";
inline constexpr std::string_view kStatedMhz = "stated_mhz";

// One program, or one region of one. What was seen several times stands with its mean.
struct Program {
  std::string name;
  std::string machine;                    // empty where nothing names it
  std::map<std::string, double> sources;  // instructions, by who counted
  std::map<Cause, double> causes;         // occurrences
};

// Reads saved counts file by file; rows of the same program are joined.
class ObservationReader {
 public:
  // A document of `tare count --per opcode --top 0`, or CSV with the columns benchmark, kind
  // (source, opcode, prefix or event), name and count, and machine where there are several. `name`
  // opens every message (kFormat).
  Result<void> Add(std::string_view text, std::string_view name);

  // In the order in which they came first.
  std::vector<Program> Programs() const;

 private:
  struct Sum {
    double total = 0;
    double times = 0;
  };
  struct Entry {
    std::string name;
    std::string machine;
    std::map<std::string, Sum> sources;
    std::map<Cause, Sum> causes;
    std::map<std::string, std::string> counted_on;  // machine, by source
  };

  Result<void> AddCsv(std::string_view text, std::string_view name);
  Result<void> AddDocument(const report::Document& document, std::string_view name);
  Entry& EntryOf(const std::string& program, const std::string& machine);

  std::vector<Entry> entries_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace tare::explain
