// observations.h: the counts of several sources for several programs, and what ran in each.
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
  kPrefix,       // a rep prefix: iterations after the first
  kEvent,        // page faults, context switches, seconds
  kInstruction,  // every instruction equally
  kConstant,     // the same for every program
};

std::string_view Name(CauseKind kind);

// Something that happens in programs and that one source may count and another not.
struct Cause {
  CauseKind kind;
  std::string name;

  friend auto operator<=>(const Cause&, const Cause&) = default;
};

// The event whose coefficient is a rate, and the events about the clock, which explain no count.
inline constexpr std::string_view kSeconds = "seconds";
inline constexpr std::string_view kCycles = "cycles";
inline constexpr std::string_view kStatedMhz = "stated_mhz";

// One program, or one region of a program. Repeated observations are averaged.
struct Program {
  std::string name;
  std::string machine;                    // empty if unknown
  std::map<std::string, double> sources;  // instructions, by source
  std::map<Cause, double> causes;         // occurrences
};

// Reads saved counts file by file and joins rows of the same program.
class ObservationReader {
 public:
  // `text` is a document of `tare count --per opcode --top 0`, or CSV with the columns benchmark,
  // kind (source, opcode, prefix or event), name and count, plus machine if there are several.
  // kFormat; messages begin with `name`.
  Result<void> Add(std::string_view text, std::string_view name);

  // In order of first occurrence.
  std::vector<Program> Programs() const;

  // For each file whose last number may be cut off, why.
  const std::vector<std::string>& Doubts() const { return doubts_; }

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
  std::vector<std::string> doubts_;
  std::map<std::pair<std::string, std::string>, std::size_t> places_;
};

}  // namespace tare::explain
