// lines.h: finds where a source line, a loop or a block is executed.
#pragma once

#include <llvm/IR/Function.h>

#include <string>
#include <vector>

namespace tare::clang_engine {

struct SourceLine {
  std::string path;
  unsigned line = 0;  // 0: unknown
};

SourceLine LineOf(const llvm::Instruction& instruction);

// Returns instructions before which control has just reached the line from another line, one per
// block. May split edges.
std::vector<llvm::Instruction*> ArrivalsAt(llvm::Function& function, const std::string& path_glob,
                                           unsigned line);

struct SourceLoop {
  SourceLine start;
  // Runs once per iteration: before the first instruction of `to` if `from` is null, otherwise on
  // the edge between them.
  llvm::BasicBlock* from = nullptr;
  llvm::BasicBlock* to = nullptr;
};

std::vector<SourceLoop> LoopsOf(llvm::Function& function);
// May split the edge. Returns null when no code can be inserted there.
llvm::Instruction* PlaceIn(const SourceLoop& loop);

// Returns where code can be inserted at the start of a block; null when nowhere.
llvm::Instruction* StartOfBlock(llvm::BasicBlock& block);

}  // namespace tare::clang_engine
