// code_constants.cc: lea and mov on x86-64; adr, adrp, add, movz, movk and ldr on AArch64.
#include "binary/decode/code_constants.h"

#include <cstring>

#include "binary/decode/a64_bits.h"
#include "binary/decode/x86_decoder.h"

namespace tare::decode {
std::optional<CodeConstant> ConstantFollower::Next(std::span<const std::byte> code,
                                                   std::uint64_t address) {
  if (architecture_ == Architecture::kX86_64) {
    const auto found = ConstantOfX86(code, address);
    if (!found) return std::nullopt;
    return CodeConstant{found->register_number, found->value, found->is_slot, std::nullopt};
  }
  std::uint32_t word = 0;
  if (code.size() < sizeof(word)) return std::nullopt;
  std::memcpy(&word, code.data(), sizeof(word));
  return NextWord(word, address);
}

std::optional<CodeConstant> ConstantFollower::NextWord(std::uint32_t word, std::uint64_t address) {
  const auto to = static_cast<std::uint8_t>(word & 31);
  const std::uint32_t from = (word >> 5) & 31;
  Register& target = registers_[to];
  if ((word & 0x1f000000) == 0x10000000) {  // adr, adrp
    const std::uint64_t offset = ((word >> 3) & 0x1ffffc) | ((word >> 29) & 3);
    const bool page = (word >> 31) != 0;
    target.value = page ? (address & ~std::uint64_t{0xfff}) + (Signed(offset, 21) << 12)
                        : address + Signed(offset, 21);
    if (page) target.page = target.value;
    return CodeConstant{to, *target.value, false, std::nullopt};
  }
  if ((word & 0xff800000) == 0x91000000) {  // add (immediate)
    const std::uint64_t added = std::uint64_t{(word >> 10) & 0xfff} << ((word >> 22) & 1 ? 12 : 0);
    const Register base = registers_[from];
    if (!base.value) {
      target.value.reset();
      return std::nullopt;
    }
    CodeConstant constant{to, *base.value + added, false, std::nullopt};
    if (base.page) constant.from_page = *base.page + added;
    target.value = constant.value;
    return constant;
  }
  if ((word & 0xffc00000) == 0xf9400000) {  // ldr, 64 bits
    const Register base = registers_[from];
    target.value.reset();
    // Only directly after adrp does it load an address; elsewhere it loads data.
    if (!base.value || base.value != base.page) return std::nullopt;
    const std::uint64_t added = std::uint64_t{(word >> 10) & 0xfff} * 8;
    return CodeConstant{to, *base.value + added, true, std::nullopt};
  }
  if ((word & 0xff800000) == 0xd2800000 || (word & 0xff800000) == 0xf2800000) {  // movz, movk
    const int shift = static_cast<int>((word >> 21) & 3) * 16;
    const std::uint64_t part = std::uint64_t{(word >> 5) & 0xffff} << shift;
    const bool keeps = (word >> 29) == 7;
    if (keeps && !target.value) return std::nullopt;
    target.value = keeps ? (*target.value & ~(std::uint64_t{0xffff} << shift)) | part : part;
    return CodeConstant{to, *target.value, false, std::nullopt};
  }
  return std::nullopt;
}

}  // namespace tare::decode
