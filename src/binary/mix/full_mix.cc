// full_mix.cc: reads functions as ProgramCode does.
#include "binary/mix/full_mix.h"

namespace tare::mix {

code::FullMix FullMixOf(const code::ProgramCode& code, std::span<const std::uint32_t> functions) {
  code::FunctionReader reader(code.targets(), code.literals());
  code::CodeFindings findings;
  for (const std::uint32_t function : functions) reader.Read(function, findings);
  return findings.mix;
}

}  // namespace tare::mix
