// metric_expression_test.cc: precedence, whole numbers and what is refused.
#include "analysis/study/metric_expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tare::study {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::optional<Number> Value(std::string_view text,
                            const std::vector<std::optional<Number>>& values = {}) {
  const auto expression = MetricExpression::Parse(text);
  EXPECT_TRUE(expression.has_value()) << (expression ? "" : expression.error().message);
  return expression ? expression->Value(values) : std::nullopt;
}

std::string FaultOf(std::string_view text) {
  const auto expression = MetricExpression::Parse(text);
  return expression ? "" : expression.error().message;
}

TEST(MetricExpression, ProductsBindMoreThanSumsAndBothFromTheLeft) {
  EXPECT_EQ(Value("2 + 3 * 4"), Number(std::int64_t{14}));
  EXPECT_EQ(Value("(2 + 3) * 4"), Number(std::int64_t{20}));
  EXPECT_EQ(Value("10 - 3 - 2"), Number(std::int64_t{5}));
  EXPECT_EQ(Value("-(2 - 5) + abs(1 - 3)"), Number(std::int64_t{5}));
  EXPECT_DOUBLE_EQ(AsDouble(*Value("8 / 4 / 2")), 1.0);
  EXPECT_DOUBLE_EQ(AsDouble(*Value("sqrt(3 * 3 + 4 * 4)")), 5.0);
  EXPECT_NEAR(AsDouble(*Value("2 * log(10)")), 4.605170, 1e-6);
}

TEST(MetricExpression, MinusInsideOfANameBelongsToIt) {
  const auto expression = MetricExpression::Parse("l1i-misses - ratio.low/l1i-misses");
  ASSERT_TRUE(expression.has_value());
  EXPECT_THAT(expression->Names(), ElementsAre("l1i-misses", "ratio.low"));
  EXPECT_DOUBLE_EQ(AsDouble(*expression->Value(std::vector<std::optional<Number>>{4, 2})), 3.5);
}

TEST(MetricExpression, DifferencesOfCountsAreWholeAndRatiosAreNot) {
  const std::vector<std::optional<Number>> counts = {Number(std::int64_t{7}),
                                                     Number(std::int64_t{2})};
  EXPECT_TRUE(std::holds_alternative<std::int64_t>(*Value("a - b", counts)));
  EXPECT_TRUE(std::holds_alternative<double>(*Value("a / b", counts)));
  EXPECT_TRUE(std::holds_alternative<double>(*Value("a + 0.5 * b", counts)));
}

TEST(MetricExpression, HasNoValueWithoutItsNumbersOrByDividingBy0) {
  EXPECT_EQ(Value("a + 1", {std::nullopt}), std::nullopt);
  EXPECT_EQ(Value("1 / a", {Number(std::int64_t{0})}), std::nullopt);
  EXPECT_EQ(Value("a * a", {Number(1e300)}), std::nullopt);
  EXPECT_EQ(Value("sqrt(1 - 5)"), std::nullopt);
  EXPECT_EQ(Value("log(0)"), std::nullopt);
}

TEST(MetricExpression, SaysWhereItIsWrong) {
  EXPECT_THAT(FaultOf(""), HasSubstr("expected a name, a number or ( at the end"));
  EXPECT_THAT(FaultOf("a + * b"), HasSubstr("at '* b'"));
  EXPECT_THAT(FaultOf("(a"), HasSubstr("expected )"));
  EXPECT_THAT(FaultOf("a b"), HasSubstr("expected + - * / or the end at 'b'"));
  EXPECT_THAT(FaultOf(std::string(1000, '(')), HasSubstr("too many parentheses"));
  EXPECT_THAT(FaultOf(std::string(1000, '-')), HasSubstr("too many parentheses"));
}

}  // namespace
}  // namespace tare::study
