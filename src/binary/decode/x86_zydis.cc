// x86_zydis.cc: Zydis configured for 64-bit code.
#include "binary/decode/x86_zydis.h"

#include "base/check.h"

namespace tare::decode {
namespace {

const ZydisDecoder& Decoder() {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder made;
    CHECK(ZYAN_SUCCESS(ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64)));
    return made;
  }();
  return decoder;
}

}  // namespace

bool ReadX86(std::span<const std::byte> code, X86Decoded& it) {
  return ZYAN_SUCCESS(
      ZydisDecoderDecodeFull(&Decoder(), code.data(), code.size(), &it.instruction, it.all));
}

}  // namespace tare::decode
