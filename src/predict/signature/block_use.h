// block_use.h: turns what the models counted into the use of memory by a block.
#pragma once

#include <cstdint>
#include <map>

#include "model/reuse/memory_use.h"
#include "predict/signature/collect.h"
#include "predict/signature/reuse_model.h"

namespace tare::signature {

// The models' plan. `seed` selects the groups.
reuse::MemoryUsePlan MemoryPlanOf(const Grid& grid, const Sampling& sampling,
                                  unsigned stride_depth);

// Reads the counts of one model, by owner.
class UseReader {
 public:
  // Both must outlive it; MemoryUse::Finish must have been called.
  UseReader(const reuse::MemoryUse& memory, const Grid& grid);

  // Adds the counts of an owner. The numbers of loads, stores and bytes must be those of the whole
  // block already when Complete is called, once, after the last owner. `page_scale`: references of
  // the block for each one of which pages were counted.
  void Add(std::uint32_t owner, BlockUse& use) const;
  void Complete(BlockUse& use, double page_scale) const;

  double sampled_lines() const { return memory_.far().Share(); }
  bool near_exact() const;

 private:
  void AddNear(std::uint32_t owner, NearReuse& near) const;
  void AddFar(std::uint32_t owner, FarReuse& far) const;
  void AddPages(std::uint32_t owner, std::vector<PageReuse>& pages) const;
  void AddStrides(std::uint32_t owner, Strides& strides) const;

  const reuse::MemoryUse& memory_;
  const Grid& grid_;
  double scale_;                      // references per sampled reference of the near zone
  std::vector<double> depth_scales_;  // the same by shape and depth, for those at it or beyond
  std::map<std::uint32_t, reuse::FarDistances::Estimate> far_;
};

}  // namespace tare::signature
