// metric_expression.h: numbers computed from other numbers, as in "instructions / cycles".
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/measured.h"
#include "base/result.h"

namespace tare::study {

// Numbers, names, + - * / and parentheses, abs(...), sqrt(...) and log(...). Names consist of
// letters, digits, _ . and -, so a minus between names has spaces around it.
class MetricExpression {
 public:
  // kFormat, with what is wrong and where.
  static Result<MetricExpression> Parse(std::string_view text);

  // Each once, in order of first appearance.
  const std::vector<std::string>& Names() const { return names_; }

  // `values` are those of Names(). Nothing if a value is missing, if something is divided by 0, or
  // if the result is not finite. Sums, differences and products of whole numbers are whole.
  std::optional<Number> Value(std::span<const std::optional<Number>> values) const;

 private:
  friend class ExpressionReader;

  enum class Kind {
    kNumber,
    kName,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kNegate,
    kAbsolute,
    kRoot,
    kLogarithm
  };
  // In postfix order.
  struct Step {
    Kind kind;
    Number number = {};
    std::size_t name = 0;
  };

  std::vector<std::string> names_;
  std::vector<Step> steps_;
};

}  // namespace tare::study
