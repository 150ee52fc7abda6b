// elf_fuzz.cc: reads arbitrary programs and libraries.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "binary/elf/elf_image.h"

namespace {

using namespace tare;

void CheckFunctions(const elf::ElfImage& image) {
  std::uint64_t last = 0;
  for (const auto& function : image.functions()) {
    CHECK(function.start >= last && function.start < function.end);
    last = function.end;
    CHECK(image.FunctionAt(function.start) == &function);
    image.QueriesProcessor(function);
    elf::Demangled(function.name);
    if (const auto offset = image.FileOffsetOf(function.start)) CHECK(*offset < image.file_bytes());
  }
  for (const auto& dispatch : image.IfuncCandidates())
    for (const auto candidate : dispatch.candidates)
      CHECK(image.FunctionAt(candidate)->start == candidate);
}

void CheckData(const elf::ElfImage& image) {
  std::uint64_t last = 0;
  for (const auto& range : image.data_in_code()) {
    CHECK(range.start >= last && range.start < range.end);
    last = range.end;
  }
  last = 0;
  std::size_t letters = 0;
  for (const auto& reference : image.references()) {
    CHECK(reference.address >= last);
    last = reference.address;
    CHECK(image.ReferenceAt(reference.address)->address == reference.address);
    for (const char letter : reference.symbol) letters += letter == 'a' ? 1 : 0;
  }
  CHECK(letters <= 65 * image.file_bytes() + (1 << 20));
  last = 0;
  for (const auto& table : image.virtual_tables()) {
    CHECK(table.start >= last && table.start < table.end && (table.end - table.start) % 8 == 0);
    last = table.end;
    for (std::uint64_t slot = table.start; slot < table.end; slot += 8) CHECK(image.WordAt(slot));
    CHECK(table.name.size() <= image.file_bytes());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto image = elf::ParseElf(std::as_bytes(std::span(data, size)));
  if (!image) {
    CHECK(!image.error().message.empty());
    return 0;
  }
  CheckFunctions(*image);
  CheckData(*image);
  (void)image->FindMain();
  (void)image->FindFunction("main");
  (void)image->FindFunction("ns::of(int)");
  return 0;
}
