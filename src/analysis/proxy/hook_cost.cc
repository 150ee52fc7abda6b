// hook_cost.cc: the calibrated costs, which tests/unit/analysis/proxy/hook_cost_test.cc recomputes.
#include "analysis/proxy/hook_cost.h"

#include <array>
#include <cstddef>
#include <string>

#include "binary/elf/elf_file.h"

namespace tare::proxy {
namespace {

using Costs = std::array<HookCost, kCallKinds>;  // in the order of CallKind

// Per call: plain, framed, inlined, and the additional cost of a tail call over a plain one. gcc 12
// and clang 19 with -O2, position-independent. No shape gets a conditional branch.
constexpr CostRange kNone = {};
constexpr Costs kArmGcc = {{
    {{26, 30.9, 35}, {4, 5.1, 6}, {2, 3.1, 4}, kNone},
    {{24, 26.5, 29}, {3, 3.3, 5}, {1, 1.3, 3}, kNone},
    {{22, 25.1, 34.5}, {2.3, 3.3, 6}, {0.3, 1.2, 4}, kNone},
    {{0.1, 1.6, 3.1}, {0, 0, 0}, {0, 0, 0}, kNone},
}};
constexpr Costs kArmClang = {{
    {{24, 29.1, 34}, {4, 5.1, 6}, {2, 3.1, 4}, kNone},
    {{22, 24.5, 29}, {3, 3.3, 5}, {1, 1.3, 3}, kNone},
    {{19, 22.7, 33}, {2.3, 3.6, 7}, {0.3, 1.7, 5.5}, kNone},
    {{0, 0.9, 1.9}, {0, 0, 0}, {0, 0, 0}, kNone},
}};
constexpr Costs kX86Gcc = {{
    {{12, 18.3, 25}, {6, 8.5, 11}, {2, 4.5, 7}, kNone},
    {{11, 15.5, 19}, {6, 7.3, 8}, {2, 3.3, 4}, kNone},
    {{10.5, 14.3, 22}, {6, 7.6, 11.5}, {2, 3.4, 7}, kNone},
    {{0.7, 1.7, 2.7}, {0, 0.2, 0.5}, {0, 0.2, 0.5}, kNone},
}};
constexpr Costs kX86Clang = {{
    {{17, 22.6, 31}, {6, 8.6, 11}, {4, 6.2, 9}, kNone},
    {{11, 18.5, 22}, {6, 7, 8}, {3, 4.2, 6}, kNone},
    {{12, 15.7, 23.5}, {5.2, 7.1, 13}, {3, 4.3, 8}, kNone},
    {{0, 0.2, 0.4}, {0, 0.2, 0.4}, {0, 0, 0}, kNone},
}};

}  // namespace

std::string_view Name(Compiler compiler) { return compiler == Compiler::kGcc ? "gcc" : "clang"; }

Compiler CompilerOf(const elf::ElfImage& image) {
  // Programs built by clang contain gcc's start files, so .comment names gcc in both.
  const auto file = elf::ReadElfFile(image.bytes());
  const auto* comment = file ? file->FindSection(".comment") : nullptr;
  if (comment == nullptr) return Compiler::kGcc;
  const std::string_view text(reinterpret_cast<const char*>(comment->contents.data()),
                              comment->contents.size());
  return text.find("clang") == std::string_view::npos ? Compiler::kGcc : Compiler::kClang;
}

const HookCost& CostOf(decode::Architecture architecture, Compiler compiler, CallKind kind) {
  const bool arm = architecture == decode::Architecture::kAArch64;
  const Costs& costs =
      compiler == Compiler::kGcc ? (arm ? kArmGcc : kX86Gcc) : (arm ? kArmClang : kX86Clang);
  return costs[static_cast<std::size_t>(kind)];
}

}  // namespace tare::proxy
