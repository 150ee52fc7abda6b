// run_budget.h: decides whether further runs are expected to end in the time that is left.
#pragma once

#include <cstddef>

namespace tare::why {

// All times are in seconds; `elapsed` is counted from the same start as the limit.
class RunBudget {
 public:
  // `expected` is the duration of a run as far as it is known before the first one; 0: unknown.
  explicit RunBudget(double limit, double expected = 0) : limit_(limit), slowest_(expected) {}

  // A run of that duration has ended.
  void Took(double seconds);

  // Whether so many further runs are expected to end in time. Any of them may take as long as the
  // slowest seen; the others are expected to take as long as the mean.
  bool Allows(std::size_t runs, double elapsed) const;

  // How long so many further runs take, if one of them takes as long as the slowest seen.
  double Expected(std::size_t runs) const;

  // The time that a run may still take before it is ended.
  double Left(double elapsed) const;

 private:
  double limit_;
  double slowest_;
  double total_ = 0;
  std::size_t runs_ = 0;
};

}  // namespace tare::why
