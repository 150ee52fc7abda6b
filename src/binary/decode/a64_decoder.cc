// a64_decoder.cc: finding the row of a word, and decoding the bits that the row leaves open.
#include "binary/decode/a64_decoder.h"

#include <array>
#include <map>
#include <vector>

#include "binary/decode/a64.h"
#include "binary/decode/a64_bits.h"
#include "binary/decode/a64_kind.h"

namespace tare::decode {
namespace {

// A preprocessed row: the properties that all matching words share are already set.
struct ReadyRow {
  Instruction form;
  A64Kind kind;
  const A64Effect* effect;
  bool is_shaped = false;     // Apply has something to add
  bool reclassifies = false;  // and what it adds affects the classes
};

// All rows, listed under every matching value of bits 31:21, in the order of the tables.
class Tables {
 public:
  Tables() {
    for (const A64Row& row : A64BranchRows()) Add(row, true);
    for (const auto rows :
         {A64IntegerRows(), A64AccessRows(), A64AtomicRows(), A64FloatRows(), A64SimdRows(),
          A64SimdElementRows(), A64ScalableAccessRows(), A64ScalableRows()})
      for (const A64Row& row : rows) Add(row, false);
  }

  const ReadyRow* Find(std::uint32_t word) const {
    for (const Pattern& pattern : groups_[word >> 21U])
      if ((word & pattern.mask) == pattern.value) return &rows_[pattern.row];
    return nullptr;
  }

  std::string_view Name(std::uint32_t id) const {
    return id < names_.size() ? names_[id] : std::string_view();
  }

 private:
  struct Pattern {
    std::uint32_t mask;
    std::uint32_t value;
    std::uint32_t row;
  };

  void Add(const A64Row& row, bool controls) {
    const auto [number, is_new] =
        numbers_.try_emplace(row.name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(row.name);
    const Pattern pattern{row.bits.mask, row.bits.value, static_cast<std::uint32_t>(rows_.size())};
    rows_.push_back(Ready(row, number->second, controls));
    // Every combination of the free bits among the highest eleven.
    const std::uint32_t free = ~(row.bits.mask >> 21U) & 0x7ffU;
    std::uint32_t setting = 0;
    do {
      groups_[(row.bits.value >> 21U) | setting].push_back(pattern);
      setting = (setting - free) & free;
    } while (setting != 0);
  }

  static ReadyRow Ready(const A64Row& row, std::uint32_t number, bool controls);

  std::array<std::vector<Pattern>, 2048> groups_;
  std::vector<ReadyRow> rows_;
  std::map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::string_view> names_ = {"?"};
};

const Tables& AllTables() {
  static const Tables tables;
  return tables;
}

std::uint64_t Target(std::uint32_t word, std::uint64_t address, int high, int low) {
  const int width = high - low + 1;
  const auto offset =
      static_cast<std::int64_t>(std::uint64_t{Bits(word, high, low)} << (64 - width)) >>
      (64 - width);
  return address + static_cast<std::uint64_t>(offset * 4);
}

// System registers whose content depends on the processor or on time: identification, cache
// geometry, timers, random numbers, event counters (Arm ARM, D19 "AArch64 System Register
// Descriptions").
bool QueriesProcessor(std::uint32_t word) {
  const auto op1 = Bits(word, 18, 16);
  const auto n = Bits(word, 15, 12);
  const auto m = Bits(word, 11, 8);
  if (Bits(word, 19, 19) == 0) return false;
  if (n == 0) return op1 != 2;
  return op1 == 3 && (n == 14 || n == 9 || (n == 2 && m == 4));
}

void SetWidth(Instruction& it, std::uint32_t bits) {
  it.vector = true;
  it.vector_bits = static_cast<std::uint16_t>(bits);
}

void SetFloat(Instruction& it, std::uint32_t element_bits, std::uint32_t lanes,
              std::uint32_t each) {
  it.element_bits = static_cast<std::uint8_t>(element_bits);
  it.floating_operations = static_cast<std::uint8_t>(lanes * each);
}

void SetBytes(Instruction& it, std::uint32_t bytes) {
  if (it.loads > 0) it.load_bytes = static_cast<std::uint16_t>(bytes);
  if (it.stores > 0) it.store_bytes = static_cast<std::uint16_t>(bytes);
}

// ptype: 00 single, 01 double, 11 half.
std::uint32_t ScalarElement(std::uint32_t word) {
  const auto type = Bits(word, 23, 22);
  return type == 0 ? 32 : type == 1 ? 64 : 16;
}

// size of multiplications by element: 00 half, 10 single, 11 double.
std::uint32_t IndexedElement(std::uint32_t word) {
  const auto size = Bits(word, 23, 22);
  return size == 3 ? 64 : size == 2 ? 32 : 16;
}

// Bytes of one lane of ld1 to ld4: from the opcode; the lowest bit of size distinguishes words from
// doublewords.
std::uint32_t LaneBytes(std::uint32_t word) {
  const auto scale = Bits(word, 15, 14);
  return scale == 2 && Bits(word, 10, 10) != 0 ? 8 : 1U << scale;
}

void ApplyAccess(Instruction& it, std::uint32_t word, const A64Effect& effect,
                 std::uint32_t width) {
  const std::uint32_t count = effect.operations;
  bool written_back = false;
  switch (effect.shape) {
    case A64Shape::kStructuresIndexed:
      written_back = true;
      [[fallthrough]];
    case A64Shape::kStructures:
      SetWidth(it, width);
      SetBytes(it, count * width / 8);
      break;
    case A64Shape::kLaneIndexed:
      written_back = true;
      [[fallthrough]];
    case A64Shape::kLane:
      SetWidth(it, 128);
      SetBytes(it, count * LaneBytes(word));
      break;
    case A64Shape::kReplicateIndexed:
      written_back = true;
      [[fallthrough]];
    case A64Shape::kReplicate:
      SetWidth(it, width);
      SetBytes(it, count << Bits(word, 11, 10));
      break;
    case A64Shape::kWideRegister:
      SetWidth(it, 128);
      // Pairs and single registers have the write-back bits in different places.
      written_back =
          Bits(word, 29, 27) == 5
              ? Bits(word, 23, 23) != 0
              : Bits(word, 29, 24) == 0x3c && Bits(word, 21, 21) == 0 && Bits(word, 10, 10) != 0;
      break;
    case A64Shape::kWriteBack:
      written_back = true;
      break;
    default:
      break;
  }
  it.stack_operation = written_back && Bits(word, 9, 5) == 31;
}

void ApplyFloat(Instruction& it, std::uint32_t word, const A64Effect& effect, std::uint32_t width) {
  const std::uint32_t each = effect.operations;
  const std::uint32_t element = Bits(word, 22, 22) != 0 ? 64 : 32;
  switch (effect.shape) {
    case A64Shape::kScalarFloat:
      return SetFloat(it, ScalarElement(word), 1, each);
    case A64Shape::kScalarSimdFloat:
      return SetFloat(it, element, 1, each);
    case A64Shape::kHalfFloat:
      return SetFloat(it, 16, 1, each);
    case A64Shape::kScalarElement:
      return SetFloat(it, IndexedElement(word), 1, each);
    case A64Shape::kPairFloat:
      SetWidth(it, 2 * element);
      return SetFloat(it, element, 1, each);
    case A64Shape::kPairHalf:
      SetWidth(it, 32);
      return SetFloat(it, 16, 1, each);
    case A64Shape::kVectorFloat:
      SetWidth(it, width);
      return SetFloat(it, element, width / element, each);
    case A64Shape::kVectorHalf:
      SetWidth(it, width);
      return SetFloat(it, 16, width / 16, each);
    case A64Shape::kElementFloat:
      SetWidth(it, width);
      return SetFloat(it, IndexedElement(word), width / IndexedElement(word), each);
    case A64Shape::kMixedFloat:
      SetWidth(it, width);
      return SetFloat(it, 32, width / 32, each);
    case A64Shape::kMixedFloat128:
      SetWidth(it, 128);
      return SetFloat(it, 32, 4, each);
    default:
      return;
  }
}

void Apply(Instruction& it, std::uint32_t word, std::uint64_t address, const A64Effect& effect) {
  const std::uint32_t width = Bits(word, 30, 30) != 0 ? 128 : 64;
  switch (effect.shape) {
    case A64Shape::kPlain:
      return;
    case A64Shape::kTarget26:
      it.target = Target(word, address, 25, 0);
      return;
    case A64Shape::kTarget19:
      it.target = Target(word, address, 23, 5);
      return;
    case A64Shape::kTarget14:
      it.target = Target(word, address, 18, 5);
      return;
    case A64Shape::kSystemRegister:
      it.queries_processor = QueriesProcessor(word);
      return;
    case A64Shape::kVector:
      return SetWidth(it, width);
    case A64Shape::kVector128:
      return SetWidth(it, 128);
    case A64Shape::kScalableFloat: {
      // Size 00 means 16 bits in the indexed forms.
      const std::uint32_t element = Bits(word, 23, 22) < 2 ? 16 : Bits(word, 23, 22) == 2 ? 32 : 64;
      SetFloat(it, element, 128 / element, effect.operations);
    }
      [[fallthrough]];
    case A64Shape::kScalable:
      it.vector = true;
      it.scalable = true;
      return;
    default:
      if (effect.flags & kFloat)
        ApplyFloat(it, word, effect, width);
      else
        ApplyAccess(it, word, effect, width);
  }
}

ReadyRow Tables::Ready(const A64Row& row, std::uint32_t number, bool controls) {
  const A64Effect& effect = row.effect;
  ReadyRow ready{.form = {}, .kind = A64KindOfRow(row, controls), .effect = &effect};
  Instruction& it = ready.form;
  it.length = 4;
  it.mnemonic = number;
  it.branch = effect.branch;
  it.loads = effect.loads;
  it.stores = effect.stores;
  it.load_bytes = effect.load_bytes;
  it.store_bytes = effect.store_bytes;
  it.atomic = (effect.flags & kAtomic) != 0;
  it.system_call = (effect.flags & kSystemCall) != 0;
  it.nop = (effect.flags & kNop) != 0;
  it.prefetch = (effect.flags & kPrefetch) != 0;
  it.queries_processor = (effect.flags & kQueriesProcessor) != 0;
  it.floating_point = (effect.flags & kFloat) != 0;
  it.vector = it.scalable = effect.shape == A64Shape::kScalable;
  ready.is_shaped = effect.shape != A64Shape::kPlain && effect.shape != A64Shape::kScalable;
  ready.reclassifies = ready.is_shaped && effect.shape != A64Shape::kTarget26 &&
                       effect.shape != A64Shape::kTarget19 && effect.shape != A64Shape::kTarget14 &&
                       effect.shape != A64Shape::kWriteBack &&
                       effect.shape != A64Shape::kSystemRegister;
  it.classes.AddIf(InstructionClass::kReadModifyWrite,
                   it.atomic && effect.loads > 0 && effect.stores > 0);
  Classify(ready.kind.kind, it);
  if (ready.kind.general_result) it.classes.Remove(InstructionClass::kPackedInteger);
  it.operand_type = A64TypeOf(it, ready.kind, row.bits.value);
  return ready;
}

}  // namespace

std::optional<Instruction> DecodeA64(std::uint32_t word, std::uint64_t address) {
  std::optional<Instruction> it;
  const ReadyRow* row = AllTables().Find(word);
  if (row == nullptr) return it;
  it.emplace(row->form);
  it->length = 4;  // a constant, not the row's field: the next address of a walk depends only on it
  if (row->is_shaped) Apply(*it, word, address, *row->effect);
  if (row->reclassifies) {
    it->classes = {};
    Classify(row->kind.kind, *it);
    it->operand_type = A64TypeOf(*it, row->kind, word);
  }
  RefineA64(row->kind.decides, word, address, *it);
  return it;
}

std::string_view A64MnemonicName(std::uint32_t id) { return AllTables().Name(id); }

}  // namespace tare::decode
