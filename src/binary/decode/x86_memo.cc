// x86_memo.cc: finding the end of an instruction's key bytes, and looking them up.
#include "binary/decode/x86_memo.h"

#include <array>
#include <cstring>

#include "binary/decode/x86_decoder.h"

namespace tare::decode {
namespace {

constexpr std::size_t kLongest = 15;
constexpr unsigned kSlotBits = 15;
constexpr unsigned kFormBits = 14;
constexpr std::size_t kFormBuckets = 1U << kFormBits;
constexpr std::size_t kMaxForms = kFormBuckets / 2;

enum class Follows : std::uint8_t {
  kNothing,  // no ModRM byte: only an immediate follows
  kModRm,
  kPrefix,
  kRex,
  kMap0f,
  kVex2,
  kVex3,
  kEvex,
  kUnknown,  // left to the decoder: rare, or not determined by the bytes up to ModRM and SIB
};

// Intel SDM volume 2, appendix A, tables, for 64-bit mode.
constexpr std::array<Follows, 256> OneByteMap() {
  std::array<Follows, 256> map{};
  const auto set = [&](unsigned first, unsigned last, Follows what) {
    for (unsigned at = first; at <= last; ++at) map[at] = what;
  };
  for (unsigned row = 0; row < 0x40; row += 8) set(row, row + 3, Follows::kModRm);
  set(0x40, 0x4f, Follows::kRex);
  set(0x63, 0x63, Follows::kModRm);
  set(0x69, 0x69, Follows::kModRm);
  set(0x6b, 0x6b, Follows::kModRm);
  set(0x80, 0x8e, Follows::kModRm);
  set(0x8f, 0x8f, Follows::kUnknown);  // pop or XOP
  set(0xa0, 0xa3, Follows::kUnknown);  // 64-bit address
  set(0xc0, 0xc1, Follows::kModRm);
  set(0xc6, 0xc7, Follows::kModRm);
  set(0xcd, 0xcd, Follows::kUnknown);  // int: 0x80 is a system call
  set(0xd0, 0xd3, Follows::kModRm);
  set(0xd8, 0xdf, Follows::kModRm);
  set(0xf6, 0xf7, Follows::kModRm);
  set(0xfe, 0xff, Follows::kModRm);
  for (const unsigned prefix :
       {0x26U, 0x2eU, 0x36U, 0x3eU, 0x64U, 0x65U, 0x66U, 0xf0U, 0xf2U, 0xf3U})
    set(prefix, prefix, Follows::kPrefix);
  set(0x67, 0x67, Follows::kUnknown);
  set(0x0f, 0x0f, Follows::kMap0f);
  set(0xc5, 0xc5, Follows::kVex2);
  set(0xc4, 0xc4, Follows::kVex3);
  set(0x62, 0x62, Follows::kEvex);
  return map;
}
constexpr auto kOneByte = OneByteMap();

constexpr std::array<Follows, 256> TwoByteMap() {
  std::array<Follows, 256> map{};
  map.fill(Follows::kModRm);
  const auto set = [&](unsigned first, unsigned last, Follows what) {
    for (unsigned at = first; at <= last; ++at) map[at] = what;
  };
  set(0x04, 0x0c, Follows::kNothing);
  set(0x0e, 0x0e, Follows::kNothing);
  set(0x0f, 0x0f, Follows::kUnknown);  // 3DNow! has its opcode at the end
  set(0x20, 0x27, Follows::kUnknown);  // control registers: ModRM has another meaning
  set(0x30, 0x37, Follows::kNothing);
  set(0x77, 0x77, Follows::kNothing);
  set(0x80, 0x8f, Follows::kNothing);
  set(0xa0, 0xa2, Follows::kNothing);
  set(0xa8, 0xaa, Follows::kNothing);
  set(0xc8, 0xcf, Follows::kNothing);
  return map;
}
constexpr auto kTwoByte = TwoByteMap();

// The number of bytes before displacement and immediate; 0 where the cache does not apply. `head`
// has 16 bytes.
unsigned KeyBytes(const std::uint8_t* head) {
  unsigned at = 0;
  Follows follows = kOneByte[head[0]];
  while (follows == Follows::kPrefix && at < 4) follows = kOneByte[head[++at]];
  if (follows == Follows::kRex) follows = kOneByte[head[++at]];
  ++at;
  switch (follows) {
    case Follows::kNothing:
      return at;
    case Follows::kModRm:
      break;
    case Follows::kMap0f:
      // 0f 38 and 0f 3a lead to maps in which all instructions have ModRM.
      follows = (head[at] & 0xfdU) == 0x38 ? Follows::kModRm : kTwoByte[head[at]];
      at += (head[at] & 0xfdU) == 0x38 ? 2 : 1;
      if (follows == Follows::kNothing) return at;
      if (follows == Follows::kUnknown) return 0;
      break;
    case Follows::kVex2:
      at += 2;
      if (head[at - 1] == 0x77) return at;  // vzeroupper
      break;
    case Follows::kVex3:
      at += 3;
      if (head[at - 1] == 0x77 && (head[at - 3] & 0x1fU) == 1) return at;
      break;
    case Follows::kEvex:
      at += 4;
      break;
    default:
      return 0;
  }
  const bool has_sib = head[at] < 0xc0 && (head[at] & 7U) == 4;
  return at + (has_sib ? 2 : 1);
}

std::uint64_t FirstBytes(std::uint64_t word, unsigned count) {
  return count >= 8 ? word : word & ((std::uint64_t{1} << (8 * count)) - 1);
}

std::size_t Spread(std::uint64_t key, unsigned bits) {
  return static_cast<std::size_t>((key * 0x9e3779b97f4a7c15U) >> (64 - bits));
}

template <typename T>
std::uint64_t SignedAt(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof(value));
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

}  // namespace

X86Memo::X86Memo() : slots_(std::size_t{1} << kSlotBits), form_buckets_(kFormBuckets) {}

std::optional<Instruction> X86Memo::Decode(std::span<const std::byte> code, std::uint64_t address) {
  std::optional<Instruction> result;
  std::uint8_t head[kLongest + 1];
  if (code.size() < sizeof(head)) {
    result = DecodeX86(code, address);
    return result;
  }
  std::memcpy(head, code.data(), sizeof(head));
  const unsigned key_bytes = KeyBytes(head);
  if (key_bytes == 0 || key_bytes > 8) {
    result = DecodeX86(code, address);
    return result;
  }
  std::uint64_t key;
  std::memcpy(&key, head, sizeof(key));
  key = FirstBytes(key, key_bytes);
  Slot& slot = slots_[Spread(key, kSlotBits)];
  if (slot.key != key || slot.length == 0) {
    result = Learn(code, address, key, key_bytes, slot);
    return result;
  }
  result.emplace(forms_[slot.form]);
  result->length =
      slot.length;  // from the slot, not the form: the next address of a walk depends only on it
  const std::uint64_t next = address + slot.length;
  if (slot.target_bytes == 4)
    result->target = next + SignedAt<std::int32_t>(code.data() + slot.length - 4);
  else if (slot.target_bytes == 1)
    result->target = next + SignedAt<std::int8_t>(code.data() + slot.length - 1);
  if (slot.refers_after != 0)
    result->refers_to = next + SignedAt<std::int32_t>(code.data() + slot.refers_after);
  return result;
}

std::optional<Instruction> X86Memo::Learn(std::span<const std::byte> code, std::uint64_t address,
                                          std::uint64_t key, unsigned key_bytes, Slot& slot) {
  const auto decoded = DecodeX86(code, address);
  if (!decoded) return decoded;
  Slot learnt;
  learnt.key = key;
  learnt.target_bytes =
      static_cast<std::uint8_t>(decoded->target ? decoded->length - key_bytes : 0);
  learnt.length = decoded->length;
  learnt.refers_after = static_cast<std::uint8_t>(decoded->refers_to ? key_bytes : 0);
  // Some processors support 16-bit offsets; these are left to the decoder.
  if (learnt.target_bytes != 0 && learnt.target_bytes != 1 && learnt.target_bytes != 4)
    return decoded;
  Instruction form = *decoded;
  form.target.reset();
  form.refers_to.reset();
  if (const auto number = FormOf(form)) {
    learnt.form = *number;
    slot = learnt;
  }
  return decoded;
}

std::optional<std::uint16_t> X86Memo::FormOf(const Instruction& form) {
  const std::uint64_t salient = (std::uint64_t{form.classes.mask()} << 24U) ^
                                (std::uint64_t{form.mnemonic} << 8U) ^ form.length ^
                                (std::uint64_t{form.load_bytes} << 48U) ^
                                (std::uint64_t{form.store_bytes} << 40U);
  for (std::size_t at = Spread(salient, kFormBits);; at = (at + 1) % kFormBuckets) {
    std::uint16_t& bucket = form_buckets_[at];
    if (bucket != 0 && forms_[bucket - 1U] == form) return static_cast<std::uint16_t>(bucket - 1U);
    if (bucket != 0) continue;
    if (forms_.size() >= kMaxForms) return std::nullopt;
    forms_.push_back(form);
    bucket = static_cast<std::uint16_t>(forms_.size());
    return static_cast<std::uint16_t>(forms_.size() - 1);
  }
}

}  // namespace tare::decode
