// planted.h: sources derived from real counts that differ by planted causes.
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "analysis/explain/difference.h"
#include "base/check.h"
#include "base/file.h"
#include "stats/random.h"

namespace tare::explain {

// What the second source counts in addition to the first.
struct Plant {
  std::map<Cause, double> extra = {};
  double counts = 0;    // normal noise with this standard deviation, in counts
  double relative = 0;  // normal noise as a fraction of each count
  double outliers = 0;  // heavy-tailed noise, in counts
  double slower = 1;    // the seconds are multiplied by this
};

inline Cause Opcode(std::string name) { return {CauseKind::kOpcode, std::move(name)}; }
inline Cause Rep() { return {CauseKind::kPrefix, "rep"}; }
inline Cause Event(std::string name) { return {CauseKind::kEvent, std::move(name)}; }

// Counts of real programs, stored with the tests: benchmark, kind, name, count.
inline std::vector<Program> RealPrograms(const std::string& file) {
  const auto text =
      ReadFile(std::string(TARE_SOURCE_DIR) + "/tests/unit/analysis/explain/" + file, 1 << 20);
  CHECK(text);
  ObservationReader reader;
  CHECK(reader.Add(*text, file));
  return reader.Programs();
}

inline double Normal(stats::Generator& generator) {
  const double radius = std::sqrt(-2 * std::log(1 - generator.Unit()));
  return radius * std::cos(2 * M_PI * generator.Unit());
}

inline double Occurrences(const Program& program, const Cause& cause) {
  if (cause.kind == CauseKind::kConstant) return 1;
  const auto found = program.causes.find(cause);
  return found == program.causes.end() ? 0 : found->second;
}

// A random sample of `count` programs, of which at least `of_cause` have the cause.
inline std::vector<Program> Some(const std::vector<Program>& programs, std::size_t count,
                                 const Cause& cause, std::size_t of_cause,
                                 stats::Generator& generator) {
  std::vector<Program> chosen = programs;
  const auto has = [&](const Program& program) { return Occurrences(program, cause) > 0; };
  do {
    for (std::size_t i = chosen.size(); i > 1; --i) {
      std::swap(chosen[i - 1], chosen[generator.Below(i)]);
    }
  } while (static_cast<std::size_t>(std::count_if(
               chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(count), has)) <
           of_cause);
  chosen.resize(count);
  return chosen;
}

// Adds sources "exact" and "counter" to every program.
inline void AddSources(std::vector<Program>& programs, const Plant& plant,
                       stats::Generator& generator) {
  for (Program& program : programs) {
    double exact = 0;
    for (const auto& [cause, count] : program.causes) {
      if (cause.kind == CauseKind::kOpcode) exact += count;
    }
    auto seconds = program.causes.find(Event(std::string(kSeconds)));
    if (seconds != program.causes.end()) seconds->second *= plant.slower;
    double counter = exact;
    for (const auto& [cause, extra] : plant.extra) counter += extra * Occurrences(program, cause);
    counter += plant.counts * Normal(generator) + plant.relative * exact * Normal(generator);
    // Student's t with 2 degrees of freedom.
    if (plant.outliers > 0) {
      counter += plant.outliers * Normal(generator) / std::sqrt(-std::log(1 - generator.Unit()));
    }
    program.sources["exact"] = exact;
    program.sources["counter"] = std::max(0.0, std::round(counter));
  }
}

inline Difference Planted(std::vector<Program> programs, const Plant& plant,
                          stats::Generator& generator) {
  AddSources(programs, plant, generator);
  auto difference = DifferenceOf(programs, std::pair<std::string, std::string>("exact", "counter"));
  CHECK(difference);
  return *difference;
}

}  // namespace tare::explain
