// event.h: one place of the code where a metric is counted.
#pragma once

#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>

#include <cstddef>
#include <string>
#include <vector>

namespace tare::clang_engine {

struct Event {
  std::size_t metric = 0;  // of the plan
  llvm::Function* function = nullptr;
  llvm::Instruction* place = nullptr;  // in front of it; null: where the function is entered
  // A call of a function that is not defined here: it is not counted when another unit counts the
  // function where it is entered. The function's linkage name, else empty.
  std::string site;
  bool counts = true;             // false: only the value is added up
  llvm::Value* amount = nullptr;  // what is added to the count, of any width; null: 1
  llvm::Value* value = nullptr;   // an integer or pointer
};

// A function of this unit whose entries a metric counts, for other units' calls of it.
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
