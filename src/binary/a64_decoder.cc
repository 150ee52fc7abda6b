// a64_decoder.cc: finds a word's row and reads from its other bits what the row leaves open.
#include "binary/a64_decoder.h"

#include <array>
#include <map>
#include <vector>

#include "binary/a64_table.h"

namespace tare::binary {
namespace {

constexpr std::uint32_t Bits(std::uint32_t word, int high, int low) {
  return (word >> low) & ((1U << (high - low + 1)) - 1);
}

struct NumberedRow {
  std::uint32_t mask;
  std::uint32_t value;
  std::uint32_t mnemonic;
  const A64Effect* effect;
};

// All rows, each under every value of bits 28:21 that it fits; in the order of the tables.
class Tables {
 public:
  Tables() {
    for (const auto rows :
         {A64BranchRows(), A64IntegerRows(), A64AccessRows(), A64AtomicRows(), A64FloatRows(),
          A64SimdRows(), A64SimdElementRows(), A64ScalableAccessRows(), A64ScalableRows()})
      for (const A64Row& row : rows) Add(row);
  }

  const NumberedRow* Find(std::uint32_t word) const {
    for (const auto& row : groups_[Bits(word, 28, 21)])
      if ((word & row.mask) == row.value) return &row;
    return nullptr;
  }

  std::string_view Name(std::uint32_t id) const {
    return id < names_.size() ? names_[id] : std::string_view();
  }

 private:
  void Add(const A64Row& row) {
    const auto [number, is_new] =
        numbers_.try_emplace(row.name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(row.name);
    const std::uint32_t mask = Bits(row.bits.mask, 28, 21);
    const std::uint32_t value = Bits(row.bits.value, 28, 21);
    for (std::uint32_t group = 0; group < groups_.size(); ++group)
      if ((group & mask) == value)
        groups_[group].push_back({row.bits.mask, row.bits.value, number->second, &row.effect});
  }

  std::array<std::vector<NumberedRow>, 256> groups_;
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

// Registers whose content is the processor's or the time's: identification, cache geometry, timers,
// random numbers, event counters (Arm ARM, D19 "AArch64 System Register Descriptions").
bool AsksProcessor(std::uint32_t word) {
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

// Size of multiplications by element: 00 half, 10 single, 11 double.
std::uint32_t IndexedElement(std::uint32_t word) {
  const auto size = Bits(word, 23, 22);
  return size == 3 ? 64 : size == 2 ? 32 : 16;
}

// Bytes of one lane of ld1 to ld4: by opcode, and words from doubles by the lowest bit of size.
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
      // Pairs and single registers keep the bits that tell write-back in different places.
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
      it.asks_processor = AsksProcessor(word);
      return;
    case A64Shape::kVector:
      return SetWidth(it, width);
    case A64Shape::kVector128:
      return SetWidth(it, 128);
    case A64Shape::kScalableFloat: {
      // Size 00 stands for 16 bits in the indexed forms.
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

}  // namespace

std::optional<Instruction> DecodeA64(std::uint32_t word, std::uint64_t address) {
  const NumberedRow* row = AllTables().Find(word);
  if (row == nullptr) return std::nullopt;
  const A64Effect& effect = *row->effect;
  Instruction it;
  it.length = 4;
  it.mnemonic = row->mnemonic;
  it.branch = effect.branch;
  it.loads = effect.loads;
  it.stores = effect.stores;
  it.load_bytes = effect.load_bytes;
  it.store_bytes = effect.store_bytes;
  it.atomic = (effect.flags & kAtomic) != 0;
  it.system_call = (effect.flags & kSystemCall) != 0;
  it.nop = (effect.flags & kNop) != 0;
  it.prefetch = (effect.flags & kPrefetch) != 0;
  it.asks_processor = (effect.flags & kAsksProcessor) != 0;
  it.floating_point = (effect.flags & kFloat) != 0;
  Apply(it, word, address, effect);
  return it;
}

std::string_view A64MnemonicName(std::uint32_t id) { return AllTables().Name(id); }

}  // namespace tare::binary
