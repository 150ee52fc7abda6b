// register_use_a64.cc: the register fields of A64 words, by the groups of the manual's tables (Arm
// ARM, C4.1 "A64 instruction set encoding").
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "binary/decode/a64_bits.h"
#include "binary/decode/a64_decoder.h"
#include "binary/decode/architecture_uses.h"

namespace tare::decode {
namespace {

constexpr std::uint32_t kZeroOrStack = 31;
constexpr std::size_t kLink = 30;
constexpr std::uint32_t kRd = 0;  // lowest bits of the register fields
constexpr std::uint32_t kRn = 5;
constexpr std::uint32_t kRa = 10;
constexpr std::uint32_t kRm = 16;

// Vector instructions that also read their destination. Those whose name ends in "n2" keep the
// lower half of it.
constexpr auto kAccumulates = std::to_array<std::string_view>(
    {"aesd",      "aese",      "bfdot",    "bfmlalb",   "bfmlalt",   "bfmmla",   "bif",
     "bit",       "bsl",       "fcmla",    "fmla",      "fmlal",     "fmlal2",   "fmls",
     "fmlsl",     "fmlsl2",    "ins",      "mla",       "mls",       "saba",     "sabal",
     "sabal2",    "sadalp",    "sdot",     "sha1c",     "sha1m",     "sha1p",    "sha1su0",
     "sha1su1",   "sha256h",   "sha256h2", "sha256su0", "sha256su1", "sha512h",  "sha512h2",
     "sha512su0", "sha512su1", "sli",      "smlal",     "smlal2",    "smlsl",    "smlsl2",
     "smmla",     "sqdmlal",   "sqdmlal2", "sqdmlsl",   "sqdmlsl2",  "sqrdmlah", "sqrdmlsh",
     "sri",       "srsra",     "ssra",     "sudot",     "suqadd",    "tbx",      "uaba",
     "uabal",     "uabal2",    "uadalp",   "udot",      "umlal",     "umlal2",   "umlsl",
     "umlsl2",    "ummla",     "ursra",    "usdot",     "usmmla",    "usqadd",   "usra"});

class A64Use {
 public:
  A64Use(std::uint32_t word, std::uint64_t address, const Instruction& it)
      : word_(word), address_(address), it_(it), name_(A64MnemonicName(it.mnemonic)) {}

  RegisterUse Read() {
    const std::uint32_t group = Bits(word_, 28, 25);
    if (it_.nop) return use_;
    if ((group & 0b1110) == 0b1000) {
      Immediate();
    } else if ((group & 0b1110) == 0b1010) {
      Control();
    } else if ((group & 0b0101) == 0b0100) {
      Access();
    } else if ((group & 0b0111) == 0b0101) {
      Registers();
    } else if ((group & 0b0111) == 0b0111) {
      Vector();
    } else if (group == 0b0010) {
      Scalable();
    }
    return use_;
  }

 private:
  std::uint32_t Field(std::uint32_t low) const { return (word_ >> low) & 31U; }
  bool Bit(int bit) const { return Bits(word_, bit, bit) != 0; }

  // Register 31 is zero, or the stack pointer.
  void General(std::uint32_t number, RegisterSet& set) {
    if (number != kZeroOrStack) set.set(number);
  }
  void OrStack(std::uint32_t number, RegisterSet& set) { set.set(number); }
  void VectorRegister(std::uint32_t number, RegisterSet& set) {
    set.set(kVectorRegisters + number % 32);
  }
  void Predicate(std::uint32_t number, RegisterSet& set) { set.set(kMaskRegisters + number % 16); }
  // Of either file: of a load or store.
  void Data(std::uint32_t number, RegisterSet& set) {
    if (Bit(26)) {
      VectorRegister(number, set);
    } else {
      General(number, set);
    }
  }

  void Immediate() {
    const std::uint32_t kind = Bits(word_, 25, 23);
    const bool sets_flags = name_ == "adds" || name_ == "subs" || name_ == "ands";
    const bool sum = kind <= 3 && kind >= 2;  // add, sub, addg, smax (immediate)
    const bool logic = kind == 4;
    if (kind <= 1) return General(Field(kRd), use_.writes);  // adr, adrp
    const bool min_or_max = kind == 3 && Bit(22);
    if ((sum || logic) && !sets_flags && !min_or_max) {
      OrStack(Field(kRd), use_.writes);
    } else {
      General(Field(kRd), use_.writes);
    }
    if (sets_flags) use_.writes.set(kFlags);
    if (name_ == "movk" || name_ == "bfm") General(Field(kRd), use_.values);
    if (kind == 5) return;  // movn, movz, movk
    if (sum && !min_or_max) {
      OrStack(Field(kRn), use_.values);
      use_.moves = !sets_flags && kind == 2 && Bits(word_, 22, 10) == 0 && Bit(31);
    } else {
      General(Field(kRn), use_.values);
    }
    if (name_ == "extr") General(Field(kRm), use_.values);
  }

  void Control() {
    switch (it_.branch) {
      case BranchKind::kConditional:
        if (Bits(word_, 31, 24) == 0x54) {
          use_.values.set(kFlags);
        } else {
          General(Field(kRd), use_.values);  // cbz, tbz
        }
        return;
      case BranchKind::kIndirectJump:
      case BranchKind::kReturn:
        return General(Field(kRn), use_.values);
      case BranchKind::kIndirectCall:
        General(Field(kRn), use_.values);
        [[fallthrough]];
      case BranchKind::kCall:
        return CallWrites();
      default:
        break;
    }
    if (it_.system_call) {
      General(8, use_.values);
      General(0, use_.values);
      return General(0, use_.writes);
    }
    if (name_ == "mrs" || name_ == "sysl") {
      // nzcv is S3_3_C4_C2_0.
      use_.values.set(kFlags, (word_ & 0xffffffe0U) == 0xd53b4200U);
      return General(Field(kRd), use_.writes);
    }
    if (name_ == "msr" || name_ == "sys") {
      use_.writes.set(kFlags, (word_ & 0xffffffe0U) == 0xd51b4200U);
      return General(Field(kRd), use_.values);
    }
    if (name_ == "dc" || name_ == "ic") return General(Field(kRd), use_.address);
    Signing();
  }

  // Hints that sign or authenticate x30 or x17 (Arm ARM, C6.2 "HINT").
  void Signing() {
    if ((word_ & 0xfffff01fU) != 0xd503201fU) return;
    const std::uint32_t hint = Bits(word_, 11, 5);
    const bool link = hint == 7 || (hint >= 24 && hint <= 31);
    const bool other = hint >= 8 && hint <= 15;
    if (!link && !other) return;
    use_.values.set(link ? kLink : 17);
    use_.writes.set(link ? kLink : 17);
  }

  // x0 to x18, x30, v0 to v7 and v16 to v31 (AAPCS64, 6.1).
  void CallWrites() {
    for (std::uint32_t i = 0; i <= 18; ++i) use_.writes.set(i);
    use_.writes.set(kLink);
    for (std::uint32_t i = 0; i < 32; ++i) {
      if (i < 8 || i >= 16) VectorRegister(i, use_.writes);
    }
    use_.writes.set(kFlags);
  }

  void Registers() {
    const std::uint32_t group = Bits(word_, 28, 21);
    const bool sets_flags = name_ == "adds" || name_ == "subs" || name_ == "ands" ||
                            name_ == "bics" || name_ == "adcs" || name_ == "sbcs" ||
                            name_ == "subps";
    const bool extended = (group & 0xf9) == 0x59;  // add, sub (extended register)
    if (extended) {
      OrStack(Field(kRn), use_.values);
      if (sets_flags) General(Field(kRd), use_.writes);
      if (!sets_flags) OrStack(Field(kRd), use_.writes);
    } else {
      General(Field(kRn), use_.values);
    }
    const bool compares = (group & 0xff) == 0xd2;  // ccmp, ccmn
    const bool one_source = group == 0xd6 && Bit(30);
    const bool sets_only_flags = name_ == "rmif" || name_ == "setf8" || name_ == "setf16";
    if (!one_source && !(compares && Bit(11)) && !sets_only_flags) General(Field(kRm), use_.values);
    if (Bits(word_, 28, 24) == 0x1b && name_ != "smulh" && name_ != "umulh")
      General(Field(kRa), use_.values);
    if (one_source && Bits(word_, 20, 16) == 1) General(Field(kRd), use_.values);  // pacia
    const bool reads_flags = name_.starts_with("adc") || name_.starts_with("sbc") || compares ||
                             group == 0xd4 || sets_only_flags;
    if (reads_flags) use_.values.set(kFlags);
    if (sets_flags || compares || sets_only_flags) use_.writes.set(kFlags);
    if (!compares && !sets_only_flags && !extended) General(Field(kRd), use_.writes);
    use_.moves = name_ == "orr" && Field(kRn) == kZeroOrStack && Field(kRm) != kZeroOrStack &&
                 Bits(word_, 23, 22) == 0 && Bits(word_, 15, 10) == 0;
  }

  void SetPlace(std::uint64_t offset, std::uint8_t index = kNoRegister, std::uint8_t scale = 1) {
    use_.memory = MemoryOperand{.base = static_cast<std::uint8_t>(Field(kRn)),
                                .index = index,
                                .scale = scale,
                                .offset = offset};
  }

  void Access() {
    if ((word_ & 0x3b000000U) == 0x18000000U) return Literal();
    if ((word_ & 0xbe000000U) == 0x0c000000U) return Structures();
    OrStack(Field(kRn), use_.address);
    if ((word_ & 0x3a000000U) == 0x28000000U) return Pair();
    if ((word_ & 0x3f000000U) == 0x08000000U) return Exclusive();
    if ((word_ & 0x3a000000U) == 0x38000000U) return Single();
    Rare();
  }

  void Literal() {
    if (it_.prefetch) return;
    use_.memory = MemoryOperand{};
    use_.memory->offset = address_ + (Signed(Bits(word_, 23, 5), 19) << 2);
    Data(Field(kRd), use_.writes);
  }

  void Transfer(bool load, std::uint32_t number) { Data(number, load ? use_.writes : use_.values); }

  void Pair() {
    const bool load = Bit(22);
    Transfer(load, Field(kRd));
    Transfer(load, Field(kRa));
    const std::uint32_t size = Bits(word_, 31, 30);
    const std::uint32_t scale = Bit(26)              ? 2 + size
                                : size == 1 && !load ? 4
                                : size == 2          ? 3
                                                     : 2;  // stgp: tags
    const bool after = Bits(word_, 24, 23) == 1;
    SetPlace(after ? 0 : Signed(Bits(word_, 21, 15), 7) << scale);
    if (Bit(23)) OrStack(Field(kRn), use_.stepped);
  }

  void Single() {
    const bool offset = Bit(24);
    const bool indexed = !offset && Bit(21) && Bits(word_, 11, 10) == 2;
    const bool atomic = !offset && Bit(21) && Bits(word_, 11, 10) == 0;
    if (it_.loads > 0) Data(Field(kRd), use_.writes);
    if (it_.stores > 0 && !atomic) Data(Field(kRd), use_.values);
    const std::uint32_t size = Bit(26) && Bit(23) ? 4 : Bits(word_, 31, 30);
    if (offset) return SetPlace(std::uint64_t{Bits(word_, 21, 10)} << size);
    if (indexed) {
      General(Field(kRm), use_.address);
      return SetPlace(0, static_cast<std::uint8_t>(Field(kRm)),
                      static_cast<std::uint8_t>(Bit(12) ? 1U << size : 1U));
    }
    if (atomic) {
      if (it_.stores > 0) General(Field(kRm), use_.values);
      if (name_ == "st64b" || name_ == "ld64b")
        for (std::uint32_t i = 0; i < 8; ++i)
          General(Field(kRd) + i, it_.loads > 0 ? use_.writes : use_.values);
      return SetPlace(0);
    }
    if (Bit(21)) {  // ldraa: the offset has ten bits
      if (Bit(11)) OrStack(Field(kRn), use_.stepped);
      return SetPlace(Bit(11) ? 0
                              : Signed((Bits(word_, 22, 22) << 9) | Bits(word_, 20, 12), 10) << 3);
    }
    const std::uint32_t way = Bits(word_, 11, 10);
    SetPlace(way == 1 ? 0 : Signed(Bits(word_, 20, 12), 9));
    if ((way & 1) != 0) OrStack(Field(kRn), use_.stepped);
  }

  void Exclusive() {
    SetPlace(0);
    const bool load = Bit(22);
    const bool ordered = Bit(23) && !Bit(21);
    const bool compares = name_.starts_with("cas");
    if (compares) {
      const std::uint32_t count = name_.starts_with("casp") ? 2 : 1;
      for (std::uint32_t i = 0; i < count; ++i) {
        General(Field(kRm) + i, use_.values);
        General(Field(kRm) + i, use_.writes);
        General(Field(kRd) + i, use_.values);
      }
      return;
    }
    Transfer(load, Field(kRd));
    if (Bit(21) && !ordered) Transfer(load, Field(kRa));
    if (!load && !ordered) General(Field(kRm), use_.writes);  // the status
  }

  // ldapur, stlur, memory tags, copies.
  void Rare() {
    if (name_.starts_with("cpy") || name_.starts_with("set")) {
      for (const std::uint32_t field : {kRd, kRn, kRm}) General(Field(field), use_.values);
      General(Field(kRd), use_.writes);
      General(Field(kRn), use_.writes);
      if (name_.starts_with("cpy")) General(Field(kRm), use_.writes);
      use_.address = use_.values;
      return;
    }
    SetPlace(Signed(Bits(word_, 20, 12), 9));
    if (it_.loads > 0) Data(Field(kRd), use_.writes);
    if (it_.loads == 0) Data(Field(kRd), use_.values);
    if (Bit(21) && Bit(10)) OrStack(Field(kRn), use_.stepped);
  }

  // ld1 to ld4, st1 to st4, and replication.
  void Structures() {
    OrStack(Field(kRn), use_.address);
    std::uint32_t registers = 1;
    bool keeps = false;
    if (!Bit(24)) {
      const std::uint32_t opcode = Bits(word_, 15, 12);
      registers = opcode == 0 || opcode == 2 ? 4 : opcode == 4 || opcode == 6 ? 3 : 2;
      if (opcode == 7) registers = 1;
    } else {
      registers = ((Bits(word_, 13, 13) << 1) | Bits(word_, 21, 21)) + 1;
      keeps = Bits(word_, 15, 14) != 3;  // one lane
    }
    for (std::uint32_t i = 0; i < registers; ++i) {
      if (it_.loads > 0) VectorRegister(Field(kRd) + i, use_.writes);
      if (it_.loads == 0 || keeps) VectorRegister(Field(kRd) + i, use_.values);
    }
    SetPlace(0);
    if (!Bit(23)) return;
    OrStack(Field(kRn), use_.stepped);
    General(Field(kRm), use_.address);
  }

  bool Accumulates() const {
    return std::ranges::binary_search(kAccumulates, name_) || name_.ends_with("n2");
  }

  void Vector() {
    if ((word_ & 0x5f000000U) == 0x1e000000U) return ScalarFloat();
    if ((word_ & 0x5f000000U) == 0x1f000000U) {
      for (const std::uint32_t field : {kRn, kRm, kRa}) VectorRegister(Field(field), use_.values);
      return VectorRegister(Field(kRd), use_.writes);
    }
    if (Bits(word_, 31, 24) == 0xce) return FourRegisters();
    if (name_ == "umov" || name_ == "smov") {
      VectorRegister(Field(kRn), use_.values);
      return General(Field(kRd), use_.writes);
    }
    VectorRegister(Field(kRd), use_.writes);
    if (Accumulates()) VectorRegister(Field(kRd), use_.values);
    const bool copy = !Bit(24) && Bits(word_, 23, 21) == 0 && !Bit(15) && Bit(10);
    if (copy) {
      // dup and ins of a general-purpose register.
      const bool general = !Bit(29) && (Bits(word_, 14, 11) == 1 || Bits(word_, 14, 11) == 3);
      if (general) return General(Field(kRn), use_.values);
      return VectorRegister(Field(kRn), use_.values);
    }
    if (Bit(24)) return Element();
    VectorRegister(Field(kRn), use_.values);
    if (name_ == "tbl" || name_ == "tbx")
      for (std::uint32_t i = 1; i <= Bits(word_, 14, 13); ++i)
        VectorRegister(Field(kRn) + i, use_.values);
    const bool one_source = Bit(21) && Bits(word_, 11, 10) == 2;
    if (!one_source) VectorRegister(Field(kRm), use_.values);
    use_.moves = name_ == "orr" && Field(kRn) == Field(kRm);
  }

  // Shifts by an immediate, immediates, and operations by element.
  void Element() {
    if (Bit(10)) {
      const bool immediate = Bits(word_, 22, 19) == 0 && Bits(word_, 28, 28) == 0;
      if (!immediate) return VectorRegister(Field(kRn), use_.values);
      if (name_ == "orr" || name_ == "bic") VectorRegister(Field(kRd), use_.values);
      return;
    }
    VectorRegister(Field(kRn), use_.values);
    const bool half = Bits(word_, 23, 22) < 2;
    VectorRegister(half ? Bits(word_, 19, 16) : Field(kRm), use_.values);
  }

  void FourRegisters() {
    VectorRegister(Field(kRd), use_.writes);
    VectorRegister(Field(kRn), use_.values);
    if (!name_.starts_with("sha512su0") && name_ != "sm4e") VectorRegister(Field(kRm), use_.values);
    if (Bits(word_, 23, 21) < 3 && !Bit(15)) {
      VectorRegister(Field(kRa), use_.values);
    } else if (name_ != "rax1" && name_ != "xar" && name_ != "sm4ekey") {
      VectorRegister(Field(kRd), use_.values);
    }
  }

  void ScalarFloat() {
    const bool converts = !Bit(21) || Bits(word_, 15, 10) == 0;
    if (converts) {
      const std::uint32_t opcode = Bits(word_, 18, 16);
      const bool from_general = opcode == 2 || opcode == 3 || opcode == 7;
      if (from_general) {
        General(Field(kRn), use_.values);
        VectorRegister(Field(kRd), use_.writes);
        if (name_ == "fmov" && Bits(word_, 20, 19) == 1) VectorRegister(Field(kRd), use_.values);
        return;
      }
      VectorRegister(Field(kRn), use_.values);
      return General(Field(kRd), use_.writes);
    }
    const std::uint32_t way = Bits(word_, 11, 10);
    if (way == 0 && Bits(word_, 12, 10) == 4) {  // fmov of a constant
      return VectorRegister(Field(kRd), use_.writes);
    }
    VectorRegister(Field(kRn), use_.values);
    const bool one_source = way == 0 && Bits(word_, 14, 10) == 16;
    const bool compares = (way == 0 && Bits(word_, 13, 10) == 8) || way == 1;
    const bool with_zero = way == 0 && Bit(3);
    if (!one_source && !(compares && with_zero)) VectorRegister(Field(kRm), use_.values);
    if (way == 1 || way == 3) use_.values.set(kFlags);
    if (compares) {
      use_.writes.set(kFlags);
    } else {
      VectorRegister(Field(kRd), use_.writes);
    }
    use_.moves = one_source && name_ == "fmov";
  }

  // SVE: an approximation that may list too many sources, but not too few.
  void Scalable() {
    if (it_.loads + it_.stores > 0 || it_.prefetch) {
      OrStack(Field(kRn), use_.address);
      if (it_.classes.Contains(InstructionClass::kGather)) {
        VectorRegister(Field(kRm), use_.address);
      } else {
        General(Field(kRm), use_.address);
      }
      Predicate(Bits(word_, 12, 10), use_.values);
      if (!it_.prefetch) VectorRegister(Field(kRd), it_.loads > 0 ? use_.writes : use_.values);
      return;
    }
    if (name_.starts_with("while")) {
      General(Field(kRn), use_.values);
      General(Field(kRm), use_.values);
      Predicate(Bits(word_, 3, 0), use_.writes);
      return use_.writes.set(kFlags), void();
    }
    if (name_.starts_with("ptrue") || name_.starts_with("pfalse"))
      return Predicate(Bits(word_, 3, 0), use_.writes);
    if (name_.starts_with("ptest")) {
      Predicate(Bits(word_, 8, 5), use_.values);
      return use_.writes.set(kFlags), void();
    }
    const bool counts = name_.starts_with("cnt") || name_ == "rdvl";
    const bool steps = name_.starts_with("inc") || name_.starts_with("dec");
    if (counts || steps) {
      General(Field(kRd), use_.writes);
      if (steps) General(Field(kRd), use_.values);
      return;
    }
    if (name_ == "addvl" || name_ == "addpl") {
      OrStack(Field(kRm), use_.values);
      return OrStack(Field(kRd), use_.writes);
    }
    const bool compares = name_.starts_with("cmp") || name_.starts_with("fcm");
    Predicate(Bits(word_, 12, 10), use_.values);
    VectorRegister(Field(kRn), use_.values);
    VectorRegister(Field(kRm), use_.values);
    if (compares) {
      Predicate(Bits(word_, 3, 0), use_.writes);
      return use_.writes.set(kFlags), void();
    }
    VectorRegister(Field(kRd), use_.values);
    VectorRegister(Field(kRd), use_.writes);
  }

  std::uint32_t word_;
  std::uint64_t address_;
  const Instruction& it_;
  std::string_view name_;
  RegisterUse use_;
};

}  // namespace

RegisterUse A64UseOf(std::span<const std::byte> code, std::uint64_t address) {
  std::uint32_t word = 0;
  if (code.size() < sizeof(word)) return {};
  std::memcpy(&word, code.data(), sizeof(word));
  const auto it = DecodeA64(word, address);
  if (!it) return {};
  return A64Use(word, address, *it).Read();
}

}  // namespace tare::decode
