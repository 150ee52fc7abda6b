// profile_tree.cc: the call tree of a profile.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/printable.h"
#include "binary/elf/function.h"
#include "cli/cells.h"
#include "cli/commands/profile/profile_tables.h"

namespace tare::cli {
namespace {

// Deeper levels are folded; the reader of documents rejects more than report::kDeepestTree.
constexpr std::size_t kMaxDepth = 200;

struct CallNode {
  std::uint64_t samples = 0;
  std::map<std::string, std::unique_ptr<CallNode>> callees;
};

std::vector<report::TreeNode> NodesOf(const CallNode& node, double all, double min_percent) {
  std::vector<std::pair<std::uint64_t, const std::string*>> order;
  std::uint64_t rest = 0;
  for (const auto& [name, callee] : node.callees) {
    if (100 * static_cast<double>(callee->samples) < min_percent * all) {
      rest += callee->samples;
    } else {
      order.emplace_back(callee->samples, &name);
    }
  }
  std::ranges::stable_sort(order, std::greater(), [](const auto& entry) { return entry.first; });
  std::vector<report::TreeNode> nodes;
  const auto cells = [&](std::uint64_t samples) {
    return std::vector<report::Cell>{Count(samples),
                                     Unbounded(100 * static_cast<double>(samples) / all)};
  };
  for (const auto& [samples, name] : order) {
    nodes.push_back(
        {Printable(*name), cells(samples), NodesOf(*node.callees.at(*name), all, min_percent)});
  }
  if (rest > 0) nodes.push_back({"(others)", cells(rest), {}});
  return nodes;
}

}  // namespace

report::Tree CallTree(const format::SampledProfile& profile, double min_percent) {
  CallNode root;
  std::vector<std::uint64_t> counts(profile.stacks.size());
  for (const auto& sample : profile.samples) ++counts[sample.stack];
  std::vector<std::string> names;
  for (const auto& function : profile.functions) {
    const std::string name = elf::Demangled(function.name);
    names.push_back(
        name == "[unknown]"
            ? fmt::format("[{}]", profile::FileNameOf(profile.objects[function.object].path))
            : name);
  }
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    CallNode* node = &root;
    std::size_t depth = 0;
    const auto& stack = profile.stacks[i];
    for (auto location = stack.rbegin(); location != stack.rend() && depth < kMaxDepth;
         ++location, ++depth) {
      auto& next = node->callees[names[profile.locations[*location].function]];
      if (!next) next = std::make_unique<CallNode>();
      next->samples += counts[i];
      node = next.get();
    }
  }
  report::Tree tree{"calls", "Call tree", {{"samples"}, {"share", "%"}}, {}};
  tree.roots = NodesOf(root, static_cast<double>(profile.samples.size()), min_percent);
  return tree;
}

}  // namespace tare::cli
