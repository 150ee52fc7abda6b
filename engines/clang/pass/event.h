// event.h: a position in the code where a metric is counted.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tare::clang_engine {

struct Event {
  std::size_t metric = 0;  // index in the plan
  llvm::Function* function = nullptr;
  llvm::Instruction* place = nullptr;  // counts before it; null: at the function's entry
  // For a call of a function that is not defined here, the function's linkage name; otherwise
  // empty. Such a call is not counted if another unit counts the function at its entry.
  std::string site;
  bool counts = true;             // false: only the value is summed
  llvm::Value* amount = nullptr;  // added to the count, an integer of any width; null: 1
  llvm::Value* value = nullptr;   // an integer or pointer
};

// A function of this unit whose entries a metric counts; other units must not count their calls of
// it.
struct CountedEntry {
  std::size_t metric = 0;
  std::string linkage;
  bool is_hidden = false;  // other modules of the process cannot call it
};

struct Events {
  std::vector<Event> events;
  std::vector<CountedEntry> entries;
};

}  // namespace tare::clang_engine
