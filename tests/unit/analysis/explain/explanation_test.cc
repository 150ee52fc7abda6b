// explanation_test.cc: tests that planted causes are found, and none where none was planted.
//
// programs_x86.csv contains the counts of 33 programs of Debian 12 for amd64 (and a few small ones
// with long doubles and string instructions) under qemu-x86_64 with a plugin that counts every
// instruction by its bytes. Repeated instructions count once, and their further iterations as
// prefix rep. Page faults and seconds are those of the same programs on an AArch64 machine.
// programs_a64.csv contains the same programs for AArch64, counted by `tare count --per opcode
// --top 0`.
#include "analysis/explain/explanation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "stats/distribution.h"
#include "tests/unit/analysis/explain/planted.h"

namespace tare::explain {
namespace {

constexpr std::size_t kPrograms = 20;
constexpr const char* kX86 = "programs_x86.csv";
// As on a machine of the time when timer interrupts were discovered in counts.
constexpr double kSlower = 100;

const Cause kStartUp{CauseKind::kConstant, "constant per program"};

ExplainOptions Quick(std::uint64_t seed) { return {0.95, 199, seed}; }

Explanation Explained(const Difference& difference, std::uint64_t seed = 1) {
  const auto explanation = Explain(difference, Quick(seed));
  CHECK(explanation);
  return *explanation;
}

std::string Found(const Explanation& explanation) {
  std::string text;
  for (const Term& term : explanation.terms) {
    text += (term.by_second ? "+" : "-") + term.cause.name + " ";
  }
  return text;
}

// Expects all planted causes and no others.
void ExpectFound(const Plant& plant, const Explanation& explanation) {
  ASSERT_EQ(explanation.terms.size(), plant.extra.size()) << Found(explanation);
  for (const Term& term : explanation.terms) {
    const auto planted = plant.extra.find(term.cause);
    ASSERT_NE(planted, plant.extra.end()) << Found(explanation);
    EXPECT_EQ(term.by_second, planted->second > 0);
    EXPECT_NEAR(term.extra.Value(), std::abs(planted->second), 0.1 * std::abs(planted->second));
    EXPECT_LE(term.p, 0.05);
  }
}

struct PlantCase {
  const char* name;
  std::map<Cause, double> extra;
};

const PlantCase kCases[] = {
    {"Fldcw", {{Opcode("fldcw"), 1}}},
    {"Rep", {{Rep(), 1}}},
    {"PageFaults", {{Event("page-faults"), 1}}},
    {"Ticks100", {{Event("seconds"), 100}}},
    {"Ticks250", {{Event("seconds"), 250}}},
    {"Ticks1000", {{Event("seconds"), 1000}}},
    {"FldcwAndRep", {{Opcode("fldcw"), 1}, {Rep(), 1}}},
    {"FldcwAndTicks", {{Opcode("fldcw"), 1}, {Event("seconds"), 250}}},
    {"PageFaultsAndTicks", {{Event("page-faults"), 1}, {Event("seconds"), 1000}}},
    {"OppositeWays", {{Opcode("fldcw"), 1}, {Event("page-faults"), -1}}},
    {"AllFour",
     {{Opcode("fldcw"), 1}, {Rep(), 1}, {Event("page-faults"), 1}, {Event("seconds"), 1000}}},
};

class PlantedCause : public testing::TestWithParam<PlantCase> {};

TEST_P(PlantedCause, IsFoundWhateverTheNoise) {
  const auto programs = RealPrograms(kX86);
  stats::Generator generator(3);
  for (const auto& [counts, relative] : {std::pair(0.0, 0.0), {3.0, 0.0}, {0.0, 1e-6}}) {
    const Plant plant{GetParam().extra, counts, relative, 0, kSlower};
    const auto some = Some(programs, kPrograms, Opcode("fldcw"), 4, generator);
    const auto difference = Planted(some, plant, generator);
    const auto explanation = Explained(difference);
    ExpectFound(plant, explanation);
    if (counts > 0 || relative > 0 || HasFatalFailure()) continue;
    for (const double left : explanation.residuals) EXPECT_LT(std::abs(left), 1);
  }
}

INSTANTIATE_TEST_SUITE_P(OfRealPrograms, PlantedCause, testing::ValuesIn(kCases),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(Explain, FindsTheDividesOfAArch64) {
  stats::Generator generator(5);
  const Plant plant{{{Opcode("udiv"), 1}, {Event("page-faults"), 1}}, 3, 0, 0, kSlower};
  const auto some = Some(RealPrograms("programs_a64.csv"), kPrograms, Opcode("udiv"), 5, generator);
  ExpectFound(plant, Explained(Planted(some, plant, generator)));
}

TEST(Explain, SaysThatStartUpIsTheSameForAll) {
  stats::Generator generator(7);
  const Plant plant{{{kStartUp, 400}}, 3, 0, 0, kSlower};
  const auto some = Some(RealPrograms(kX86), kPrograms, Opcode("fldcw"), 4, generator);
  const auto explanation = Explained(Planted(some, plant, generator));
  ASSERT_EQ(Found(explanation), "+constant per program ");
  EXPECT_NEAR(explanation.terms[0].extra.Value(), 400, 5);
  // The loader identifies the processor equally often in every program.
  EXPECT_FALSE(explanation.terms[0].aliases.empty());
}

TEST(Explain, GivesNoCausesForSourcesThatAgree) {
  stats::Generator generator(1);
  const auto explanation = Explained(Planted(RealPrograms(kX86), {}, generator));
  EXPECT_FALSE(explanation.differs);
  EXPECT_TRUE(explanation.terms.empty());
}

// Constant noise, proportional noise, both, and heavy-tailed noise: 40 searches. At a level of 5 %,
// six or more false alarms occur with probability 1 in 72; more than seven with 1 in 1000.
TEST(Explain, FindsNothingInNoise) {
  const auto programs = RealPrograms(kX86);
  stats::Generator generator(11);
  int alarms = 0;
  int searches = 0;
  const Plant noises[] = {
      {.counts = 3}, {.relative = 1e-6}, {.counts = 3, .relative = 1e-6}, {.outliers = 30}};
  for (const Plant& noise : noises) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      const auto some = Some(programs, 15, Opcode("fldcw"), 3, generator);
      const auto explanation = Explained(Planted(some, noise, generator), seed);
      alarms += explanation.terms.empty() ? 0 : 1;
      ++searches;
    }
  }
  EXPECT_GT(stats::BinomialAtLeast(alarms, searches, 0.05), 0.001) << alarms;
}

TEST(Explain, StatesWhatWouldHaveBeenDetected) {
  stats::Generator generator(13);
  const auto explanation = Explained(Planted(RealPrograms(kX86), {.counts = 3}, generator));
  ASSERT_TRUE(explanation.terms.empty());
  const auto faults =
      std::ranges::find(explanation.detectable, Event("page-faults"), &DetectableCause::cause);
  ASSERT_NE(faults, explanation.detectable.end());
  // 3 counts against about 3,000 faults.
  EXPECT_LT(faults->min_extra, 0.05);
  // At twice the limit it is found.
  const Plant plant{{{Event("page-faults"), 2 * faults->min_extra}}, 3};
  EXPECT_EQ(Found(Explained(Planted(RealPrograms(kX86), plant, generator))), "+page-faults ");
}

TEST(Explain, NamesCausesThatCannotBeDistinguished) {
  auto programs = RealPrograms(kX86);
  // An opcode that runs exactly twice for each fldcw, and one that nearly does.
  stats::Generator generator(17);
  for (Program& program : programs) {
    const double count = Occurrences(program, Opcode("fldcw"));
    if (count == 0) continue;
    program.causes[Opcode("always with it")] = 2 * count;
    program.causes[Opcode("mostly with it")] = 3 * count + (count > 1000 ? 2.0 : 0.0);
  }
  const auto explanation =
      Explained(Planted(programs, {.extra = {{Opcode("fldcw"), 1}}, .counts = 10}, generator));
  ASSERT_EQ(Found(explanation), "+fldcw ");
  const Term& term = explanation.terms[0];
  ASSERT_EQ(term.aliases.size(), 2u);
  EXPECT_EQ(term.aliases[0].cause.name, "always with it");
  EXPECT_NEAR(term.aliases[0].extra, 0.5, 1e-3);
  EXPECT_FALSE(term.aliases[0].programs);
  EXPECT_EQ(term.aliases[1].cause.name, "mostly with it");
  EXPECT_FALSE(term.Needed(programs.size()));
}

TEST(Explain, NeedsFivePrograms) {
  stats::Generator generator(19);
  auto programs = RealPrograms(kX86);
  programs.resize(4);
  const auto refused = Explain(Planted(programs, {.counts = 3}, generator), Quick(1));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "4 programs cannot distinguish causes; one cause needs at least 5 programs, and each "
            "further cause one more");
  EXPECT_EQ(MinPrograms(3), 7u);
}

TEST(Explain, GivesTheSameAnswerForTheSameSeed) {
  stats::Generator generator(23);
  const auto difference =
      Planted(RealPrograms(kX86), {.extra = {{Rep(), 1}}, .counts = 5}, generator);
  const auto first = Explained(difference, 4);
  const auto second = Explained(difference, 4);
  EXPECT_EQ(Found(first), Found(second));
  EXPECT_EQ(first.residuals, second.residuals);
  EXPECT_EQ(first.terms[0].p, second.terms[0].p);
}

// 60 intervals at 95 %: fewer than 51 contain the true value with probability 1 in 1000.
TEST(Explain, IntervalsContainWhatWasPlanted) {
  const auto programs = RealPrograms(kX86);
  stats::Generator generator(29);
  int covered = 0;
  int intervals = 0;
  for (int i = 0; i < 20; ++i) {
    const Plant plant{{{Opcode("fldcw"), 1}, {Rep(), 1}, {Event("page-faults"), 1}}, 3};
    const auto some = Some(programs, kPrograms, Opcode("fldcw"), 4, generator);
    for (const Term& term : Explained(Planted(some, plant, generator)).terms) {
      covered += term.extra.Contains(1) ? 1 : 0;
      ++intervals;
    }
  }
  EXPECT_EQ(intervals, 60);
  EXPECT_GT(stats::BinomialCdf(covered, intervals, 0.95), 0.001) << covered;
}

TEST(Term, ContainsAWholeNumberAlone) {
  Term term;
  term.extra = Between(1.01, 0.98, 1.04, 0.95);
  EXPECT_EQ(term.Whole(), 1);
  term.extra = Between(1.5, 0.9, 2.1, 0.95);
  EXPECT_EQ(term.Whole(), std::nullopt);
  term.extra = Between(0.5, 0.4, 0.6, 0.95);
  EXPECT_EQ(term.Whole(), std::nullopt);
}

}  // namespace
}  // namespace tare::explain
