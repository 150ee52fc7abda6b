// caveat_test.cc: tests that the table of caveats is complete and well-formed.
#include "base/caveat.h"

#include <gtest/gtest.h>

#include <set>

namespace tare {
namespace {

TEST(CaveatTable, EveryRowHasItsOwnNameAndAHint) {
  std::set<std::string_view> ids;
  std::set<CaveatId> keys;
  for (const CaveatRow& row : CaveatTable()) {
    EXPECT_TRUE(ids.insert(row.id).second) << row.id;
    EXPECT_TRUE(keys.insert(row.key).second) << row.id;
    EXPECT_FALSE(row.message.empty()) << row.id;
    EXPECT_FALSE(row.hint.empty()) << row.id;
    EXPECT_EQ(&Row(row.key), &row);
  }
}

TEST(Verdict, NamesAreReadBack) {
  for (Verdict verdict : {Verdict::kValid, Verdict::kDoubtful, Verdict::kRefused}) {
    EXPECT_EQ(ParseVerdict(Name(verdict)), verdict);
  }
  EXPECT_FALSE(ParseVerdict("perhaps"));
}

TEST(Verdict, TheWorseOneWins) {
  EXPECT_EQ(Worse(Verdict::kValid, Verdict::kDoubtful), Verdict::kDoubtful);
  EXPECT_EQ(Worse(Verdict::kRefused, Verdict::kDoubtful), Verdict::kRefused);
}

}  // namespace
}  // namespace tare
