// elf_fuzz.cc: programs and libraries with anything in them.
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/check.h"
#include "binary/elf_image.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace tare;
  const auto image = binary::ParseElf(std::as_bytes(std::span(data, size)));
  if (!image) {
    CHECK(!image.error().message.empty());
    return 0;
  }
  std::uint64_t last = 0;
  for (const auto& function : image->functions()) {
    CHECK(function.start >= last && function.start < function.end);
    last = function.end;
    CHECK(image->FunctionAt(function.start) == &function);
    image->ProcessorQuestions(function);
    binary::Demangled(function.name);
    if (const auto offset = image->FileOffsetOf(function.start)) CHECK(*offset < size);
  }
  for (const auto& dispatch : image->IfuncCandidates())
    for (const auto candidate : dispatch.candidates)
      CHECK(image->FunctionAt(candidate)->start == candidate);
  (void)image->FindMain();
  (void)image->FindFunction("main");
  (void)image->FindFunction("ns::of(int)");
  return 0;
}
