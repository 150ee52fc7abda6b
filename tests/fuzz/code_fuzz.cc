// code_fuzz.cc: finds the code of arbitrary programs, and compares cached with uncached decoding.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "base/progress.h"
#include "binary/code/program_code.h"
#include "binary/decode/decoder.h"
#include "binary/elf/elf_image.h"
#include "binary/mix/build_facts.h"
#include "binary/mix/file_mix.h"
#include "binary/mix/measurement_interface.h"

namespace {

using namespace tare;

// The decoder's cache from earlier inputs must not change the result.
void CheckDecoder(decode::Architecture architecture, std::span<const std::byte> bytes) {
  static decode::Decoder decoders[] = {decode::Decoder(decode::Architecture::kX86_64),
                                       decode::Decoder(decode::Architecture::kAArch64)};
  const bool x86 = architecture == decode::Architecture::kX86_64;
  for (std::size_t at = 0; at < bytes.size();) {
    const auto code = bytes.subspan(at);
    const auto plain = decode::Decode(architecture, code, 0x1000 + at);
    const auto quick = decoders[x86 ? 0 : 1].TryDecode(code, 0x1000 + at);
    CHECK(plain.has_value() == quick.has_value());
    if (plain) CHECK(*plain == *quick);
    at += plain ? plain->length : (x86 ? 1U : 4U);
  }
}

// The pieces must be adjacent, fill the function, and contain the counted instructions.
void CheckPieces(const code::ProgramCode& code, std::uint32_t index, decode::Decoder& decoder) {
  const auto& image = code.image();
  const auto& function = code.FunctionAt(index);
  code::FunctionWalk walk(image, function, decoder, code.literals());
  const auto whole = image.Code(function.start, function.end - function.start);
  std::uint64_t at = function.start;
  code::CategoryMix mix;
  while (walk.Next()) {
    const code::Piece& piece = walk.piece();
    CHECK(piece.address == at && piece.bytes > 0 &&
          at + piece.bytes <= function.start + whole.size());
    if (piece.kind == code::PieceKind::kInstruction) {
      // Where segments overlap, the image has different bytes for an address in the middle.
      const auto bytes = whole.subspan(at - function.start, piece.bytes);
      const auto plain = decode::Decode(image.architecture(), bytes, piece.address);
      CHECK(plain && *plain == piece.instruction && plain->length == piece.bytes);
      ++mix[decode::CategoryOf(piece.instruction)];
    }
    at += piece.bytes;
  }
  CHECK(mix == code.functions()[index].mix);
}

void CheckSite(const code::ProgramCode& code, const code::CallSite& site) {
  switch (site.to) {
    case code::TargetKind::kFunction:
      CHECK(site.target < code.functions().size());
      break;
    case code::TargetKind::kImport:
      CHECK(site.target < code.targets().imports().size());
      break;
    case code::TargetKind::kDispatch:
      CHECK(site.target < code.targets().dispatches().size());
      break;
    default:
      break;
  }
  for (const auto candidate : code.CandidatesOf(site).functions)
    CHECK(candidate < code.functions().size());
  (void)mix::CalledName(code, site);
}

void CheckCalls(const code::ProgramCode& code, std::uint32_t index) {
  const auto& function = code.FunctionAt(index);
  const auto sites = code.CallsOf(index);
  CHECK(!code.IsStub(index) || sites.empty());
  std::uint64_t behind = function.start;
  for (const auto& site : sites) {
    CHECK(site.address >= behind && site.address < function.end);
    CHECK(site.position < code.functions()[index].mix.Instructions());
    behind = site.address + 1;
    CheckSite(code, site);
  }
  for (const auto taken : code.TakenBy(index))
    CHECK(taken < code.functions().size() && taken != index);
}

void CheckWhole(const code::ProgramCode& code) {
  std::uint64_t instructions = 0;
  for (const auto& function : code.functions()) instructions += function.mix.Instructions();
  CHECK(instructions == code.total().Instructions());
  if (code.functions().empty()) return;
  const auto certain = code::ReachableFrom(code, 0, code::Edges::kCertain);
  const auto possible = code::ReachableFrom(code, 0, code::Edges::kPossible);
  CHECK(certain.size() <= possible.size() && possible.size() <= code.functions().size());
  (void)mix::InclusiveOf(code, 0);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  const auto image = elf::ParseElf(bytes);
  if (!image) {
    CheckDecoder(decode::Architecture::kX86_64, bytes);
    CheckDecoder(decode::Architecture::kAArch64, bytes);
    return 0;
  }
  const auto code = code::ProgramCode::Read(*image, 1, NoProgress);
  CHECK(code);
  decode::Decoder decoder(image->architecture());
  for (std::uint32_t i = 0; i < code->functions().size(); ++i) {
    CheckPieces(*code, i, decoder);
    CheckCalls(*code, i);
  }
  CheckWhole(*code);
  (void)mix::FactsOf(*code);
  static const auto interfaces = mix::MeasurementInterface::Make("");
  (void)mix::FindInterfaceUses(*code, *interfaces);
  return 0;
}
