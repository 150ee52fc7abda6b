// metric_expression.cc: a parser by recursive descent, and a stack machine.
#include "analysis/study/metric_expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/printable.h"

namespace tare::study {
namespace {

constexpr std::size_t kMaxDepth = 50;
// Whole numbers beyond this are not exact as doubles.
constexpr double kMaxWhole = 0x1p53;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool StartsName(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsInName(char c) { return StartsName(c) || IsDigit(c) || c == '-' || c == '.'; }

}  // namespace

class ExpressionReader {
 public:
  explicit ExpressionReader(std::string_view text) : text_(text) {}

  Result<MetricExpression> All() {
    TRY_VOID(Sum(0));
    if (at_ < text_.size()) return Wrong("expected + - * / or the end");
    return std::move(made_);
  }

 private:
  using Kind = MetricExpression::Kind;

  std::unexpected<Error> Wrong(std::string_view what) const {
    const std::string_view rest = text_.substr(std::min(at_, text_.size()));
    return Fail(ErrorKind::kFormat,
                rest.empty() ? fmt::format("{} at the end of the expression", what)
                             : fmt::format("{} at '{}'", what, Printable(rest.substr(0, 20))));
  }

  void SkipSpaces() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  bool Take(char wanted) {
    SkipSpaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    SkipSpaces();
    return true;
  }

  void Add(Kind kind) { made_.steps_.push_back({kind}); }

  Result<void> Sum(std::size_t depth) {
    TRY_VOID(Product(depth));
    while (true) {
      if (Take('+')) {
        TRY_VOID(Product(depth));
        Add(Kind::kAdd);
      } else if (Take('-')) {
        TRY_VOID(Product(depth));
        Add(Kind::kSubtract);
      } else {
        return {};
      }
    }
  }

  Result<void> Product(std::size_t depth) {
    TRY_VOID(Operand(depth));
    while (true) {
      if (Take('*')) {
        TRY_VOID(Operand(depth));
        Add(Kind::kMultiply);
      } else if (Take('/')) {
        TRY_VOID(Operand(depth));
        Add(Kind::kDivide);
      } else {
        return {};
      }
    }
  }

  Result<void> Operand(std::size_t depth) {
    if (depth > kMaxDepth) return Wrong("too many parentheses");
    if (Take('-')) {
      TRY_VOID(Operand(depth + 1));
      Add(Kind::kNegate);
      return {};
    }
    if (Take('(')) return Inner(depth);
    SkipSpaces();
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    if (IsDigit(c) || c == '.') return Literal();
    if (!StartsName(c)) return Wrong("expected a name, a number or (");
    const std::size_t start = at_;
    while (at_ < text_.size() && IsInName(text_[at_])) ++at_;
    const std::string name(text_.substr(start, at_ - start));
    const auto function = FunctionOf(name);
    if (function && Take('(')) {
      TRY_VOID(Inner(depth));
      Add(*function);
      return {};
    }
    const auto known = std::ranges::find(made_.names_, name);
    made_.steps_.push_back(
        {Kind::kName, {}, static_cast<std::size_t>(known - made_.names_.begin())});
    if (known == made_.names_.end()) made_.names_.push_back(name);
    return {};
  }

  static std::optional<Kind> FunctionOf(std::string_view name) {
    if (name == "abs") return Kind::kAbsolute;
    if (name == "sqrt") return Kind::kRoot;
    if (name == "log") return Kind::kLogarithm;
    return std::nullopt;
  }

  Result<void> Inner(std::size_t depth) {
    TRY_VOID(Sum(depth + 1));
    if (!Take(')')) return Wrong("expected )");
    return {};
  }

  Result<void> Literal() {
    const char* begin = text_.data() + at_;
    const char* end = text_.data() + text_.size();
    std::int64_t whole = 0;
    double real = 0;
    const auto as_whole = std::from_chars(begin, end, whole);
    const auto as_real = std::from_chars(begin, end, real);
    if (as_real.ec != std::errc()) return Wrong("not a number");
    const bool is_whole = as_whole.ec == std::errc() && as_whole.ptr == as_real.ptr;
    made_.steps_.push_back({Kind::kNumber, is_whole ? Number(whole) : Number(real)});
    at_ += static_cast<std::size_t>(as_real.ptr - begin);
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
  MetricExpression made_;
};

Result<MetricExpression> MetricExpression::Parse(std::string_view text) {
  return ExpressionReader(text).All();
}

std::optional<Number> MetricExpression::Value(std::span<const std::optional<Number>> values) const {
  CHECK(values.size() == names_.size());
  struct Entry {
    double value;
    bool whole;
  };
  std::vector<Entry> stack;
  const auto push = [&](const Number& number) {
    stack.push_back({AsDouble(number), std::holds_alternative<std::int64_t>(number)});
  };
  const auto pop = [&] {
    const Entry entry = stack.back();
    stack.pop_back();
    return entry;
  };
  for (const Step& step : steps_) {
    switch (step.kind) {
      case Kind::kNumber:
        push(step.number);
        continue;
      case Kind::kName:
        if (!values[step.name]) return std::nullopt;
        push(*values[step.name]);
        continue;
      case Kind::kNegate:
        stack.back().value = -stack.back().value;
        continue;
      case Kind::kAbsolute:
        stack.back().value = std::abs(stack.back().value);
        continue;
      case Kind::kRoot:
        stack.back() = {std::sqrt(stack.back().value), false};
        continue;
      case Kind::kLogarithm:
        stack.back() = {std::log(stack.back().value), false};
        continue;
      default:
        break;
    }
    const Entry b = pop();
    const Entry a = pop();
    Entry result{0, a.whole && b.whole && step.kind != Kind::kDivide};
    if (step.kind == Kind::kAdd) result.value = a.value + b.value;
    if (step.kind == Kind::kSubtract) result.value = a.value - b.value;
    if (step.kind == Kind::kMultiply) result.value = a.value * b.value;
    if (step.kind == Kind::kDivide) {
      if (b.value == 0) return std::nullopt;
      result.value = a.value / b.value;
    }
    stack.push_back(result);
  }
  const Entry result = stack.back();
  if (!std::isfinite(result.value)) return std::nullopt;
  if (result.whole && std::abs(result.value) < kMaxWhole) {
    return Number(static_cast<std::int64_t>(result.value));
  }
  return Number(result.value);
}

}  // namespace tare::study
