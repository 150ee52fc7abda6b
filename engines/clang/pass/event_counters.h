// event_counters.h: emits the code that counts events and sums their values.
#pragma once

#include <llvm/ADT/DenseMap.h>

#include <map>
#include <string>
#include <utility>

#include "event.h"
#include "format/instrument_plan.h"
#include "unit.h"

namespace tare::clang_engine {

// Allocates slots and writes description lines when an event first needs them. Positions of events
// stay valid: blocks are split, but no instruction is replaced.
class EventCounters {
 public:
  EventCounters(const format::InstrumentPlan& plan, Unit& unit);

  void Add(const Events& events);
  // Counts the entries of a selected function.
  void AddSelected(llvm::Function& function, const std::string& name);

 private:
  // The slots of a metric in this unit, or at calls of one function.
  struct Slots {
    bool has_count = false;
    bool has_value = false;
    std::uint64_t count = 0;
    std::uint64_t sum = 0;
    std::uint64_t minimum = 0;
    std::uint64_t maximum = 0;
    std::uint64_t histogram = 0;
  };

  void Add(const Event& event);
  void AddValue(llvm::IRBuilderBase& builder, llvm::Value* bank, const format::ValueOf& what,
                const Slots& slots, llvm::Value* value);
  Slots& SlotsOf(const Event& event);
  std::uint64_t TakeSlot(const Event& event, llvm::StringRef kind, std::uint64_t count = 1);
  llvm::Value* BankOf(llvm::Function& function, llvm::Instruction* place);

  const format::InstrumentPlan& plan_;
  Unit& unit_;
  std::map<std::pair<std::size_t, std::string>, Slots> slots_;
  llvm::DenseMap<llvm::Function*, llvm::Value*> banks_;
};

}  // namespace tare::clang_engine
