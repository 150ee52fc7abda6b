// lines.h: events of places: source lines, loops and blocks.
#pragma once

#include <llvm/IR/Function.h>

#include <string>
#include <vector>

namespace tare::clang_engine {

struct SourceLine {
  std::string path;
  unsigned line = 0;  // 0: not known
};

SourceLine LineOf(const llvm::Instruction& instruction);

// In front of these, control has just come to the line from another one; once in each block. May
// split edges.
std::vector<llvm::Instruction*> ArrivalsAt(llvm::Function& function, const std::string& path_glob,
                                           unsigned line);

struct SourceLoop {
  SourceLine start;
  // Runs once in each iteration: in front of the first instruction of `to`, where `from` is null,
  // else on the edge between them.
  llvm::BasicBlock* from = nullptr;
  llvm::BasicBlock* to = nullptr;
};

std::vector<SourceLoop> LoopsOf(llvm::Function& function);
// May split the edge. Null when no code can stand there.
llvm::Instruction* PlaceIn(const SourceLoop& loop);

// Where code at the start of a block can stand; null when nowhere.
llvm::Instruction* StartOfBlock(llvm::BasicBlock& block);

}  // namespace tare::clang_engine
