// run_budget.cc: estimates from the runs seen so far.
#include "analysis/why/run_budget.h"

#include <algorithm>

namespace tare::why {

void RunBudget::Took(double seconds) {
  slowest_ = std::max(slowest_, seconds);
  total_ += seconds;
  ++runs_;
}

bool RunBudget::Allows(std::size_t runs, double elapsed) const {
  return runs == 0 || elapsed + Expected(runs) < limit_;
}

double RunBudget::Expected(std::size_t runs) const {
  if (runs == 0) return 0;
  const double mean = runs_ == 0 ? slowest_ : total_ / static_cast<double>(runs_);
  return slowest_ + static_cast<double>(runs - 1) * mean;
}

double RunBudget::Left(double elapsed) const { return std::max(0.0, limit_ - elapsed); }

}  // namespace tare::why
