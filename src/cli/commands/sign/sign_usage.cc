// sign_usage.cc: sums over the blocks of a signature.
#include "cli/commands/sign/sign_usage.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace tare::cli {
namespace {

using signature::Block;
using signature::Signature;

std::string BaseName(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string SourceName(const std::string& file, std::uint32_t line) {
  if (file.empty()) return "";
  return line == 0 ? BaseName(file) : fmt::format("{}:{}", BaseName(file), line);
}

void AddStrides(const signature::Strides& strides, double references, signature::Strides& to) {
  to.sampled += strides.sampled;
  to.same += strides.same * references;
  to.one += strides.one * references;
  to.two += strides.two * references;
  to.three_to_eight += strides.three_to_eight * references;
  to.larger += strides.larger * references;
  to.random += strides.random * references;
}

class Summation {
 public:
  Summation(const Signature& signature, std::span<const signature::Hierarchy> hierarchies)
      : signature_(signature) {
    for (const signature::Hierarchy& hierarchy : hierarchies)
      models_.emplace_back(signature.grid, hierarchy, signature.near_exact);
  }

  SignUsages Sum() && {
    for (const signature::Part& part : signature_.parts) AddPart(part);
    SignUsages usages;
    usages.total = std::move(total_);
    usages.blocks = Sorted(blocks_);
    usages.functions = Sorted(functions_);
    usages.loops = Sorted(loops_);
    usages.parts = std::move(parts_);
    return usages;
  }

 private:
  using Key = std::pair<std::string, std::string>;

  void AddPart(const signature::Part& part) {
    MemoryUsage whole;
    whole.name = fmt::format("{}", part.process);
    if (part.thread != 0) whole.name += fmt::format(".{}", part.thread);
    whole.source = BaseName(part.program);
    for (const Block& block : part.blocks) {
      const auto levels = LevelsOf(block);
      Add(block, levels, whole);
      if (part.thread != 0) continue;
      Add(block, levels, total_);
      Add(block, levels, BlockUsage(block));
      Add(block, levels, FunctionUsage(block));
      if (block.loop < part.loops.size()) Add(block, levels, LoopUsage(block, part));
    }
    AddIterations(part);
    parts_.push_back(std::move(whole));
  }

  std::vector<signature::LevelUse> LevelsOf(const Block& block) const {
    std::vector<signature::LevelUse> levels;
    for (const signature::HierarchyModel& model : models_) levels.push_back(model.UseOf(block));
    return levels;
  }

  static void Add(const Block& block, const std::vector<signature::LevelUse>& levels,
                  MemoryUsage& to) {
    const auto executions = static_cast<double>(block.executions);
    to.executions += block.executions;
    to.loads += block.loads;
    to.stores += block.stores;
    to.bytes += static_cast<double>(block.load_bytes + block.store_bytes);
    to.instructions += block.instructions * executions;
    for (const signature::FloatWork& work : block.floats) to.flops += work.operations * executions;
    AddStrides(block.strides, static_cast<double>(block.References()), to.strides);
    to.addresses.independent += block.loads_by_address.independent * executions;
    to.addresses.indirect += block.loads_by_address.indirect * executions;
    to.addresses.chained += block.loads_by_address.chained * executions;
    for (std::size_t i = 0; i < signature::kWorkKinds; ++i)
      to.chain[i] += block.chain[i] * executions;
    to.levels.resize(levels.size());
    for (std::size_t i = 0; i < levels.size(); ++i) signature::AddUse(levels[i], to.levels[i]);
  }

  MemoryUsage& BlockUsage(const Block& block) {
    MemoryUsage& usage = blocks_[{std::to_string(block.object), std::to_string(block.offset)}];
    if (usage.name.empty()) {
      usage.name = signature::NameOf(signature_, block);
      usage.function = block.function;
      usage.source = SourceName(block.file, block.line);
    }
    return usage;
  }

  MemoryUsage& FunctionUsage(const Block& block) {
    MemoryUsage& usage = functions_[{std::to_string(block.object), block.function}];
    if (usage.name.empty()) {
      const std::string object = block.object < signature_.objects.size()
                                     ? BaseName(signature_.objects[block.object].path)
                                     : "";
      usage.function = block.function;
      usage.name = !block.function.empty() ? block.function
                   : object.empty()        ? "[anonymous]"
                                           : fmt::format("[{}]", object);
      usage.source = object;
    }
    return usage;
  }

  static std::string LoopName(const signature::Loop& loop, std::uint32_t number) {
    const std::string source = SourceName(loop.file, loop.line);
    if (!source.empty()) return source;
    return fmt::format("{}#{}", loop.function.empty() ? "[unknown]" : loop.function, number + 1);
  }

  // How many loops contain it, itself included.
  static unsigned DepthOf(const signature::Part& part, std::uint32_t loop) {
    unsigned depth = 0;
    while (loop < part.loops.size() && depth < part.loops.size()) {
      ++depth;
      loop = part.loops[loop].parent;
    }
    return depth;
  }

  MemoryUsage& LoopUsage(const Block& block, const signature::Part& part) {
    const signature::Loop& loop = part.loops[block.loop];
    const unsigned depth = DepthOf(part, block.loop);
    MemoryUsage& usage = loops_[{fmt::format("{} {} {}", block.object, depth, loop.function),
                                 LoopName(loop, block.loop)}];
    if (usage.name.empty()) {
      usage.name = LoopName(loop, block.loop);
      usage.function = loop.function;
      usage.depth = depth;
      usage.source = SourceName(loop.file, loop.line);
    }
    counted_.insert_or_assign(block.loop, &usage);
    return usage;
  }

  void AddIterations(const signature::Part& part) {
    if (part.thread != 0) return;
    for (const auto& [loop, usage] : counted_) {
      usage->entries += part.loops[loop].entries;
      usage->iterations += part.loops[loop].iterations;
    }
    counted_.clear();
  }

  static std::vector<MemoryUsage> Sorted(std::map<Key, MemoryUsage>& usages) {
    std::vector<MemoryUsage> sorted;
    for (auto& [key, usage] : usages) sorted.push_back(std::move(usage));
    std::ranges::stable_sort(sorted, std::ranges::greater{}, &MemoryUsage::References);
    return sorted;
  }

  const Signature& signature_;
  std::vector<signature::HierarchyModel> models_;
  MemoryUsage total_;
  std::map<Key, MemoryUsage> blocks_;
  std::map<Key, MemoryUsage> functions_;
  std::map<Key, MemoryUsage> loops_;
  std::map<std::uint32_t, MemoryUsage*> counted_;  // loops of the current part
  std::vector<MemoryUsage> parts_;
};

}  // namespace

SignUsages SumUsages(const signature::Signature& signature,
                     std::span<const signature::Hierarchy> hierarchies) {
  return Summation(signature, hierarchies).Sum();
}

}  // namespace tare::cli
