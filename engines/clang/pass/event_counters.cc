// event_counters.cc: allocates slots for metrics and inserts the increments.
#include "event_counters.h"

#include <llvm/IR/Intrinsics.h>

#include <cstdint>

namespace tare::clang_engine {
namespace {

constexpr std::uint64_t kHistogramSlots = 65;
constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

llvm::Value* AsWord(llvm::IRBuilderBase& builder, llvm::Value* value, bool is_signed) {
  if (value->getType()->isPointerTy()) return builder.CreatePtrToInt(value, builder.getInt64Ty());
  return builder.CreateIntCast(value, builder.getInt64Ty(), is_signed);
}

}  // namespace

EventCounters::EventCounters(const format::InstrumentPlan& plan, Unit& unit)
    : plan_(plan), unit_(unit) {}

llvm::Value* EventCounters::BankOf(llvm::Function& function, llvm::Instruction* place) {
  // A coroutine can resume on any thread, so its bank is looked up each time.
  if (function.isPresplitCoroutine()) {
    return unit_.BankAt(place == nullptr ? EntryPlace(function) : place);
  }
  llvm::Value*& bank = banks_[&function];
  if (bank == nullptr) bank = unit_.BankAt(EntryPlace(function));
  return bank;
}

std::uint64_t EventCounters::TakeSlot(const Event& event, llvm::StringRef kind,
                                      std::uint64_t count) {
  const format::PlannedMetric& metric = plan_.metrics[event.metric];
  const std::uint64_t slot = unit_.TakeSlots(count);
  std::string line = "metric\t" + metric.name + '\t' + kind.str() + '\t' + std::to_string(slot);
  if (!event.site.empty()) line += "\tsite\t" + event.site;
  unit_.AddLine(line);
  return slot;
}

EventCounters::Slots& EventCounters::SlotsOf(const Event& event) {
  Slots& slots = slots_[{event.metric, event.site}];
  if (event.counts && !slots.has_count) {
    slots.count = TakeSlot(event, "count");
    slots.has_count = true;
  }
  const auto& value = plan_.metrics[event.metric].value;
  if (event.value == nullptr || !value || slots.has_value) return slots;
  const std::string sign = value->is_signed ? "signed-" : "";
  if (value->sum) slots.sum = TakeSlot(event, sign + "sum");
  if (value->minimum) slots.minimum = TakeSlot(event, sign + "minimum");
  if (value->maximum) slots.maximum = TakeSlot(event, sign + "maximum");
  if (value->histogram) slots.histogram = TakeSlot(event, "histogram", kHistogramSlots);
  slots.has_value = true;
  return slots;
}

void EventCounters::AddValue(llvm::IRBuilderBase& builder, llvm::Value* bank,
                             const format::ValueOf& what, const Slots& slots, llvm::Value* value) {
  llvm::Value* word = AsWord(builder, value, what.is_signed);
  if (what.sum) unit_.Add(builder, bank, slots.sum, word);
  // counters_wire.h: minimum and maximum are stored so that the result is the unsigned maximum.
  llvm::Value* ordered = what.is_signed ? builder.CreateXor(word, kSignBit) : word;
  if (what.minimum) unit_.Raise(builder, bank, slots.minimum, builder.CreateNot(ordered));
  if (what.maximum) unit_.Raise(builder, bank, slots.maximum, ordered);
  if (!what.histogram) return;
  llvm::Value* zeros =
      builder.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, word, builder.getFalse());
  llvm::Value* bucket = builder.CreateSub(builder.getInt64(64), zeros);
  unit_.AddAt(
      builder,
      builder.CreateGEP(builder.getInt64Ty(), unit_.Slot(builder, bank, slots.histogram), bucket),
      builder.getInt64(1));
}

void EventCounters::Add(const Event& event) {
  llvm::Value* bank = BankOf(*event.function, event.place);
  llvm::IRBuilder<> builder(event.place == nullptr ? EntryPlace(*event.function) : event.place);
  if (event.place == nullptr || event.function->isPresplitCoroutine()) {
    builder.SetInsertPoint(llvm::cast<llvm::Instruction>(bank)->getNextNode());
  }
  const Slots& slots = SlotsOf(event);
  if (event.counts) {
    llvm::Value* amount =
        event.amount == nullptr ? builder.getInt64(1) : AsWord(builder, event.amount, false);
    unit_.Add(builder, bank, slots.count, amount);
  }
  const auto& value = plan_.metrics[event.metric].value;
  if (event.value != nullptr && value) AddValue(builder, bank, *value, slots, event.value);
}

void EventCounters::Add(const Events& events) {
  for (const CountedEntry& entry : events.entries) {
    unit_.AddLine("entry\t" + plan_.metrics[entry.metric].name + '\t' + entry.linkage +
                  (entry.is_hidden ? "\thidden" : ""));
  }
  for (const Event& event : events.events) Add(event);
}

void EventCounters::AddSelected(llvm::Function& function, const std::string& name) {
  llvm::Value* bank = BankOf(function, nullptr);
  llvm::IRBuilder<> builder(llvm::cast<llvm::Instruction>(bank)->getNextNode());
  const std::uint64_t slot = unit_.TakeSlots();
  unit_.AddLine("function\t" + name + '\t' + std::to_string(slot));
  unit_.Add(builder, bank, slot, builder.getInt64(1));
}

}  // namespace tare::clang_engine
